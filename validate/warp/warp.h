/* SPDX-License-Identifier: MIT */
/* What the inserted text itself does: arithmetic, votes, slots, rounds. Internal to validate/. */
#ifndef VALIDATE_WARP_WARP_H
#define VALIDATE_WARP_WARP_H

#include "validate/task/task.h"

/* scalar_eval.c: arithmetic of the inserted text */
/* Value of a predicate of the output: a constant, or unknown. */
Term_id inserted_predicate(Site *s, Lane *l, uint32_t sym);
/* Value of operand k; 0 on a fault. */
Term_id inserted_operand(Site *s, Lane *l, uint32_t stmt, uint32_t k);
void inserted_set(Site *s, Lane *l, uint32_t sym, Term_id value, bool varies);
bool inserted_compute(Site *s, Lane *l, uint32_t stmt);
/* Executes statements from l->o on while they only compute machine registers. */
void inserted_go_on(Site *s, Lane *l);
/* Whether the result of the statement varies between lanes. */
bool inserted_gives(const Site *s, const Lane *l, uint32_t stmt);
/* Whether the register varies between lanes. */
bool inserted_varies(const Site *s, const Lane *l, uint32_t sym);
/* collectives.c: votes and barriers */
/* Executes a collective statement whose guard holds. */
bool votes_run(Site *s, Lane *l, uint32_t stmt);
/* At a label. If no branch has diverged, the whole group is here, so it ends a segment as a vote
 * does. It also ends the round if none of its actions can follow, and drops what no longer
 * matters. */
bool votes_pass(Site *s, Lane *l);
/* At a point that the whole group reaches, whether or not it diverged. */
bool votes_meet(Site *s, Lane *l);
bool votes_leave(Site *s, Lane *l, uint32_t stmt);
/* path_conditions.c: facts about terms, and the end of a round */
/* Assumes a truth value. Returns false if it is contradictory; that is no fault. */
bool assume_truth(Site *s, Lane *l, Term_id truth, bool value);
/* Whether all that the round's vote requires is done. */
bool round_ended(const Site *s, const Lane *l);
/* Ends the round: compares the counters with what was done. to: the vote that ends it, 0 if none,
 * or UINT32_MAX if some vote will. */
void round_close(Site *s, Lane *l, uint32_t to);
/* slots.c: shared memory and rows */
bool buffer_store(Site *s, Lane *l, uint32_t stmt);
bool buffer_load(Site *s, Lane *l, uint32_t stmt);
bool buffer_check(Site *s);
/* counter_bounds.c: a counter at the start of the round, tasks waiting with those just voted for,
 * and the mask of the group */
Term_id round_before(Site *s, uint32_t counter);
Term_id round_waiting(Site *s, const Change *c);
Term_id round_mask(Site *s);
bool round_holds(const Change *c, Term_id fact);
/* Whether at least (at most) as many tasks wait as there are lanes, with those just voted for. */
bool round_enough(Site *s, const Change *c);
bool round_few(Site *s, const Change *c);
/* Whether the round took one task per lane; or all tasks, if there are fewer. */
bool round_took_all(Site *s, const Change *c);
bool round_took_some(Site *s, const Change *c);
/* The counter's bound after the round (Change.level). */
uint8_t change_level(Site *s, const Change *c);
/* pop_rounds.c: batches of several iterations, and several rounds of pops */
bool turns_init(Site *s);
/* At a pop label: begins a round. */
bool turns_begin(Site *s, Lane *l);
/* barrier_order.c: which segments follow each other */
bool barriers_check(Site *s);
/* Whether lanes reach a vote or barrier before they leave, and none loops forever. */
bool segments_check(Site *s);
/* Decides a predicate of the inserted text: if it is unknown, this lane takes one value, and a copy
 * of it with the other goes to the work list. */
bool lane_decide(Site *s, Lane *l, uint32_t sym, bool *value);

#endif
