/* SPDX-License-Identifier: MIT */
/* Scheduling: groups of lanes, waiting, blocks. Internal to simt/. */
#ifndef SIMT_SCHED_SCHEDULER_H
#define SIMT_SCHED_SCHEDULER_H

#include "simt/isa/handlers.h"

/* ---- reconvergence.c, scheduler.c ------------------------------------------------------------ */

void group_remove(Warp *w, uint32_t g);
uint32_t group_add(Warp *w, Group g);
void group_wait(Warp *w, uint32_t g, Group_state where);
void group_resume(Warp *w, uint32_t g);               /* continues after its wait */
void group_swap(Warp *w, uint32_t a, uint32_t b);
/* Returns the node where the lanes of a group that is about to diverge reconverge; creates it if
 * necessary. */
Reconvergence *reconvergence_find(Warp *w, const Group *g, uint32_t pc);
/* The same ahead of any divergence (I_OPEN). */
Reconvergence *reconvergence_open(Warp *w, const Group *g, uint32_t pc);
/* Whether two groups at the same instruction, with nodes a and b, may be joined because they
 * reconverge at the same nodes. Unifies nodes that I_OPEN has created at one place for successive
 * groups. */
bool reconvergence_merge(Warp *w, Reconvergence *a, Reconvergence *b);
/* Removes the lanes from those expected at n and at its ancestors in frame `only` (NULL: in any
 * frame). Returns the first ancestor left unchanged. */
Reconvergence *reconvergence_leave(Warp *w, Reconvergence *n, uint32_t lanes, const Frame *only);
/* Group g has reached a JOIN. Returns false if its lanes wait there and the group is gone. */
bool reconvergence_join(Warp *w, uint32_t g);
/* Resumes waiting lanes before all have arrived; returns whether there were any. */
bool reconvergence_release(Warp *w);
/* runs the grid, with up to n resident blocks */
void sched_ipdom(Thread_block *blocks, uint32_t n);
void sched_random(Thread_block *blocks, uint32_t n);  /* the same */

/* ---- barrier_wait.c -------------------------------------------------------------------------- */

/* Group g has reached an I_WARP or an I_BAR. Returns whether it continues at once. */
bool wait_warp(Warp *w, uint32_t g, const Inst *i, uint32_t active);
bool wait_bar(Warp *w, uint32_t g, const Inst *i, uint32_t active);
/* Lanes have exited: resumes the lanes that no longer wait for any. */
void wait_exited(Warp *w);
void wait_deadlock(Thread_block *blocks, uint32_t n); /* reports every wait */

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* Starts the grid's next block in b, which is zero except for sim, or holds a finished block.
 * Returns false if no block is left. */
bool block_next(Thread_block *b);
void block_release(Thread_block *b);
/* Reports progress periodically; false: the launch was interrupted. */
bool launch_report_progress(Sim *s);

#endif
