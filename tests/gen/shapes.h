/* SPDX-License-Identifier: MIT */
/* The grid and block sizes of launches of random kernels. */
#ifndef GEN_SHAPES_H
#define GEN_SHAPES_H

#include "tests/gen/totals.h"

/* Those from SMALL_SHAPES on are for kernels that would take too long otherwise, those from
 * TASK_SHAPES on for kernels with one task a thread. */
static const struct { uint32_t grid[3], block[3];
} shapes[] = {
	{ { 2, 1, 1 }, { 32, 1, 1 } },
	{ { 2, 1, 1 }, { 33, 1, 1 } },
	{ { 1, 1, 1 }, { 31, 1, 1 } },
	{ { 2, 1, 1 }, { 64, 1, 1 } },
	{ { 3, 1, 1 }, { 40, 1, 1 } },
	{ { 2, 1, 1 }, { 100, 1, 1 } },
	{ { 1, 1, 1 }, { 10, 7, 1 } },
	{ { 2, 1, 1 }, { 4, 5, 3 } },
	{ { 5, 1, 1 }, { 7, 1, 1 } },
	{ { 1, 1, 1 }, { 1, 1, 1 } },
	{ { 2, 1, 1 }, { 8, 16, 1 } },
	{ { 4, 1, 1 }, { 16, 2, 2 } },
	{ { 2, 1, 1 }, { 4, 4, 8 } },
	{ { 1, 1, 1 }, { 32, 1, 1 } },
	{ { 1, 1, 1 }, { 33, 1, 1 } },
	{ { 2, 1, 1 }, { 5, 3, 1 } },
	{ { 8, 1, 1 }, { 32, 1, 1 } },
	{ { 7, 1, 1 }, { 33, 1, 1 } },
	{ { 64, 1, 1 }, { 4, 1, 1 } },
	{ { 3, 2, 5 }, { 8, 1, 1 } },
	{ { 1, 7, 9 }, { 4, 1, 1 } },
	{ { 4, 4, 4 }, { 2, 2, 1 } },
	{ { 2, 3, 1 }, { 10, 2, 2 } },
	{ { 1, 1, 40 }, { 6, 1, 1 } },
	{ { 200, 1, 1 }, { 1, 1, 1 } },
	{ { 1, 2, 1 }, { 100, 1, 1 } },
	{ { 6, 3, 2 }, { 7, 1, 1 } },
	{ { 5, 50, 1 }, { 1, 1, 1 } },
};
enum {
	SHAPES = sizeof shapes / sizeof *shapes,
	SMALL_SHAPES = 13,
	TASK_SHAPES = 16,
	SHAPE_FIXED = SHAPES,
	SHAPE_COUNTED
};
_Static_assert(SHAPES + 2 == ALL_SHAPES, "a share for each shape, .reqntid and threads(N)");

#endif
