/* SPDX-License-Identifier: MIT */
/* Unit tests of the emulator as used by a whole program: several modules on one memory, the host's
 * memory in kernels, variables by name, and errors that end a launch. */
#include <string.h>
#include "simt/simt.h"
#include "tests/unit/test.h"

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

/* Adds 1 to the word that p points to, and the constant c to the variable v. */
static const char adds[] = HEAD
	".const .align 4 .u32 c = 5;\n.global .align 4 .u32 v = 7;\n.global .attribute(.managed) .align 4 .u32 both = 9;\n"
	".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
	"ld.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.u32 [%rd1], %r1;\nld.const.u32 %r2, [c];\nld.global.u32 %r3, [v];\n"
	"add.u32 %r3, %r3, %r2;\nst.global.u32 [v], %r3;\nret;\n}\n";
static const char traps[] =
	HEAD ".const .align 4 .u32 c = 6;\n.visible .entry k(.param .u64 p)\n{\ntrap;\n}\n";

typedef struct { Source src; Diags *diags; Module *m; Sim *sim; } Loaded;

static void
load_module(Loaded *l, const char *text, Loaded *with)
{
	source_from(&l->src, "t.ptx", text, strlen(text));
	l->diags = diags_new(&l->src);
	l->m = ptx_parse(&l->src, l->diags);
	l->sim = with ? sim_new_sharing(l->m, with->sim) : sim_new(l->m);
}

static void
unload(Loaded *l)
{
	sim_free(l->sim);
	ptx_free(l->m);
	diags_free(l->diags);
	source_release(&l->src);
}

/* Runs a kernel on one thread. */
static Sim_counts
run_kernel(Loaded *l, const char *name, uint64_t p)
{
	Buf out = {0};
	Sim_counts counts = {0};
	Sim_launch launch = {
		.grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .params = (const uint8_t *)&p
	};
	Sim_kernel *k = sim_kernel(l->sim, name, &out);
	if (k)
		(void)sim_launch(l->sim, k, &launch, &out, &counts);
	buf_free(&out);
	return counts;
}

static Sim_counts run_one_thread(Loaded *l, uint64_t p) { return run_kernel(l, "k", p); }

static uint32_t
word(Sim *s, uint64_t at)
{
	uint32_t v = UINT32_MAX;
	const uint8_t *p = sim_bytes(s, at, sizeof v);
	if (p)
		memcpy(&v, p, sizeof v);
	return v;
}

static void
test_shared(void)
{
	Loaded a = {0}, b = {0};
	load_module(&a, adds, NULL);
	load_module(&b, adds, &a);
	uint64_t at = sim_alloc(a.sim, 4, "word"), start = 0;
	Sim_counts first = run_one_thread(&a, at), second = run_one_thread(&b, at);
	size_t n = 0;
	uint64_t va = sim_variable(a.sim, "v", &n), vb = sim_variable(b.sim, "v", &n),
		 ca = sim_variable(a.sim, "c", &n);
	CHECK("two modules: one memory",
		word(a.sim, at) == 2 && word(b.sim, at) == 2 && !first.stopped && !second.stopped);
	CHECK("two modules: variables of their own",
		va != vb && word(b.sim, va) == 12 && word(a.sim, vb) == 12 && n == 4);
	CHECK("two modules: constants of their own",
		ca != sim_variable(b.sim, "c", &n) && word(b.sim, ca) == 5);
	CHECK("a buffer's end",
		sim_buffer(b.sim, at + 1, &start) == 3 && start == at &&
			!sim_buffer(a.sim, at + 5, &start));
	CHECK("no such variable", !sim_variable(a.sim, "k", &n) && !sim_variable(a.sim, "w", &n));
	CHECK("out of bounds stops",
		run_one_thread(&a, at + 4).stopped == FAULT_BOUNDS &&
			run_one_thread(&a, 8).stopped == FAULT_BOUNDS);
	unload(&b);
	unload(&a);
}

static void
test_mapped(void)
{
	enum { N = 9 };
	static uint32_t words[4 * N];
	static const uint32_t order[N] = { 4, 7, 1, 0, 8, 2, 6, 3, 5 };
	Loaded a = {0};
	load_module(&a, adds, NULL);
	uint64_t at[N];
	size_t n = 0;
	bool right = true;
	for (uint32_t i = 0; i < N; i++)
		at[order[i]] = sim_map(a.sim, words + 4 * order[i], 8, "words");
	for (uint32_t i = 0; i < N; i++)
		right = right && at[i] == (uint64_t)(uintptr_t)(words + 4 * i) &&
			!run_one_thread(&a, at[i]).stopped && words[4 * i] == 1;
	CHECK("mapped memory", right);
	CHECK("between mapped memory", run_one_thread(&a, at[3] + 8).stopped == FAULT_BOUNDS);
	CHECK("unmapped memory",
		sim_unmap(a.sim, at[3]) && !sim_unmap(a.sim, at[3]) &&
			run_one_thread(&a, at[3]).stopped == FAULT_BOUNDS &&
			!run_one_thread(&a, at[2]).stopped && !run_one_thread(&a, at[4]).stopped);
	uint64_t both = sim_variable(a.sim, "both", &n);
	const uint32_t *host = (const uint32_t *)(uintptr_t)both;
	CHECK("managed variable", *host == 9 && !run_one_thread(&a, both).stopped && *host == 10);
	unload(&a);
}

/* a has 256 own bytes and b has 16; both store a word at p in the variable that the module
 * declares, and at p in their own. */
static const char boxes[] = HEAD
	".shared .align 4 .b8 all[8];\n"
	".visible .entry a(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n.shared .align 4 .b8 box[256];\n"
	"ld.param.u32 %r1, [p];\nmov.u32 %r2, box;\nadd.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r1;\n"
	"st.shared.u32 [all], %r1;\nld.shared.u32 %r3, [%r2];\nsetp.ne.u32 %p1, %r3, %r1;\n@%p1 trap;\nret;\n}\n"
	".visible .entry b(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.shared .align 4 .b8 box[16];\n"
	"ld.param.u32 %r1, [p];\nmov.u32 %r2, box;\nadd.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r1;\nret;\n}\n";

static void
test_shared_memory(void)
{
	Loaded t = {0};
	load_module(&t, boxes, NULL);
	CHECK("a kernel's own shared memory",
		!run_kernel(&t, "a", 252).stopped &&
			run_kernel(&t, "a", 272).stopped == FAULT_BOUNDS);
	CHECK("another's is not its",
		!run_kernel(&t, "b", 12).stopped &&
			run_kernel(&t, "b", 1000).stopped == FAULT_BOUNDS &&
			run_kernel(&t, "b", 300).stopped == FAULT_BOUNDS &&
			!run_kernel(&t, "a", 252).stopped);
	unload(&t);
}

static void
test_stopped(void)
{
	Loaded t = {0};
	load_module(&t, traps, NULL);
	CHECK("trap stops", run_one_thread(&t, 0).stopped == FAULT_TRAP);
	unload(&t);
}

int
main(void)
{
	test_shared();
	test_mapped();
	test_shared_memory();
	test_stopped();
	return test_end();
}
