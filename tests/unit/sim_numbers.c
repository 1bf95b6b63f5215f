/* SPDX-License-Identifier: MIT */
/* The emulator's counts compared with values computed by hand: bank conflicts, sectors and lines,
 * branches. */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "simt/simt.h"
#include "tests/unit/test.h"

/* ---- one launch of a text -------------------------------------------------------------------- */

/* Lane l of the first `lanes` does what `body` says at %rd3 = out + l * stride + plus, or the same
 * in shared memory at %r3, or in local memory at %r4 for all, plus. */
static const char text[] =
	".version 8.3\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 out, .param .u32 stride, .param .u32 plus, .param .u32 lanes)\n{\n"
	"\t.reg .pred %%p<3>;\n\t.reg .b16 %%h<3>;\n\t.reg .b32 %%r<9>;\n\t.reg .b64 %%rd<9>;\n"
	"\t.shared .align 32 .b8 s[16384];\n\t.local .align 16 .b8 own[64];\n"
	"\tld.param.u64 %%rd1, [out];\n\tld.param.u32 %%r1, [stride];\n\tld.param.u32 %%r2, [plus];\n\tld.param.u32 %%r5, [lanes];\n"
	"\tmov.u32 %%r6, %%tid.x;\n\tmad.lo.u32 %%r2, %%r6, %%r1, %%r2;\n\tcvt.u64.u32 %%rd2, %%r2;\n\tadd.s64 %%rd3, %%rd1, %%rd2;\n"
	"\tmov.u32 %%r3, s;\n\tadd.u32 %%r3, %%r3, %%r2;\n\tmov.u32 %%r4, own;\n\tcvt.u64.u32 %%rd4, %%r3;\n\tcvta.shared.u64 %%rd4, %%rd4;\n"
	"\tsetp.lt.u32 %%p1, %%r6, %%r5;\n"
	"%s"
	"\tret;\n}\n";

typedef struct { uint64_t out; uint32_t stride, plus, lanes; } Params;

/* The counts of the body. by_line: those of the whole launch have to be the sum over lines. */
static Sim_counts
counts_of(const char *body, Params p, bool by_line)
{
	Buf all = {0}, out = {0};
	Source src;
	Sim_counts counts = {0};
	buf_printf(&all, text, body);
	source_from(&src, "k.ptx", all.at, all.n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Sim *s = sim_new(m);
	Sim_kernel *k = sim_kernel(s, "k", &out);
	p.out = sim_alloc(s, 16384, "out");
	Sim_launch l = { .grid = { 1, 1, 1 },
		.block = { 32, 1, 1 },
		.traffic = true,
		.lines = by_line,
		.params = (const uint8_t *)&p };
	if (!k ||
		(!sim_launch(s, k, &l, &out, &counts) &&
			!strstr(out.at, "uninitialised read")))
		printf("FAIL %s: %s\n", body, out.at), test_failures++;
	sim_free(s);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&all);
	buf_free(&out);
	return counts;
}

/* ---- shared memory: requests, wavefronts, ideal ---------------------------------------------- */

static const struct {
	const char *body;
	uint32_t stride, plus, lanes;
	uint64_t wavefronts, ideal;
} banks[] = {
	{ "\tst.shared.u32 [%r3], %r6;\n", 4, 0, 32, 1, 1 }, /* a word of each bank */
	/* every second bank, twice */
	{ "\tst.shared.u32 [%r3], %r6;\n", 8, 0, 32, 2, 1 },
	/* 3 and 32 have no common divisor */
	{ "\tst.shared.u32 [%r3], %r6;\n", 12, 0, 32, 1, 1 },
	{ "\tst.shared.u32 [%r3], %r6;\n", 128, 0, 32, 32, 1 }, /* all in one bank */
	/* a row of 33: the usual cure */
	{ "\tst.shared.u32 [%r3], %r6;\n", 132, 0, 32, 1, 1 },
	{ "\tld.shared.u32 %r7, [%r3];\n", 0, 64, 32, 1, 1 }, /* a broadcast */
	{ "\tld.shared.u32 %r7, [%r3];\n", 128, 0, 5, 5, 1 },
	{ "\tst.shared.u8 [%r3], %r6;\n", 1, 0, 32, 1, 1 }, /* four lanes a word */
	{ "\tst.shared.u8 [%r3], %r6;\n", 128, 3, 32, 32, 1 },
	/* 64 words, two of each bank */
	{ "\tst.shared.u64 [%r3], %rd2;\n", 8, 0, 32, 2, 2 },
	/* every second pair of banks */
	{ "\tst.shared.u64 [%r3], %rd2;\n", 16, 0, 32, 4, 2 },
	{ "\tst.shared.u64 [%r3], %rd2;\n", 8, 0, 16, 1, 1 },
	/* a broadcast to all lanes */
	{ "\tld.shared.u64 %rd5, [%r3];\n", 0, 64, 32, 1, 1 },
	/* to half a warp at a time */
	{ "\tld.shared.v4.u32 {%r7, %r7, %r7, %r7}, [%r3];\n", 0, 64, 32, 2, 2 },
	{ "\tst.shared.v2.u32 [%r3], {%r6, %r6};\n", 128, 0, 32, 32, 2 },
	{ "\tst.shared.v4.u32 [%r3], {%r6, %r6, %r6, %r6};\n", 16, 0, 32, 4, 4 },
	/* lanes l and l + 4 of eight conflict */
	{ "\tst.shared.v4.u32 [%r3], {%r6, %r6, %r6, %r6};\n", 32, 0, 32, 8, 4 },
	{ "\tst.shared.v2.u64 [%r3], {%rd2, %rd2};\n", 16, 0, 9, 2, 2 },
	{ "\tatom.shared.add.u32 %r7, [%r3], 1;\n", 0, 0, 32, 32, 1 }, /* one after the other */
	{ "\tatom.shared.add.u32 %r7, [%r3], 1;\n", 4, 0, 32, 1, 1 },
	{ "\tred.shared.add.u32 [%r3], 1;\n", 64, 0, 32, 16, 1 },
	{ "\tst.u32 [%rd4], %r6;\n", 8, 0, 32, 2, 1 }, /* by a generic address */
};

/* ---- global memory: sectors and lines of a request ------------------------------------------- */

static const struct {
	const char *body;
	uint32_t stride, plus, lanes;
	uint64_t sectors, lines;
} spans[] = {
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 0, 32, 4, 1 },
	/* one sector further: into the next line */
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 32, 32, 4, 2 },
	/* one word further: a sector more too */
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 4, 32, 5, 2 },
	{ "\tst.global.u32 [%rd3], %r6;\n", 8, 0, 32, 8, 2 },
	{ "\tst.global.u32 [%rd3], %r6;\n", 128, 0, 32, 32, 32 },
	/* 31 * 36 + 4 = 1120 bytes: 8.75 lines */
	{ "\tst.global.u32 [%rd3], %r6;\n", 36, 0, 32, 32, 9 },
	{ "\tld.global.u32 %r7, [%rd3];\n", 0, 100, 32, 1, 1 },
	{ "\tld.global.u32 %r7, [%rd3];\n", 4, 0, 9, 2, 1 },
	{ "\tld.global.u8 %h1, [%rd3];\n", 1, 0, 32, 1, 1 },
	{ "\tld.global.u16 %h1, [%rd3];\n", 2, 0, 32, 2, 1 },
	{ "\tld.global.u64 %rd5, [%rd3];\n", 8, 0, 32, 8, 2 },
	{ "\tld.global.v4.u32 {%r7, %r7, %r7, %r7}, [%rd3];\n", 16, 0, 32, 16, 4 },
	{ "\tld.global.v4.u32 {%r7, %r7, %r7, %r7}, [%rd3];\n", 64, 16, 32, 32, 16 },
	{ "\tld.u32 %r7, [%rd3];\n", 4, 64, 32, 4, 2 },                  /* by a generic address */
	{ "\tatom.global.add.u32 %r7, [%rd3], 1;\n", 0, 0, 32, 32, 32 }, /* one after the other */
	{ "\tatom.global.add.u32 %r7, [%rd3], 1;\n", 4, 0, 32, 4, 1 },
	{ "\tred.global.add.u32 [%rd3], 1;\n", 256, 0, 32, 32, 32 },
};

/* ---- local memory: sectors of a request ------------------------------------------------------ */

static const struct { const char *body; uint32_t lanes; uint64_t sectors, requests;
} locals[] = {
	{ "\tst.local.u32 [%r4], %r6;\n", 32, 4, 1 },
	{ "\tst.local.u32 [%r4], %r6;\n", 9, 2, 1 }, /* lanes 0 to 7, and 8 */
	{ "\tst.local.u8 [%r4+5], %r6;\n", 32, 4, 1 },
	{ "\tst.local.u64 [%r4], %rd2;\n", 32, 8, 2 },
	{ "\tst.local.v4.u32 [%r4], {%r6, %r6, %r6, %r6};\n", 32, 16, 4 },
	{ "\tshl.b32 %r7, %r6, 1;\n\tand.b32 %r7, %r7, 60;\n\tadd.u32 %r4, %r4, %r7;\n\tst.local.u32 [%r4], %r6;\n",
		32, 16, 1 },
};

/* Executes the last line of the body in the first lanes only, and the lines before it in all. */
static void
guard(char *to, const char *body)
{
	const char *last = body;
	for (const char *s = body; *s; s++)
		if (s[0] == '\n' && s[1])
			last = s + 1;
	memcpy(to, body, (size_t)(last - body));
	strcpy(to + (last - body), "\t@%p1 ");
	strcat(to, last + 1);
}

/* The last line of a body, for messages. */
static const char *
named(const char *body)
{
	static char name[128];
	const char *last = strrchr(body, '\t') + 1;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(last, "\n"), last);
	return name;
}

static void
check_traffic(void)
{
	char body[256];
	for (size_t i = 0; i < sizeof banks / sizeof *banks; i++) {
		guard(body, banks[i].body);
		Sim_counts c = counts_of(
			body, (Params){ 0, banks[i].stride, banks[i].plus, banks[i].lanes }, false);
		CHECK(named(banks[i].body),
			c.shared_requests == 1 && c.shared_wavefronts == banks[i].wavefronts &&
				c.shared_ideal == banks[i].ideal && c.global_requests == 0 &&
				c.local_requests == 0);
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		guard(body, spans[i].body);
		Sim_counts c = counts_of(
			body, (Params){ 0, spans[i].stride, spans[i].plus, spans[i].lanes }, false);
		CHECK(named(spans[i].body),
			c.global_requests == 1 && c.global_sectors == spans[i].sectors &&
				c.global_lines == spans[i].lines && c.shared_requests == 0);
	}
	for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) {
		guard(body, locals[i].body);
		Sim_counts c = counts_of(body, (Params){ 0, 4, 0, locals[i].lanes }, false);
		CHECK(named(locals[i].body),
			c.local_requests == locals[i].requests &&
				c.local_sectors == locals[i].sectors && c.global_requests == 0);
	}
}

/* ---- instructions and branches --------------------------------------------------------------- */

#define RED "\tred.global.inc.u32 [%rd1], 9;\n" /* never predicated */
#define ADD "\tadd.u32 %r7, %r7, %r6;\n"
#define LOAD "\tld.global.u32 %r7, [%rd1];\n"
#define ADD4 ADD ADD ADD ADD

/* Expected counts of a body executed by `lanes` of 32 lanes: warp instructions; active lanes, and
 * lanes not predicated off, summed over them. */
typedef struct {
	const char *what, *body;
	uint32_t lanes;
	uint64_t branches, divergent, warp, thread, on;
} Issue;

/* 10 instructions precede the body (loads of parameters do not count), with 32 lanes, and an exit
 * follows. In the bodies %p1 is true in the first lanes. Sums are in the order of the text. */
static const Issue issues[] = {
	{ "copies",
		"\tmov.u32 %r7, %r6;\n\tmov.b64 {%r7, %r8}, %rd1;\n\tcvt.u32.u64 %r7, %rd1;\n\tcvta.to.global.u64 %rd5, %rd1;\n",
		32, 0, 0, 1, 32, 32 },
	{ "no copies",
		"\tmov.u32 %r7, 1;\n\tmov.u32 %r7, %laneid;\n\tcvt.s64.s32 %rd5, %r6;\n\tmov.b32 {%h1, %h2}, %r6;\n",
		32, 0, 0, 5, 160, 160 },
	/* a branch between BSSY and BSYNC, which both groups issue */
	{ "if", "\t@%p1 bra b;\n" RED "b:" ADD, 5, 1, 1, 1 + 1 + 1 + 2 + 1 + 1,
		32 + 32 + 27 + 32 + 32 + 32, 32 + 5 + 27 + 32 + 32 + 32 },
	{ "if, nobody", "\t@%p1 bra b;\n" RED "b:" ADD, 32, 1, 0, 1 + 1 + 1 + 1 + 1, 5 * 32,
		5 * 32 },
	{ "else", "\t@%p1 bra a;\n" RED "\tbra.uni b;\na:" RED "b:" ADD, 5, 2, 1,
		1 + 1 + 1 + 1 + 1 + 2 + 1 + 1, 64 + 54 + 5 + 32 + 64, 32 + 5 + 54 + 5 + 32 + 64 },
	/* one BSSY for two branches with the same reconvergence point; two BSYNCs, of 5 lanes, and
	 * of 4 and 23 together */
	{ "if in if, one end",
		"\t@%p1 bra b;\n" RED "\tsetp.lt.u32 %p2, %r6, 9;\n\t@%p2 bra b;\n" RED "b:" ADD, 5,
		2, 2, 1 + 1 + 1 + 1 + 1 + 1 + 3 + 1 + 1, 64 + 3 * 27 + 23 + 32 + 64,
		32 + 5 + 27 + 27 + 4 + 23 + 32 + 64 },
	{ "if in if",
		"\t@%p1 bra b;\n" RED "\tsetp.lt.u32 %p2, %r6, 9;\n\t@%p2 bra a;\n" RED "a:" RED
		"b:" ADD,
		5, 2, 2, 2 + 1 + 1 + 2 + 1 + 2 + 1 + 2 + 1 + 1,
		64 + 4 * 27 + 23 + 27 + 27 + 32 + 64,
		32 + 5 + 3 * 27 + 4 + 23 + 27 + 27 + 32 + 64 },
	{ "uniform", "\tsetp.eq.u32 %p2, %r5, 99;\n\t@%p2 bra b;\n" RED "b:" ADD, 5, 1, 0, 5,
		5 * 32, 4 * 32 },
	/* one BSSY before the loop, a BSYNC for each group that leaves it */
	{ "loop",
		"\tmov.u32 %r7, 0;\nl:\tadd.u32 %r7, %r7, 1;\n\tsetp.le.u32 %p2, %r7, %r6;\n\t@%p2 bra l;\n" ADD,
		32, 32, 31, 2 + 3 * 32 + 32 + 1 + 1, 64 + 3 * 528 + 32 + 64,
		64 + 3 * 528 - 32 + 32 + 64 },
	/* lanes do not reconverge at the end of the kernel */
	{ "loop, exit",
		"\tmov.u32 %r7, 0;\nl:\tadd.u32 %r7, %r7, 1;\n\tsetp.le.u32 %p2, %r7, %r6;\n\t@%p2 bra l;\n",
		32, 32, 31, 1 + 3 * 32 + 32, 32 + 3 * 528 + 32, 32 + 3 * 528 - 32 + 32 },
	{ "branch to the exit", "\t@%p1 bra e;\n" RED "e:", 5, 1, 1, 1 + 1 + 1, 32 + 27 + 27,
		5 + 27 + 27 },
	/* few instructions are predicated: all lanes */
	{ "8", "\t@%p1 bra b;\n" ADD4 ADD4 "b:" ADD, 5, 0, 0, 8 + 1 + 1, 10 * 32, 8 * 27 + 64 },
	{ "8, all jump", "\t@%p1 bra b;\n" ADD4 ADD4 "b:" ADD, 32, 0, 0, 8 + 1 + 1, 10 * 32, 64 },
	{ "9", "\t@%p1 bra b;\n" ADD4 ADD4 ADD "b:" ADD, 5, 1, 1, 2 + 9 + 2 + 2,
		64 + 9 * 27 + 32 + 64, 32 + 5 + 9 * 27 + 32 + 64 },
	{ "20 with a load", "\t@%p1 bra b;\n" LOAD ADD4 ADD4 ADD4 ADD4 ADD ADD ADD "b:" ADD, 5, 0,
		0, 22, 22 * 32, 20 * 27 + 64 },
	{ "21 with a load", "\t@%p1 bra b;\n" LOAD ADD4 ADD4 ADD4 ADD4 ADD4 "b:" ADD, 5, 1, 1, 27,
		64 + 21 * 27 + 32 + 64, 32 + 5 + 21 * 27 + 32 + 64 },
	{ "6, uniform", "\tsetp.eq.u32 %p2, %r5, 99;\n\t@%p2 bra b;\n" ADD4 ADD ADD "b:" ADD, 5, 0,
		0, 9, 9 * 32, 9 * 32 },
	{ "7, uniform", "\tsetp.eq.u32 %p2, %r5, 99;\n\t@%p2 bra b;\n" ADD4 ADD ADD ADD "b:" ADD, 5,
		1, 0, 11, 11 * 32, 10 * 32 },
	{ "7, else 8", "\t@%p1 bra a;\n" ADD4 ADD ADD ADD "\tbra.uni b;\na:" ADD4 ADD4 "b:" ADD, 5,
		0, 0, 17, 17 * 32, 7 * 27 + 8 * 5 + 64 },
	{ "8, else 8", "\t@%p1 bra a;\n" ADD4 ADD4 "\tbra.uni b;\na:" ADD4 ADD4 "b:" ADD, 5, 2, 1,
		2 + 9 + 8 + 2 + 2, 64 + 9 * 27 + 8 * 5 + 32 + 64,
		32 + 5 + 9 * 27 + 8 * 5 + 32 + 64 },
	{ "a guard inside", "\t@%p1 bra b;\n\tsetp.lt.u32 %p2, %r6, 9;\n\t@%p2" ADD "b:" ADD, 5, 0,
		0, 4, 4 * 32, 27 + 4 + 64 },
	{ "a return", "\t@%p1 bra b;\n" ADD "\tret;\nb:" ADD, 5, 0, 0, 4, 64 + 10, 54 + 10 },
	{ "a mere return", "\t@!%p1 bra b;\n\tret;\nb:" ADD, 5, 0, 0, 3, 32 + 54, 5 + 54 },
	/* atomic operations: on one address the first lane executes it for all; a guard is a
	 * branch, BSSY and BSYNC, and both groups issue the BSYNC; 8 of 32 lanes leave the loop at
	 * a time */
	{ "one place", "\tred.global.add.u32 [%rd1], 1;\n", 32, 0, 0, 6 + 1, 7 * 32, 7 * 32 },
	{ "a guard", "\t@%p1" RED, 5, 1, 1, 1 + 1 + 1 + 2 + 1, 64 + 5 + 64, 32 + 27 + 5 + 64 },
	{ "a guard, nobody", "\t@!%p1" RED, 32, 1, 0, 1 + 1 + 1 + 1, 4 * 32, 4 * 32 },
	{ "a guard, uniform", "\tsetp.ne.u32 %p2, %r5, 99;\n\t@%p2" RED, 5, 1, 0, 4, 4 * 32, 3 * 32 },
	{ "a loop",
		"\tand.b32 %r7, %r6, 7;\n\tshl.b32 %r7, %r7, 2;\n\tred.shared.add.f32 [%r7], 0f00000000;\n",
		32, 0, 0, 2 + 1 + 4 * 5 + 4 + 1, 96 + 80 * 5 + 64, 96 + 80 * 5 + 64 },
	/* brx.idx: issued for each target; the bra after it are exits; rem.u32: 17 instructions */
	{ "a table",
		"\trem.u32 %r7, %r6, 3;\nt:\t.branchtargets a, b, c;\n\tbrx.idx %r7, t;\na:\tbra e;\nb:\tbra e;\nc:" ADD
		"e:\n",
		32, 3 + 2, 2, 17 + 3 + 2 + 1 + 1, 17 * 32 + 32 + 21 + 10 + 22 + 10 + 10,
		17 * 32 + 32 + 21 + 10 + 22 + 10 + 10 },
};

static void
check_issues(void)
{
	enum { AHEAD = 10 };
	for (size_t i = 0; i < sizeof issues / sizeof *issues; i++)
		for (int by_line = 0; by_line < 2; by_line++) {
			const Issue *x = &issues[i];
			Sim_counts c = counts_of(x->body, (Params){ 0, 4, 0, x->lanes }, by_line);
			bool right = c.branches == x->branches && c.divergent == x->divergent &&
				c.warp_insts == AHEAD + x->warp &&
				c.thread_insts == AHEAD * 32 + x->thread &&
				c.active_insts == AHEAD * 32 + x->on;
			CHECK(x->what, right);
			if (!right)
				printf("  branches %d, divergent %d, %d instructions, %d lanes, %d on\n",
					(int)c.branches, (int)c.divergent,
					(int)c.warp_insts - AHEAD, (int)c.thread_insts - AHEAD * 32,
					(int)c.active_insts - AHEAD * 32);
		}
}

int
main(void)
{
	check_traffic();
	check_issues();
	return test_end();
}
