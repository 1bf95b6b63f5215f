/* SPDX-License-Identifier: MIT */
/* The inserted text's shared memory: rows with the values of tasks, slots of reductions, and lane
 * invariants. Internal to validate/.
 */
#ifndef VALIDATE_STATE_BUFFER_H
#define VALIDATE_STATE_BUFFER_H

#include "base/bits.h"
#include "base/vec.h"
#include "validate/state/terms.h"

enum {
	MOST_WITHIN = 32,       /* cached addresses */
	MAX_PLACED = 8,
	MAX_REDUCTIONS = 16,
	MAX_INVARIANTS = 64
};

/* A row of the buffer, or one bit of a row. */
typedef struct {
	uint32_t at, size, path, sym;
	uint8_t sel;
	uint8_t bit;            /* 1 + the bit; 0 if the whole row */
	bool lanes;             /* one slot per lane: a reduction or a lane invariant */
	bool pushed, popped;
} Buffer_row;
/* Stands for a symbol: the number of the owner's lane. */
#define OWNER UINT32_MAX

/* The slot and row of an access. */
typedef struct {
	uint32_t at;
	uint32_t base;          /* 1 + the counter from which the slot is computed; 0 if none */
	uint8_t form;           /* Slot_form */
} Row_slot;

/* Cached: the offset of an address in the warp's part of the buffer. */
typedef struct { Term_id address, offset; } Buffer_offset;

/* Cached: the place that an address register denotes in an access of the given width. */
typedef struct { Term_id base, votes; bool full; uint8_t width; Row_slot at; } Known_place;

/* The buffer, as the accesses of lanes show it. */
typedef struct {
	uint32_t sym;           /* its variable; 0 until accessed */
	uint32_t stride;        /* bytes of a warp's part */
	VEC(Buffer_row) rows;
	/* most threads of a block that reaches the buffer, if the text tests it; 0 if not */
	uint32_t block_limit;
	bool unlimited;         /* some lane reached the buffer without this test */
	Buffer_offset offsets[MOST_WITHIN];     /* cache, by address */
	Known_place places[MAX_PLACED]; uint32_t nplaces;       /* cache */
} Task_buffer;

/* An associative and commutative operation. held: the operand of the input's statement that holds
 * the accumulated value. */
typedef struct { uint16_t op; uint8_t type, variable_operand; } Fold_operation;

/* A reduction of a path (reductions.c). */
typedef struct {
	uint32_t path, row;     /* the row of its slots */
	uint32_t in, out;       /* registers of the input: live-in and live-out of the path */
	Fold_operation fold;
	Bits web;               /* registers that hold it, by local symbol */
} Slot_reduction;

/* A row, or one bit of a row, for a lane invariant (lane_invariants.c). */
typedef struct {
	uint32_t row, sym;
	uint8_t size, bit;      /* 1 + the bit; 0 if the whole row */
} Lane_invariant;

/* Lists, by number. */
typedef struct {
	Slot_reduction at[MAX_REDUCTIONS]; uint32_t n;
	bool folds;             /* the text folds into slots */
} Reductions;
typedef struct { Lane_invariant at[MAX_INVARIANTS]; uint32_t n; } Lane_invariants;

#endif
