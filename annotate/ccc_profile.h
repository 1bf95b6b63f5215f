// SPDX-License-Identifier: MIT
// `cccnvcc --ccc-profile-generate` includes this before each CUDA source. It declares a variable
// through which the program finds the counters of the source's annotated paths and inner loops
// (docs/profiles.md), and writes them to a file when the program ends.
//
// CCC_PROFILE_FILE names the file: %p is replaced by the process id, %m by an id of the module.
// Existing contents of the file are kept: profiles add up.
//
// The counters are read while CUDA still works, when thread-local objects of the main thread are
// destroyed: that is before anything passed to atexit() runs, including the CUDA runtime's own end.
#ifndef CCC_PROFILE_H
#define CCC_PROFILE_H
#if (defined __CUDACC__ && !defined __CUDACC_RTC__) || defined CCC_PROFILE_GLOBAL

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Filled by ptxccc: version, number of profile points, counters, counters per copy, table, texts
// and their size in bytes, sampling.
#ifdef CCC_PROFILE_GLOBAL // one name for a whole program
extern "C" { __device__ unsigned long long __ccc_profile[8]; }
#else
static __device__ __attribute__((used)) unsigned long long __ccc_profile[8];
#endif

namespace {
namespace __ccc {

typedef unsigned long long u64;

struct text { // growable
	char *at;
	size_t n, room;
	void add(const char *s, size_t len)
	{
		if (n + len + 1 > room) {
			room = 2 * (n + len + 1);
			at = static_cast<char *>(realloc(at, room));
			if (!at)
				abort();
		}
		memcpy(at + n, s, len);
		at[n += len] = 0;
	}
	void add(const char *s) { add(s, strlen(s)); }
	void number(u64 v)
	{
		char s[24];
		add(s, static_cast<size_t>(snprintf(s, sizeof s, "%llu", v)));
	}
};

inline void *copy(u64 from, size_t n)
{
	void *to = malloc(n + 1);
	const void *there = reinterpret_cast<const void *>(from);
	if (to && cudaMemcpy(to, there, n, cudaMemcpyDeviceToHost) != cudaSuccess) {
		free(to);
		to = 0;
	}
	return to;
}

// A pair of numbers, such as executions by lanes and by warps.
inline void pair(text &out, const char *what, const u64 *of)
{
	out.add(what);
	out.number(of[0]);
	out.add(" ");
	out.number(of[1]);
}

// A launch's maximum is added when the next launch starts, and the last launch's here.
inline u64 of_launches(const u64 *of, u64 launches) { return launches ? of[3] + of[2] : 0; }

inline void block(text &out, unsigned k, const u64 *of, u64 launches)
{
	const u64 most = of[4] > of[2] ? of[4] : of[2], last = of_launches(of, launches);
	const u64 numbers[] = { k, of[0], of[1], of[5], most, last, of[6] };
	out.add("\nblock");
	for (unsigned i = 0; i < 7; i++) {
		out.add(" ");
		out.number(numbers[i]);
	}
}

// Atomic operations in the given number of runs; nothing is known if it is 0.
inline void atomics(text &out, u64 runs, const u64 *of)
{
	if (!runs)
		return;
	out.add("\natomics ");
	out.number(runs);
	for (unsigned i = 0; i < 3; i++) {
		out.add(" ");
		out.number(of[i]);
	}
}

// The record of one profile point. at: offset in the texts; counters of iterations, executions,
// trips and blocks; number of blocks; counters of executions of the enclosing loop, of launches
// (followed by the largest block), of lanes that executed the profile point before, of atomic
// operations, of exits of the enclosing loop, and of the iterations in its whole executions, which
// have a separate record.
inline void record(text &out, const char *texts, const unsigned *at, const u64 *counters)
{
	const u64 *came = counters + at[2], launches = at[7] ? counters[at[7]] : 0;
	out.add(texts + at[0]);
	if (at[11]) {
		pair(out, "whole ", counters + at[11]);
		out.add("\nend\n");
		return;
	}
	pair(out, "iterations ", counters + at[1]);
	if (at[6])
		pair(out, "\nentries ", counters + at[6]);
	if (at[10] && counters[at[10]])
		pair(out, "\nexits ", counters + at[10]);
	if (launches) {
		out.add("\nlaunches ");
		out.number(launches);
		out.add("\nthreads ");
		out.number(counters[at[7] + 1]);
	}
	bool any = false;
	u64 lanes = 0;
	for (unsigned k = 1; k <= 32; k++)
		if (came[k]) {
			out.add(any ? " " : "\nlanes ");
			any = true;
			lanes += k * came[k];
			out.number(k);
			out.add(":");
			out.number(came[k]);
		}
	if (at[3] && counters[at[3]]) {
		out.add("\ntrips ");
		out.number(counters[at[3]]);
		out.add(" ");
		out.number(counters[at[3] + 1]);
		out.add(" ");
		out.number(of_launches(counters + at[3], launches));
	}
	if (at[8]) {
		out.add("\nagain ");
		out.number(counters[at[8]]);
	}
	for (unsigned k = 1; k <= at[5]; k++)
		block(out, k, counters + at[4] + 7 * (k - 1), launches);
	if (at[9])
		atomics(out, at[3] ? counters[at[3]] : lanes, counters + at[9]);
	out.add("\nend\n");
}

// Writes the head of the records, with the memory bandwidth of a multiprocessor (bytes in a number
// of its cycles) if the GPU reports it. The emulator does not.
inline void head(text &out)
{
	const cudaDeviceAttr asked[] = { cudaDevAttrMemoryClockRate,
		cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrClockRate,
		cudaDevAttrMultiProcessorCount };
	int gpu = 0;
	u64 of[4] = { 0 }; // kHz, bits
	bool known = cudaGetDevice(&gpu) == cudaSuccess;
	for (unsigned i = 0; i < 4; i++) {
		int n = 0;
		known = known && cudaDeviceGetAttribute(&n, asked[i], gpu) == cudaSuccess && n > 0;
		of[i] = static_cast<u64>(n);
	}
	out.add("cccprof 7\n");
	if (!known)
		return;
	const u64 in_a_ms[] = { 2 * of[0] * of[1] / 8, of[2] * of[3] }; // two transfers per cycle
	pair(out, "memory ", in_a_ms);
	out.add("\n");
}

// Gets the file's name with %p and %m replaced; in a folder the file has the default name.
inline void name(text &out, const char *asked, const char *texts, size_t n)
{
	static const char usual[] = "ccc-%p-%m.cccprof";
	struct stat is;
	text whole = { 0, 0, 0 };
	u64 sum = 14695981039346656037ull;
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ static_cast<unsigned char>(texts[i])) * 1099511628211ull;
	whole.add(*asked ? asked : usual);
	bool folder = *asked && stat(asked, &is) == 0 && S_ISDIR(is.st_mode);
	if (folder || (*asked && asked[strlen(asked) - 1] == '/')) {
		whole.add("/");
		whole.add(usual);
	}
	for (const char *s = whole.at; *s; s++)
		if (s[0] == '%' && s[1] == 'p') {
			out.number(static_cast<u64>(getpid()));
			s++;
		} else if (s[0] == '%' && s[1] == 'm') {
			out.number(sum % 1000000007u);
			s++;
		} else {
			out.add(s, 1);
		}
	free(whole.at);
}

inline void append(const char *asked, const char *texts, size_t n, const text &records)
{
	text file = { 0, 0, 0 };
	name(file, asked, texts, n);
	FILE *to = fopen(file.at, "a");
	bool ok = to && setvbuf(to, 0, _IOFBF, records.n + 1) == 0 &&
		fwrite(records.at, 1, records.n, to) == records.n;
	if (to)
		ok = fclose(to) == 0 && ok;
	if (!ok)
		fprintf(stderr, "ccc: cannot write the profile '%s'\n", file.at);
	free(file.at);
}

// Sums the 16 copies of n counters. Concurrent blocks update different copies; the copies are
// interleaved in groups of 64 counters.
inline u64 *counted(u64 from, u64 n)
{
	enum { copies = 16, beside = 64 };
	u64 *all = static_cast<u64 *>(copy(from, 8 * copies * n));
	u64 *sums = all ? static_cast<u64 *>(calloc(n, 8)) : 0;
	for (u64 i = 0; sums && i < copies * n; i++)
		sums[i / (copies * beside) * beside + i % beside] += all[i];
	free(all);
	return sums;
}

inline void write(const u64 (&v)[8])
{
	enum { numbers = 12 }; // of a row of the table
	const char *asked = getenv("CCC_PROFILE_FILE");
	char *texts = static_cast<char *>(copy(v[5], v[6]));
	unsigned *table = static_cast<unsigned *>(copy(v[4], numbers * 4 * v[1]));
	u64 *counters = counted(v[2], v[3]);
	text out = { 0, 0, 0 };
	head(out);
	for (u64 i = 0; texts && table && counters && i < v[1]; i++)
		record(out, texts, table + numbers * i, counters);
	if (texts && table && counters)
		append(asked && *asked ? asked : texts, texts, v[6], out);
	free(out.at);
	free(counters);
	free(table);
	free(texts);
}

struct writer {
	bool armed;
	~writer()
	{
		u64 v[8] = { 0 };
		if (!armed)
			return;
		cudaDeviceSynchronize();
		cudaError_t e = cudaMemcpyFromSymbol(v, __ccc_profile, sizeof v);
		if (e != cudaSuccess)
			fprintf(stderr, "ccc: the profile's counters cannot be read: %s\n", cudaGetErrorString(e));
		else if (v[0] == 7)
			write(v);
	}
};

thread_local writer at_end;

__attribute__((constructor)) inline void begin() { at_end.armed = true; }

} // namespace __ccc
} // namespace

#endif
#endif
