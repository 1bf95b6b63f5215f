/* SPDX-License-Identifier: MIT */
/* Scheduling: groups of lanes, waiting, blocks. Internal to simt/. */
#ifndef SIMT_SCHED_H
#define SIMT_SCHED_H

#include "simt/exec.h"

/* ---- group.c, sched.c ----------------------------------------------------------------------- */

void group_remove(Warp *w, uint32_t g);
uint32_t group_add(Warp *w, Group g);
Node *node_new(Warp *w, Node n);
void node_free(Warp *w, Node *n);
/* where the group, about to be parted, meets again */
Node *node_meet(Warp *w, const Group *g, uint32_t pc);
/* Lanes are no longer expected at n and outwards, up to the first node in another frame than `only`
 * (NULL: any); that node. */
Node *node_leave(Warp *w, Node *n, uint32_t lanes, const Frame *only);
/* group g is at a JOIN; false: it waits there and is no group now */
bool node_join(Warp *w, uint32_t g);
/* lets parked lanes go on; were there any? */
bool node_release(Warp *w);
void sched_ipdom(Cta *blocks, uint32_t n);            /* runs the grid, n blocks at a time */
void sched_random(Cta *blocks, uint32_t n);           /* n at a time */

/* ---- wait.c --------------------------------------------------------------------------------- */

/* at an I_WARP; does the group go on? */
bool wait_warp(Warp *w, uint32_t g, const Inst *i, uint32_t active);
bool wait_bar(Warp *w, uint32_t g, const Inst *i, uint32_t active);
/* lanes exited: others may have waited for them */
void wait_exited(Warp *w);
void wait_deadlock(Cta *blocks, uint32_t n);          /* reports who waits where */

/* ---- block.c -------------------------------------------------------------------------------- */

void block_init(Sim *s, Cta *b);                        /* b is all zeros */
void block_release(Cta *b);
bool block_next(Cta *b);                              /* the grid's next block; false: no more */
/* Says how far it is; false: the launch has been stopped */
bool launch_tick(Sim *s);

#endif
