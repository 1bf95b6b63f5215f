/* SPDX-License-Identifier: MIT */
/* Blocks executed by several threads: the kernels of tests/simt/blocks.ptx leave the same memory
 * and the same report as with one thread, and exactly those with dependent blocks are detected. */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "simt/simt.h"
#include "tests/unit/test.h"

enum { BYTES = 16384, BLOCKS = 50, THREADS = 32 };

typedef struct { uint8_t memory[BYTES]; Buf out; Buf text; Sim_counts counts; bool alone; } Result;
/* It is not certain that two workers access the same word, because one may finish before the others
 * start. */
typedef enum { NEVER, MAYBE, ALWAYS } Alone;
typedef struct { uint32_t threads; bool races, lines, unwritten; uint64_t limit; } Way;

static void
run_kernel(const Module *m, const char *kernel, Way way, Result *r)
{
	Sim *s = sim_new(m);
	*r = (Result){ .alone = false };
	Sim_kernel *k = sim_kernel(s, kernel, &r->out);
	uint64_t params[2] = { sim_alloc(s, BYTES + 4, "in"),
		way.unwritten ? sim_alloc_unwritten(s, BYTES, "out") :
				sim_alloc(s, BYTES, "out") };
	uint32_t *in = (uint32_t *)(void *)sim_bytes(s, params[0], BYTES + 4);
	for (uint32_t i = 0; i < BYTES / 4 + 1; i++)
		in[i] = i * 37;
	Sim_launch l = { .grid = { BLOCKS, 1, 1 },
		.block = { THREADS, 1, 1 },
		.races = way.races,
		.lines = way.lines,
		.traffic = true,
		.threads = way.threads,
		.limit = way.limit,
		.text = &r->text,
		.params = (const uint8_t *)params };
	/* twice: a launch must not affect the next one */
	for (int i = 0; i < 2; i++)
		sim_launch(s, k, &l, &r->out, &r->counts);
	memcpy(r->memory, sim_bytes(s, params[1], BYTES), BYTES);
	if (way.lines)
		sim_lines_print(s, LINES_PTX, false, &r->out);
	r->alone = sim_blocks_are_independent(k);
	sim_free(s);
}

static bool
same_text(const Buf *a, const Buf *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n));
}

static void
compare_runs(const Module *m, const char *kernel, Way way, Alone alone)
{
	static Result one, more;
	char name[128];
	Way single = way;
	single.threads = 1;
	run_kernel(m, kernel, single, &one);
	run_kernel(m, kernel, way, &more);
	bool same = !memcmp(one.memory, more.memory, BYTES) && same_text(&one.out, &more.out) &&
		same_text(&one.text, &more.text) &&
		!memcmp(&one.counts, &more.counts, sizeof one.counts);
	snprintf(name, sizeof name, "%s by %u threads, races %d, lines %d", kernel, way.threads,
		way.races, way.lines);
	CHECK(name, same);
	if (alone != MAYBE)
		CHECK("and one thread is wanted, or not", more.alone == (alone == ALWAYS));
	buf_free(&one.out), buf_free(&one.text);
	buf_free(&more.out), buf_free(&more.text);
}

int
main(void)
{
	static const struct { const char *kernel; Alone alone;
	} kernels[] = { { "apart", NEVER }, { "locals", NEVER }, { "bytes", MAYBE },
		{ "after", MAYBE }, { "same", MAYBE }, { "counter", ALWAYS }, { "flags", ALWAYS },
		{ "prints", ALWAYS }, { "clocks", ALWAYS }, { "allocates", ALWAYS },
		{ "stops", ALWAYS } };
	Source src;
	const char *why;
	if (!source_read(&src, "tests/simt/blocks.ptx", &why))
		return 1;
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	for (size_t k = 0; m && k < sizeof kernels / sizeof *kernels; k++)
		for (uint32_t bits = 0; bits < 8; bits++)
			compare_runs(m, kernels[k].kernel,
				(Way){ 2 + bits, bits & 1, bits & 2, bits & 4, 0 },
				kernels[k].alone);
	/* all together exceed the limit, none does alone */
	compare_runs(m, "apart", (Way){ .threads = 7, .limit = 9000 }, ALWAYS);
	compare_runs(m, "apart", (Way){ .threads = 7, .limit = 90000 }, NEVER);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return test_end();
}
