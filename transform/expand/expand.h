/* SPDX-License-Identifier: MIT */
/* Inner loops whose iterations are laid over the lanes. */
#ifndef TRANSFORM_EXPAND_EXPAND_H
#define TRANSFORM_EXPAND_EXPAND_H

#include "transform/plan/plan.h"

/* An inner loop as a path: what the checks of paths look at. */
Region *plan_rounds(const Plan *x, const Region *rounds);
/* The same with what lies between several ways out of the loop and the end of its statement. */
Region *plan_rounds_whole(const Plan *x, const Region *rounds);
/* Adds, to parts that are made, the inner loops that are expanded in their paths. */
void plan_rows_in_paths(Plan *x);
/* Fills the part's rounds and task: may other lanes run its iterations? (expand_plan.c) */
Verdict plan_expand(Plan *x, Part *k, bool chooses);

#endif
