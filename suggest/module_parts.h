/* SPDX-License-Identifier: MIT */
/* Parts of a module that can be planned separately. */
#ifndef SUGGEST_MODULE_PARTS_H
#define SUGGEST_MODULE_PARTS_H

#include "analysis/interproc/effects.h"
#include "transform/text/edit.h"

/* By Func: its part. A thread that runs a function of one part runs none of another part, so no
 * analysis of one depends on the other, except for whether addresses escape. */
typedef struct {
	const uint32_t *of; uint32_t n;
	bool escapes, escapes_local; /* as in Effects */
} Module_parts;

Module_parts module_parts_build(const Module *m, const Effects *e, Arena *a);
/* Queues edits that replace the bodies of functions in other parts than those in the set by short
 * ones. */
void module_parts_keep(const Module_parts *p, const Module *m, Bits parts, Edits *e);

#endif
