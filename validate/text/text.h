/* SPDX-License-Identifier: MIT */
/* Static facts of the two texts, computed once for all lanes. Internal to validate/. */
#ifndef VALIDATE_TEXT_TEXT_H
#define VALIDATE_TEXT_TEXT_H

#include "validate/state/state.h"

/* decode.c: decodes the inserted statements */
void decode_output(Loop_check *s);
/* Stores the n-th target of a branch in the inserted text; 0 if outside. Returns false if it has
 * none. */
bool branch_target_of_table(const Output_text *output, uint32_t stmt, uint32_t n, uint32_t *to);
static inline bool
output_branch_target(const Output_text *output, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Output_stmt *k = output_stmt(output, stmt);

	if (k->op == OP_BRX)
		return branch_target_of_table(output, stmt, n, to);
	*to = k->flow.to;
	return k->flow.to && n == 0;
}
/* stmt_match.c: whether a statement of the output is a copy of one of the input */
/* region: the task region whose registers represent the input's; 0 for common code. guarded:
 * compares the guard too. */
bool match_stmt(const Loop_check *s, uint32_t out, uint32_t in, uint32_t region, bool guarded);
/* Whether the output's register represents the input's symbol in a copy for the region. */
bool match_sym(const Loop_check *s, uint32_t out, uint32_t in, uint32_t region);
/* Whether it is declared in a nested scope of the inserted text. */
static inline bool
register_is_scoped(const Output_text *output, uint32_t out)
{
	uint32_t decl = output->m->syms[out].decl;

	return decl >= output->begin && decl < output->end;
}
/* The k-th word of the opcode, from 0, and its length; whether it is `word`. */
const char *opcode_word(const Output_text *output, uint32_t stmt, uint32_t k, uint32_t *n);
bool opcode_word_is(const Output_text *output, uint32_t stmt, uint32_t k, const char *word);
/* Whether the statement of the output is this one of the input. A marker may be done. */
bool stmt_is_unchanged(const Module *in, uint32_t i, const Module *out, uint32_t o);
/* Whether two symbols have the same name; whether two pieces of text are the same. */
bool names_are_equal(const Module *a, uint32_t x, const Module *b, uint32_t y);
bool texts_are_equal(const Module *a, Span x, const Module *b, Span y);
/* register_numbering.c: the meaning of the inserted text's registers. The callback returns whether
 * a copy of a path may begin with the statement. */
typedef bool May_begin(Loop_check *s, uint32_t stmt);
bool output_regs_init(Loop_check *s, May_begin *may_begin);
/* Whether the statement is the barrier right before an activemask at which all lanes of the warp
 * meet (docs/proofs/README.md, L5). Lanes of the loop have done nothing yet. */
bool stmt_gathers_warp(const Module *m, uint32_t stmt);
/* Makes room for more task registers. */
void lane_state_grow(Loop_check *s);
/* output_dataflow.c: on the inserted text's flow graph, computes liveness, registers that only some
 * lanes may write, and statements after which the round does nothing */
void output_flow_init(Loop_check *s, May_begin *may_begin);
/* The same as match_stmt(), cached. */
bool stmt_is_copy(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region, bool guarded);
/* copy_equivalence.c: finds two equivalent copies of the loop, of which only one is explored */
void equivalent_copies_find(Loop_check *s);
/* Marks the statements of the other copy that lanes would have reached. */
void equivalent_copies_mark_reached(Loop_check *s);

#endif
