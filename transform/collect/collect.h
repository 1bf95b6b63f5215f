/* SPDX-License-Identifier: MIT */
/* Collected loops: which paths are collected, where votes stand, copies of the loop. */
#ifndef TRANSFORM_COLLECT_COLLECT_H
#define TRANSFORM_COLLECT_COLLECT_H

#include "transform/plan/plan.h"

/* Fills parts, with their tasks, and own and ways. free: bytes of static shared memory that the
 * function may take. */
Verdict plan_parts(Plan *x, uint32_t free);
/* Has the site what policies that collect work on? */
bool plan_collectable(const Plan *x);
/* Fills retreat, if the plan is to have one. */
void plan_retreat(Plan *x);
/* Decides lockstep, and fills the parts' cuts. */
void plan_lockstep(Plan *x);
/* Fills the part's cut: the branch by which alone the own part comes to it. False: none does. */
bool plan_branch(const Plan *x, Part *k);
/* Decides whether the parts share a vote; then there is no lockstep. (shared_vote.c) */
void plan_group(Plan *x);
/* Is the own part's loop one chain of blocks, whose branches lead to the paths or leave it? Fills
 * the parts' cuts and lockstep, but for what is predicated. */
bool lockstep_chain(Plan *x);
/* Do predicates on these statements end ptxas's block between a product that it fuses and a sum? */
bool predicates_part(const Plan *x, uint32_t product, Bits predicated);
/* Decides whether full warps have a copy of the loop, and then how many own parts a round of it
 * has; fills the slots of queues. plan_copies_bound: the former, of a bound plan. */
void plan_copies(Plan *x);
void plan_copies_bound(Plan *x);
void plan_turns(Plan *x);

#endif
