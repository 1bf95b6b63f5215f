/* SPDX-License-Identifier: MIT */
/* Loops whose lanes look ahead (policy `ahead`). Internal to validate/. */
#ifndef VALIDATE_LOOKAHEAD_LOOKAHEAD_H
#define VALIDATE_LOOKAHEAD_LOOKAHEAD_H

#include "validate/warp/warp.h"

/* loop_facts.c: static facts of such a loop */
bool ahead_init(Site *s);
void ahead_begins(Site *s);
bool ahead_words(Site *s);
bool ahead_in_loop(const Site *s, uint32_t stmt);
/* Whether control can get from a block to a path in the same iteration. */
bool ahead_to_path(Site *s, uint32_t block);
/* The lane has reached the next statement of its input. *moved: it moved on to another one. Returns
 * false if the lane ends. */
bool ahead_at(Site *s, Lane *l, bool *moved);
/* Hooks: before each statement, where states are compared, at a vote, and when the lane leaves. */
bool ahead_pause(Site *s, Lane *l);
void ahead_join(Site *s, Lane *l);
bool ahead_vote(Site *s, Lane *l);
bool ahead_leaves(Site *s, Lane *l, uint32_t in);
/* Assumes that a word is 0 or is not. Returns false if that is impossible, or on a fault. */
bool ahead_zero(Site *s, Lane *l, Term_id word, bool zero);
/* Removes the lowest selected iteration from the word; it must be executed next. */
bool ahead_take(Site *s, Lane *l);
/* transfer.c: effects of statements */
bool ahead_run(Site *s, Lane *l, uint32_t stmt, bool *again);
/* A branch on a register of the input or its look-ahead copy: checks that it holds the right
 * value. */
bool ahead_branch(Site *s, Lane *l, uint32_t stmt, bool *again);
/* The part whose registers stand for the input's at the lane's position. */
uint32_t ahead_part(const Site *s, const Lane *l);
bool ahead_asks(const Lane *l, const Reg *r);
/* implied_branches.c: branches that the text need not test */
/* Moves on to the path if the lane's position leads nowhere else. */
void ahead_skip(Site *s, Lane *l);
/* Called if the input's statement differs from the text's: the lane may be at a branch that the
 * text omits. *again: it has moved on. Returns false if it has not, or if it ends. */
bool ahead_other_way(Site *s, Lane *l, bool *again);
/* The statement that the lane reaches by this edge of the branch, in its last iteration; 0 if it
 * ends. */
uint32_t ahead_comes_to(Site *s, const Lane *l, bool taken);
/* notes.c: a statement that computes a machine register */
bool ahead_machine(Site *s, Lane *l, uint32_t stmt);
/* Result of an integer statement as a sum; 0 if unknown. */
Term_id ahead_value(Site *s, Lane *l, uint32_t stmt);
/* Value that an input statement writes to a register that is no predicate, if it is loop-invariant;
 * else 0. */
Term_id ahead_lasting(Site *s, uint32_t in, uint32_t sym);
/* Whether v is that value, or the literal that is moved there. */
bool ahead_holds(Site *s, uint32_t in, uint32_t sym, Term_id v);
/* The only statement in the loop that defines the value of sym that statement `in` reads, if that
 * is loop-invariant; else 0. */
uint32_t ahead_gives(const Site *s, uint32_t in, uint32_t sym);
/* Whether the value is worth keeping. All others become unknown, as they may change from batch to
 * batch. */
bool ahead_plain(const Site *s, Term_id v);
/* Multiplies by a number of iterations, term by term. */
Term_id ahead_times(Site *s, Term_id a, Term_id b);
/* Whether it is an integer statement that computes a sum. */
bool ahead_is_sum(const Site *s, uint32_t stmt);
/* copy_sequences.c: after a copy for the part, skips those that follow it */
bool ahead_series(Site *s, Lane *l, uint32_t stmt, uint32_t part);
/* constant_load.c: whether the statement and the one before it load the constant that the input
 * loads */
bool ahead_constant(const Site *s, uint32_t stmt, uint32_t in);
/* range_votes.c: all lanes have voted that they stay in the loop for some iterations */
void ahead_all(Site *s, Lane *l, uint32_t vote);
/* Whether the lane is certain to stay in the loop at the input's branch. said: whether it is
 * taken. */
bool ahead_stays(Site *s, Lane *l, uint32_t at, bool *said);

#endif
