/* SPDX-License-Identifier: MIT */
/* Writes plans to the report. */
#ifndef TRANSFORM_OUTPUT_REPORT_PLAN_H
#define TRANSFORM_OUTPUT_REPORT_PLAN_H

#include "transform/plan/report.h"
#include "transform/plan/plan.h"

/* Reports how a plan was selected, whether or not it was accepted. */
void report_policy_choice(Report_site *r, const Plan *x, Arena *a);
/* Reports an accepted plan. shared: bytes of the function's buffer. */
void report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a);
/* Returns the report of a remapping, except for its location. */
Report_remap report_remap(const Plan *x, Arena *a);

#endif
