/* SPDX-License-Identifier: MIT */
/* Whether code may execute at another place, time or lane. */
#ifndef TRANSFORM_LEGALITY_MOTION_LEGALITY_H
#define TRANSFORM_LEGALITY_MOTION_LEGALITY_H

#include "transform/plan/plan.h"

/* Kinds of code motion. */
typedef enum {
	MOVE_LANE  = 1 << 0,    /* a helper runs it for its owner */
	/* it runs after its owner has continued, or while others wait for it */
	MOVE_LATER = 1 << 1,
	MOVE_TWICE = 1 << 2,    /* it runs more than once, with the same result each time */
	/* some lanes of a warp run a copy of it, others the original */
	MOVE_APART = 1 << 3,
	MOVE_WAIT  = 1 << 4     /* lanes wait for each other between two runs */
} Move;

/* Whether the block permits the motion `how` (Move flags). scratch: the thread-local memory that it
 * names is used by the moved code alone. */
Verdict movable(const Plan *x, uint32_t block, unsigned how, bool scratch);

/* Whether the blocks name thread-local memory of the function, or contain a call that may use
 * it. */
bool movable_names_local(const Plan *x, Bits blocks);

/* Whether all thread-local memory that the blocks name is scratch memory of theirs. */
bool movable_scratch(const Plan *x, Bits blocks);

#endif
