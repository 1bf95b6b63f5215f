/* SPDX-License-Identifier: MIT */
/* Counts the issue slots of atomic operations as the machine code has them. See
 * simt/sass/README.md. Internal to simt/. */
#ifndef SIMT_ISA_ATOMIC_CONTENTION_H
#define SIMT_ISA_ATOMIC_CONTENTION_H

#include "simt/state/access.h"
#include "simt/sass/atomic_uniformity.h"

/* Determines how the instruction is counted, by rules. meets: diverged lanes reconverge immediately
 * after it. */
void contention_register(Inst *i, const Atomic_uniformity *atom, bool meets);
/* The same for machine code that has been read, and that counts the operation once for all lanes:
 * only repeated iterations of its loop are added. */
void contention_is_listed(Inst *i, const Atomic_uniformity *atom);
/* Counts the slots issued by the lanes of an access, for an instruction with a form; the lanes in
 * `changed` have modified memory. */
void contention_count(Warp *w, const Access *x, uint32_t changed);
/* Counts the branch around a guarded atomic operation (I_ATOM). */
void contention_guard(Sim *s, const Inst *i, uint32_t lanes, uint32_t active);

#endif
