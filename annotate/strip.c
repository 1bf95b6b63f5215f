/* SPDX-License-Identifier: MIT */
/* Finds out whether a text has annotations; removes them, or keeps all loops from being
 * unrolled. See rewrite.h. */
#include <string.h>
#include "annotate/source/edits.h"
#include "annotate/pragma.h"
#include "annotate/rewrite.h"

bool
rewrite_is_needed(const char *text, size_t len)
{
	const char *end = text + len, *rest;

	for (const char *s = text; s < end; s++) {
		const char *p = strstr(s, "pragma");
		if (!p) {
			s += strlen(s); /* continues after a NUL */
			continue;
		}
		p += 6;
		s = p - 1;
		if (pragma_sort_text(p, &rest) >= PRAGMA_CCC)
			return true;
	}
	return false;
}

void
rewrite_strip(const char *text, uint32_t len, Buf *out)
{
	Edits e = { .name = "", .text = text, .len = len };
	Cxx x = cxx_open(text, len);
	char buf[64];
	const char *rest;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; )
		if (t.kind == CXX_DIRECTIVE &&
			pragma_sort(&x, t, buf, sizeof buf, &rest) >= PRAGMA_CCC)
			edits_remove_directive(&e, t);
	edits_apply(&e, out);
	edits_release(&e);
}

/* Whether token t starts a loop. `while` is excluded: it may end a do statement, and compilers
 * rarely unroll such loops. */
static bool
token_begins_loop(const Cxx *x, Cxx_token t)
{
	return t.kind == CXX_WORD && (cxx_is(x, t, "for") || cxx_is(x, t, "do")) &&
		t.place.flags.end == t.place.flags.pos;
}

void
rewrite_rolled(const char *name, const char *text, uint32_t len, Buf *out)
{
	Edits e = { .name = name, .text = text, .len = len };
	Cxx x = cxx_open(text, len);
	bool unrolls = false;   /* a preceding directive requests unrolling */
	int64_t order = 0;
	char buf[64];
	const char *rest;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		Pragma_sort sort = t.kind == CXX_DIRECTIVE ?
			pragma_sort(&x, t, buf, sizeof buf, &rest) : PRAGMA_NOT;
		if (sort >= PRAGMA_CCC)
			edits_remove_directive(&e, t);
		else if (token_begins_loop(&x, t) && !unrolls)
			edits_insert(&e, t.pos, t.place, 0, order++, "#pragma unroll 1\n");
		unrolls = sort == PRAGMA_UNROLL || (unrolls && t.kind == CXX_DIRECTIVE);
	}
	edits_apply(&e, out);
	edits_release(&e);
}
