/* The emulator's numbers against values worked out by hand: bank conflicts, sectors and lines, branches. */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "simt/simt.h"
#include "tests/unit/test.h"

/* ---- one launch of a text ---------------------------------------------------------------------------------------------- */

/* Lane l of the first `lanes` does what `body` says at %rd3 = out + l * stride + plus, or the same in shared memory at %r3,
 * or in local memory at %r4 for all, plus. */
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
	Sim_launch l = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .traffic = true, .lines = by_line,
		.params = (const uint8_t *)&p };
	if (!k || (!sim_launch(s, k, &l, &out, &counts) && !strstr(out.at, "reads what nobody wrote")))
		printf("FAIL %s: %s\n", body, out.at), test_failures++;
	sim_free(s);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&all);
	buf_free(&out);
	return counts;
}

/* ---- shared memory: requests, wavefronts, ideal --------------------------------------------------------------------------- */

static const struct { const char *body; uint32_t stride, plus, lanes; uint64_t wavefronts, ideal; } banks[] = {
	{ "\tst.shared.u32 [%r3], %r6;\n", 4, 0, 32, 1, 1 },            /* a word of each bank */
	{ "\tst.shared.u32 [%r3], %r6;\n", 8, 0, 32, 2, 1 },            /* every second bank, twice */
	{ "\tst.shared.u32 [%r3], %r6;\n", 12, 0, 32, 1, 1 },           /* 3 and 32 have no common divisor */
	{ "\tst.shared.u32 [%r3], %r6;\n", 128, 0, 32, 32, 1 },         /* all in one bank */
	{ "\tst.shared.u32 [%r3], %r6;\n", 132, 0, 32, 1, 1 },          /* a row of 33: the usual cure */
	{ "\tld.shared.u32 %r7, [%r3];\n", 0, 64, 32, 1, 1 },           /* a broadcast */
	{ "\tld.shared.u32 %r7, [%r3];\n", 128, 0, 5, 5, 1 },
	{ "\tst.shared.u8 [%r3], %r6;\n", 1, 0, 32, 1, 1 },             /* four lanes a word */
	{ "\tst.shared.u8 [%r3], %r6;\n", 128, 3, 32, 32, 1 },
	{ "\tst.shared.u64 [%r3], %rd2;\n", 8, 0, 32, 2, 2 },           /* two halves of a warp, all banks each */
	{ "\tst.shared.u64 [%r3], %rd2;\n", 16, 0, 32, 4, 2 },          /* lanes l and l + 8 of a half meet */
	{ "\tst.shared.u64 [%r3], %rd2;\n", 8, 0, 16, 1, 1 },
	{ "\tst.shared.v2.u32 [%r3], {%r6, %r6};\n", 128, 0, 32, 32, 2 },
	{ "\tst.shared.v4.u32 [%r3], {%r6, %r6, %r6, %r6};\n", 16, 0, 32, 4, 4 },
	{ "\tst.shared.v4.u32 [%r3], {%r6, %r6, %r6, %r6};\n", 32, 0, 32, 8, 4 }, /* lanes l and l + 4 of a quarter meet */
	{ "\tst.shared.v2.u64 [%r3], {%rd2, %rd2};\n", 16, 0, 9, 2, 2 },
	{ "\tatom.shared.add.u32 %r7, [%r3], 1;\n", 0, 0, 32, 32, 1 },  /* one after the other */
	{ "\tatom.shared.add.u32 %r7, [%r3], 1;\n", 4, 0, 32, 1, 1 },
	{ "\tred.shared.add.u32 [%r3], 1;\n", 64, 0, 32, 16, 1 },
	{ "\tst.u32 [%rd4], %r6;\n", 8, 0, 32, 2, 1 },                  /* by a generic address */
};

/* ---- global memory: sectors and lines of a request -------------------------------------------------------------------------- */

static const struct { const char *body; uint32_t stride, plus, lanes; uint64_t sectors, lines; } spans[] = {
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 0, 32, 4, 1 },
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 32, 32, 4, 2 },          /* one sector further: into the next line */
	{ "\tst.global.u32 [%rd3], %r6;\n", 4, 4, 32, 5, 2 },           /* one word further: a sector more too */
	{ "\tst.global.u32 [%rd3], %r6;\n", 8, 0, 32, 8, 2 },
	{ "\tst.global.u32 [%rd3], %r6;\n", 128, 0, 32, 32, 32 },
	{ "\tst.global.u32 [%rd3], %r6;\n", 36, 0, 32, 32, 9 },         /* 31 * 36 + 4 = 1120 bytes: 8.75 lines */
	{ "\tld.global.u32 %r7, [%rd3];\n", 0, 100, 32, 1, 1 },
	{ "\tld.global.u32 %r7, [%rd3];\n", 4, 0, 9, 2, 1 },
	{ "\tld.global.u8 %h1, [%rd3];\n", 1, 0, 32, 1, 1 },
	{ "\tld.global.u16 %h1, [%rd3];\n", 2, 0, 32, 2, 1 },
	{ "\tld.global.u64 %rd5, [%rd3];\n", 8, 0, 32, 8, 2 },
	{ "\tld.global.v4.u32 {%r7, %r7, %r7, %r7}, [%rd3];\n", 16, 0, 32, 16, 4 },
	{ "\tld.global.v4.u32 {%r7, %r7, %r7, %r7}, [%rd3];\n", 64, 16, 32, 32, 16 },
	{ "\tld.u32 %r7, [%rd3];\n", 4, 64, 32, 4, 2 },                 /* by a generic address */
	{ "\tatom.global.add.u32 %r7, [%rd3], 1;\n", 0, 0, 32, 1, 1 },
	{ "\tred.global.add.u32 [%rd3], 1;\n", 256, 0, 32, 32, 32 },
};

/* ---- local memory: sectors of a request --------------------------------------------------------------------------------- */

static const struct { const char *body; uint32_t lanes; uint64_t sectors; } locals[] = {
	{ "\tst.local.u32 [%r4], %r6;\n", 32, 4 },
	{ "\tst.local.u32 [%r4], %r6;\n", 9, 2 },       /* lanes 0 to 7, and 8 */
	{ "\tst.local.u8 [%r4+5], %r6;\n", 32, 4 },
	{ "\tst.local.u64 [%r4], %rd2;\n", 32, 8 },
	{ "\tst.local.v4.u32 [%r4], {%r6, %r6, %r6, %r6};\n", 32, 16 },
	{ "\tshl.b32 %r7, %r6, 1;\n\tand.b32 %r7, %r7, 60;\n\tadd.u32 %r4, %r4, %r7;\n\tst.local.u32 [%r4], %r6;\n", 32, 16 },
};

/* The body by the first lanes only; what stands in front of its last line is done by all. */
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
		Sim_counts c = counts_of(body, (Params){ 0, banks[i].stride, banks[i].plus, banks[i].lanes }, false);
		CHECK(named(banks[i].body), c.shared_requests == 1 && c.shared_wavefronts == banks[i].wavefronts && c.shared_ideal == banks[i].ideal &&
			c.global_requests == 0 && c.local_requests == 0);
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		guard(body, spans[i].body);
		Sim_counts c = counts_of(body, (Params){ 0, spans[i].stride, spans[i].plus, spans[i].lanes }, false);
		CHECK(named(spans[i].body), c.global_requests == 1 && c.global_sectors == spans[i].sectors && c.global_lines == spans[i].lines &&
			c.shared_requests == 0);
	}
	for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) {
		guard(body, locals[i].body);
		Sim_counts c = counts_of(body, (Params){ 0, 4, 0, locals[i].lanes }, false);
		CHECK(named(locals[i].body), c.local_requests == 1 && c.local_sectors == locals[i].sectors && c.global_requests == 0);
	}
}

/* ---- branches ------------------------------------------------------------------------------------------------------------- */

/* Lane l goes round l + 1 times: the branch is issued 32 times, and all but the last time some lanes leave. 14 instructions
 * ahead and a mov; three of the loop 32 times with 32, 31, ... 1 lanes; ret. */
static const char loop[] = "\tmov.u32 %r7, 0;\nl:\tadd.u32 %r7, %r7, 1;\n\tsetp.le.u32 %p2, %r7, %r6;\n\t@%p2 bra l;\n";
/* All lanes take the first branch; 5 lanes the second, to where all meet again. */
static const char jumps[] = "\tbra.uni a;\na:\t@%p1 bra b;\n\tadd.u32 %r7, %r6, 1;\nb:\tadd.u32 %r7, %r6, 2;\n";
/* 32 lanes on three ways, two at a time: issued three times, twice with lanes left over. */
static const char table[] = "\trem.u32 %r7, %r6, 3;\nt:\t.branchtargets a, b, c;\n\tbrx.idx %r7, t;\na:\tbra e;\nb:\tbra e;\nc:\tadd.u32 %r7, %r6, 1;\ne:\n";

static void
check_branches(void)
{
	enum { AHEAD = 14, LOOP = 32 * 33 / 2 };
	for (int by_line = 0; by_line < 2; by_line++) {
		Sim_counts c = counts_of(loop, (Params){ 0, 4, 0, 32 }, by_line);
		CHECK("a loop's branch", c.branches == 32 && c.divergent == 31);
		CHECK("a loop's instructions", c.warp_insts == AHEAD + 1 + 3 * 32 + 1);
		CHECK("a loop's lanes", c.thread_insts == (AHEAD + 1) * 32 + 3 * LOOP + 32);
		CHECK("lanes that the guard leaves on", c.active_insts == (AHEAD + 1) * 32 + 2 * LOOP + LOOP - 32 + 32);
		c = counts_of(jumps, (Params){ 0, 4, 0, 5 }, by_line);
		CHECK("one way, then two", c.branches == 2 && c.divergent == 1);
		CHECK("lanes on the long way", c.thread_insts == AHEAD * 32 + 32 + 32 + 27 + 32 + 32);
		c = counts_of(table, (Params){ 0, 4, 0, 32 }, by_line);
		CHECK("a table of three", c.branches == 3 + 2 && c.divergent == 2);
	}
}

int
main(void)
{
	check_traffic();
	check_branches();
	return test_end();
}
