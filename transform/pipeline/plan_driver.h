/* SPDX-License-Identifier: MIT */
/* The sites of a function, its annotated loops: each gets a plan or a reason why it has none, and
 * the plans that stand get into the text.
 */
#ifndef TRANSFORM_PIPELINE_PLAN_DRIVER_H
#define TRANSFORM_PIPELINE_PLAN_DRIVER_H

#include "transform/task/shared_layout.h"
#include "transform/plan/passes.h"

/* What is known of the module, and of the function at hand. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	Report *report;
	Diags *diags;
	Edits *edits;
	const Effects *effects;
	const Threads *threads;
	Shared shared;
	uint32_t number;        /* of the next loop that is transformed */

	const Fn *fn;
	const Regions *rs;
	const Locals *locals;
	Room room;
	uint32_t report0;       /* of the function's first site */
	Plan *plans;            /* by site */
	Arena *scratch;         /* for what a plan is made by */
	const Pass **pass;      /* by site: whose plan stands; NULL: none does */
	bool *seen;
} Work;

/* Makes room for the plans of the function's sites, and their rows in the report. */
void sites_begin(Work *w);
/* Plans them, outer ones first, and says of each what came of it. */
void sites_plan(Work *w);
/* Puts the plans that stand into the text, and the buffer that they share, of that name. */
void sites_write(Work *w, const char *buffer);
/* Frees what the plans hold outside of the function's arena. */
void sites_end(Work *w);

#endif
