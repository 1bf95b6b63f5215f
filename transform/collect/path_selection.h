/* SPDX-License-Identifier: MIT */
/* The candidates among which path_selection.c selects. */
#ifndef TRANSFORM_COLLECT_PATH_SELECTION_H
#define TRANSFORM_COLLECT_PATH_SELECTION_H

#include "transform/plan/plan.h"

/* The candidates, costliest first, and why each was dropped; of[i] is the candidate of the plan's
 * region i. */
typedef struct { Plan *x; Task_region *all; Verdict *why; uint32_t n, *of; } Region_selection;

/* The marker of candidate i. */
static inline const Marker *
candidate_marker(const Region_selection *c, uint32_t i)
{
	return task_region_marker(c->x, &c->all[i]);
}

/* Returns every annotated path and inner loop that could be collected, each with a verdict: one
 * that overlaps a costlier one is refused. */
Region_selection collect_path_candidates(Plan *x);
/* Whether an annotation or option names the policy by which the path is collected. */
bool path_is_requested(const Plan *x, const Annot *a);

#endif
