/* SPDX-License-Identifier: MIT */
/* Detects loops that ptxas has unrolled: in machine code, one loop of N iterations, with parts of
 * fewer iterations in front of it and behind it. Internal to simt/. */
#ifndef SIMT_SASS_UNROLL_DETECT_H
#define SIMT_SASS_UNROLL_DETECT_H

#include "base/vec.h"
#include "simt/sass/block_map.h"

/* PTX loop .loop, whose iterations are executions of PTX block .block. first: iterations that are
 * executed elsewhere, at the entry of the loop. */
typedef struct { uint32_t loop, block, first; } Unrolled_loop;

typedef struct {
	/* by block of machine code: a HOME_TURNS, for a part of such a loop; .of 0: never
	 * executed */
	Home *home;
	VEC(Unrolled_loop) loops;
} Unrolled;

/* The .way of a HOME_TURNS: parts are numbered in their order. .turns: PTX iterations per execution
 * of the part; 0: it is executed once, regardless of them. .again: it is a loop itself. */
typedef struct { uint32_t number, turns; bool again; } Turns;
static inline uint32_t
turns_pack(Turns t)
{
	return t.number << 8 | t.turns << 1 | t.again;
}
static inline Turns
turns_unpack(uint32_t way)
{
	return (Turns){ way >> 8, way >> 1 & 127, way & 1 };
}

/* The caller frees .loops; the rest lives in arena a. */
Unrolled *unrolled_find(
	const Sass_flow *f, const Cfg *g, const Loops *l, const Homes *homes, Arena *a);

#endif
