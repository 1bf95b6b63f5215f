/* SPDX-License-Identifier: MIT */
/* Unit tests: issue slots and memory demand of code (analysis/cost/static_cost.h). */
#include "analysis/analyse.h"
#include "analysis/cost/static_cost.h"
#include "base/buf.h"
#include "tests/unit/test.h"

static const char head[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n"
	"{\n.reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
	".reg .f32 %f<9>;\n.reg .f64 %fd<9>;\nld.param.u64 %rd0, [to];\n"
	"cvta.to.global.u64 %rd1, %rd0;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
	"add.s64 %rd3, %rd1, %rd2;\nmov.u32 %r4, 0;\n";

/* Execution counts of blocks, by trip counts. */
static double
once(void *user, uint32_t block)
{
	const Fn *fn = user;

	return loop_run_count(fn, fn->loops->loop_of[block], 0);
}

/* The effort of all blocks of a kernel with that body. */
static Run_cost
effort_of(const char *body)
{
	Buf text = { 0 };
	Source src;
	Run_cost w = { 0 };

	buf_puts(&text, head);
	buf_puts(&text, body);
	buf_puts(&text, "ret;\n}\n");
	source_from(&src, "effort.ptx", text.at, text.n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	CHECK("parsed", m != NULL);
	if (m) {
		Fn *fn = fn_build(m, 1, NULL, a);
		Bits all = bits_new(a, fn->cfg->nblocks);
		for (uint32_t b = 1; b < fn->cfg->nblocks; b++)
			bits_set(all, b);
		w = run_cost_with_counts(fn, all, once, fn);
		run_cost_loads(fn, all, once, fn, &w);
	}
	arena_free(a);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
	return w;
}

/* Eight iterations of a loop. */
#define LOOP(body) "$again:\n" body \
	"add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p, %r4, 8;\n@%p bra $again;\n"
/* The loaded value is an index. */
#define INDEX "ld.global.u32 %r2, [%rd3];\n"
#define PLACE "mul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"

static void
test_places(void)
{
	Run_cost beside = effort_of(INDEX), once_read = effort_of(INDEX PLACE "ld.global.u32 %r3, [%rd5];\n"),
	       row = effort_of(INDEX PLACE LOOP("ld.global.u32 %r3, [%rd5];\nadd.s64 %rd5, %rd5, 4;\n")),
	       looked_up = effort_of(LOOP(INDEX PLACE "ld.global.u32 %r3, [%rd5];\n"
						      "add.s64 %rd3, %rd3, 4;\n")),
	       list = effort_of(INDEX LOOP(PLACE "ld.global.u32 %r2, [%rd5];\n"));

	CHECK("places of the lanes' own", beside.memory == 1 && beside.indexed == 0);
	CHECK("a place that was read", once_read.memory == 2 && once_read.indexed == 1);
	CHECK("a row walked from there", row.memory == 9 && row.indexed == 0 && row.pointer_loads == 8);
	CHECK("a place read in each iteration", looked_up.memory == 16 && looked_up.indexed == 8);
	CHECK("one read in the iteration before", list.memory == 9 && list.indexed == 8);
}

static void
test_atomics(void)
{
	Run_cost unasked = effort_of(INDEX PLACE "atom.global.add.u32 %r3, [%rd5], 1;\n"),
	       reduced = effort_of(INDEX PLACE "red.global.add.u32 [%rd5], 1;\n"),
	       shared = effort_of("red.global.add.u32 [%rd3], 1;\n"),
	       asked = effort_of("atom.global.add.u32 %r3, [%rd3], 1;\nst.global.u32 [%rd3], %r3;\n"),
	       one = effort_of("atom.global.add.u32 %r3, [%rd1], %r1;\n");

	CHECK("nobody asks", unasked.updates == 1 && unasked.exchanges == 0 && unasked.indexed == 0);
	CHECK("nobody can", reduced.updates == 1 && reduced.exchanges == 0);
	CHECK("neighbours share a sector", shared.updates == 0.125 && shared.memory == 1);
	CHECK("somebody asks", asked.updates == 0 && asked.exchanges == 1);
	CHECK("one place for all lanes", one.updates == 0 && one.memory == 0);
}

/* The slots of that code. */
static double
slots_of(const char *body)
{
	return effort_of(body).issue - effort_of("").issue;
}

/* A multiply-add that reads three registers waits for one of them; literals do not count, except a
 * second one. */
static void
test_multiplications(void)
{
	CHECK("an addition", slots_of("add.f32 %f1, %f2, %f3;\n") == 1);
	CHECK("three registers", slots_of("fma.rn.f32 %f1, %f2, %f3, %f4;\n") == 1.5);
	CHECK("a square", slots_of("fma.rn.f32 %f1, %f2, %f2, %f3;\n") == 1);
	CHECK("a sum", slots_of("fma.rn.f32 %f1, %f1, %f2, %f1;\n") == 1);
	CHECK("a literal", slots_of("fma.rn.f32 %f1, %f2, %f3, 0f3F800000;\n") == 1);
	CHECK("one that is moved", slots_of("mov.f32 %f3, 0f3F800000;\n"
					    "fma.rn.f32 %f1, %f2, %f4, %f3;\n") == 1);
	CHECK("two", slots_of("fma.rn.f32 %f1, %f2, 0f3F000000, 0f3F800000;\n") == 1);
	CHECK("two, and a register that may be one",
		slots_of("mov.f32 %f3, 0f3F800000;\n@%p mov.f32 %f3, %f2;\n"
			 "fma.rn.f32 %f1, %f2, %f3, %f4;\n") == 1.5);
	CHECK("integers", slots_of("mul.lo.s32 %r1, %r2, %r3;\n") == 1 &&
		slots_of("mad.lo.s32 %r1, %r2, %r3, %r4;\n") == 1);
	CHECK("of 64 bits", slots_of("mul.lo.s64 %rd4, %rd2, %rd3;\n") == 1.5);
	CHECK("doubles", slots_of("mul.f64 %fd1, %fd2, %fd3;\n") == 1 &&
		slots_of("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;\n") == 1.5);
}

#define FEW "add.s32 %r3, %r3, %r1;\n"
#define MANY FEW FEW FEW FEW FEW FEW FEW FEW

/* Counted loops of a block have their count, test and branch once for four iterations. */
static void
test_unrolled(void)
{
	CHECK("a small loop", slots_of(LOOP(FEW)) == 8 * (1 + 0.75));
	CHECK("one that shall not be", slots_of(LOOP(".pragma \"nounroll\";\n" FEW)) == 8 * (1 + 3));
	CHECK("a large one", slots_of(LOOP(MANY MANY MANY)) == 8 * (24 + 3));
	CHECK("one that goes on as it finds",
		slots_of("$again:\n" FEW "setp.lt.s32 %p, %r3, 8;\n@%p bra $again;\n") == 8 * (1 + 2));
}

int
main(void)
{
	test_multiplications();
	test_unrolled();
	test_places();
	test_atomics();
	return test_end();
}
