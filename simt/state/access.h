/* SPDX-License-Identifier: MIT */
/* A memory access as a value that is passed to the memory model, its checks and the counters.
 * Internal to simt/. */
#ifndef SIMT_STATE_ACCESS_H
#define SIMT_STATE_ACCESS_H

#include "simt/state/sim.h"

typedef enum { ACCESS_LOAD, ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } Access_kind;

/* The scope of an operation or a fence. */
typedef enum { REACH_NONE, REACH_BLOCK, REACH_ALL } Reach;

/* The access of one instruction by its active lanes. LOAD and READ differ for uninitialised memory:
 * the registers that a LOAD fills are tracked (uninitialised_reads.c), a READ is a fault at
 * once. */
typedef struct {
	const Inst *i;          /* its instruction, for reports and counts */
	Access_kind kind;
	Space space;            /* SPACE_GENERIC: each address determines its own */
	uint32_t size;          /* bytes per lane */
	uint32_t lanes;
	Reach reach;            /* REACH_NONE: weak */
	uint8_t order;          /* Inst_order */
	bool polls;             /* in a loop that waits for a write: spin_loops.h */
	uint64_t at[LANES];
} Access;

/* One lane's part of an access, and its location. */
typedef struct {
	uint32_t lane;
	bool reads;             /* an atomic operation that does not modify memory */
	const uint8_t *from;    /* WRITE: the value to store */
	uint8_t *bytes;         /* host address */
	const Buffer *buffer;   /* NULL: not global memory */
	uint64_t offset;        /* in the buffer, or in its space */
	uint64_t bit;           /* index of its first bit in written */
	Shadow *shadow; /* of the buffer or of shared memory; NULL: accesses are not recorded */
	uint8_t *written;       /* one bit per initialised byte; NULL: all are */
} Access_target;

static inline Reach
scope_of(const Inst *i)
{
	return !(i->flags & F_STRONG) ? REACH_NONE :
		i->order & ORDER_WIDE ? REACH_ALL :
					REACH_BLOCK;
}

/* The address that an instruction specifies for a lane, in the instruction's space. */
static inline uint64_t
memory_address(const Warp *w, const Inst *i, uint32_t lane)
{
	if (i->flags & F_ADDR32)
		return (uint32_t)(row32(w, i->a)[lane] + (uint32_t)i->imm);
	return row64(w, i->a)[lane] + (uint64_t)i->imm;
}

/* Converts an address of a space to a generic address. */
static inline uint64_t
memory_generic(Space space, uint64_t at)
{
	switch (space) {
	case SPACE_SHARED: return at + WIN_SHARED;
	case SPACE_LOCAL: return at + WIN_LOCAL;
	case SPACE_PARAM: return at + WIN_PARAM;
	case SPACE_CONST: return at + WIN_CONST;
	default: return at;
	}
}

/* Returns the space of an address, given the instruction's space. Converts a generic address to one
 * of the returned space. */
static inline Space
memory_space(Space space, uint64_t *at)
{
	static const Space windows[] = { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM,
		SPACE_CONST };
	uint64_t k = *at / WIN_SHARED;
	if (space != SPACE_GENERIC)
		return space;
	if (k < 1 || k > 4)
		return SPACE_GLOBAL;
	*at -= k * WIN_SHARED;
	return windows[k];
}

/* Fills in an access by these lanes, except for kind and size, which the caller sets. */
static inline void
access_of(Access *x, const Warp *w, const Inst *i, uint32_t lanes)
{
	x->i = i;
	x->space = (Space)i->space;
	x->lanes = lanes;
	x->reach = scope_of(i);
	x->order = i->order;
	x->polls = (i->flags & F_POLL) != 0;
	if (lanes == UINT32_MAX && !(i->flags & F_ADDR32))
		for (uint32_t l = 0; l < LANES; l++)
			x->at[l] = row64(w, i->a)[l] + (uint64_t)i->imm;
	else
		for EACH_LANE(l, lanes)
			x->at[l] = memory_address(w, i, l);
}

#endif
