/* SPDX-License-Identifier: MIT */
/* Which .loc directives name which place in the source: for those who copy code.
 *
 * ptxas wants every place that an inlined_at names to be the place of a .loc further up in the text
 * (PTX ISA 11.5.3 does not say so; ptxas does: "used in inlined_at directive must be used in a
 * preceding .loc directive").
 */
#ifndef ANALYSIS_DATAFLOW_LOC_INDEX_H
#define ANALYSIS_DATAFLOW_LOC_INDEX_H

#include "parser/ptx.h"

typedef struct {
	/* by ptx_local_stmt: of a .loc the first one of its function that names the same place,
	 * else 0 */
	uint32_t *first;
	/* likewise: the first one that names the place where it was inlined; 0: none, or not
	 * here */
	uint32_t *caller;
} Locs;

/* Lives in arena a; NULL if the function has no inlined code. */
Locs *locs_build(const Module *m, const Func *f, Arena *a);
/* The first statement of the function that breaks ptxas's rule; 0: none does. */
uint32_t locs_out_of_order(const Locs *l, const Func *f);

#endif
