/* SPDX-License-Identifier: MIT */
/* Scheduling: groups of lanes, waiting, blocks. Internal to simt/. */
#ifndef SIMT_SCHED_SCHEDULER_H
#define SIMT_SCHED_SCHEDULER_H

#include "simt/isa/handlers.h"

/* ---- reconvergence.c, scheduler.c ------------------------------------------------------------ */

void group_remove(Warp *w, uint32_t g);
uint32_t group_add(Warp *w, Group g);
void group_wait(Warp *w, uint32_t g, Group_state where);
void group_go_on(Warp *w, uint32_t g);                /* behind where it waited */
void group_swap(Warp *w, uint32_t a, uint32_t b);
Node *node_new(Warp *w, Node n);
void node_free(Warp *w, Node *n);
/* Makes the node where a group that is about to part meets again. */
Node *node_meet(Warp *w, const Group *g, uint32_t pc);
/* The same where no branch has parted them yet. */
Node *node_open(Warp *w, const Group *g, uint32_t pc);
/* Groups that stand at one place go on together: are they to meet others at the same nodes? Nodes
 * that I_OPEN has made at one place, for one group after the other, become one. */
bool node_unify(Warp *w, Node *a, Node *b);
/* The lanes are no longer expected at n, nor at the nodes around it that are in frame `only` (NULL:
 * in any). Gives the first node that was left as it is. */
Node *node_leave(Warp *w, Node *n, uint32_t lanes, const Frame *only);
/* Group g has reached a JOIN. False: its lanes are parked there, and the group is gone. */
bool node_join(Warp *w, uint32_t g);
/* Lets parked lanes go on; gives whether there were any. */
bool node_release(Warp *w);
void sched_ipdom(Cta *blocks, uint32_t n);            /* runs the grid, n blocks at a time */
void sched_random(Cta *blocks, uint32_t n);           /* n at a time */

/* ---- barrier_wait.c -------------------------------------------------------------------------- */

/* Group g has reached an I_WARP, an I_BAR; gives whether it goes on at once. */
bool wait_warp(Warp *w, uint32_t g, const Inst *i, uint32_t active);
bool wait_bar(Warp *w, uint32_t g, const Inst *i, uint32_t active);
/* Lanes have exited: lets those go on that waited for no others. */
void wait_exited(Warp *w);
void wait_deadlock(Cta *blocks, uint32_t n);          /* reports who waits where */

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* The grid's next block; false: there is none. b is all zeros but for sim, or a block that is
 * over. */
bool block_next(Cta *b);
void block_release(Cta *b);
/* Reports progress now and then; false: the launch has been stopped. */
bool launch_tick(Sim *s);

#endif
