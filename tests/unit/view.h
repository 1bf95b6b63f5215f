/* SPDX-License-Identifier: MIT */
/* Shared functions of the tests of the view: parse a text. */
#ifndef UNIT_VIEW_H
#define UNIT_VIEW_H

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "parser/ptx.h"
#include "tests/unit/test.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"
#define BODY \
	HEAD ".global .align 16 .b8 g[64];\n.func (.param .b32 r) f(.param .b32 a, .param .b32 b);\n.func plain;\n" \
	     ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24])\n{\n.reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<9>;" \
	     " .reg .f32 %f<9>; .reg .v4 .f32 v; .param .b32 a0; .param .b32 r0; .reg .b128 %q;\n"

static Source src;
static Diags *diags;

static inline Module *
parse(const char *text)
{
	source_from(&src, "t.ptx", text, strlen(text));
	diags = diags_new(&src);
	return ptx_parse(&src, diags);
}

static inline void
done(Module *m)
{
	ptx_free(m);
	diags_free(diags);
	source_release(&src);
}

/* BODY, a line, and the end of the entry; the line is expected to be accepted. */
static inline Module *
parse_body(const char *line)
{
	Buf b = { 0 };

	buf_printf(&b, "%s%s\nL: M: ret;\n}\n", BODY, line);
	Module *m = parse(b.at);
	buf_free(&b);
	if (!m)
		diags_print(diags, stdout);
	return m;
}

#endif
