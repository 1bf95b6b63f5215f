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
 *	 0 lanes 3:20             the file of all three
 *	 1 iterations 320 10
 *
 * No loop is selected twice, and selected loops are not nested. With a profile,
 * the lines of its records follow: 0 those of the statement, 1 those of the enclosing loop. */
Suggest auto_annotate;

/* Adds the module's text with markers for all candidates with a plan, as layers
 * (LAYERS_OF_MARKERS); nothing if there are none. Depends on the text alone. The records of what
 * such a text counts are those that auto_annotate uses. */
Suggest auto_annotate_layers;

#endif
