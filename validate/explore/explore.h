/* SPDX-License-Identifier: MIT */
/* Exploration of all states that lanes can reach. Internal to validate/. */
#ifndef VALIDATE_EXPLORE_EXPLORE_H
#define VALIDATE_EXPLORE_EXPLORE_H

#include "validate/draws/draws.h"
#include "validate/lookahead/lookahead.h"

/* The region whose copies the lane's statements are. */
static inline uint32_t
lane_region(const Loop_check *s, const Lane_state *l)
{
	return l->at.home ? ITERATION_COPY : lookahead_region(s, l);
}
/* Registers in nested scopes have the same names in many copies. For a statement that sets one:
 * whether the rest of its scope is a copy of what follows in the input. */
bool braces_match(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region);
/* Whether the statement is a guarded branch that may diverge, and so has no `.uni`. */
bool branch_may_diverge(Loop_check *s, const Lane_state *l, uint32_t stmt);
/* Executes a statement of the output that is no branch. *again: it must be executed once more.
 * Returns false if the lane ends or on a fault. */
bool run_output_stmt(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again);
/* Skips statements of the task that its copy may omit, and does omit here. Returns false on a
 * fault. */
bool skip_dead_stmts(Loop_check *s, Lane_state *l);
/* straightline_skip.c: skips all copies of input statements that follow. *end: the lane ends, or a
 * fault. Returns false if there are none. */
bool straight_run_execute(Loop_check *s, Lane_state *l, bool *end);
/* visited_states.c: drops what does not distinguish states; records the state, and returns whether
 * a lane was in it before. */
void lane_state_normalise(Loop_check *s, Lane_state *l);
bool lane_state_is_visited(Loop_check *s, Lane_state *l);
/* Whether every lane makes progress before it returns to a state (Lane_state.idle). */
bool visited_states_progress(Loop_check *s);
/* explore.c: explores a site; false on a fault */
bool explore_loop(Loop_check *s);

#endif
