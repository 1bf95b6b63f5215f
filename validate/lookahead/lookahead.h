/* SPDX-License-Identifier: MIT */
/* Lanes that look ahead. Internal to validate/. */
#ifndef VALIDATE_LOOKAHEAD_LOOKAHEAD_H
#define VALIDATE_LOOKAHEAD_LOOKAHEAD_H

#include "validate/warp/warp.h"

/* loop_facts.c: a loop whose lanes look ahead */
bool ahead_init(Site *s);
void ahead_begins(Site *s);
bool ahead_words(Site *s);
bool ahead_in_loop(const Site *s, uint32_t stmt);
/* Can control come from a block to a path, in the same iteration? */
bool ahead_to_path(Site *s, uint32_t block);
/* The lane has come to the next statement of its input, *moved: to another one. False: it ends. */
bool ahead_at(Site *s, Lane *l, bool *moved);
/* In front of each statement; where states are compared; at a vote; when the lane leaves. */
bool ahead_pause(Site *s, Lane *l);
void ahead_join(Site *s, Lane *l);
bool ahead_vote(Site *s, Lane *l);
bool ahead_leaves(Site *s, Lane *l, uint32_t in);
/* A word is 0, or it is not; false: it cannot be, or a fault. */
bool ahead_zero(Site *s, Lane *l, Term_id word, bool zero);
/* The lowest noted iteration is taken out, and to be run. */
bool ahead_take(Site *s, Lane *l);
/* transfer.c: what statements do there */
bool ahead_run(Site *s, Lane *l, uint32_t stmt, bool *again);
/* A branch on a register of the input, or of one that looks: does that hold what it should? */
bool ahead_branch(Site *s, Lane *l, uint32_t stmt, bool *again);
/* The part whose registers stand for the input's where the lane is. */
uint32_t ahead_part(const Site *s, const Lane *l);
bool ahead_asks(const Lane *l, const Reg *r);
/* implied_branches.c: ways that a text need not ask for */
/* From a place that leads to a path alone, to that. */
void ahead_skip(Site *s, Lane *l);
/* The input's statement is another one than the text's: the lane may be at a branch that the text
 * goes by. *again: it has gone on. False: it has not, or ends. */
bool ahead_other_way(Site *s, Lane *l, bool *again);
/* Where does the lane come to by a way of the branch, in its last iteration? 0: it ends. */
uint32_t ahead_comes_to(Site *s, const Lane *l, bool taken);
/* notes.c: one of the text's own statements that computes */
bool ahead_machine(Site *s, Lane *l, uint32_t stmt);
/* What an integer statement gives, as a sum; 0: that is not known. */
Term_id ahead_value(Site *s, Lane *l, uint32_t stmt);
/* What a statement of the input writes to a register that is no predicate, if that is the same in
 * all iterations; 0. */
Term_id ahead_lasting(Site *s, uint32_t in, uint32_t sym);
/* Is v that, or the literal that is moved there? */
bool ahead_holds(Site *s, uint32_t in, uint32_t sym, Term_id v);
/* The statement in the loop by which alone register sym has what a statement of the input reads,
 * if that is the same in all iterations; 0. */
uint32_t ahead_gives(const Site *s, uint32_t in, uint32_t sym);
/* Is it something that is worth keeping? All else is a number that nobody knows: such may change
 * from batch to batch. */
bool ahead_plain(const Site *s, Term_id v);
/* A product of a number of iterations is made piece by piece. */
Term_id ahead_times(Site *s, Term_id a, Term_id b);
/* Is it an integer statement that is a sum? */
bool ahead_is_sum(const Site *s, uint32_t stmt);
/* copy_sequences.c: behind a copy for that part, goes by those that follow */
bool ahead_series(Site *s, Lane *l, uint32_t stmt, uint32_t part);
/* constant_load.c: does the statement, with the one in front of it, load the constant that the
 * input's loads? */
bool ahead_constant(const Site *s, uint32_t stmt, uint32_t in);
/* range_votes.c: all lanes have voted that they stay in the loop for some time */
void ahead_all(Site *s, Lane *l, uint32_t vote);
/* Is the lane sure to stay at the branch of the input? said: whether that is taken. */
bool ahead_stays(Site *s, Lane *l, uint32_t at, bool *said);

#endif
