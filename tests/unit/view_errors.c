/* SPDX-License-Identifier: MIT */
/* Unit tests of the view: errors, and limits. */
#include "tests/unit/view.h"

/* text; the lines that the report must contain, in this order */
static const char *const errors[][2] = {
	{ "", "t.ptx:1:1: error: no PTX" },
	{ HEAD ".entry k {\nfoo 18446744073709551616, 36893488147419103232;\n}",
		"5:27: error: '36893488147419103232' has more than 64" },
	{ ".version 9.0\n", "t.ptx:2:1: error: no '.target'" },
	{ ".target sm_90\n", "t.ptx:1:1: error: expected '.version' here" },
	{ HEAD ".version 9.0\n", "second version" },
	{ HEAD ".foo\n", "t.ptx:4:1: error: unexpected '.foo'" },
	{ HEAD ".entry k {\nadd.u32 %r1, %r2;\n}", "t.ptx:5:9: error: '%r1' is not declared" },
	{ HEAD ".entry k {\nmov.u32 a b; mov.u32 c;\nmov.u32 d e;\n}",
		"5:11: error: unexpected 'b'\n'c'\n6:11: error: unexpected 'e'" },
	{ HEAD ".entry k {\nbra L;\n}", "5:5: error: 'L' is not declared [-Wundeclared]" },
	{ HEAD ".entry k {\n.reg .u32 L;\nbra L;\n}", "6:5: error: 'L' is no label" },
	{ HEAD ".entry k {\n{ L: ret; }\nbra L;\n}", "6:5: error: 'L' is not declared" },
	{ HEAD ".entry k {\nL: ret;\nL: ret;\n}",
		"6:1: error: 'L' is declared twice\n5:1: note: the other" },
	{ HEAD ".entry k {\n.reg .u32 r<4>;\n.reg .u32 r2;\n}",
		"6:11: error: 'r2' is declared twice" },
	{ HEAD ".entry k {\n.reg .u32 r2;\n.reg .u32 r<4>;\n}",
		"6:11: error: 'r2' is declared twice" },
	{ HEAD ".entry k {\nadd.u32 r, r, a; .reg .u32 r, a;\n}",
		"5:9: error: 'r' is used above its declaration\n'a' is used above" },
	{ HEAD ".entry k { ret; }\n.entry k { ret; }\n",
		"5:10: error: a second body for function 'k'\n4:10: note: the first" },
	{ HEAD ".entry k {\n@p ret;\n}", "5:2: error: 'p' is not declared" },
	{ HEAD ".entry k {\n.reg .u32 p; @p ret;\n}",
		"5:15: error: 'p' guards an instruction but is no predicate" },
	{ HEAD ".entry k {\nret",
		"error: unexpected end of file\n4:10: note: possibly unterminated '{' here" },
	{ HEAD "/* ret", "4:1: error: possibly unterminated comment" },
	{ HEAD ".pragma \"ret", "4:9: error: possibly unterminated string" },
	{ HEAD ".section .debug_info { .b8 1", "4:1: error: possibly unterminated '.section'" },
	{ HEAD ".section .debug_info { .b8 1; }", "4:29: error: neither a label nor data" },
	{ HEAD ".entry k .maxntid 1,2,3,4 { }", "more than three dimensions [-Wrange]" },
	{ HEAD ".entry k .maxntid 4294967296 { }",
		"'4294967296' is not an integer from 0 to 4294967295 [-Wrange]" },
	{ HEAD ".global .align 3 .b8 x;", "'3' is no power of two" },
	{ HEAD ".global .b8 x[281474976710657];", "array size" },
	{ HEAD ".global .u64 x = y;", "'y' is not declared" },
	{ HEAD ".entry k {\nmov.u32 \x80, 1;\n}", "5:9: error: byte 0x80 at offset" },
	{ HEAD "// begin inline asm\n// .ccc begin for 1 \"a\":1\n// end inline asm\n",
		"4:1: error: a CCC marker outside" },
	{ HEAD ".entry k {\n// begin inline asm\n// .ccc begin loop 1 \"a\":1\n// end inline asm\n}",
		"6:15: error: malformed CCC marker: expected 'for'" },
	{ HEAD ".entry k {\n// begin inline asm\n// .ccc begin for \"a\":1\n// end inline asm\n}",
		"malformed CCC marker: a number is missing" },
	{ HEAD ".entry k {\n// begin inline asm\n// .ccc begin for 1\n// end inline asm\n}",
		"malformed CCC marker: expected \"file\":line" },
	{ HEAD ".entry k {\n// begin inline asm\n// .ccc begin for 1 \"a=zz\":1\n// end inline asm\n}",
		"malformed CCC marker: '='" },
	{ HEAD ".entry k {\n// begin inline asm\n// .ccc end for 1\nret;\n}",
		"malformed CCC marker: the line behind it" },
	{ HEAD ".entry k {\n// begin inline asm\n// .cccp end for 1\n// end inline asm\n}",
		"malformed CCC marker: expected a blank" },
};

static bool
reports(const char *lines)
{
	char *text = NULL, part[200];
	size_t n;
	FILE *f = open_memstream(&text, &n);
	bool ok = true;

	diags_print(diags, f);
	fclose(f);
	for (const char *at = text; ok && *lines; lines += *lines == '\n') {
		n = strcspn(lines, "\n");
		snprintf(part, sizeof part, "%.*s", (int)n, lines);
		at = strstr(at, part);
		ok = at != NULL;
		lines += n;
	}
	if (!ok)
		printf("# wanted: %s\n# got: %s\n", part, text);
	free(text);
	return ok;
}

static void
test_errors(void)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		Module *m = parse(errors[i][0]);
		CHECK("error", !m && reports(errors[i][1]));
		done(m);
	}
	source_from(
		&src, "t.ptx", HEAD ".entry k { ret;\0 }", sizeof HEAD ".entry k { ret;\0 }" - 1);
	diags = diags_new(&src);
	Module *m = ptx_parse(&src, diags);
	CHECK("error: NUL", !m && reports("4:16: error: NUL byte at offset"));
	done(m);
}

static Module *
parse_many(const char *before, const char *what, int n, const char *after)
{
	Buf b = { 0 };

	buf_puts(&b, before);
	for (int i = 0; i < n; i++)
		buf_puts(&b, what);
	buf_puts(&b, after);
	Module *m = parse(b.at);
	buf_free(&b);
	return m;
}

static void
test_limits(void)
{
	Module *m = parse_many(HEAD ".entry k {\n", "{", 100000, "ret; }");
	CHECK("limit: nested braces", !m && reports("error: too many nested"));
	done(m);
	m = parse_many(HEAD ".entry k {\nmov.u32 %r1, ", "(", 100000, "1; }");
	CHECK("limit: nested parentheses", !m && reports("error: too many nested"));
	done(m);
	m = parse_many(BODY "foo {", "%r1,", 70000, "%r1}; }");
	CHECK("limit: elements", !m && reports("more than 65534 operands in one"));
	done(m);
	m = parse_many(BODY, "add.u32 %r1, %r2, %r3; ", 50000, "ret; }");
	CHECK("limit: a line of 1 MB", m && m->nstmts > 50000);
	done(m);
	m = parse_many(HEAD ".entry k {\n", "a b c;\n", 100000, "}");
	CHECK("limit: many errors",
		!m && diags_errors(diags) <= 1000 &&
			reports("5:5: error: unexpected 'c'\n6:5:\n7:5:"));
	done(m);
}

int
main(void)
{
	test_errors();
	test_limits();
	return test_end();
}
