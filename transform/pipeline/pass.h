/* SPDX-License-Identifier: MIT */
/* The pass driver: regions, plans and text of each function. Each step reads the module and the
 * results of the previous step; changes are queued as edits (docs/design.md 3). */
#ifndef TRANSFORM_PIPELINE_PASS_H
#define TRANSFORM_PIPELINE_PASS_H

#include "transform/plan/options.h"
#include "transform/text/edit.h"

/* Runs all passes on a module. Returns the edits, queued in arena a; results and refusals go to r
 * and d. */
Edits *passes_run(const Module *m, const Pass_options *opt, Report *r, Diags *d, Arena *a);

#endif
