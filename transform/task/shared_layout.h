/* SPDX-License-Identifier: MIT */
/* Layout of the warp's shared memory in rows of task values, and the shared memory available. */
#ifndef TRANSFORM_TASK_SHARED_LAYOUT_H
#define TRANSFORM_TASK_SHARED_LAYOUT_H

#include "transform/plan/passes.h"

/* Lays out the plan's frame and the rows of all its slots. free: static shared memory available to
 * the function, in bytes. */
Verdict frame_layout(Plan *x, uint32_t free);
/* The same in steps. frame_max_threads: the largest block that the function may be launched with,
 * as far as PTX, clauses and options tell. frame_layout_rows: rows for the values of a region's
 * tasks. frame_allocate: allocates bytes and returns their offset. */
void frame_max_threads(const Plan *x, Frame *f);
void frame_layout_rows(Frame *f, Task_region *k);
uint32_t frame_allocate(Frame *f, uint32_t bytes);
/* frame_warps: warps of the largest possible block. frame_task_bytes: bytes that the region's tasks
 * take per warp. */
uint32_t frame_warps(const Plan *x);
uint32_t frame_task_bytes(const Task_region *k);
/* Widens the buffer to the plan's needs. */
void frame_widen_buffer(const Plan *x, Buffer *b);
/* Shrinks the buffer to the available bytes; returns its size in bytes. */
uint32_t frame_fit_buffer(Buffer *b, uint32_t free);
/* Makes blocks larger than the buffer serves run the original loop, and adds a hint. */
void frame_hint_large_blocks(Plan *x, const Buffer *b);
/* Whether the frame reduces occupancy. The number of registers is unknown at this point; a medium
 * one is assumed. */
Verdict frame_check_occupancy(const Plan *x, const Shared_budget *budget);

/* Shared memory that the module's functions declare (shared_budget.c). */
typedef struct {
	/* bytes by function, including the buffers of plans; [0]: the module's own */
	uint64_t *declared;
	Bits dynamic;           /* functions that name dynamic shared memory */
	uint64_t gap;           /* maximal padding before dynamic shared memory */
} Shared_usage;

Shared_usage shared_usage_build(const Module *m, Arena *a);
/* Returns the shared memory that fn may use, given the options. */
Shared_budget shared_budget(const Shared_usage *s, const Fn *fn, const Pass_options *opt);

#endif
