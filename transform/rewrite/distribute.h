/* SPDX-License-Identifier: MIT */
/* `#pragma ccc distribute`: the arms of an `if else` become one piece of code (meld.h). */
#ifndef TRANSFORM_REWRITE_DISTRIBUTE_H
#define TRANSFORM_REWRITE_DISTRIBUTE_H

#include "base/verdict.h"
#include "transform/plan/options.h"

/* What became of two arms. */
typedef struct {
	/* indexes in the module: the function, the arms' begin markers */
	uint32_t func, marker[2];
	/* instructions of the arms, and those of them that are written once for two */
	uint32_t total, both;
	uint64_t before, after;         /* issue slots of a warp with lanes for both */
	Verdict why;                    /* why they were not melded */
} Arms;
typedef VEC(Arms) Arms_told;

/* Queues the edits that meld annotated arms, of those that stand in one another the innermost: the
 * text that comes of them is to be parsed and given to this again. False: there is nothing to meld.
 * What was melded is told, and, when nothing was, what could not be; texts live in the arena. */
bool distribute_run(const Module *m, const Pass_options *opt, Arena *a, Arms_told *told, Edits *e);

#endif
