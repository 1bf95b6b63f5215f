/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any (cccnvcc --ccc-auto). */
#ifndef SUGGEST_AUTO_ANNOTATE_H
#define SUGGEST_AUTO_ANNOTATE_H

#include "suggest/suggest.h"
#include "suggest/suggest_plan.h"
#include "transform/text/edit.h"

/* Adds a line for each branch or inner loop that is to be annotated in functions without
 * annotations. The text must name the statements of its source (source_stmts.h).
 *
 *	if 12 body 11 0           kind; number of the statement; the part that it applies to; the
 *	while 17 head 0 16        numbers of the enclosing loop, or of the kernel that is to get
 *	                          a task loop (0: none). That gets an annotation with `proven`
 *	missing a.cu:30\tbranch not annotated: ...  a place without a statement
 *
 * No loop is selected twice, and selected loops are not nested. With a profile, the lines of the
 * place's records follow it: 0 those of the statement, after the calls through which it was
 * inlined, 1 those of what encloses it. A line with two zeros only adds records: its statement was
 * inlined several times.
 *
 *	if 12 body 11 0
 *	 0 inlined "a.cu":40:3
 *	 0 lanes 3:20
 *	 1 iterations 320 10
 */
Suggest auto_annotate;

/* Whether it may be asked what ptxas contracts: measured plans that must be bit-identical. */
bool auto_asks_prover(const Pass_options *opt);
/* Finds the functions in which more would be saved if results need not be bit-identical, and for
 * which it is proved what ptxas contracts. `relaxed` receives the candidates without that need. */
void auto_find_settled(const Suggestions *exact, const Module *m, const Pass_options *opt,
	Suggestions *relaxed, Bits settled);

/* Adds the module's text with markers for all candidates with a plan, as layers
 * (LAYERS_OF_MARKERS); nothing if there are none. Depends on the text alone. The records of what
 * such a text counts are those that auto_annotate uses. */
Suggest auto_annotate_layers;
/* Queues the edits that make that text. Returns false if there are none. */
bool auto_annotate_queue_layers(const Module *m, const Pass_options *opt, Edits *e);

#endif
