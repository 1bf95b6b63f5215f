/* SPDX-License-Identifier: MIT */
/* What the inserted text itself does: arithmetic, votes, slots, rounds. Internal to validate/. */
#ifndef VALIDATE_WARP_WARP_H
#define VALIDATE_WARP_WARP_H

#include "validate/task/task.h"

/* scalar_eval.c: the inserted text's own statements that compute */
/* What a predicate of the output holds: constant, or not known. */
Term_id inserted_predicate(Site *s, Lane *l, uint32_t sym);
/* What operand k holds; 0: nothing, which is a fault. */
Term_id inserted_operand(Site *s, Lane *l, uint32_t stmt, uint32_t k);
void inserted_set(Site *s, Lane *l, uint32_t sym, Term_id value, bool varies);
bool inserted_compute(Site *s, Lane *l, uint32_t stmt);
/* From one on by those that do nothing else, as far as none of another kind stands there. */
void inserted_go_on(Site *s, Lane *l);
/* Does what the statement gives vary between lanes? */
bool inserted_gives(const Site *s, const Lane *l, uint32_t stmt);
/* Does the register vary between lanes? */
bool inserted_varies(const Site *s, const Lane *l, uint32_t sym);
/* collectives.c: votes and barriers */
/* Runs one of the text's own statements that is no branch; its guard holds. */
bool votes_run(Site *s, Lane *l, uint32_t stmt);
/* At a label. Where no branch has parted them all lanes that came together are there: so it ends a
 * segment, as a vote or a barrier does. And a round is over where nothing of it can come any more.
 * What lanes have done before needs not be told apart behind that. */
bool votes_pass(Site *s, Lane *l);
/* At a place that all lanes come to that came together, wherever branches have parted them. */
bool votes_meet(Site *s, Lane *l);
bool votes_leave(Site *s, Lane *l, uint32_t stmt);
/* path_conditions.c: what is known of terms, and the end of a round */
/* Takes a truth for granted; false: it cannot be (no fault). */
bool assume_truth(Site *s, Lane *l, Term_id truth, bool value);
/* Was all done that the round's vote has asked for? */
bool round_ended(const Site *s, const Lane *l);
/* The round is over: counters are compared with what was done. to: the vote that ends it, or 0;
 * UINT32_MAX: some vote will. */
void round_close(Site *s, Lane *l, uint32_t to);
/* slots.c: shared memory, rows, and what rounds did */
bool buffer_store(Site *s, Lane *l, uint32_t stmt);
bool buffer_load(Site *s, Lane *l, uint32_t stmt);
bool buffer_check(Site *s);
/* counter_bounds.c: what a counter held when the round began, and with those voted for; who came
 * together */
Term_id round_before(Site *s, uint32_t counter);
Term_id round_waiting(Site *s, const Change *c);
Term_id round_mask(Site *s);
bool round_holds(const Change *c, Term_id fact);
/* Is it known that as many tasks wait as there are lanes, or fewer, with those voted for? */
bool round_enough(Site *s, const Change *c);
bool round_few(Site *s, const Change *c);
/* Were as many taken as there are lanes? Or all, where there are fewer? */
bool round_took_all(Site *s, const Change *c);
bool round_took_some(Site *s, const Change *c);
/* The counter's bound behind the round: see Change.level. */
uint8_t change_level(Site *s, const Change *c);
/* pop_rounds.c: several own parts in a round, and several rounds of pops */
bool turns_init(Site *s);
/* At a label of pops: a round of its own begins. */
bool turns_begin(Site *s, Lane *l);
/* barrier_order.c */
bool barriers_check(Site *s);
/* Do lanes come to a vote or barrier before they leave, and none of them round for ever? */
bool segments_check(Site *s);
/* What a predicate of the inserted text holds: this lane takes one way of it, and another lane the
 * other one, where that is not known. */
bool lane_decide(Site *s, Lane *l, uint32_t sym, bool *value);

#endif
