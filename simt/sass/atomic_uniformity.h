/* SPDX-License-Identifier: MIT */
/* What a function's text says of its atomic operations, on which their machine code depends: see
 * contention.h. Internal to simt/. */
#ifndef SIMT_SASS_ATOMIC_UNIFORMITY_H
#define SIMT_SASS_ATOMIC_UNIFORMITY_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"

/* The operand of an atom or red: 1, another value that is the same in all lanes, or any. */
typedef enum { ATOM_ONE = 1, ATOM_SAME = 2, ATOM_VARIES = 4 } Atom_value;

typedef struct {
	uint8_t value;          /* Atom_value */
	bool one_place;         /* all lanes have the same address */
	bool used;              /* its result is read: else atom is what red is */
	bool splits;            /* it has a guard that may differ between lanes */
} Atom;

/* By ptx_local_stmt, in arena a; NULL: the function has no atom and no red. */
Atom *atoms_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);

#endif
