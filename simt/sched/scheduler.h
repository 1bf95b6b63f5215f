/* SPDX-License-Identifier: MIT */
/* Scheduling: groups of lanes, waiting, blocks. Internal to simt/. */
#ifndef SIMT_SCHED_SCHEDULER_H
#define SIMT_SCHED_SCHEDULER_H

#include "simt/isa/handlers.h"

/* ---- reconvergence.c, scheduler.c ------------------------------------------------------------ */

void group_remove(Warp *w, uint32_t g);
uint32_t group_add(Warp *w, Group g);
void group_wait(Warp *w, uint32_t g, Group_state where);
void group_go_on(Warp *w, uint32_t g);                /* continues behind its wait */
void group_swap(Warp *w, uint32_t a, uint32_t b);
Node *node_new(Warp *w, Node n);
void node_free(Warp *w, Node *n);
/* Returns the node where the lanes of a group that is about to diverge reconverge; creates it if
 * necessary. */
Node *node_meet(Warp *w, const Group *g, uint32_t pc);
/* The same ahead of any divergence (I_OPEN). */
Node *node_open(Warp *w, const Group *g, uint32_t pc);
/* Whether two groups at the same instruction, with nodes a and b, may be joined because they
 * reconverge at the same nodes. Unifies nodes that I_OPEN has created at one place for successive
 * groups. */
bool node_unify(Warp *w, Node *a, Node *b);
/* Removes the lanes from those expected at n and at its ancestors in frame `only` (NULL: in any
 * frame). Returns the first ancestor left unchanged. */
Node *node_leave(Warp *w, Node *n, uint32_t lanes, const Frame *only);
/* Group g has reached a JOIN. Returns false if its lanes wait there and the group is gone. */
bool node_join(Warp *w, uint32_t g);
/* Resumes waiting lanes before all have arrived; returns whether there were any. */
bool node_release(Warp *w);
void sched_ipdom(Cta *blocks, uint32_t n); /* runs the grid, with up to n resident blocks */
void sched_random(Cta *blocks, uint32_t n);           /* the same */

/* ---- barrier_wait.c -------------------------------------------------------------------------- */

/* Group g has reached an I_WARP or an I_BAR. Returns whether it continues at once. */
bool wait_warp(Warp *w, uint32_t g, const Inst *i, uint32_t active);
bool wait_bar(Warp *w, uint32_t g, const Inst *i, uint32_t active);
/* Lanes have exited: resumes the lanes that no longer wait for any. */
void wait_exited(Warp *w);
void wait_deadlock(Cta *blocks, uint32_t n);          /* reports every wait */

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* Starts the grid's next block in b, which is zero except for sim, or holds a finished block.
 * Returns false if no block is left. */
bool block_next(Cta *b);
void block_release(Cta *b);
/* Reports progress periodically; false: the launch was interrupted. */
bool launch_tick(Sim *s);

#endif
