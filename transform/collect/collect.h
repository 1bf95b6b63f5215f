/* SPDX-License-Identifier: MIT */
/* Planning of collected loops: which paths are collected, where the votes are, and how many
 * copies of the loop are emitted. */
#ifndef TRANSFORM_COLLECT_COLLECT_H
#define TRANSFORM_COLLECT_COLLECT_H

#include "transform/plan/plan.h"

/* Selects the paths to collect and fills in the plan's regions with their tasks, the common code
 * and the exits. free: bytes of static shared memory available to the function. Returns why not,
 * if the loop cannot be transformed. */
Verdict plan_select_regions(Plan *x, uint32_t free);
/* Whether the site has paths or inner loops that a collecting policy applies to. */
bool plan_has_collectable_region(const Plan *x);
/* Fills in x->fallback, if the plan is to have a fallback (runtime_fallback.c). */
void plan_fallback(Plan *x);
/* Decides on lockstep, and fills in the regions' vote branches. */
void plan_lockstep(Plan *x);
/* Fills in the region's vote branch: the only branch of the common code that leads to its path.
 * Returns false if there is no such branch. */
bool plan_find_vote_branch(const Plan *x, Task_region *k);
/* Decides whether the regions share a vote, which excludes lockstep (shared_vote.c). */
void plan_shared_vote(Plan *x);
/* Whether the loop's common code is one chain of blocks whose branches lead to the paths or
 * leave the loop. Fills in the regions' vote branches and *l, except l->predicated. */
bool lockstep_chain(Plan *x, Lockstep *l);
/* Whether predicates on these statements end ptxas's block between a product that it fuses and a
 * sum. */
bool predicates_match(const Plan *x, uint32_t product, Bits predicated);
/* plan_loop_copies() decides whether full warps have their own copy of the loop, and
 * plan_wait_loop_copies() does so for waiting policies. plan_batch() sets the batch size and the
 * number of slots of each queue. */
void plan_loop_copies(Plan *x);
void plan_wait_loop_copies(Plan *x);
void plan_batch(Plan *x);

#endif
