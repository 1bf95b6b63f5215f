/* SPDX-License-Identifier: MIT */
/* Plans the sites of a function, its annotated loops: each gets a plan or a reason why it has none.
 * Accepted plans are written. */
#ifndef TRANSFORM_PIPELINE_PLAN_DRIVER_H
#define TRANSFORM_PIPELINE_PLAN_DRIVER_H

#include "transform/task/shared_layout.h"
#include "transform/plan/passes.h"

/* State of the module and the current function. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	Report *report;
	Diags *diags;
	Edits *edits;
	const Effects *effects;
	const Threads *threads;
	Shared_usage shared;
	uint32_t number;        /* number of the next transformed loop */

	const Fn *fn;
	const Regions *rs;
	const Locals *locals;
	/* the latest result that was not shared, and its memory; of the module */
	const Locals *latest;
	Arena *latest_arena;
	Shared_budget budget;
	uint32_t first_report;  /* index of the report of the function's first site */
	Plan *plans;            /* by site */
	Arena *scratch;         /* temporary memory for planning */
	const Pass **pass;      /* by site: the pass that made its plan; NULL: refused */
	bool *seen;
	bool *retried;          /* by site: refused for the largest block, smaller ones follow */
} Plan_context;

/* Allocates the plans of the function's sites and their reports. */
void plan_context_begin(Plan_context *w);
/* Plans the sites, outer ones first, and reports the results. */
void sites_plan(Plan_context *w);
/* Writes the accepted plans, and declares the buffer of that name that they share. */
void sites_write(Plan_context *w, const char *buffer);
/* Frees what the plans hold outside the function's arena. */
void plan_context_end(Plan_context *w);

#endif
