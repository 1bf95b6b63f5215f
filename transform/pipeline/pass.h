/* SPDX-License-Identifier: MIT */
/* The pass driver: parse -> regions -> plans -> text. Each step reads the view and what the one
 * before it found; what changes is queued as edits (docs/design.md 3).
 */
#ifndef TRANSFORM_PIPELINE_PASS_H
#define TRANSFORM_PIPELINE_PASS_H

#include "transform/plan/options.h"
#include "transform/text/edit.h"

/* Runs all passes on a module. Returns the edits (queued in arena a); what was done and refused
 * goes to r and d. */
Edits *passes_run(const Module *m, const Pass_options *opt, Report *r, Diags *d, Arena *a);

#endif
