/* SPDX-License-Identifier: MIT */
/* Task loops: a kernel in which each thread does one task becomes one whose first blocks do
 * everybody's, in a loop (docs/design.md 6.11). The loop is made in the text, with markers around
 * it, before the passes look at that: to them it is an annotated loop.
 */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_H
#define TRANSFORM_REWRITE_TASK_LOOP_H

#include "analysis/interproc/effects.h"
#include "base/verdict.h"
#include "transform/rewrite/task_loop_calls.h"
#include "analysis/cost/occupancy.h"
#include "transform/plan/options.h"

/* What becomes of a function. */
typedef struct {
	bool asked;             /* it is a kernel that shall have a task loop */
	bool on;                /* it gets one */
	const Grid_calls *calls;        /* what it calls */
	uint32_t marker;        /* of its annotation; 0: an option asks */
	uint32_t id;            /* of the annotation that the loop's markers tell of */
	/* of the annotation, or where an option asks, of the first path; of that path */
	Cuda_pos at, path;
	bool dynamic;           /* more blocks stay than the GPU runs at a time */
	bool proven;            /* a path says that nothing is promised */
	uint32_t first;         /* the statement that the loop begins in front of */
	uint32_t registers;     /* that a thread takes; 0: it is not known */
	uint32_t tries;         /* how often that was mended */
	uint32_t shared;        /* bytes a block that tasks take */
	Verdict why;            /* why it gets none */
	bool planned;           /* it had one, but no path was collected */
	const char *lead;       /* what is left as it was: "path left as it was: " */
} Task_loop;

/* By Func: the kernels that shall have one, and whether they can. NULL: there are none. */
Task_loop *grid_find(const Module *m, const Pass_options *opt, Arena *a);
/* Queues the edits that make the loops. */
void grid_put(const Module *m, const Pass_options *opt, const Task_loop *loops, Edits *e);
/* How many blocks take everybody's, for the report: "132 * min(32, 48 / warps of a block)". */
void grid_blocks(const Module *m, const Pass_options *opt, const Task_loop *loop, uint32_t func,
	Buf *out);

#endif
