/* SPDX-License-Identifier: MIT */
/* Random kernels, as they are and transformed, must leave the same memory (docs/design.md 8).
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
#include "tests/gen/entered.h"
#include "tests/gen/gen.h"
#include "transform/pass.h"

enum { BUFFERS = 4, LIMIT = 20000000 };

static const struct { uint32_t grid, block[3]; } shapes[] = {
	{ 2, { 32, 1, 1 } }, { 2, { 33, 1, 1 } }, { 1, { 31, 1, 1 } }, { 2, { 64, 1, 1 } }, { 3, { 40, 1, 1 } }, { 2, { 100, 1, 1 } },
	{ 1, { 10, 7, 1 } }, { 2, { 4, 5, 3 } }, { 5, { 7, 1, 1 } }, { 1, { 1, 1, 1 } }, { 2, { 8, 16, 1 } }, { 4, { 16, 2, 2 } },
	{ 2, { 4, 4, 8 } },
};
enum {
	SHAPES = sizeof shapes / sizeof *shapes,
	SHAPE_FIXED = SHAPES,   /* that of a kernel with .reqntid */
	SHAPE_COUNTED,          /* of several dimensions, and each loop has threads(N) */
	ALL_SHAPES
};

typedef struct {
	uint64_t n, first;
	const char *dir;
	bool verbose;
	uint64_t sites, done, nothing;
	const Gen_info *info;   /* of the kernel */
	Entered_loops loops;    /* of the kernel */
	Entered_share apart, lockstep;          /* of loops */
	Entered_share launches[ALL_SHAPES];     /* by shape */
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
machine_run(Machine *k, Sim_launch l, uint32_t in_seed, Buf *why)
{
	Sim_counts counts;

	l.params = k->params;
	machine_fill(k, in_seed);
	if (sim_launch(k->sim, k->kernel, &l, why, &counts))
		return true;
	buf_printf(why, "%s: --grid %u --block %u,%u,%u", k->src.name, l.grid[0], l.block[0], l.block[1], l.block[2]);
	if (l.sched == SCHED_RANDOM)
		buf_printf(why, " --sched=random --seed=%llu", (unsigned long long)l.seed);
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
count_sites(Run *r, const Report *report)
{
	r->nothing += report->sites.n == 0;
	for (uint32_t i = 0; i < report->sites.n; i++) {
		r->sites++;
		r->done += report->sites.at[i].done;
		if (!report->sites.at[i].done && r->verbose)
			printf("refused: %s\n", report->sites.at[i].refused);
	}
	entered_start(&r->loops, report);
}

/* By turns, the ones that this version has. */
static const Annot_policy policies[] = { POLICY_STACK, POLICY_QUEUE };
enum { POLICIES = sizeof policies / sizeof *policies };

static bool
transform(Run *r, Machine *k, Annot_policy policy, Buf *out, bool *changed)
{
	const Pass_options options = { .policy = policy };
	Report report;
	Arena *a = arena_new();
	report_init(&report);
	Edits *e = passes_run(k->m, &options, &report, k->diags, a);
	bool ok = !diags_errors(k->diags);
	*changed = edit_any(e);
	edit_apply(e, &k->src, out);
	edit_release(e);
	count_sites(r, &report);
	if (!ok)
		buf_puts(&r->why, "errors from the transformation");
	report_release(&report);
	arena_free(a);
	return ok;
}

static Sim_launch
launch(uint32_t shape, const Gen_info *info)
{
	Sim_launch l = { .grid = { 2, 1, 1 }, .races = true, .limit = LIMIT };

	if (shape < SHAPES)
		l.grid[0] = shapes[shape].grid;
	memcpy(l.block, shape < SHAPES ? shapes[shape].block : info->block, sizeof l.block);
	return l;
}

/* One launch of the transformed kernel: does it leave the same memory? Under SCHED_IPDOM it is
 * noted which loops it enters. */
static bool
try(Run *r, Machine *plain, Machine *ccc, Sim_launch l, uint32_t row)
{
	const uint32_t *b = l.block;
	uint32_t threads = b[0] * b[1] * b[2];

	l.lines = l.sched == SCHED_IPDOM;
	if (!machine_run(ccc, l, r->info->in_seed, &r->why))
		return false;
	if (l.lines && !entered_launch(&r->loops, ccc->sim, threads, &r->launches[row]))
		buf_puts(&r->why, "a loop for smaller blocks was entered");
	else if (machines_agree(plain, ccc, &r->why))
		return true;
	buf_printf(&r->why, ": --grid %u --block %u,%u,%u --seed=%llu", l.grid[0], b[0], b[1], b[2],
		(unsigned long long)l.seed);
	return false;
}

/* Where launches of a shape are counted. */
static uint32_t
row_of(const Run *r, uint32_t shape)
{
	if (shape == SHAPE_FIXED || shapes[shape].block[1] == 1)
		return shape;
	for (uint32_t i = 0; i < r->loops.n; i++)
		if (r->loops.at[i].threads > GEN_MOST_COUNTED)
			return shape;
	return SHAPE_COUNTED;
}

static bool
compare(Run *r, Machine *plain, Machine *ccc, uint64_t seed)
{
	const Gen_info *info = r->info;
	uint64_t state = seed ^ 0x5eed;

	for (int s = 0; s < 2; s++) {
		uint32_t any = (uint32_t)(gen_random(&state) % SHAPES);
		uint32_t shape = info->block[0] ? SHAPE_FIXED : any;
		Sim_launch l = launch(shape, info);
		if (!machine_run(plain, l, info->in_seed, &r->why))
			return false;
		for (int k = 0; k < 3; k++) {
			l.seed = k ? gen_random(&state) % 1000 + 1 : 0;
			l.sched = k ? SCHED_RANDOM : SCHED_IPDOM;
			if (!try(r, plain, ccc, l, row_of(r, shape)))
				return false;
		}
	}
	entered_count(&r->loops, &r->apart, &r->lockstep);
	return true;
}

static bool
one(Run *r, uint64_t seed, const Buf *text)
{
	Machine plain, ccc;
	const Gen_info *info = r->info;
	Buf out = {0};
	bool changed = false;
	bool ok = machine_init(&plain, "plain", text, info, &r->why) && transform(r, &plain, policies[seed % POLICIES], &out, &changed);
	if (ok && changed) {
		ok = machine_init(&ccc, "transformed", &out, info, &r->why);
		if (ok && !entered_find(&r->loops, ccc.m)) {
			buf_puts(&r->why, "a transformed loop without a vote");
			ok = false;
		}
		ok = ok && compare(r, &plain, &ccc, seed);
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
		r->info = &info;
		if (!one(r, seed, &text)) {
			failed++;
			report_failure(r, seed, &text);
		}
		buf_free(&text);
	}
	return failed;
}

/* ---- the transformed loops ---------------------------------------------------------------- */

/* At least so many percent must be entered: of loops, by some launch; of launches of a shape, some
 * loop. The others stand behind a branch, lanes ended before, or there is no item for them. */
enum { LOOPS_ENTERED = 60, LAUNCHES_ENTERED = 40 };

static bool
report_share(const Entered_share *s, uint32_t percent, const char *what)
{
	if (s->may)
		printf("%s%.1f %%", what, entered_percent(s));
	if (entered_enough(s, percent))
		return true;
	printf("\nFAIL gen: that is less than %u %%\n", percent);
	return false;
}

static bool
report_entered(const Run *r)
{
	bool ok = report_share(&r->lockstep, LOOPS_ENTERED, "entered: in step ");

	ok &= report_share(&r->apart, LOOPS_ENTERED, "; apart ");
	ok &= report_share(
		&r->launches[SHAPE_FIXED], LAUNCHES_ENTERED, "; launches with .reqntid ");
	ok &= report_share(&r->launches[SHAPE_COUNTED], LAUNCHES_ENTERED,
		", with threads(N) in several dimensions ");
	for (uint32_t i = 0; i < SHAPES; i++) {
		Buf what = {0};
		const uint32_t *b = shapes[i].block;
		buf_printf(&what, ", %u x %u,%u,%u ", shapes[i].grid, b[0], b[1], b[2]);
		ok &= report_share(&r->launches[i], LAUNCHES_ENTERED, what.at);
		buf_free(&what);
	}
	printf("\n");
	return ok;
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
		100.0 * (double)r.done / (double)(r.sites ? r.sites : 1), (unsigned long long)r.lockstep.may,
		(unsigned long long)r.apart.may);
	bool entered = report_entered(&r); /* a test of its own */
	failed += !entered;
	printf("gen: %llu passed, %llu failed\n", (unsigned long long)(r.n + 1 - failed),
		(unsigned long long)failed);
	vec_free(&r.loops);
	buf_free(&r.why);
	return failed != 0;
}
