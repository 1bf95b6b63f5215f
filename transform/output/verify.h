/* SPDX-License-Identifier: MIT */
/* Is a text that is about to be written PTX that ptxas takes? The net under everything that
 * writes. */
#ifndef TRANSFORM_OUTPUT_VERIFY_H
#define TRANSFORM_OUTPUT_VERIFY_H

#include "base/buf.h"
#include "parser/ptx.h"

/* Looks at the view of a text that has passed. False: *why says what is wrong. */
typedef bool Verify_more(void *user, const Module *m, Buf *why);

/* Parses the text: names, scopes, labels, operands; then what the parser takes and ptxas does not:
 * a place in the source that an inlined_at names before any .loc does. False: *why gets the first
 * fault and its line. name: what to call the text. */
bool verify_text(const char *name, const char *text, size_t len, Buf *why);
/* The same, and more; whole: as verify_whole does. */
bool verify_and(const char *name, const char *text, size_t len, bool whole, Verify_more *more,
	void *user, Buf *why);
/* The same, and that every lane of a group comes to every barrier and vote that names it
 * (convergence_check.h). It takes the analyses of each changed function. */
bool verify_whole(const char *name, const char *text, size_t len, Buf *why);

#endif
