/* SPDX-License-Identifier: MIT */
/* What a plan says in the report. */
#ifndef TRANSFORM_OUTPUT_REPORT_PLAN_H
#define TRANSFORM_OUTPUT_REPORT_PLAN_H

#include "transform/plan/report.h"
#include "transform/plan/plan.h"

/* What a plan says in the report, whether or not it stands, of how it was chosen
 * (report_plan.c). */
void report_choice(Report_site *r, const Plan *x, Arena *a);
/* What a plan that stands says in the report; shared: bytes of the function's buffer
 * (report_plan.c). */
void report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a);
/* What an exchange of work says in it, but for its place (report_plan.c). */
Report_remap report_remap(const Plan *x, Arena *a);

#endif
