/* SPDX-License-Identifier: MIT */
/* Loops that ptxas has unrolled, as machine code has them: one, of N iterations, and copies of
 * fewer in front of it and behind. Internal to simt/. */
#ifndef SIMT_SASS_UNROLL_DETECT_H
#define SIMT_SASS_UNROLL_DETECT_H

#include "base/vec.h"
#include "simt/sass/block_map.h"

/* PTX loop .loop, the iterations of which are executions of PTX block .block. first: so many of
 * them are elsewhere, where the loop is come to. */
typedef struct { uint32_t loop, block, first; } Unrolled_loop;

typedef struct {
	/* by block of machine code: a HOME_TURNS, of a part of such a loop; .of 0: never run */
	Home *home;
	VEC(Unrolled_loop) loops;
} Unrolled;

/* The .way of a HOME_TURNS: parts are numbered in their order. .turns: so many iterations of PTX
 * are one of it; 0: it is run once, whatever they are. .again: it is a loop itself. */
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

/* .loops is to be freed. The rest lives in arena a. */
Unrolled *unrolled_find(
	const Sass_flow *f, const Cfg *g, const Loops *l, const Homes *homes, Arena *a);

#endif
