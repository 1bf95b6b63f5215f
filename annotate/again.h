/* SPDX-License-Identifier: MIT */
/* Annotations that nothing came of: which they are, and whether a compilation without them is as
 * good.
 *
 * What ptxccc --annotations wrote is read here:
 *
 *	site 0 stack _Z3bfsiPKiPi               a loop that was transformed: annotation, policy,
 *	                                        function
 *	annotation 0 2 1 bfs.cu:57              an annotation: number, copies in the code, copies
 *	                                        that were followed, place
 *
 * An annotation stays if any copy of it was followed, though others were not: templates and
 * inlining make copies, and all have one source.
 */
#ifndef ANNOTATE_AGAIN_H
#define ANNOTATE_AGAIN_H

#include "annotate/rewrite.h"

typedef struct {
	Guards without;         /* those that nothing came of */
	bool any, all;          /* is there one; are there no others? */
} Again;

Again again_read(const char *annotations);
void again_release(Again *a);
/* Is every loop that was transformed at first transformed by the second compilation, too, in as
 * many copies? */
bool again_holds(const char *first, const char *second);
/* The reports in text of both: of the first what stayed as it was, of the second what was
 * transformed. */
void again_report(const char *first, const char *second, Buf *out);

#endif
