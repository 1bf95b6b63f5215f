/* SPDX-License-Identifier: MIT */
/* Handlers of pure instructions, each generated from one expression. Internal to simt/.
 *
 *	ROWS2(add_32, uint32_t, uint32_t, uint32_t, x + y)
 *
 * defines a handler for rows of CELL that reads x and y (z) as type S and stores the expression as
 * type T. It has one loop over all lanes, which the compiler can vectorise, and one over the active
 * lanes.
 */
#ifndef SIMT_ISA_LANE_LOOPS_H
#define SIMT_ISA_LANE_LOOPS_H

#include "simt/state/sim.h"

#define ROWS_LOOP(CELL, T, READ, EXPR) \
	if (lanes == UINT32_MAX) { \
		for (uint32_t l = 0; l < LANES; l++) { READ d[l] = (CELL)(T)(EXPR); } \
	} else { \
		for EACH_LANE(l, lanes) { READ d[l] = (CELL)(T)(EXPR); } \
	}
#define ROW_OF(CELL, r) ((CELL *)(void *)(w->regs + (r)))

#define ROWS1(NAME, CELL, S, T, EXPR) \
	static void NAME(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		CELL *d = ROW_OF(CELL, i->d); \
		const CELL *a = ROW_OF(const CELL, i->a); \
		ROWS_LOOP(CELL, T, const S x = (S)a[l];, EXPR) \
	}
#define ROWS2(NAME, CELL, S, T, EXPR) \
	static void NAME(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		CELL *d = ROW_OF(CELL, i->d); \
		const CELL *a = ROW_OF(const CELL, i->a), *b = ROW_OF(const CELL, i->b); \
		ROWS_LOOP(CELL, T, const S x = (S)a[l]; const S y = (S)b[l];, EXPR) \
	}
#define ROWS3(NAME, CELL, S, T, EXPR) \
	static void NAME(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		CELL *d = ROW_OF(CELL, i->d); \
		const CELL *a = ROW_OF(const CELL, i->a), *b = ROW_OF(const CELL, i->b), \
			   *c = ROW_OF(const CELL, i->c); \
		ROWS_LOOP(CELL, T, const S x = (S)a[l]; const S y = (S)b[l]; const S z = (S)c[l]; \
			  , EXPR) \
	}
/* The second source is a row of 32-bit shift amounts. */
#define ROWS_SHIFT(NAME, CELL, S, T, EXPR) \
	static void NAME(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		CELL *d = ROW_OF(CELL, i->d); \
		const CELL *a = ROW_OF(const CELL, i->a); \
		const uint32_t *b = ROW_OF(const uint32_t, i->b); \
		ROWS_LOOP(CELL, T, const S x = (S)a[l]; const uint32_t y = b[l];, EXPR) \
	}

/* Generate handlers for 16, 32 and 64 bits, and their table: THREE with unsigned types, also for
 * operations that do not depend on the sign, SIGNED3 with signed types. */
#define THREE(ROWS, op, EXPR) \
	ROWS(op##_16, uint32_t, uint16_t, uint16_t, EXPR) \
	ROWS(op##_32, uint32_t, uint32_t, uint32_t, EXPR) \
	ROWS(op##_64, uint64_t, uint64_t, uint64_t, EXPR) \
	static Run *const op##_u[3] = { op##_16, op##_32, op##_64 };
#define SIGNED3(ROWS, op, EXPR) \
	ROWS(op##_s16, uint32_t, int16_t, uint16_t, EXPR) \
	ROWS(op##_s32, uint32_t, int32_t, uint32_t, EXPR) \
	ROWS(op##_s64, uint64_t, int64_t, uint64_t, EXPR) \
	static Run *const op##_s[3] = { op##_s16, op##_s32, op##_s64 };

#endif
