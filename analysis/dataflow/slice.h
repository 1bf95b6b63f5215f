/* SPDX-License-Identifier: MIT */
/* Slices: the statements that a value comes from, by one walk backwards along the definitions that
 * reach what each of them reads. How far it goes is up to a rule. */
#ifndef ANALYSIS_DATAFLOW_SLICE_H
#define ANALYSIS_DATAFLOW_SLICE_H

#include "analysis/dataflow/function.h"

typedef enum {
	SLICE_HAVE,     /* the value is there: no further */
	SLICE_TAKE,     /* the definition's statement belongs to the slice */
	SLICE_NO        /* so there is no such slice */
} Slice_step;

/* A use in a statement of the slice, and a definition that reaches it. */
typedef struct {
	const Fn *fn;
	uint32_t use, def;
	bool taken;     /* the definition's statement is in the slice already */
} Slice_edge;

/* Asked of every edge. A pseudo-definition (stmt 0) cannot be taken. */
typedef Slice_step Slice_rule(void *user, const Slice_edge *e);

typedef VEC(uint32_t) Stmts;

/* Adds to `out` the statement and what the rule takes for it, in the order in which they run (round
 * a
 * cycle: in any order). What is in `out` already is not taken again, nor what it comes from asked
 * for. False: the rule said no, and `out` is as it was. */
bool slice_back(const Fn *fn, uint32_t stmt, Slice_rule *rule, void *user, Stmts *out);
/* Adds to a set of statements, by fn_local_stmt, what the rule takes for each of them. The rule
 * never says no. */
void slice_close(const Fn *fn, Slice_rule *rule, void *user, Bits stmts);

#endif
