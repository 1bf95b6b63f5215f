/* SPDX-License-Identifier: MIT */
/* Where the machine code of a function has instructions that its PTX has not, and the other way
 * round, so that the emulator counts what a GPU would. See docs/emulator.md, "Counting as the
 * machine code does". Internal to simt/. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "analysis/dom.h"
#include "analysis/refs.h"

/* By block. */
typedef struct {
	/* the block whose branch jumps over this one, which runs predicated instead; 0: none */
	uint32_t *owner;
	/* ends in a bra that machine code does not have: one that jumps over predicated blocks, one
	 * inside of those, or one to the next block */
	Bits over;
	Bits leaves;            /* ends in a bra to a mere exit, so the bra is an exit itself */
	uint32_t *opens;        /* number of BSSYs before its branch or, without one, its end */
	/* begins with a BSYNC: an instruction for each group that arrives */
	Bits join;
	Bits exits;             /* is a mere exit of the kernel */
} Machine;

/* Lives in arena a. */
Machine *machine_build(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);
/* The issue slots of an instruction; 0: machine code has none for it. */
uint32_t machine_slots(const Module *m, const Stmt *s);

#endif
