/* SPDX-License-Identifier: MIT */
/* Structural print of a view, and equality of two views: the tests use them to prove that a view
 * loses nothing. The program's own output is not produced this way: see docs/design.md 3. */
#ifndef TESTS_VIEW_PRINT_H
#define TESTS_VIEW_PRINT_H

#include "base/buf.h"
#include "parser/ptx.h"

/* Writes the module from the view alone, in its own layout; parsing the result gives an equal view.
 * Names, literals, strings and section bodies come from the text, layout and comments (except CCC
 * markers) do not. */
void ptx_print(const Module *m, Buf *to);

/* Whether two views are equal except for positions. If not, *why is the difference (a static
 * string) and *at its index. */
bool ptx_equal(const Module *a, const Module *b, const char **why, uint32_t *at);

#endif
