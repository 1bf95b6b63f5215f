/* SPDX-License-Identifier: MIT */
/* Types of context compression, shared by derived_values.c and compress.c. */
#ifndef TRANSFORM_TASK_DERIVATION_H
#define TRANSFORM_TASK_DERIVATION_H

#include "transform/plan/plan.h"
#include "transform/task/task_inputs.h"

enum {
	MOST_VALUES = 128,
	MOST_READS = 4          /* registers that a statement reads */
};

/* A candidate value. In order of discovery: those that the path reads come first. */
typedef struct {
	uint32_t sym;
	uint32_t def;           /* definition that recomputes it; 0: it can only be saved */
	bool needed;            /* the path reads it */
	bool is_invariant;      /* a lane invariant */
	uint32_t reads[MOST_READS], nreads; /* values that `def` reads, by index */
	uint32_t free[MOST_READS], nfree;   /* registers that `def` reads and every lane has */
	/* of a loop-carried register: the other statements that compute it (carried_function.c) */
	uint32_t others[MOST_CARRIED], nothers;
} Derived_value;

typedef struct {
	Plan *x;
	Task_region *k;
	Bits defined;           /* by the path */
	Derived_value *values; uint32_t n;
	Bits temporaries;       /* registers that `others` write */
	/* blocks: all; those on paths from a definition to the cut, after its block */
	Bits all, between;
	uint32_t from;
} Derivation;

/* Finds the values of a task, and how each can be recomputed (derived_values.c). */
void derivation_find_values(Derivation *w);

#endif
