/* SPDX-License-Identifier: MIT */
/* Unit tests: patches of advised annotations (annotate/patch.c), from records that no compiler
 * wrote. tests/nvcc/fix.sh applies patches of compiled programs. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/patch.h"
#include "base/source.h"
#include "tests/unit/test.h"

static char folder[4096];

static void
write_source(const char *name, const char *text)
{
	const char *why;

	if (!source_write(name, text, strlen(text), &why))
		exit(2);
}

/* Replaces @ in the records by the folder, and makes their patch. Returns the patch, followed by a
 * line with the reason for each refusal. */
static char *
make_patch(const char *records)
{
	Patch_fixes fixes = { 0 };
	Arena *a = arena_new();
	Buf text = { 0 }, out = { 0 };

	for (const char *s = records; *s; s++)
		*s == '@' ? buf_puts(&text, folder) : buf_putc(&text, *s);
	buf_puts(&out, "");
	patch_read(text.at, a, &fixes);
	patch_write(&fixes, &out);
	for (uint32_t i = 0; i < fixes.n; i++)
		if (fixes.at[i].refused)
			buf_printf(&out, "%s\n", fixes.at[i].refused);
	vec_free(&fixes);
	buf_free(&text);
	arena_free(a);
	return out.at;
}

static bool
patch_is(const char *records, const char *expected)
{
	char *got = make_patch(records);
	bool same = strcmp(got, expected) == 0;

	if (!same)
		printf("%s", got);
	Buf text = { .at = got };
	buf_free(&text);
	return same;
}

#define LOOP "insert 1 1\tfor\t@/a.cu\t#pragma ccc for\n"
#define FIX "fix 1.5\ta.cu:1\ta.cu:2\n"

static void
test_lines(void)
{
	const char *two = FIX "insert 2 1\tif\t@/a.cu\t#pragma ccc if\n" LOOP;
	const char *patch = "--- a/a.cu\n+++ b/a.cu\n@@ -1,3 +1,5 @@\n+#pragma ccc for\n"
			    " for (;;)\n+\t#pragma ccc if\n \tif (x)\n \t\tf();\n"
			    "\\ No newline at end of file\n";
	char twice[512];

	write_source("a.cu", "for (;;)\n\tif (x)\n\t\tf();");
	CHECK("indentation, no newline at the end", patch_is(two, patch));
	snprintf(twice, sizeof twice, "%s%s", two, two);
	CHECK("the same from two compilations", patch_is(twice, patch));
	write_source("a.cu", "for (;;)\r\n\tif (x)\r\n\t\tf();\r\n");
	CHECK("CRLF", patch_is(two,
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,3 +1,5 @@\n+#pragma ccc for\r\n for (;;)\r\n"
		"+\t#pragma ccc if\r\n \tif (x)\r\n \t\tf();\r\n"));
	write_source("a.cu", "EACH(i)\n\tCHECK(x)\n\t\tf();\n");
	CHECK("macros", patch_is(two,
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,3 +1,5 @@\n+#pragma ccc for\n EACH(i)\n"
		"+\t#pragma ccc if\n \tCHECK(x)\n \t\tf();\n"));
}

static void
test_split(void)
{
	write_source("a.cu", "for (;;) {\n\t} else  if (x)\n\t\tf();\n}\n");
	CHECK("a line is split", patch_is(
		FIX "insert 2 10\tif\t@/a.cu\t#pragma ccc path\n" LOOP,
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,4 +1,7 @@\n+#pragma ccc for\n for (;;) {\n"
		"-\t} else  if (x)\n+\t} else\n+\t#pragma ccc path\n+\tif (x)\n \t\tf();\n }\n"));
	CHECK("not there", patch_is(FIX "insert 2 9\tif\t@/a.cu\t#pragma ccc path\n" LOOP,
		"it is in a macro\n"));
}

static void
test_block(void)
{
	const char *records = FIX "enclose 2 3\t@/a.cu\t#pragma ccc path\n" LOOP;

	write_source("a.cu", "for (;;) {\n\tf();\n\tg();\n}\n");
	CHECK("a block", patch_is(records,
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,4 +1,8 @@\n+#pragma ccc for\n for (;;) {\n"
		"+\t#pragma ccc path\n+\t{\n \tf();\n \tg();\n+\t}\n }\n"));
	write_source("a.cu", "for (;;) {\n\tf();\n\tg(\n);}\n");
	CHECK("half a statement", patch_is(records, "its lines are not whole statements\n"));
}

static void
test_hunks(void)
{
	write_source("a.cu", "for\n2\n3\n4\n5\n6\n7\nif\n9\n10\n11\n12\n13\n14\n15\nif\n17\n");
	CHECK("hunks", patch_is(
		FIX LOOP "insert 8 1\tif\t@/a.cu\t#1\n" FIX LOOP "insert 16 1\tif\t@/a.cu\t#2\n",
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,3 +1,4 @@\n+#pragma ccc for\n for\n 2\n 3\n"
		"@@ -5,6 +6,7 @@\n 5\n 6\n 7\n+#1\n if\n 9\n 10\n"
		"@@ -13,5 +15,6 @@\n 13\n 14\n 15\n+#2\n if\n 17\n"));
	write_source("a.cu", "for\n2\n3\n4\n5\n6\nif\n8\n");
	CHECK("near places are one hunk", patch_is(FIX LOOP "insert 7 1\tif\t@/a.cu\t#1\n",
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,8 +1,10 @@\n+#pragma ccc for\n for\n 2\n 3\n 4\n 5\n"
		" 6\n+#1\n if\n 8\n"));
}

static void
test_refusals(void)
{
	const char *records = FIX "insert 2 1\tif\t@/a.cu\t#pragma ccc if\n" LOOP;

	write_source("a.cu", "for\nwhile\n");
	CHECK("other words", patch_is(records, "its line begins with something else\n"));
	write_source("a.cu", "for \\\nif\n");
	CHECK("spliced lines", patch_is(records, "its line continues another one\n"));
	write_source("a.cu", "for\nif\n# line 5\n");
	CHECK("#line", patch_is(records, "'#line' renumbers the lines of its file\n"));
	write_source("a.cu", "for\n");
	CHECK("no such line", patch_is(records, "its line is not in the file\n"));
	CHECK("no such file", patch_is(FIX LOOP "insert 2 1\tif\t@/b.cu\t#\n",
		"its file cannot be read\n"));
	write_source("../c.cuh", "if\n");
	CHECK("outside", patch_is(FIX LOOP "insert 1 1\tif\t@/../c.cuh\t#\n",
		"its file is not in the current folder, nor below it\n"));
	write_source("a.cu", "for\nif\n");
	CHECK("two annotations of a statement", patch_is(
		FIX LOOP "insert 2 1\tif\t@/a.cu\t#1\n" FIX LOOP "insert 2 1\tif\t@/a.cu\t#2\n",
		"--- a/a.cu\n+++ b/a.cu\n@@ -1,2 +1,4 @@\n+#pragma ccc for\n for\n+#1\n if\n"
		"another annotation of the patch excludes it\n"));
	CHECK("a recorded refusal", patch_is("# a.cu\nrefused a.cu:2\tno\nrefused a.cu:2\tno\n", "no\n"));
}

int
main(void)
{
	char top[] = "/tmp/patch.XXXXXX", command[64];

	if (!mkdtemp(top) || chdir(top) != 0 || system("mkdir in") || chdir("in") != 0 ||
		!getcwd(folder, sizeof folder))
		return 2;
	test_lines();
	test_split();
	test_block();
	test_hunks();
	test_refusals();
	snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command) ? 2 : test_end();
}
