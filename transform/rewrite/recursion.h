/* SPDX-License-Identifier: MIT */
/* Recursive functions whose calls become tasks of a warp (`#pragma ccc while` before the function's
 * definition). A text-to-text step: it adds three functions for each such function,
 *
 *	drive   what callers outside of it call now: the lanes that call together run their tasks,
 *	        then take up to 32 from the warp's store until it is empty
 *	task    a copy of the function, which calls `push` instead of itself
 *	push    stores the arguments of a call as a task; if the store is full, calls the function
 *
 * The function itself is not changed. */
#ifndef TRANSFORM_REWRITE_RECURSION_H
#define TRANSFORM_REWRITE_RECURSION_H

#include "transform/plan/passes.h"

/* Result for an annotated function. */
typedef struct {
	uint32_t marker;        /* its begin marker, as module index */
	Report_recursion report; /* without its position */
	Verdict why;            /* why not */
} Recursion_outcome;
typedef VEC(Recursion_outcome) Recursion_outcomes;

/* The layout of a task's arguments. */
typedef struct {
	uint32_t param;         /* Sym */
	uint32_t number;        /* of the parameter */
	uint32_t offset, size;  /* bytes of the parameter */
	uint32_t row;           /* offset of its row in the store */
} Recursion_value;
typedef VEC(Recursion_value) Recursion_values;

typedef struct {
	const Module *m;
	uint32_t func;
	uint32_t number;        /* of its names: ccc<number>_ */
	uint32_t threads;       /* largest block that uses the store */
	bool check_threads;     /* a launch may have larger blocks */
	uint32_t capacity;      /* tasks of a warp's store */
	uint32_t stride;        /* bytes of a warp's store */
	Recursion_values values;
} Recursion;

/* Queues the edits for all annotated functions that can be transformed; false if there are none.
 * Reports each annotated function in `told`. */
bool recursion_run(
	const Module *m, const Pass_options *opt, Arena *a, Recursion_outcomes *told, Edits *e);
/* Queues the edits of one. */
void recursion_write(const Recursion *r, const Pass_options *opt, Edits *e);

#endif
