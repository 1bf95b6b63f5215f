/* SPDX-License-Identifier: MIT */
/* Loops whose lanes look ahead (policy `ahead`). Internal to validate/. */
#ifndef VALIDATE_LOOKAHEAD_LOOKAHEAD_H
#define VALIDATE_LOOKAHEAD_LOOKAHEAD_H

#include "validate/warp/warp.h"

/* loop_facts.c: static facts of such a loop */
bool lookahead_init(Loop_check *s);
void lookahead_mark_starts(Loop_check *s);
bool lookahead_find_words(Loop_check *s);
bool lookahead_in_loop(const Input_text *input, uint32_t stmt);
/* Whether control can get from a block to a path in the same iteration. */
bool lookahead_reaches_path(Loop_check *s, uint32_t block);
/* The lane has reached the next statement of its input. *moved: it moved on to another one. Returns
 * false if the lane ends. */
bool lookahead_reached(Loop_check *s, Lane_state *l, bool *moved);
/* Hooks: before each statement, where states are compared, at a vote, and when the lane leaves. */
bool lookahead_before_stmt(Loop_check *s, Lane_state *l);
void lookahead_merge(Loop_check *s, Lane_state *l);
bool lookahead_at_vote(Loop_check *s, Lane_state *l);
bool lookahead_leave(Loop_check *s, Lane_state *l, uint32_t in);
/* Assumes that a word is 0 or is not. Returns false if that is impossible, or on a fault. */
bool lookahead_assume_zero(Loop_check *s, Lane_state *l, Term_id word, bool zero);
/* Removes the lowest selected iteration from the word; it must be executed next. */
bool lookahead_take_lowest(Loop_check *s, Lane_state *l);
/* transfer.c: effects of statements */
bool lookahead_run(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again);
/* A branch on a register of the input or its look-ahead copy: checks that it holds the right
 * value. */
bool lookahead_branch(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again);
/* The region whose registers represent the input's at the lane's position. */
uint32_t lookahead_region(const Loop_check *s, const Lane_state *l);
bool lookahead_reads_pending(const Lookahead_state *state, const Output_reg *r);
/* implied_branches.c: branches that the text need not test */
/* Moves on to the path if the lane's position leads nowhere else. */
void lookahead_skip(Loop_check *s, Lane_state *l);
/* Called if the input's statement differs from the text's: the lane may be at a branch that the
 * text omits. *again: it has moved on. Returns false if it has not, or if it ends. */
bool lookahead_other_edge(Loop_check *s, Lane_state *l, bool *again);
/* The statement that the lane reaches by this edge of the branch, in its last iteration; 0 if it
 * ends. */
uint32_t lookahead_edge_target(Loop_check *s, const Lane_state *l, bool taken);
/* selection_words.c: a statement that computes a machine register */
bool lookahead_run_emitted(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Result of an integer statement as a sum; 0 if unknown. */
Term_id lookahead_compute(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Value that an input statement writes to a register that is no predicate, if it is loop-invariant;
 * else 0. */
Term_id lookahead_invariant(Loop_check *s, uint32_t in, uint32_t sym);
/* Whether v is that value, or the literal that is moved there. */
bool lookahead_value_matches(Loop_check *s, uint32_t in, uint32_t sym, Term_id v);
/* The only statement in the loop that defines the value of sym that statement `in` reads, if that
 * is loop-invariant; else 0. */
uint32_t lookahead_only_writer(const Loop_check *s, uint32_t in, uint32_t sym);
/* Whether the value is worth keeping. All others become unknown, as they may change from batch to
 * batch. */
bool lookahead_is_trackable(const Terms *terms, Term_id v);
/* Multiplies by a number of iterations, term by term. */
Term_id lookahead_product(Terms *t, Term_id a, Term_id b);
/* Whether it is an integer statement that computes a sum. */
bool lookahead_is_sum(const Output_text *output, uint32_t stmt);
/* copy_sequences.c: after a copy for the region, skips those that follow it */
bool lookahead_run_series(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t region);
/* constant_load.c: whether the statement and the one before it load the constant that the input
 * loads */
bool lookahead_loads_constant(const Loop_check *s, uint32_t stmt, uint32_t in);
/* range_votes.c: all lanes have voted that they stay in the loop for some iterations */
void lookahead_vote_all(Loop_check *s, Lane_state *l, uint32_t vote);
/* Whether the lane is certain to stay in the loop at the input's branch. said: whether it is
 * taken. */
bool lookahead_stays(Loop_check *s, Lane_state *l, uint32_t at, bool *said);

#endif
