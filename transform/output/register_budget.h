/* SPDX-License-Identifier: MIT */
/* Register limits of kernels (.maxnreg), derived from the assembler's output: each kernel stays
 * launchable with every previous block size, and keeps its occupancy if possible. */
#ifndef TRANSFORM_OUTPUT_REGISTER_BUDGET_H
#define TRANSFORM_OUTPUT_REGISTER_BUDGET_H

#include "analysis/interproc/effects.h"
#include "transform/plan/options.h"
#include "transform/output/registers.h"

typedef enum {
	HELD_NOT,
	HELD_FOR_BLOCKS,        /* to keep block sizes launchable */
	HELD_FOR_ROOM,          /* to keep occupancy */
	HELD_IN_VAIN            /* undone, because of additional spills */
} Held_for;

/* Arrays are indexed by Func. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	const Effects *effects;
	Arena *arena;
	/* functions that have a transformed loop, or call (transitively) one that has */
	Bits changed;
	Bits asked;             /* the subset for which the assembler must be run */
	Registers *before, *after;
	Registers *free;        /* `after`, without the limit */
	uint32_t *most;         /* register limit per thread; 0: none */
	Held_for *why;
	const char **leave;     /* why its loops are left unchanged */
} Held;

/* Starts without limits; all changed functions must be assembled. */
void held_init(Held *h, const Module *m, const Pass_options *opt, const Effects *effects, Arena *a);
/* Compares `before` and `after`; r is the report of the passes. True: `most` or `leave` changed,
 * and the passes must run again. */
bool held_compare(Held *h, const Report *r);
/* Reports the limits and the register use. */
void held_tell(const Held *h, Report *r, Diags *d);

#endif
