/* SPDX-License-Identifier: MIT */
/* What the two texts say, read once, whatever lanes do. Internal to validate/. */
#ifndef VALIDATE_TEXT_TEXT_H
#define VALIDATE_TEXT_TEXT_H

#include "validate/state/state.h"

/* decode.c: reads the inserted text's statements */
void decode(Site *s);
/* Where the n-th way of a branch leads, in the inserted text; 0: elsewhere. False: it has none. */
bool step_way(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to);
static inline bool
step_target(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Step *k = step_at(s, stmt);

	if (k->op == OP_BRX)
		return step_way(s, stmt, n, to);
	*to = k->to;
	return k->to && n == 0;
}
/* stmt_match.c: is a statement of the output a copy of one of the input? */
/* part: of the task whose registers stand for the input's; 0: own. guarded: the copy's guard is
 * looked at. */
bool match_stmt(const Site *s, uint32_t out, uint32_t in, uint32_t part, bool guarded);
/* Is the register of the output, in a copy for that part, the input's symbol? */
bool match_sym(const Site *s, uint32_t out, uint32_t in, uint32_t part);
/* Is it declared in braces that the inserted text has a copy of? */
static inline bool
match_inner(const Site *s, uint32_t out)
{
	uint32_t decl = s->out->syms[out].decl;

	return decl >= s->begin && decl < s->end;
}
/* The k-th word of the opcode, from 0, and its characters; is it that one? */
const char *inserted_word(const Site *s, uint32_t stmt, uint32_t k, uint32_t *n);
bool inserted_word_is(const Site *s, uint32_t stmt, uint32_t k, const char *word);
/* register_numbering.c: what registers of the inserted text are. May a copy of a path begin with
 * the statement? */
typedef bool May_begin(Site *s, uint32_t stmt);
bool names_init(Site *s, May_begin *may_begin);
/* Lanes have room for more registers of tasks than they had. */
void names_widen(Site *s);
/* output_dataflow.c: on the graph of the inserted text, what is live, who may write what alone,
 * and from where
 * on nothing of a round is done */
void flow_init(Site *s, May_begin *may_begin);
/* Is it a copy, as match_stmt says? */
bool step_is_copy(const Site *s, uint32_t stmt, uint32_t in, uint32_t part, bool guarded);
/* copy_equivalence.c: two copies of the loop that do the same: only one is walked */
void twins_find(Site *s);
/* Where lanes would have come in the other one. */
void twins_reached(Site *s);

#endif
