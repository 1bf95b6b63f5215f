/* SPDX-License-Identifier: MIT */
/* Where in the source a candidate's annotations go. */
#ifndef SUGGEST_CANDIDATE_STMTS_H
#define SUGGEST_CANDIDATE_STMTS_H

#include "suggest/candidate.h"

/* Finds the candidate's statements, and sets its line to that of its statement. */
void candidate_find_stmts(const Source_stmts *of, Candidate *c);
/* Why the source cannot have an annotation there; NULL: it can, or statements are not known. */
const char *candidate_cannot_insert(const Candidate *c);

/* The words of its annotation, "path" where that precedes another part than the `if`. */
const char *candidate_annotation_words(const Candidate *c);
/* The part of its statement that the annotation precedes: `#pragma ccc if` is before the whole
 * statement. */
Stmt_part candidate_annotated_part(const Candidate *c);
/* Where this annotation goes, "over line 12"; and that of the loop around it, or of the kernel.
 * NULL: not known. */
const char *candidate_site_text(const Candidate *c, const Diag_style *style, Arena *a);
const char *candidate_outer_text(const Candidate *c, Arena *a);

#endif
