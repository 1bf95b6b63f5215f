/* SPDX-License-Identifier: MIT */
/* What the inserted text itself does: arithmetic, votes, slots, rounds. Internal to validate/. */
#ifndef VALIDATE_WARP_WARP_H
#define VALIDATE_WARP_WARP_H

#include "validate/task/task.h"

/* scalar_eval.c: arithmetic of the inserted text */
/* Value of a predicate of the output: a constant, or unknown. */
Term_id scalar_predicate(Loop_check *s, Lane_state *l, uint32_t sym);
/* Value of operand k; 0 on a fault. */
Term_id scalar_operand(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k);
void scalar_set(Loop_check *s, Lane_state *l, uint32_t sym, Term_id value, bool varies);
bool scalar_compute(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Executes statements from l->o on while they only compute machine registers. */
void scalar_run_all(Loop_check *s, Lane_state *l);
/* Whether the result of the statement varies between lanes. */
bool scalar_result_varies(const Loop_check *s, const Lane_state *l, uint32_t stmt);
/* Whether the register varies between lanes. */
bool scalar_varies(const Loop_check *s, const Lane_state *l, uint32_t sym);
/* collectives.c: votes and barriers */
/* Executes a collective statement whose guard holds. */
bool collective_run(Loop_check *s, Lane_state *l, uint32_t stmt);
/* At a label. If no branch has diverged, the whole group is here, so it ends a segment as a vote
 * does. It also ends the round if none of its actions can follow, and drops what no longer
 * matters. */
bool collective_at_label(Loop_check *s, Lane_state *l);
/* At a point that the whole group reaches, whether or not it diverged. */
bool collective_at_meeting(Loop_check *s, Lane_state *l);
bool collective_on_exit(Loop_check *s, Lane_state *l, uint32_t stmt);
/* path_conditions.c: facts about terms, and the end of a round */
/* Whether the lane has done everything that the round's vote requires. */
bool round_is_complete(const Loop_check *s, const Lane_state *l);
/* Ends the round: compares the counters with what was done. to: the vote that ends it, 0 if none,
 * or UINT32_MAX if some vote will. */
void round_end(Loop_check *s, Lane_state *l, uint32_t to);
/* slots.c: shared memory and rows */
bool buffer_store(Loop_check *s, Lane_state *l, uint32_t stmt);
bool buffer_load(Loop_check *s, Lane_state *l, uint32_t stmt);
bool check_buffer(Loop_check *s);
/* counter_bounds.c: a counter at the start of the round, tasks waiting with those just voted for,
 * and the mask of the group */
Term_id round_initial_value(Emitted_regs *emitted, uint32_t counter);
Term_id round_waiting(Loop_check *s, const Counter_change *c);
Term_id round_lane_mask(Loop_check *s);
bool round_knows(const Counter_change *c, Term_id fact);
/* Whether at least (at most) as many tasks wait as there are lanes, with those just voted for. */
bool round_fills_warp(Loop_check *s, const Counter_change *c);
bool round_is_partial(Loop_check *s, const Counter_change *c);
/* Whether the round took one task per lane; or all tasks, if there are fewer. */
bool round_took_all(Loop_check *s, const Counter_change *c);
bool round_took_some(Loop_check *s, const Counter_change *c);
/* The counter's bound after the round (Counter_change.level). */
uint8_t change_bound(Loop_check *s, const Counter_change *c);
/* pop_rounds.c: batches of several iterations, and several rounds of pops */
bool batch_init(Loop_check *s);
/* At a pop label: begins a round. */
bool batch_begin_round(Loop_check *s, Lane_state *l);
/* barrier_order.c: which segments follow each other */
bool check_barrier_order(Loop_check *s);
/* Whether lanes reach a vote or barrier before they leave, and none loops forever. */
bool check_segments(Loop_check *s);
/* Decides a predicate of the inserted text: if it is unknown, this lane takes one value, and a copy
 * of it with the other goes to the work list. */
bool lane_fork_predicate(Loop_check *s, Lane_state *l, uint32_t sym, bool *value);

#endif
