/* SPDX-License-Identifier: MIT */
/* The candidates among which path_selection.c selects. */
#ifndef TRANSFORM_COLLECT_PATH_SELECTION_H
#define TRANSFORM_COLLECT_PATH_SELECTION_H

#include "transform/plan/plan.h"

/* The candidates, costliest first, and why each was dropped; of[i] is the candidate of the plan's
 * part i. */
typedef struct { Plan *x; Part *all; Verdict *why; uint32_t n, *of; } Choice;

/* The marker of candidate i. */
static inline const Marker *
marker_of(const Choice *c, uint32_t i)
{
	return part_marker(c->x, &c->all[i]);
}

/* Returns every annotated path and inner loop that could be collected, each with a verdict: one
 * that overlaps a costlier one is refused. */
Choice path_candidates(Plan *x);
/* Whether an annotation or option names the policy by which the path is collected. */
bool path_is_requested(const Plan *x, const Annot *a);

#endif
