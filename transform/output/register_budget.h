/* SPDX-License-Identifier: MIT */
/* Registers that kernels are held to (.maxnreg), by what an assembler says of them: so that each
 * starts with every block that it started with before, and so that as many warps have room.
 */
#ifndef TRANSFORM_OUTPUT_REGISTER_BUDGET_H
#define TRANSFORM_OUTPUT_REGISTER_BUDGET_H

#include "analysis/interproc/effects.h"
#include "transform/plan/options.h"
#include "transform/output/registers.h"

typedef enum {
	HELD_NOT,
	HELD_FOR_BLOCKS,        /* that it could be launched with */
	HELD_FOR_ROOM,          /* for as many warps */
	HELD_IN_VAIN            /* something is spilled for that: it is not held any more */
} Held_for;

/* Arrays are by Func. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	const Effects *effects;
	Arena *arena;
	/* those that have a transformed loop, or can come to call one that has */
	Bits changed;
	Bits asked;             /* of those: what the assembler has yet to say */
	Registers *before, *after;
	Registers *free;        /* after, where it is not held */
	uint32_t *most;         /* registers a thread that a kernel is held to, 0: it is not */
	Held_for *why;
	const char **leave;     /* why its loops stay as they were */
} Held;

/* Nothing is held yet, all that is changed is to be asked about. */
void held_init(Held *h, const Module *m, const Pass_options *opt, const Effects *effects, Arena *a);
/* Compares what was said; the report has what was done. True: most or leave are others, and the
 * passes must run again. */
bool held_compare(Held *h, const Report *r);
/* Says of which kernels fewer registers were asked, and tells the report what they take. */
void held_tell(const Held *h, Report *r, Diags *d);

#endif
