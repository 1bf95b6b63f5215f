/* SPDX-License-Identifier: MIT */
/* May code run in another place than its own? */
#ifndef TRANSFORM_LEGALITY_MOTION_LEGALITY_H
#define TRANSFORM_LEGALITY_MOTION_LEGALITY_H

#include "transform/plan/plan.h"

/* How code is moved. */
typedef enum {
	MOVE_LANE  = 1 << 0,    /* another lane runs it in its owner's stead */
	/* it runs when its owner has gone on, or while others wait for it */
	MOVE_LATER = 1 << 1,
	MOVE_TWICE = 1 << 2,    /* it runs more than once, with the same result each time */
	/* some lanes of a warp run a copy of it, the others the code as it was */
	MOVE_APART = 1 << 3,
	MOVE_WAIT  = 1 << 4     /* lanes wait for each other between one run and the next */
} Move;

/* Judges a block of the function; how: Move flags. scratch: thread-local memory that it names is
 * its own alone. */
Verdict movable(const Plan *x, uint32_t block, unsigned how, bool scratch);

/* Do the blocks name thread-local memory of the function's own, or may a call there use it? */
bool movable_names_local(const Plan *x, Bits blocks);

/* Is all thread-local memory that the blocks name a scratch pad of theirs? */
bool movable_scratch(const Plan *x, Bits blocks);

#endif
