/* SPDX-License-Identifier: MIT */
/* Choices of a policy: those that `auto` compares, and those of a profile (policy_choice.c). */
#ifndef TRANSFORM_PIPELINE_POLICY_CHOICE_H
#define TRANSFORM_PIPELINE_POLICY_CHOICE_H

#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* joins: inner loops in paths are expanded in the runs of the collected paths (nested_expand.c). */
typedef struct { Annot_policy policy; uint32_t n; bool joins; } Policy_choice;

/* Returns the choice as a profile names it: "queue(4)", "queue(1)+expand". */
const char *choice_name(Arena *a, const Policy_choice *c);

/* Plans the site by its clauses, with policy `c` if they leave it open, or with its number if the
 * profile chose it (select_policy.c). */
Plan plan_with_policy(
	const Plan *fresh, const Shared_budget *budget, const Policy_choice *c, const Pass **by);

/* Plans the site as the profile chose. NULL: it is left unchanged; or the choice cannot be
 * followed: *why is the reason, and *x is unchanged. */
const Pass *plan_with_choice(
	Plan *x, const Shared_budget *budget, const char *choice, Verdict *why);
Verdict choice_warn_code_changed(const Plan *x);

/* The same for a site whose policy the kind of an annotation implies. False: the profile has no
 * choice, or none that can be followed, and *x is to be planned as annotated, with the warning
 * *why. Lists the thresholds among which a profile can choose. */
bool plan_implied_choice(
	Plan *x, const Shared_budget *budget, const Pass **by, Verdict *why);

#endif
