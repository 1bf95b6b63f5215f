/* SPDX-License-Identifier: MIT */
/* Whether code may execute at another place, time or lane. */
#ifndef TRANSFORM_LEGALITY_MOTION_LEGALITY_H
#define TRANSFORM_LEGALITY_MOTION_LEGALITY_H

#include "transform/plan/plan.h"

/* Kinds of code motion. */
typedef enum {
	MOTION_OTHER_LANE = 1 << 0, /* a helper runs it for its owner */
	/* it runs after its owner has continued, or while others wait for it */
	MOTION_DELAYED = 1 << 1,
	MOTION_REPEATED = 1 << 2, /* it runs more than once, with the same result each time */
	/* some lanes of a warp run a copy of it, others the original */
	MOTION_DIVERGED = 1 << 3,
	MOTION_WAITS = 1 << 4   /* lanes wait for each other between two runs */
} Motion;

/* Returns the effects of a statement. In a remapping with a key a call through a pointer has those
 * of all functions that it may reach, if they are known; it is indirect if one of them calls
 * through a pointer, too. */
uint32_t effects_with_callees(const Plan *x, uint32_t stmt);
/* Whether the block permits the motion `how` (Move flags). scratch: the thread-local memory that it
 * names is used by the moved code alone. */
Verdict block_check_movable(const Plan *x, uint32_t block, unsigned how, bool scratch);
/* The same for a statement. */
Verdict stmt_check_movable(const Plan *x, uint32_t stmt, unsigned how, bool scratch);

/* Whether the blocks name thread-local memory of the function, or contain a call that may use
 * it. */
bool blocks_use_local_memory(const Plan *x, Bits blocks);

/* Whether all thread-local memory that the blocks name is scratch memory of theirs. */
bool blocks_local_is_scratch(const Plan *x, Bits blocks);

#endif
