/* Random kernels, as they are and transformed, must leave the same memory (issue: differential testing, DESIGN 7).
 *
 *	fuzz_diff [-n N] [-s SEED] [-o DIR] [-v]      N kernels from SEED on; the first that fails goes to DIR, exit status 1
 *	fuzz_diff -p SEED                             print a kernel
 *
 * generate -> parse -> transform -> parse -> run both under ipdom, the transformed one also under random schedules, in
 * blocks of several shapes. All in one process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "simt/simt.h"
#include "tests/gen/gen.h"
#include "transform/pass.h"

enum { BUFFERS = 4, LIMIT = 20000000 };

typedef struct {
	uint64_t n, first;
	const char *dir;
	bool verbose;
	uint64_t sites, done, in_step, apart, nothing;
	Buf why;                /* of the failure */
} Run;

/* A module with its emulator and buffers. */
typedef struct {
	Source src;
	Diags *diags;
	Module *m;
	Sim *sim;
	Sim_kernel *kernel;
	uint64_t at[BUFFERS];
	uint8_t params[64];
} Machine;

static const uint32_t sizes[BUFFERS] = { 4 * GEN_IN_WORDS, 8 * GEN_SITES * GEN_ITEMS * GEN_SLOTS, 8 * GEN_THREADS * GEN_LAST,
	4 * GEN_SUMS };

static const struct { uint32_t grid, block[3]; } shapes[] = {
	{ 2, { 32, 1, 1 } }, { 2, { 33, 1, 1 } }, { 1, { 31, 1, 1 } }, { 2, { 64, 1, 1 } }, { 3, { 40, 1, 1 } }, { 2, { 100, 1, 1 } },
	{ 1, { 10, 7, 1 } }, { 2, { 4, 5, 3 } }, { 5, { 7, 1, 1 } }, { 1, { 1, 1, 1 } }, { 2, { 8, 16, 1 } }, { 4, { 16, 2, 2 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- machines ---------------------------------------------------------------------------- */

static bool
machine_init(Machine *k, const char *name, const Buf *text, const Gen_info *info, Buf *why)
{
	memset(k, 0, sizeof *k);
	source_from(&k->src, name, text->at, text->n);
	k->diags = diags_new(&k->src);
	k->m = ptx_parse(&k->src, k->diags);
	if (!k->m) {
		diags_print(k->diags, stderr);
		buf_printf(why, "%s: syntax", name);
		return false;
	}
	k->sim = sim_new(k->m);
	k->kernel = sim_kernel(k->sim, "k", why);
	if (!k->kernel)
		return false;
	for (int i = 0; i < BUFFERS; i++) {
		k->at[i] = sim_alloc(k->sim, sizes[i], "buffer");
		memcpy(k->params + 8 * i, &k->at[i], 8);
	}
	memcpy(k->params + 8 * BUFFERS, &info->n, 4);
	memcpy(k->params + 8 * BUFFERS + 4, &info->x, 4);
	return true;
}

static void
machine_release(Machine *k)
{
	sim_free(k->sim);
	ptx_free(k->m);
	diags_free(k->diags);
	source_release(&k->src);
}

/* As ptxrun fills them: rand:SEED, and zeros. */
static void
machine_fill(Machine *k, uint32_t in_seed)
{
	uint64_t state = in_seed;
	for (int i = 0; i < BUFFERS; i++)
		memset(sim_bytes(k->sim, k->at[i], sizes[i]), 0, sizes[i]);
	uint8_t *in = sim_bytes(k->sim, k->at[0], sizes[0]);
	for (uint32_t i = 0; i < GEN_IN_WORDS; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint32_t v = (uint32_t)(state >> 33);
		memcpy(in + 4 * i, &v, 4);
	}
}

static bool
machine_run(Machine *k, uint32_t shape, uint64_t seed, const Gen_info *info, Buf *why)
{
	Sim_launch l = { .grid = { shapes[shape].grid, 1, 1 }, .sched = seed ? SCHED_RANDOM : SCHED_IPDOM, .seed = seed, .races = true,
		.limit = LIMIT, .params = k->params };
	Sim_counts counts;
	memcpy(l.block, info->block[0] ? info->block : shapes[shape].block, sizeof l.block);
	if (info->block[0])
		l.grid[0] = 2;
	machine_fill(k, info->in_seed);
	if (sim_launch(k->sim, k->kernel, &l, why, &counts))
		return true;
	buf_printf(why, "%s: --grid %u --block %u,%u,%u", k->src.name, l.grid[0], l.block[0], l.block[1], l.block[2]);
	if (seed)
		buf_printf(why, " --sched=random --seed=%llu", (unsigned long long)seed);
	return false;
}

static bool
machines_agree(Machine *a, Machine *b, Buf *why)
{
	static const char *const names[BUFFERS] = { "in", "out", "last", "sums" };
	for (int i = 0; i < BUFFERS; i++) {
		const uint8_t *p = sim_bytes(a->sim, a->at[i], sizes[i]), *q = sim_bytes(b->sim, b->at[i], sizes[i]);
		uint32_t k = 0;
		if (!memcmp(p, q, sizes[i]))
			continue;
		while (p[k] == q[k])
			k++;
		buf_printf(why, "buffer %s differs at byte %u", names[i], k);
		return false;
	}
	return true;
}

/* ---- one kernel -------------------------------------------------------------------------- */

static void
count_sites(Run *r, const Report *report, const Buf *out)
{
	r->nothing += report->sites.n == 0;
	for (uint32_t i = 0; i < report->sites.n; i++) {
		r->sites++;
		r->done += report->sites.at[i].done;
		if (!report->sites.at[i].done && r->verbose)
			printf("refused: %s\n", report->sites.at[i].refused);
	}
	for (const char *s = out->at; (s = strstr(s, "_want:\n")); s++)
		r->apart++;
	for (const char *s = out->at; (s = strstr(s, "_done:\n")); s++)
		r->in_step++;
}

static bool
transform(Run *r, Machine *k, Buf *out, bool *changed)
{
	static const Pass_options options = {0};
	Report report;
	Arena *a = arena_new();
	report_init(&report);
	Edits *e = passes_run(k->m, &options, &report, k->diags, a);
	bool ok = !diags_errors(k->diags);
	*changed = edit_any(e);
	edit_apply(e, &k->src, out);
	edit_release(e);
	count_sites(r, &report, out);
	if (!ok)
		buf_puts(&r->why, "errors from the transformation");
	report_release(&report);
	arena_free(a);
	return ok;
}

static bool
compare(Run *r, Machine *plain, Machine *ccc, const Gen_info *info, uint64_t seed)
{
	uint64_t state = seed ^ 0x5eed;
	for (int s = 0; s < 2; s++) {
		uint32_t shape = (uint32_t)(gen_random(&state) % SHAPES);
		if (!machine_run(plain, shape, 0, info, &r->why))
			return false;
		for (int k = 0; k < 3; k++) {
			uint64_t sched = k ? gen_random(&state) % 1000 + 1 : 0;
			if (!machine_run(ccc, shape, sched, info, &r->why))
				return false;
			if (!machines_agree(plain, ccc, &r->why)) {
				buf_printf(&r->why, ": --grid %u --block %u,%u,%u --seed=%llu%s", shapes[shape].grid, shapes[shape].block[0],
					shapes[shape].block[1], shapes[shape].block[2], (unsigned long long)sched,
					info->block[0] ? " (but --grid 2 and .reqntid)" : "");
				return false;
			}
		}
	}
	return true;
}

static bool
one(Run *r, uint64_t seed, const Buf *text, const Gen_info *info)
{
	Machine plain, ccc;
	Buf out = {0};
	bool changed = false;
	bool ok = machine_init(&plain, "plain", text, info, &r->why) && transform(r, &plain, &out, &changed);
	if (ok && changed) {
		ok = machine_init(&ccc, "transformed", &out, info, &r->why) && compare(r, &plain, &ccc, info, seed);
		machine_release(&ccc);
	}
	machine_release(&plain);
	buf_free(&out);
	return ok;
}

static void
report_failure(const Run *r, uint64_t seed, const Buf *text)
{
	Buf name = {0};
	const char *error;
	printf("seed %llu: %s\n", (unsigned long long)seed, r->why.at);
	if (r->dir) {
		buf_printf(&name, "%s/%llu.ptx", r->dir, (unsigned long long)seed);
		if (!source_write(name.at, text->at, text->n, &error))
			fprintf(stderr, "fuzz_diff: cannot write '%s': %s\n", name.at, error);
		else
			printf("kernel in %s\n", name.at);
	}
	buf_free(&name);
}

static int
print_kernel(uint64_t seed)
{
	Buf text = {0};
	Gen_info info;
	gen_kernel(seed, &text, &info);
	fputs(text.at, stdout);
	buf_free(&text);
	return 0;
}

/* All kernels; how many failed. */
static uint64_t
run_all(Run *r)
{
	uint64_t failed = 0;
	for (uint64_t k = 0; k < r->n; k++) {
		Buf text = {0};
		Gen_info info;
		uint64_t seed = r->first + k;
		gen_kernel(seed, &text, &info);
		r->why.n = 0;
		if (!one(r, seed, &text, &info)) {
			failed++;
			report_failure(r, seed, &text);
		}
		buf_free(&text);
	}
	return failed;
}

int
main(int argc, char **argv)
{
	Run r = { .n = 300, .first = 1 };
	for (int c; (c = getopt(argc, argv, "n:s:o:p:v")) != -1;)
		switch (c) {
		case 'n': r.n = strtoull(optarg, NULL, 0); break;
		case 's': r.first = strtoull(optarg, NULL, 0); break;
		case 'o': r.dir = optarg; break;
		case 'v': r.verbose = true; break;
		case 'p': return print_kernel(strtoull(optarg, NULL, 0));
		default: return 2;
		}
	clock_t start = clock();
	uint64_t failed = run_all(&r);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	printf("%llu kernels in %.1f s (%.0f a second); %llu sites, %.1f %% transformed, %llu in step, %llu apart\n",
		(unsigned long long)r.n, seconds, (double)r.n / (seconds > 0 ? seconds : 1), (unsigned long long)r.sites,
		100.0 * (double)r.done / (double)(r.sites ? r.sites : 1), (unsigned long long)r.in_step, (unsigned long long)r.apart);
	printf("gen: %llu passed, %llu failed\n", (unsigned long long)(r.n - failed), (unsigned long long)failed);
	buf_free(&r.why);
	return failed != 0;
}
