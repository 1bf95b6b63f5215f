/* SPDX-License-Identifier: MIT */
/* Selects the policy of a site: the requested one, or among all legal plans the one with the
 * largest expected gain (docs/choosing.md). */
#ifndef TRANSFORM_PIPELINE_SELECT_POLICY_H
#define TRANSFORM_PIPELINE_SELECT_POLICY_H

#include "transform/plan/passes.h"

/* Makes the plan of a site; only the site is known. Returns the pass that made it; NULL if it was
 * refused, with the reason in the plan. */
const Pass *select_plan(Plan *x, const Shared_budget *budget);

/* Blocks that the plan serves (block_size.c). plan_lacks_memory: whether the plan, or one of its
 * paths, was refused for lack of shared memory. plan_profiled_block_size: the smallest size that
 * serves all launches of the profile; 0: unknown, or the user gives the size.
 * plan_smaller_block_size: the size to try after n threads, if x is the site's plan, which was
 * refused, for the largest block; 0: none. */
bool plan_lacks_memory(const Plan *x);
uint32_t plan_profiled_block_size(const Plan *x);
uint32_t plan_smaller_block_size(const Plan *x, const Shared_budget *budget, uint32_t n);

/* Returns the pass that implements the policy (pass.c). */
const Pass *pass_for_policy(Annot_policy policy);
/* Whether the site has what the policy applies to: an inner loop, a path, or any loop
 * (applicability.c). */
bool plan_policy_applies(const Plan *x, Annot_policy policy);
/* Why the plan's policy has nothing to apply to. Kind D_COUNT: already reported. */
Verdict plan_why_inapplicable(const Plan *x);
/* An option of `auto`. joined: parameter of the queue of a path in which an inner loop is expanded;
 * 0: no such plan. */
typedef struct { const char *name; Annot_policy policy; uint32_t joined; } Auto_option;
/* Whether the expected gain is large enough to transform the loop (profitability.c). */
Verdict plan_check_profitable(const Plan *x, const Speedup *g, const Auto_option *o);
/* Whether the site has a loop, besides its own, whose trip count is a guess of the model. */
bool plan_assumes_trip_counts(const Plan *x);
/* Whether an accepted plan would be refused if the program did not measure it. */
bool plan_needs_timing(const Plan *x);
/* Whether a policy that an annotation implies is carried out: not with `policy(auto)` if its
 * expected gain is too small. Then sets the verdict (profitability.c). */
bool accept_implied_policy(Plan *x);
/* Whether the policy is compatible with `assign` and `unify` annotations: drawn iterations are
 * neither collected nor look-ahead iterations. */
Verdict plan_check_not_drawn(const Plan *x);

#endif
