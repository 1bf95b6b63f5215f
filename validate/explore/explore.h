/* SPDX-License-Identifier: MIT */
/* All states that lanes come to. Internal to validate/. */
#ifndef VALIDATE_EXPLORE_EXPLORE_H
#define VALIDATE_EXPLORE_EXPLORE_H

#include "validate/lookahead/lookahead.h"

/* Of a copy that sets a register of braces: such have the same name in many. Is the rest of its
 * braces a copy of what follows in the input's? */
bool step_braces_alike(const Site *s, uint32_t stmt, uint32_t in, uint32_t part);
/* A guarded branch that lanes need not agree on: it must not say that they do (.uni). */
bool step_may_part(Site *s, const Lane *l, uint32_t stmt);
/* A statement of the output that is no branch; *again: it is to be looked at once more.
 * False: the lane ends, or a fault. */
bool step_run(Site *s, Lane *l, uint32_t stmt, bool *again);
/* A task goes by statements that its copy need not have, and has not here; false: a fault. */
bool step_idle(Site *s, Lane *l);
/* straightline_skip.c: from a statement that may be one, goes by copies of what the input does,
 * as many as
 * follow. *end: the lane ends, or a fault; false: none follow. */
bool stretch_run(Site *s, Lane *l, bool *end);
/* visited_states.c: leaves what states are told apart by. Was a lane in this one before? It is
 * noted. */
void lane_settle(Site *s, Lane *l);
bool lane_seen(Site *s, Lane *l);
/* Whether each lane makes progress before it returns to a state. See Lane.idle. */
bool seen_go_on(Site *s);
/* explore.c */
bool walk_site(Site *s);

#endif
