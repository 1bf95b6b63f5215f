/* SPDX-License-Identifier: MIT */
/* The candidates among which path_selection.c selects. */
#ifndef TRANSFORM_COLLECT_PATH_SELECTION_H
#define TRANSFORM_COLLECT_PATH_SELECTION_H

#include "transform/plan/plan.h"

/* The candidates, costliest first, and why not; of[i]: which one the plan's part i is. */
typedef struct { Plan *x; Part *all; Verdict *why; uint32_t n, *of; } Choice;

/* The marker of candidate i. */
static inline const Marker *
marker_of(const Choice *c, uint32_t i)
{
	return part_marker(c->x, &c->all[i]);
}

/* Every annotated path and loop that could be collected, each with a verdict: those that overlap a
 * costlier one are refused. */
Choice path_candidates(Plan *x);
/* Does an annotation or option name the policy by which the path is collected? */
bool path_is_requested(const Plan *x, const Annot *a);

#endif
