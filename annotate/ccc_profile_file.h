// SPDX-License-Identifier: MIT
// Writes the counters of a module to a profile (docs/profiles.md), or reports which promises of
// annotations its checks found broken. In C and C++: ccc_profile.h, in
// programs that cccnvcc builds, and ptxccc-run include it.
//
// CCC_PROFILE_FILE names the file: %p is replaced by the process id, %m by an id of the module.
// Existing contents of the file are kept: profiles add up.
#ifndef CCC_PROFILE_FILE_H
#define CCC_PROFILE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __cplusplus
#define CCC_CAST(type, value) static_cast<type>(value)
namespace {
namespace __ccc {
#else
#define CCC_CAST(type, value) ((type)(value))
#endif

typedef unsigned long long u64;

// Access to the GPU. Both return 0 if they succeed.
typedef struct {
	int (*copy)(void *to, u64 from, size_t n); // from the GPU's memory
	int (*attribute)(int which, int *value); // of the GPU, by the number that CUDA gives it
} gpu_access;

typedef struct { char *at; size_t n, room; } text; // growable

static inline void add(text *to, const char *s, size_t len)
{
	if (to->n + len + 1 > to->room) {
		to->room = 2 * (to->n + len + 1);
		to->at = CCC_CAST(char *, realloc(to->at, to->room));
		if (!to->at)
			abort();
	}
	memcpy(to->at + to->n, s, len);
	to->at[to->n += len] = 0;
}

static inline void add_string(text *to, const char *s) { add(to, s, strlen(s)); }

static inline void add_number(text *to, u64 v)
{
	char s[24];
	add(to, s, CCC_CAST(size_t, snprintf(s, sizeof s, "%llu", v)));
}

// A pair of numbers, such as executions by lanes and by warps.
static inline void add_pair(text *to, const char *what, const u64 *of)
{
	add_string(to, what);
	add_number(to, of[0]);
	add_string(to, " ");
	add_number(to, of[1]);
}

// A launch's maximum is added when the next launch starts, and the last launch's here.
static inline u64 of_launches(const u64 *of, u64 launches) { return launches ? of[3] + of[2] : 0; }

static inline void add_block(text *to, unsigned k, const u64 *of, u64 launches)
{
	const u64 most = of[4] > of[2] ? of[4] : of[2], last = of_launches(of, launches);
	const u64 numbers[] = { k, of[0], of[1], of[5], most, last, of[6] };
	add_string(to, "\nblock");
	for (unsigned i = 0; i < 7; i++) {
		add_string(to, " ");
		add_number(to, numbers[i]);
	}
}

// Atomic operations in the given number of runs; nothing is known if it is 0.
static inline void add_atomics(text *to, u64 runs, const u64 *of)
{
	if (!runs)
		return;
	add_string(to, "\natomics ");
	add_number(to, runs);
	for (unsigned i = 0; i < 3; i++) {
		add_string(to, " ");
		add_number(to, of[i]);
	}
}

// Returns the lanes that came.
static inline u64 add_lanes(text *to, const u64 *came)
{
	u64 lanes = 0;
	for (unsigned k = 1; k <= 32; k++)
		if (came[k]) {
			add_string(to, lanes ? " " : "\nlanes ");
			lanes += k * came[k];
			add_number(to, k);
			add_string(to, ":");
			add_number(to, came[k]);
		}
	return lanes;
}

// What all records have in common. multiprocessors: of the GPU; 0: unknown.
typedef struct { u64 sampling, multiprocessors; } counting;

// The record of one profile point. at: offset in the texts; counters of iterations, executions,
// trips and blocks; number of blocks; counters of executions of the enclosing loop, of launches
// (followed by the largest block), of lanes that executed the profile point before, of atomic
// operations, of exits of the enclosing loop, and of the iterations in its whole executions, which
// have a separate record.
static inline void add_record(
	text *to, const char *texts, const unsigned *at, const u64 *counters, const counting *all)
{
	const u64 launches = at[7] ? counters[at[7]] : 0;
	add_string(to, texts + at[0]);
	if (at[11]) {
		add_pair(to, "whole ", counters + at[11]);
		add_string(to, "\nend\n");
		return;
	}
	add_pair(to, "iterations ", counters + at[1]);
	if (at[6])
		add_pair(to, "\nentries ", counters + at[6]);
	if (at[10] && counters[at[10]])
		add_pair(to, "\nexits ", counters + at[10]);
	if (launches) {
		add_string(to, "\nlaunches ");
		add_number(to, launches);
		if (all->multiprocessors) {
			add_string(to, " ");
			add_number(to, all->multiprocessors);
		}
		add_string(to, "\nthreads ");
		add_number(to, counters[at[7] + 1]);
		if (all->sampling) {
			add_string(to, "\nsampling ");
			add_number(to, all->sampling);
		}
	}
	const u64 lanes = add_lanes(to, counters + at[2]);
	if (at[3] && counters[at[3]]) {
		add_pair(to, "\ntrips ", counters + at[3]);
		add_string(to, " ");
		add_number(to, of_launches(counters + at[3], launches));
	}
	if (at[8]) {
		add_string(to, "\nagain ");
		add_number(to, counters[at[8]]);
	}
	for (unsigned k = 1; k <= at[5]; k++)
		add_block(to, k, counters + at[4] + 7 * (k - 1), launches);
	if (at[9])
		add_atomics(to, at[3] ? counters[at[3]] : lanes, counters + at[9]);
	add_string(to, "\nend\n");
}

// Adds the head of the records, with the memory bandwidth of a multiprocessor (bytes in a number
// of its cycles) if the GPU reports it. The emulator does not. Returns the number of
// multiprocessors; 0: unknown.
static inline u64 add_head(text *to, const gpu_access *gpu)
{
	// memory clock, bus width, clock, multiprocessors: numbers of cudaDeviceAttr
	const int asked[] = { 36, 37, 13, 16 };
	u64 of[4] = { 0, 0, 0, 0 }; // kHz, bits
	int known = 1;
	for (unsigned i = 0; i < 4; i++) {
		int n = 0;
		if (gpu->attribute(asked[i], &n) == 0 && n > 0)
			of[i] = CCC_CAST(u64, n);
		else
			known = 0;
	}
	add_string(to, "cccprof 10\n");
	if (!known)
		return of[3];
	const u64 in_a_ms[] = { 2 * of[0] * of[1] / 8, of[2] * of[3] }; // two transfers per cycle
	add_pair(to, "memory ", in_a_ms);
	add_string(to, "\n");
	return of[3];
}

// Gets the file's name with %p and %m replaced; in a folder the file has the default name.
static inline void add_name(text *to, const char *asked, const char *texts, size_t n)
{
	static const char usual[] = "ccc-%p-%m.cccprof";
	struct stat is;
	text whole = { 0, 0, 0 };
	u64 sum = 14695981039346656037ull;
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ CCC_CAST(unsigned char, texts[i])) * 1099511628211ull;
	add_string(&whole, *asked ? asked : usual);
	const int folder = *asked && stat(asked, &is) == 0 && S_ISDIR(is.st_mode);
	if (folder || (*asked && asked[strlen(asked) - 1] == '/')) {
		add_string(&whole, "/");
		add_string(&whole, usual);
	}
	for (const char *s = whole.at; *s; s++)
		if (s[0] == '%' && s[1] == 'p') {
			add_number(to, CCC_CAST(u64, getpid()));
			s++;
		} else if (s[0] == '%' && s[1] == 'm') {
			add_number(to, sum % 1000000007u);
			s++;
		} else {
			add(to, s, 1);
		}
	free(whole.at);
}

static inline void append(const char *texts, size_t n, const text *records)
{
	const char *asked = getenv("CCC_PROFILE_FILE");
	text file = { 0, 0, 0 };
	add_name(&file, asked && *asked ? asked : texts, texts, n);
	FILE *to = fopen(file.at, "a");
	int ok = to && setvbuf(to, 0, _IOFBF, records->n + 1) == 0 &&
		fwrite(records->at, 1, records->n, to) == records->n;
	if (to)
		ok = fclose(to) == 0 && ok;
	if (!ok)
		fprintf(stderr, "ccc: cannot write the profile '%s'\n", file.at);
	free(file.at);
}

static inline void *copied(const gpu_access *gpu, u64 from, u64 n)
{
	void *to = malloc(CCC_CAST(size_t, n + 1));
	if (to && gpu->copy(to, from, CCC_CAST(size_t, n)) != 0) {
		free(to);
		to = 0;
	}
	return to;
}

enum { COPIES = 16, BESIDE = 64 };

// Sums the copies of n counters. Concurrent blocks update different copies; the copies are
// interleaved in groups of 64 counters.
static inline u64 *counted(const gpu_access *gpu, u64 from, u64 n)
{
	u64 *all = CCC_CAST(u64 *, copied(gpu, from, 8 * COPIES * n));
	u64 *sums = all ? CCC_CAST(u64 *, calloc(CCC_CAST(size_t, n), 8)) : 0;
	for (u64 i = 0; sums && i < COPIES * n; i++)
		sums[i / (COPIES * BESIDE) * BESIDE + i % BESIDE] += all[i];
	free(all);
	return sums;
}

// Writes the counters of a module. v: its variable __ccc_profile: version, number of profile
// points, counters, counters per copy, table, texts and their size in bytes, sampling.
static inline void write_profile(const gpu_access *gpu, const u64 v[8])
{
	enum { numbers = 12 }; // of a row of the table
	char *texts = CCC_CAST(char *, copied(gpu, v[5], v[6]));
	unsigned *table = CCC_CAST(unsigned *, copied(gpu, v[4], numbers * 4 * v[1]));
	u64 *counters = counted(gpu, v[2], v[3]);
	text out = { 0, 0, 0 };
	const counting all = { v[7], add_head(&out, gpu) };
	for (u64 i = 0; texts && table && counters && i < v[1]; i++)
		add_record(&out, texts, table + numbers * i, counters, &all);
	if (texts && table && counters)
		append(texts, CCC_CAST(size_t, v[6]), &out);
	free(out.at);
	free(counters);
	free(table);
	free(texts);
}

// ---- promises of annotations (transform/instrument/promise.c) ----------------------------------

enum { PROMISE_PAIRS = 64 };

// Returns the text after this one.
static inline const char *after(const char *s) { return s + strlen(s) + 1; }

// Adds a line about a pair of sites, unless there is one like it: copies of a statement have one
// position. A site's texts: its position, that of the loop, and its annotation.
static inline void add_pair_of_sites(text *to, const char *texts, const unsigned *at, unsigned pair)
{
	const char *one = texts + at[(pair & 0xffff) - 1], *loop = after(one);
	const char *other = pair >> 16 ? texts + at[(pair >> 16) - 1] : one;
	text line = { 0, 0, 0 };
	add_string(&line, "\nccc: ");
	add_string(&line, other);
	if (strcmp(one, other) != 0) {
		add_string(&line, " and ");
		add_string(&line, one);
	}
	if (pair >> 16) {
		add_string(&line, ": two iterations of the loop at ");
		add_string(&line, loop);
		add_string(&line, " access the same address, and one writes: the promise of '");
		add_string(&line, after(loop));
		add_string(&line, "' does not hold");
	} else {
		add_string(&line, ": not checked, in the loop at ");
		add_string(&line, loop);
		add_string(&line, ": a call, a copy, or an address that is no register");
	}
	if (!to->n || !strstr(to->at, line.at))
		add(to, line.at, line.n);
	free(line.at);
}

// Reports what the checks of a module found. v: its variable __ccc_profile: version, number of
// sites, numbers and pairs, table, texts and their size, size of the table.
static inline void report_promises(const gpu_access *gpu, const u64 v[8])
{
	char *texts = CCC_CAST(char *, copied(gpu, v[5], v[6]));
	unsigned *table = CCC_CAST(unsigned *, copied(gpu, v[4], 4 * v[1]));
	u64 *state = CCC_CAST(u64 *, copied(gpu, v[2], 32 + 4 * PROMISE_PAIRS));
	text out = { 0, 0, 0 };
	unsigned broken = 0, unchecked = 0;
	for (unsigned i = 0; texts && table && state && i < PROMISE_PAIRS; i++) {
		const unsigned pair = CCC_CAST(unsigned, state[4 + i / 2] >> 32 * (i % 2));
		broken += pair >> 16 != 0;
		unchecked += pair && !(pair >> 16);
		if (pair)
			add_pair_of_sites(&out, texts, table, pair);
	}
	if (!texts || !table || !state) {
		fprintf(stderr, "ccc: the results of --ccc-check-promise cannot be read\n");
	} else {
		add_string(&out, "\n");
		fprintf(stderr, "%sccc: %llu accesses in annotated loops checked, %s%s\n", out.at + 1, state[1],
			broken ? "promises are broken" : "no broken promise found",
			unchecked || state[2] || state[3] ? "; not everything was checked" : "");
		if (state[2])
			fprintf(stderr, "ccc: the table had no room for %llu records: build with --ccc-check-promise=N, where N is more than %llu\n", state[2], v[7]);
	}
	free(out.at);
	free(state);
	free(table);
	free(texts);
}

#ifdef __cplusplus
} // namespace __ccc
} // namespace
#endif

#endif
