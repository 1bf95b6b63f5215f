/* SPDX-License-Identifier: MIT */
/* Expected gain of a plan. */
#ifndef TRANSFORM_COST_COST_H
#define TRANSFORM_COST_COST_H

#include "transform/plan/plan.h"

/* The model's input for a site, independent of any plan; lives in the scratch arena (cost_input.c).
 * Returns NULL if the model does not apply. */
typedef struct Site_model Site_model;
const Site_model *site_model_new(const Plan *x);
/* Whether a profile has counted lanes that leave the loop by an exit with long code of its own, so
 * that leaving it together may gain. */
bool site_model_has_exit_code(const Site_model *e);
/* site_model_speedup: expected gain of a policy with parameter n, given the task regions of a plan
 * of the site. plan_expected_speedup: of the plan itself. */
Speedup site_model_speedup(const Site_model *e, const Plan *x, Annot_policy policy, uint32_t n);
Speedup plan_expected_speedup(const Plan *x);
/* Returns what decides whether the plan gains if that is not counted (speedup.h); NULL: nothing. */
const char *plan_open_question(const Plan *x);

/* The model's estimates for a task region, in issue slots of a warp: a run of the path, the
 * overhead of a task, the overhead of the votes of a round. */
typedef struct { double path, task, round; } Region_cost;
Region_cost model_region_cost(const Plan *x, const Task_region *k);
/* The model's estimates for looking ahead: mean cost of the path in an iteration, overhead of a
 * selected iteration, and overhead of each look-ahead iteration (negative if it saves
 * instructions). */
typedef struct { double path, selected, lookahead; } Lookahead_cost;
Lookahead_cost model_lookahead_cost(const Plan *x);

/* Returns the instructions that a look-ahead iteration saves in a group during which all lanes are
 * known to stay in the loop. */
uint32_t lookahead_spared_insns(const Plan *x);
/* Returns a batch size of at most n such that the last batch is about as long as the others. */
uint32_t lookahead_batch_size(const Plan *x, uint32_t n);

#endif
