/* SPDX-License-Identifier: MIT */
/* Expected gain of a plan. */
#ifndef TRANSFORM_COST_COST_H
#define TRANSFORM_COST_COST_H

#include "transform/plan/plan.h"

/* The model's input for a site, independent of any plan; lives in the scratch arena (cost_input.c).
 * Returns NULL if the model does not apply. */
typedef struct Expected Expected;
const Expected *expect_site(const Plan *x);
/* expect_gain: expected gain of a policy with parameter n, given the task regions of a plan of the
 * site. plan_gain: of the plan itself. */
Gain expect_gain(const Expected *e, const Plan *x, Annot_policy policy, uint32_t n);
Gain plan_gain(const Plan *x);

/* The model's estimates for a task region, in issue slots of a warp: a run of the path, the
 * overhead of a task, the overhead of the votes of a round. */
typedef struct { double path, task, round; } Expected_part;
Expected_part expect_part(const Plan *x, const Part *k);
/* The model's estimates for looking ahead: mean cost of the path in an iteration, overhead of a
 * selected iteration, and overhead of each look-ahead iteration (negative if it saves
 * instructions). */
typedef struct { double path, noted, look; } Expected_looks;
Expected_looks expect_looks(const Plan *x);

/* Returns the instructions that a look-ahead iteration saves in a group during which all lanes are
 * known to stay in the loop. */
uint32_t bound_spared(const Plan *x);
/* Returns a batch size of at most n such that the last batch is about as long as the others. */
uint32_t bound_batch(const Bound *b, uint32_t n);

#endif
