/* SPDX-License-Identifier: MIT */
/* The operations of atom and red (PTX ISA 9.7.13.7, 9.7.13.9). Internal to simt/. */
#ifndef SIMT_ISA_ATOMICS_H
#define SIMT_ISA_ATOMICS_H

#include "simt/state/sim.h"

typedef enum {
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_CAS,
	ATOM_EXCH,
	ATOM_ADD,
	ATOM_INC,
	ATOM_DEC,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_ADD_FTZ
} Atomic;
extern const char *const atomic_names[]; /* by Atomic, without the last one; NULL-terminated */

/* Whether atom supports the operation on this type, as a scalar or in a vector. */
bool atomic_is_supported(Atomic op, Ty t, bool vector);

/* Returns the new value of a word; old, b and c are bits of type t. */
uint64_t atomic_apply(Atomic op, Ty t, uint64_t old, uint64_t b, uint64_t c);

/* The operation of an instruction for a lane. It depends on the address: sums of f32 flush
 * subnormal numbers in global memory only. */
Atomic atomic_at(const Warp *w, const Inst *i, uint32_t lane);

#endif
