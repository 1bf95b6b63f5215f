/* SPDX-License-Identifier: MIT */
/* What becomes of a site: the policy that its clauses ask for, or of all that have a plan the one
 * that is expected to gain most (docs/choosing.md).
 */
#ifndef TRANSFORM_PIPELINE_SELECT_POLICY_H
#define TRANSFORM_PIPELINE_SELECT_POLICY_H

#include "transform/plan/passes.h"

/* Fills the plan of a site, of which nothing is known but the site. Gives whose plan it is; NULL:
 * none stands, and the plan says why. */
const Pass *choose_plan(Plan *x, const Room *room);

/* The pass that carries out the policy (pass.c). */
const Pass *pass_of(Annot_policy policy);
/* Has the site what the policy works on: an inner loop, a path, or just a loop (applicability.c)?
 * */
bool plan_has_subject(const Plan *x, Annot_policy policy);
/* Why the plan's policy has nothing to work on. A kind of D_COUNT: it was reported already. */
Verdict plan_without_subject(const Plan *x);
/* An option that `auto` has; joined: the number of the queue of a path in which an inner loop is
 * expanded, 0: it is no such plan. */
typedef struct { const char *name; Annot_policy policy; uint32_t joined; } Worth_of;
/* Is so much gain expected of it that the loop should not stay as it was (profitability.c)? */
Verdict plan_worth(const Plan *x, const Gain *g, const Worth_of *o);
/* Iterations that are assigned to lanes are not collected, nor looked at ahead. */
Verdict plan_not_assigned(const Plan *x);

#endif
