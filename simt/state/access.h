/* SPDX-License-Identifier: MIT */
/* An access to memory as a value, which is handed to the memory model, its checks and the counts.
 * Internal to simt/. */
#ifndef SIMT_STATE_ACCESS_H
#define SIMT_STATE_ACCESS_H

#include "simt/state/sim.h"

typedef enum { ACCESS_LOAD, ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } Access_kind;

/* How far an operation or a fence reaches. */
typedef enum { REACH_NONE, REACH_BLOCK, REACH_ALL } Reach;

/* What the lanes of an instruction access. LOAD and READ differ where nobody has written: the
 * registers that a LOAD fills are followed (uninitialised_reads.c), a READ is a fault at once. */
typedef struct {
	const Inst *i;          /* whose it is, for reports and counts */
	Access_kind kind;
	Space space;            /* SPACE_GENERIC: each address says which */
	uint32_t size;          /* bytes of a lane */
	uint32_t lanes;
	Reach reach;            /* REACH_NONE: it is weak */
	uint8_t order;          /* Inst_order */
	bool polls;             /* in a loop that waits for a write: spin_loops.h */
	uint64_t at[LANES];
} Access;

/* One lane's part of an access, and where that was found. */
typedef struct {
	uint32_t lane;
	bool reads;             /* an atomic operation that changes nothing */
	const uint8_t *from;    /* WRITE: what is stored */
	uint8_t *bytes;         /* where it lies on the host */
	const Buffer *buffer;   /* NULL: not global memory */
	uint64_t offset;        /* in the buffer, in its space */
	uint64_t bit;           /* the first of its bits in written */
	Shadow *shadow;         /* of the buffer, of shared memory: race check; NULL: not checked */
	uint8_t *written;       /* its bits of bytes written; NULL: all are */
} Spot;

static inline Reach
reach_of(const Inst *i)
{
	return !(i->flags & F_STRONG) ? REACH_NONE :
		i->order & ORDER_WIDE ? REACH_ALL :
					REACH_BLOCK;
}

/* The address that an instruction names for a lane, in its space. */
static inline uint64_t
memory_address(const Warp *w, const Inst *i, uint32_t lane)
{
	if (i->flags & F_ADDR32)
		return (uint32_t)(row32(w, i->a)[lane] + (uint32_t)i->imm);
	return row64(w, i->a)[lane] + (uint64_t)i->imm;
}

/* The generic address of an address in a space. */
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

/* The space in which an address lies; `space` is what the instruction says. A generic address is
 * made into one of that space. */
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

/* Fills in all but kind and size, which the caller sets, of an access by these lanes. */
static inline void
access_of(Access *x, const Warp *w, const Inst *i, uint32_t lanes)
{
	x->i = i;
	x->space = (Space)i->space;
	x->lanes = lanes;
	x->reach = reach_of(i);
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
