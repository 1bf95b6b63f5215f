/* SPDX-License-Identifier: MIT */
/* Detects loops that ptxas has unrolled: in machine code, one loop of N iterations, with pieces of
 * fewer iterations before and after it. Internal to simt/. */
#ifndef SIMT_SASS_UNROLL_DETECT_H
#define SIMT_SASS_UNROLL_DETECT_H

#include "base/vec.h"
#include "simt/sass/block_map.h"

/* PTX loop .loop, whose iterations are executions of PTX block .block. first: iterations that are
 * executed elsewhere, at the entry of the loop. */
typedef struct { uint32_t loop, block, first; } Unrolled_loop;

typedef struct {
	/* by block of machine code: a LOCATION_UNROLLED, for a piece of such a loop; .index 0:
	 * never executed */
	Ptx_location *location;
	VEC(Unrolled_loop) loops;
} Unrolled_loops;

/* The .successor of a LOCATION_UNROLLED. number: of the piece, in execution order. factor: PTX
 * iterations per execution of the piece; 0: it is executed once, independently of them. */
typedef struct { uint32_t number, factor; bool is_loop; } Unroll_piece;
static inline uint32_t
unroll_piece_pack(Unroll_piece t)
{
	return t.number << 8 | t.factor << 1 | t.is_loop;
}
static inline Unroll_piece
unroll_piece_unpack(uint32_t way)
{
	return (Unroll_piece){ way >> 8, way >> 1 & 127, way & 1 };
}

/* The caller frees .loops; the rest lives in arena a. */
Unrolled_loops *unroll_detect(const Sass_flow *f, const Cfg *g, const Loops *l,
	const Sass_block_map *block_map, Arena *a);

#endif
