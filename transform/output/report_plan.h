/* SPDX-License-Identifier: MIT */
/* Writes plans to the report. */
#ifndef TRANSFORM_OUTPUT_REPORT_PLAN_H
#define TRANSFORM_OUTPUT_REPORT_PLAN_H

#include "transform/plan/report.h"
#include "transform/plan/plan.h"

/* Describes what a profile says of a region, what launches it represents, and whether these are too
 * small for the task loop of the plan (done: it is written); NULL: it has no counts. */
const char *report_measured(const Plan *x, const Region *of, bool done, Arena *a);
/* Reports how a plan was selected, whether or not it was accepted. */
void report_policy_choice(Report_site *r, const Plan *x, Arena *a);
/* Reports an accepted plan. shared: bytes of the function's buffer. */
void report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a);
/* Returns the report of a remapping, except for its location. */
Report_remap report_remap(const Plan *x, Arena *a);

#endif
