/* SPDX-License-Identifier: MIT */
/* Properties of a function's atomic operations that determine their machine code: see
 * atomic_contention.h. Internal to simt/. */
#ifndef SIMT_SASS_ATOMIC_UNIFORMITY_H
#define SIMT_SASS_ATOMIC_UNIFORMITY_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"

/* The operand of an atom or red: 1, another uniform value, or any. */
typedef enum { ATOM_ONE = 1, ATOM_SAME = 2, ATOM_VARIES = 4 } Atomic_operand_kind;

typedef struct {
	uint8_t value;          /* Atomic_operand_kind */
	bool one_place;         /* the address is uniform */
	bool used;              /* its result is read; otherwise atom is equivalent to red */
	bool splits;            /* its guard may vary between lanes */
} Atomic_uniformity;

/* Returns an array by ptx_local_stmt, in arena a; NULL if the function has neither atom nor red. */
Atomic_uniformity *atomic_uniformity_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);

#endif
