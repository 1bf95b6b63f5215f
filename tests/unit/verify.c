/* SPDX-License-Identifier: MIT */
/* transform/verify.c: texts that ptxas would refuse are found before they are written. */
#include <string.h>
#include "test.h"
#include "transform/verify.h"

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n.visible .entry k()\n{\n"
#define MARK "\t// begin inline asm\n\t// .ccc done if 0 \"a.cu\":1\n\t// end inline asm\n"
#define AT(line) "\t.loc 1 " line " 2\n"
#define INLINED(line, caller) "\t.loc 1 " line " 2, function_name $n, inlined_at 1 " caller " 2\n"

static bool
refused(const char *text, const char *wanted)
{
	Buf why = { 0 };
	bool ok = verify_text("test", text, strlen(text), &why), right = !ok && strstr(why.at, wanted);

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

int
main(void)
{
	CHECK("right", accepted(HEAD MARK AT("3") INLINED("9", "3") "\tret;\n}\n"));
	CHECK("declared twice", refused(HEAD "\t.reg .b32 %a;\n\t.reg .b32 %a;\n\tret;\n}\n", "line 8"));
	CHECK("declared twice, in braces of their own", accepted(HEAD "\t{ .reg .b32 %a; }\n\t{ .reg .b32 %a; }\n\tret;\n}\n"));
	CHECK("not declared", refused(HEAD "\tmov.u32 %a, 1;\n\tret;\n}\n", "line 7"));
	CHECK("label twice", refused(HEAD "L:\nL:\n\tret;\n}\n", "line 8"));
	CHECK("no label", refused(HEAD "\tbra L;\n\tret;\n}\n", "line 7"));
	CHECK("caller behind", refused(HEAD MARK INLINED("9", "3") AT("3") "\tret;\n}\n", "line 10: no .loc"));
	CHECK("caller behind, by another inlined place", refused(HEAD MARK AT("3") INLINED("9", "5") INLINED("5", "3") "\tret;\n}\n", "line 11"));
	CHECK("caller of a caller", accepted(HEAD MARK AT("3") INLINED("5", "3") INLINED("9", "5") "\tret;\n}\n"));
	return test_end();
}
