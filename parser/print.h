/* SPDX-License-Identifier: MIT */
/* Structural print of a view, and equality of two: how the tests prove that a view loses nothing.
 *
 * No output of the program is made this way: see docs/design.md 3.
 */
#ifndef PARSER_PRINT_H
#define PARSER_PRINT_H

#include "base/buf.h"
#include "parser/ptx.h"

/* Writes the module from the view alone, in a layout of its own; parsing that gives an equal view.
 * Names, literals, strings and section bodies are taken from the text; layout and comments other
 * than CCC markers are not. */
void ptx_print(const Module *m, Buf *to);

/* Do two views say the same, positions aside? If not, *why says where they part (a static string)
 * and *at which index. */
bool ptx_equal(const Module *a, const Module *b, const char **why, uint32_t *at);

#endif
