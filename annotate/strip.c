/* SPDX-License-Identifier: MIT */
/* Whether a text has annotations, and the text without them, or rolled. See rewrite.h. */
#include <string.h>
#include "annotate/edits.h"
#include "annotate/pragma.h"
#include "annotate/rewrite.h"

bool
rewrite_wanted(const char *text, size_t len)
{
	const char *end = text + len, *rest;

	for (const char *s = text; s < end; s++) {
		const char *p = strstr(s, "pragma");
		if (!p) {
			s += strlen(s); /* on behind a NUL */
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

/* Does a loop's statement begin with the token? Not every `while` does, and compilers unroll few
 * that do. */
static bool
begins_loop(const Cxx *x, Cxx_token t)
{
	return t.kind == CXX_WORD && (cxx_is(x, t, "for") || cxx_is(x, t, "do")) &&
		t.place.flags.end == t.place.flags.pos;
}

void
rewrite_rolled(const char *name, const char *text, uint32_t len, Buf *out)
{
	Edits e = { .name = name, .text = text, .len = len };
	Cxx x = cxx_open(text, len);
	bool unrolls = false;   /* the directives in front say so */
	int64_t order = 0;
	char buf[64];
	const char *rest;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		Pragma_sort sort = t.kind == CXX_DIRECTIVE ?
			pragma_sort(&x, t, buf, sizeof buf, &rest) : PRAGMA_NOT;
		if (sort >= PRAGMA_CCC)
			edits_remove_directive(&e, t);
		else if (begins_loop(&x, t) && !unrolls)
			edits_insert(&e, t.pos, t.place, 0, order++, "#pragma unroll 1\n");
		unrolls = sort == PRAGMA_UNROLL || (unrolls && t.kind == CXX_DIRECTIVE);
	}
	edits_apply(&e, out);
	edits_release(&e);
}
