/* SPDX-License-Identifier: MIT */
/* What the machine code of an atomic operation issues, so that the emulator counts what a GPU
 * would. See docs/emulator.md, "Counting as the machine code does". Internal to simt/. */
#ifndef SIMT_ISA_ATOMIC_CONTENTION_H
#define SIMT_ISA_ATOMIC_CONTENTION_H

#include "simt/state/access.h"
#include "simt/sass/atomic_uniformity.h"

/* Sets how the instruction is counted. meets: behind it lanes meet that a branch has parted. */
void contention_place(Inst *i, const Atom *atom, bool meets);
/* The same where the machine code has been read, and counts it once with all lanes: those that go
 * round its loop again are added. */
void contention_listed(Inst *i, const Atom *atom);
/* Counts what the lanes of an access by an instruction with .form issue, of which some have changed
 * what was there. */
void contention_count(Warp *w, const Access *x, uint32_t changed);
/* Counts that a guard has kept some lanes of a group from an atomic operation: I_ATOM. */
void contention_guard(Sim *s, const Inst *i, uint32_t lanes, uint32_t active);

#endif
