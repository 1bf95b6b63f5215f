/* SPDX-License-Identifier: MIT */
/* The annotations that cccnvcc --ccc-suggest=fix writes into the sources (patch.h), and those that
 * --ccc-suggest=apply compiles a source with.
 *
 * Compilations of a build append what they found to the file that CCC_FIXES names, as records:
 *
 *	# a.cu                          a compilation, of this source
 *	fix 1.79\ta.cu:5\ta.cu:7        expected gain; the places of the annotated loop or kernel
 *	                                and of the other annotation, as in a report
 *	insert 7 1\tif\t/u/a.cu\t#pragma ccc if  a line above line 7; or before a later column of
 *	                                it. There the source has the word `if`, or a macro
 *	enclose 12 14\t/u/a.cu\t#pragma ccc path  a line and '{' above line 12, '}' below line 14
 *	none                            a place that the source does not let annotate
 *	refused a.cu:9\tREASON          an annotation that is not in the patch
 *	 row                            a row of the table (base/advice.h), of the `fix` or `none`
 *	                                before it
 *
 * If CCC_FIXES_ONLY names a file, only the annotations whose places it has, as in the line `fix`,
 * are inserted and recorded. */
#ifndef ANNOTATE_FIXES_H
#define ANNOTATE_FIXES_H

#include "annotate/setup.h"
#include "base/source.h"

/* Does what is requested: selects annotations for the functions of the source that have none, with
 * the promises that they need; appends their records to the file CCC_FIXES, if that is set; and
 * inserts them into the source. Returns whether it was changed. */
bool fixes_apply(Hook *h, Source *src);

#endif
