/* SPDX-License-Identifier: MIT */
/* Loops whose lanes draw iterations from each other (`assign`). validate/draws/draws.h has the
 * proof. Internal to validate/. */
#ifndef VALIDATE_STATE_DRAWS_H
#define VALIDATE_STATE_DRAWS_H

#include "base/bits.h"

enum {
	MAX_DRAWS = 4,
	ITERATION_COPY = 1      /* the region whose copies an iteration's registers are */
};

/* The text of a draw, statements [first, end) of the output, and its registers. */
typedef struct {
	uint32_t first, end;
	uint32_t there, givers; /* ballots of in and has */
	uint32_t in, has, got, next, lane, lower;
} Draw_text;

typedef struct Draws {
	Draw_text at[MAX_DRAWS]; uint32_t n;
	uint32_t header;        /* the input's first statement with an effect in an iteration */
	uint32_t test;          /* the branch that ends it */
	uint32_t exit;          /* the block after the loop */
	/* The loop's statements that an iteration may omit, by local statement: no effect and no
	 * other statement of the same iteration depends on them. */
	Bits spare;
	Bits needed;            /* registers that the other statements read from before */
	Bits own;               /* registers that a lane must not read in another's iteration */
	/* unguarded statements that each iteration executes once, in this order */
	uint32_t *once, nonce;
} Draws;

#endif
