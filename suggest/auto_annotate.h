/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any (cccnvcc --ccc-auto). */
#ifndef SUGGEST_AUTO_ANNOTATE_H
#define SUGGEST_AUTO_ANNOTATE_H

#include "suggest/suggest.h"

/* Adds a line for each branch or inner loop that is to be annotated in functions without
 * annotations. The enclosing loop gets an annotation with `proven`:
 *
 *	if 49 52 46 md.cu         kind; lines of the statement, of its arm's first statement, of
 *	while 12 12 10 a b.cu     the enclosing loop (0: none; the kernel is to get a task loop);
 *	                          the file of all three
 *
 * No loop is selected twice, and selected loops are not nested. Depends on the text alone, so the
 * program that counts and the one that uses the profile have the same annotations. */
Suggest auto_annotate;

#endif
