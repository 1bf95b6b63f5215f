/* SPDX-License-Identifier: MIT */
/* Task loops: a kernel in which each thread executes one task becomes a kernel whose first
 * blocks execute all tasks in a loop (docs/design.md 6.11). The loop is inserted into the text,
 * with markers, before planning. To the other passes it is an annotated loop. */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_H
#define TRANSFORM_REWRITE_TASK_LOOP_H

#include "analysis/interproc/effects.h"
#include "base/verdict.h"
#include "transform/rewrite/task_loop_calls.h"
#include "analysis/cost/occupancy.h"
#include "transform/plan/options.h"

/* Result for a function. */
typedef struct {
	bool requested;         /* a kernel for which a task loop was requested */
	bool enabled;           /* it gets one */
	const Task_loop_calls *calls;   /* the functions that it calls */
	uint32_t marker;        /* its annotation; 0: requested by an option */
	uint32_t id;            /* annotation number in the loop's markers */
	/* position of the annotation, or of the first path if an option requests the loop;
	 * position of that path */
	Cuda_pos at, path;
	bool dynamic;           /* more blocks stay than the GPU runs at a time */
	bool claims;            /* instead, blocks take others that have not started */
	const char *unclaimed;  /* why they do not although the target could; NULL: no reason */
	bool proven;            /* a path has `proven`: the user promises nothing */
	uint32_t first;         /* statement that the loop starts before */
	uint32_t registers;     /* registers of a thread; 0: unknown */
	uint32_t tries;         /* how often that number was corrected */
	uint32_t shared;        /* bytes of shared memory for tasks, per block */
	Verdict why;            /* why it gets none */
	bool planned;           /* it had one, but no path was collected */
	struct Report_site *left; /* the site in that text: its key and options; NULL: none */
	const char *message_prefix; /* start of the message, such as "path left unchanged: " */
} Task_loop;

/* Whether the kernel, with what it calls, can have a task loop. */
Verdict task_loop_check_kernel(const Task_loop_calls *calls, uint32_t func, Arena *a);
/* Returns the kernels for which a task loop was requested, by Func, and whether they can have
 * one. NULL: none. */
Task_loop *task_loop_collect(const Module *m, const Pass_options *opt, Arena *a);
/* Queues the edits that insert the loops. */
void task_loop_write(const Module *m, const Pass_options *opt, const Task_loop *loops, Edits *e);
/* Writes the number of blocks that stay, for the report: "min(32, 48 / warps of a block) * 2". */
void task_loop_describe_blocks(
	const Module *m, const Pass_options *opt, const Task_loop *loop, uint32_t func, Buf *out);

#endif
