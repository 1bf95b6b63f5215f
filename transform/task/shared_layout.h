/* SPDX-License-Identifier: MIT */
/* The warp's shared memory: rows of a task's values, and how much of it there is. */
#ifndef TRANSFORM_TASK_SHARED_LAYOUT_H
#define TRANSFORM_TASK_SHARED_LAYOUT_H

#include "transform/plan/passes.h"

/* Fills the plan's frame and the rows of its parts' slots. free: bytes of static shared memory that
 * the function may take. */
Verdict frame_make(Plan *x, uint32_t free);
/* The same in steps: the largest block that launches of this function can have, as far as PTX,
 * clause and option tell; rows for the values of a part's tasks; so many bytes, whose offset it
 * gives. */
void frame_threads(const Plan *x, Frame *f);
void frame_rows(Frame *f, Part *k);
uint32_t frame_take(Frame *f, uint32_t bytes);
/* Warps of the largest block that launches can have, as far as is known; bytes that a warp's tasks
 * of the part take. */
uint32_t frame_warps(const Plan *x);
uint32_t frame_bytes(const Part *k);
/* Widens the buffer to what the plan needs. */
void frame_share(const Plan *x, Buffer *b);
/* Cuts it to the bytes there are; gives its size in bytes. */
uint32_t frame_fit(Buffer *b, uint32_t free);
/* Lets larger blocks than the buffer serves run the untouched loop; that is a hint. */
void frame_limit(Plan *x, const Buffer *b);
/* Would fewer warps have room? Registers are not known yet: their number is taken for a middle
 * one. */
Verdict frame_crowds(const Plan *x, const Room *room);

/* What a module's functions take of shared memory (shared_budget.c). */
typedef struct {
	/* bytes by function, buffers of plans added; [0]: the module's own */
	uint64_t *declared;
	Bits dynamic;           /* functions that name memory whose size the launch decides */
	uint64_t gap;           /* in front of such memory, at most */
} Shared;

Shared shared_of(const Module *m, Arena *a);
/* Bytes that are left for fn: no kernel that can come to run fn may take more than there is. */
uint32_t shared_free(const Shared *s, const Fn *fn);
/* Both, as the options tell. */
Room shared_room(const Shared *s, const Fn *fn, const Pass_options *opt);
/* Can a kernel that can come to run fn be launched with memory whose size the launch decides? */
bool shared_dynamic(const Shared *s, const Fn *fn);

#endif
