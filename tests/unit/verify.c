/* SPDX-License-Identifier: MIT */
/* transform/output/verify.c: texts that ptxas would reject are detected before they are written. */
#include <string.h>
#include "test.h"
#include "transform/output/verify.h"

#define HEAD \
	".version 9.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n.visible .entry k()\n{\n"
#define MARK "\t// begin inline asm\n\t// .ccc done if 0 \"a.cu\":1\n\t// end inline asm\n"
#define AT(line) "\t.loc 1 " line " 2\n"
#define INLINED(line, caller) "\t.loc 1 " line " 2, function_name $n, inlined_at 1 " caller " 2\n"

static bool
refused(const char *text, const char *wanted)
{
	Buf why = { 0 };
	bool ok = verify_text("test", text, strlen(text), &why),
	     right = !ok && strstr(why.at, wanted);

	if (!right)
		printf("# %s: %s\n", ok ? "accepted" : "refused", why.n ? why.at : "");
	buf_free(&why);
	return right;
}

static bool
accepted(const char *text)
{
	Buf why = { 0 };
	bool ok = verify_text("test", text, strlen(text), &why);

	buf_free(&why);
	return ok;
}

/* Lanes that execute a loop and vote in it; with or without a meeting point before the vote (HEADER
 * in it). */
#define KERNEL(body) \
	HEAD "\t.reg .pred %p<5>; .reg .b32 %r<5>, %m, %v;\n" MARK \
	     "\tactivemask.b32 %m;\n\tmov.u32 %r1, %tid.x;\n" \
	     "\tsetp.eq.u32 %p1, %r1, 3;\n" body "\tret;\n}\n"
#define VOTE "\tvote.sync.ballot.b32 %v, %p1, %m;\n"

static bool
converges(const char *text)
{
	Buf why = { 0 };
	bool ok = verify_with("test", text, strlen(text), true, NULL, NULL, &why);

	if (!ok)
		printf("# %s\n", why.at);
	buf_free(&why);
	return ok;
}

static void
sync(void)
{
	CHECK("together", converges(KERNEL(VOTE)));
	CHECK("together again",
		converges(KERNEL("\t@%p1 bra A;\n\tadd.u32 %r1, %r1, 1;\nA:\n" VOTE)));
	CHECK("parted", !converges(KERNEL("\t@%p1 bra A;\n" VOTE "A:\n")));
	CHECK("parted by what they agree on",
		converges(KERNEL(VOTE "\tsetp.eq.u32 %p2, %v, 0;\n\t@%p2 bra A;\n" VOTE "A:\n")));
	CHECK("what only some have computed",
		!converges(KERNEL("\tmov.u32 %v, 0;\n\t@%p1 bra A;\n\tmov.u32 %v, 1;\nA:\n"
				  "\tsetp.eq.u32 %p2, %v, 0;\n\t@%p2 bra B;\n" VOTE "B:\n")));
	CHECK("a loop that lanes leave by turns",
		!converges(KERNEL(
			"A:\n" VOTE
			"\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p2, %r1, 9;\n\t@%p2 bra A;\n")));
	CHECK("a loop that lanes leave together",
		converges(KERNEL("A:\n" VOTE "\tsetp.ne.u32 %p2, %v, 0;\n\t@%p2 bra A;\n")));
	CHECK("some only come together",
		!converges(HEAD "\t.reg .pred %p1; .reg .b32 %m, %v;\n" MARK
				"\tsetp.eq.u32 %p1, %v, 0;\n\t@%p1 bra A;\n"
				"\tactivemask.b32 %m;\nA:\n" VOTE "\tret;\n}\n"));
}

int
main(void)
{
	CHECK("right", accepted(HEAD MARK AT("3") INLINED("9", "3") "\tret;\n}\n"));
	CHECK("declared twice",
		refused(HEAD "\t.reg .b32 %a;\n\t.reg .b32 %a;\n\tret;\n}\n", "line 8"));
	CHECK("declared twice, in braces of their own",
		accepted(HEAD "\t{ .reg .b32 %a; }\n\t{ .reg .b32 %a; }\n\tret;\n}\n"));
	CHECK("not declared", refused(HEAD "\tmov.u32 %a, 1;\n\tret;\n}\n", "line 7"));
	CHECK("label twice", refused(HEAD "L:\nL:\n\tret;\n}\n", "line 8"));
	CHECK("no label", refused(HEAD "\tbra L;\n\tret;\n}\n", "line 7"));
	CHECK("caller behind",
		refused(HEAD MARK INLINED("9", "3") AT("3") "\tret;\n}\n", "line 10: no earlier .loc"));
	CHECK("caller behind, by another inlined place",
		refused(HEAD MARK AT("3") INLINED("9", "5") INLINED("5", "3") "\tret;\n}\n",
			"line 11"));
	CHECK("caller of a caller",
		accepted(HEAD MARK AT("3") INLINED("5", "3") INLINED("9", "5") "\tret;\n}\n"));
	sync();
	return test_end();
}
