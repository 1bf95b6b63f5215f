/* SPDX-License-Identifier: MIT */
/* Determines which annotations had no effect, and whether compiling without them gives an
 * equally good result.
 *
 * Parses the output of ptxccc --annotations:
 *
 *	site 0 stack _Z3bfsiPKiPi               a transformed loop: annotation, policy,
 *	                                        function
 *	annotation 0 2 1 bfs.cu:57              an annotation: number, copies in the code,
 *	                                        copies that were applied, place
 *
 * An annotation stays if any copy of it was applied, even if others were not: templates and
 * inlining make copies, and all copies have one source. */
#ifndef ANNOTATE_AGAIN_H
#define ANNOTATE_AGAIN_H

#include "annotate/rewrite.h"

typedef struct {
	Guards without;         /* annotations without effect */
	bool any, all;          /* whether there are any; whether these are all */
} Second_compilation;

Second_compilation second_compilation_read(const char *annotations);
void second_compilation_release(Second_compilation *a);
/* Whether the second compilation transforms every loop that the first one transforms, in as many
 * copies. */
bool second_compilation_keeps_sites(const char *first, const char *second);
/* Merges two text reports: sites not transformed from the first one, transformed sites from the
 * second. */
void second_compilation_report(const char *first, const char *second, Buf *out);

#endif
