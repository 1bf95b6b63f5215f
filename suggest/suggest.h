/* SPDX-License-Identifier: MIT */
/* Suggests annotations for functions without any (ptxccc --suggest). */
#ifndef SUGGEST_SUGGEST_H
#define SUGGEST_SUGGEST_H

#include "transform/pipeline/pass.h"

/* Adds a table of the module's branches and loops (base/advice.h), for each function those with the
 * largest expected gain first. opt: as for a transformation of the module; its profile is used. */
typedef void Suggest(const Module *m, const Pass_options *opt, Buf *out);
Suggest suggest_write_table;
/* The same for those that gain according to the profile but need a promise; adds nothing if there
 * are none. */
Suggest suggest_write_promises;
/* Writes the annotations to insert: for each loop the candidate with the largest expected gain,
 * unless it conflicts with a better one of another loop. The text must name the statements of its
 * source (source_stmts.h). Each has a line, followed by its rows of the table, which begin with a
 * blank:
 *
 *	fix 1.79 12 head 11 0\tif      expected gain; number of the statement; the part that
 *	                               the annotation precedes; the numbers of the loop that gets
 *	                               `for`, or of the kernel that gets `grid` (0: none);
 *	                               the annotation; behind a tab, the policy to name
 *	none                           the source cannot have the annotation; the rows say why
 */
Suggest suggest_write_fixes;

#endif
