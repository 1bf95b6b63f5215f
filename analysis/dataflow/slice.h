/* SPDX-License-Identifier: MIT */
/* Backward slices: the statements that compute a value, found by walking back along the definitions
 * that reach each statement's uses. The caller's rule decides where the walk stops. */
#ifndef ANALYSIS_DATAFLOW_SLICE_H
#define ANALYSIS_DATAFLOW_SLICE_H

#include "analysis/dataflow/function.h"

typedef enum {
	SLICE_HAVE,     /* the value is available: stop here */
	SLICE_ACCEPT,   /* the definition's statement belongs to the slice */
	SLICE_NO        /* there is no slice */
} Slice_step;

/* A use in a statement of the slice, and a definition that reaches it. */
typedef struct {
	const Fn *fn;
	uint32_t use, def;
	bool taken;     /* the definition's statement is in the slice already */
} Slice_edge;

/* Called for every edge. Must not take a pseudo-definition (stmt 0). */
typedef Slice_step Slice_rule(void *user, const Slice_edge *e);

typedef VEC(uint32_t) Stmts;

/* Adds the statement, and the statements that the rule selects for it, to `out` in execution order
 * (within a cycle in any order). Statements already in `out` are not visited again. Returns false
 * if the rule rejects an edge; `out` is then unchanged. */
bool slice_back(const Fn *fn, uint32_t stmt, Slice_rule *rule, void *user, Stmts *out);
/* Adds to a set of statements, by fn_local_stmt, the statements that the rule selects for each of
 * them. The rule must not return SLICE_NO. */
void slice_close(const Fn *fn, Slice_rule *rule, void *user, Bits stmts);

#endif
