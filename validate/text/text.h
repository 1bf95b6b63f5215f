/* SPDX-License-Identifier: MIT */
/* Static facts of the two texts, computed once for all lanes. Internal to validate/. */
#ifndef VALIDATE_TEXT_TEXT_H
#define VALIDATE_TEXT_TEXT_H

#include "validate/state/state.h"

/* decode.c: decodes the inserted statements */
void decode(Site *s);
/* Stores the n-th target of a branch in the inserted text; 0 if outside. Returns false if it has
 * none. */
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
/* stmt_match.c: whether a statement of the output is a copy of one of the input */
/* part: the task whose registers stand for the input's; 0 for common code. guarded: compares the
 * guard too. */
bool match_stmt(const Site *s, uint32_t out, uint32_t in, uint32_t part, bool guarded);
/* Whether the output's register stands for the input's symbol in a copy for the part. */
bool match_sym(const Site *s, uint32_t out, uint32_t in, uint32_t part);
/* Whether it is declared in a nested scope of the inserted text. */
static inline bool
match_inner(const Site *s, uint32_t out)
{
	uint32_t decl = s->out->syms[out].decl;

	return decl >= s->begin && decl < s->end;
}
/* The k-th word of the opcode, from 0, and its length; whether it is `word`. */
const char *inserted_word(const Site *s, uint32_t stmt, uint32_t k, uint32_t *n);
bool inserted_word_is(const Site *s, uint32_t stmt, uint32_t k, const char *word);
/* register_numbering.c: the meaning of the inserted text's registers. The callback returns whether
 * a copy of a path may begin with the statement. */
typedef bool May_begin(Site *s, uint32_t stmt);
bool names_init(Site *s, May_begin *may_begin);
/* Makes room for more task registers. */
void names_widen(Site *s);
/* output_dataflow.c: on the inserted text's flow graph, computes liveness, registers that only some
 * lanes may write, and statements after which the round does nothing */
void flow_init(Site *s, May_begin *may_begin);
/* The same as match_stmt(), cached. */
bool step_is_copy(const Site *s, uint32_t stmt, uint32_t in, uint32_t part, bool guarded);
/* copy_equivalence.c: finds two equivalent copies of the loop, of which only one is explored */
void twins_find(Site *s);
/* Marks the statements of the other copy that lanes would have reached. */
void twins_reached(Site *s);

#endif
