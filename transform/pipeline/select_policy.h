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

/* A site as it is, as the model sees it, whatever is planned: for as long as the scratch arena has
 * it (cost_input.c). */
typedef struct Expected Expected;
const Expected *expect_site(const Plan *x);
/* What a policy is expected to gain with the parts of a plan of the site, n being its number; and
 * the plan's own. */
Gain expect_gain(const Expected *e, const Plan *x, Annot_policy policy, uint32_t n);
Gain plan_gain(const Plan *x);

/* By the model, in issue slots of a warp: a run of a part's path, what its tasks take for
 * themselves, what a round adds for its votes. */
typedef struct { double path, task, round; } Expected_part;
Expected_part expect_part(const Plan *x, const Part *k);
/* Looking ahead: the path of an iteration, in the mean, what a noted one takes besides, and what
 * looking adds to each (less than 0: it spares something). */
typedef struct { double path, noted, look; } Expected_looks;
Expected_looks expect_looks(const Plan *x);

/* Has the site what the policy works on: an inner loop, a path, or just a loop (applicability.c)? */
bool plan_has_subject(const Plan *x, Annot_policy policy);
/* Why the plan's policy has nothing to work on. A kind of D_COUNT: it was reported already. */
Verdict plan_without_subject(const Plan *x);
/* An option that `auto` has; joined: the number of the queue of a path in which an inner loop is
 * expanded, 0: it is no such plan. */
typedef struct { const char *name; Annot_policy policy; uint32_t joined; } Worth_of;
/* Is so much gain expected of it that the loop should not stay as it was (profitability.c)? */
Verdict plan_worth(const Plan *x, const Gain *g, const Worth_of *o);
/* Does the loop's annotation, or one of a path in it, say that nothing is promised? */
bool plan_promises_nothing(const Plan *x);
/* May the inner loop's iterations run at the same time? Only 'for var' says so. */
bool plan_run_apart(const Plan *x, const Region *rounds);
/* Iterations that are assigned to lanes are not collected, nor looked at ahead. */
Verdict plan_not_assigned(const Plan *x);

#endif
