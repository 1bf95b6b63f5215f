/* SPDX-License-Identifier: MIT */
/* What the machine code of a function issues where its PTX has nothing, and nothing where its PTX
 * has something, so that the counts are those of a GPU. docs/emulator.md, "Counting as the machine
 * code does". Internal to simt/. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "analysis/dom.h"

/* By block. */
typedef struct {
	/* the block whose branch jumps over this one, which runs predicated instead; 0: none */
	uint32_t *owner;
	/* ends in a bra that machine code does not have: such a one, one inside of what it jumps
	 * over, one to the block behind */
	Bits over;
	Bits leaves;            /* ends in a bra to a mere exit: it is an exit itself */
	uint32_t *opens;        /* BSSYs in front of its branch or, without one, at its end */
	/* begins with a BSYNC: an instruction for each group that arrives */
	Bits join;
	Bits exits;             /* is a mere exit of the kernel */
} Machine;

/* Lives in arena a. */
Machine *machine_build(const Cfg *g, const Dom *d, Arena *a);
/* Issue slots of an instruction; 0: there is none in the machine code. */
uint32_t machine_slots(const Module *m, const Stmt *s);

#endif
