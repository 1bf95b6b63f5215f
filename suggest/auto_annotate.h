/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any (cccnvcc --ccc-auto). */
#ifndef SUGGEST_AUTO_ANNOTATE_H
#define SUGGEST_AUTO_ANNOTATE_H

#include "suggest/suggest.h"

/* Adds a line for each branch or inner loop that is to be annotated in functions without
 * annotations. The text must name the statements of its source (source_stmts.h).
 *
 *	if 12 body 11 0           kind; number of the statement; the part that it applies to; the
 *	while 17 head 0 16        numbers of the enclosing loop, or of the kernel that is to get
 *	                          a task loop (0: none). That gets an annotation with `proven`
 *	missing a.cu:30\tbranch not annotated: ...  a place without a statement
 *
 * No loop is selected twice, and selected loops are not nested. Depends on the text alone, so the
 * program that counts and the one that uses the profile have the same annotations. */
Suggest auto_annotate;

#endif
