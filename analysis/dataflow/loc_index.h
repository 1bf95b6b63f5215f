/* SPDX-License-Identifier: MIT */
/* Maps .loc directives to the first one that names the same source position, for passes that copy
 * code.
 *
 * ptxas requires that every position named by an inlined_at is also named by an earlier .loc. PTX
 * ISA 11.5.3 does not say so, but ptxas reports "used in inlined_at directive must be used in a
 * preceding .loc directive". */
#ifndef ANALYSIS_DATAFLOW_LOC_INDEX_H
#define ANALYSIS_DATAFLOW_LOC_INDEX_H

#include "parser/ptx.h"

typedef struct {
	/* by ptx_local_stmt: the first .loc of the function that names the same position; 0 for
	 * statements other than .loc */
	uint32_t *first;
	/* by ptx_local_stmt: the first .loc that names the position where this code was inlined; 0:
	 * not inlined, or the position has no .loc in this function */
	uint32_t *caller;
} Loc_index;

/* Builds the index in arena a; returns NULL if the function has no inlined code. */
Loc_index *loc_index_build(const Module *m, const Func *f, Arena *a);
/* Returns the first statement of the function that breaks ptxas's rule; 0 if none does. */
uint32_t loc_index_out_of_order(const Loc_index *l, const Func *f);

#endif
