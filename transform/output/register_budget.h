/* SPDX-License-Identifier: MIT */
/* Register limits of kernels (.maxnreg), derived from the assembler's output: each kernel stays
 * launchable with every previous block size, and keeps its occupancy if possible. */
#ifndef TRANSFORM_OUTPUT_REGISTER_BUDGET_H
#define TRANSFORM_OUTPUT_REGISTER_BUDGET_H

#include "analysis/interproc/effects.h"
#include "transform/plan/options.h"
#include "transform/output/ptxas_registers.h"

typedef enum {
	LIMIT_NONE,
	LIMIT_FOR_BLOCK_SIZE,   /* to keep block sizes launchable */
	LIMIT_FOR_OCCUPANCY,    /* to keep occupancy */
	LIMIT_DROPPED           /* undone, because of additional spills */
} Limit_reason;

/* Arrays are indexed by Func. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	const Effects *effects;
	Arena *arena;
	/* functions that have a transformed loop, or call (transitively) one that has */
	Bits changed;
	Bits asked;             /* the subset for which the assembler must be run */
	Kernel_registers *before, *after;
	Kernel_registers *unlimited; /* `after`, without the limit */
	uint32_t *max_registers; /* register limit per thread; 0: none */
	Limit_reason *why;
	const char **refused;   /* why its loops are left unchanged */
	/* a block size that is chosen for its plans must be smaller; 0: any */
	uint32_t *block_bound;
} Register_limits;

/* Starts without limits; all changed functions must be assembled. */
void register_limits_init(Register_limits *h, const Module *m, const Pass_options *opt,
	const Effects *effects, Arena *a);
/* Compares `before` and `after`; r is the report of the passes. True: `most` or `leave` changed,
 * and the passes must run again. */
bool register_limits_update(Register_limits *h, const Report *r);
/* Reports the limits and the register use. */
void register_limits_report(const Register_limits *h, Report *r, Diags *d);

#endif
