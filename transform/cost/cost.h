/* SPDX-License-Identifier: MIT */
/* What a plan is expected to gain. */
#ifndef TRANSFORM_COST_COST_H
#define TRANSFORM_COST_COST_H

#include "transform/plan/plan.h"

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

/* Instructions that a look does without in a group of which all lanes are known to stay in the loop
 * up to the last one. */
uint32_t bound_spared(const Plan *x);
/* So many looks a batch, at most n, that the last batch is as long as the others, or nearly. */
uint32_t bound_batch(const Bound *b, uint32_t n);

#endif
