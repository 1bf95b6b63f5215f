/* SPDX-License-Identifier: MIT */
/* Whether a text has annotations, and the text without them. See rewrite.h. */
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
