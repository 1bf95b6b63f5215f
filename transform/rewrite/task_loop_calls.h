/* SPDX-License-Identifier: MIT */
/* Functions that kernels with a task loop call, and that read the block's number: such a kernel
 * calls a copy, to which it passes the number of the block that its body runs for. */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_CALLS_H
#define TRANSFORM_REWRITE_TASK_LOOP_CALLS_H

#include "analysis/interproc/effects.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/text/template.h"

typedef struct {
	const Module *m;
	const Effects *effects;
	uint8_t *reads;         /* by Func: bits of x, y, z that it reads, callees included */
	const char *prefix;     /* of names that the module lacks, for copies: "ccc1_" */
} Grid_calls;

Grid_calls *grid_calls_build(const Module *m, const Effects *effects, Arena *a);
/* Can a kernel with a task loop call the function? */
Verdict grid_calls_stand(const Grid_calls *c, uint32_t kernel, uint32_t func, Arena *a);
/* Queues the edits by which a statement of a function with numbers in registers %<prefix>x, y, z
 * reads those, and passes them on. at0: byte of the text that the edits count from. */
void grid_calls_stmt(const Grid_calls *c, const Stmt *s, const char *prefix, uint32_t at0,
	Edits *e);
/* Adds to needed the functions that a kernel with a task loop needs copies of. */
void grid_calls_need(const Grid_calls *c, uint32_t kernel, Bits needed);
/* Puts the copies behind the last function, and their prototypes at byte pos. t: of grid.tpl. */
void grid_calls_put(const Grid_calls *c, Bits needed, uint32_t pos, Edits *e, Tpl *t);

#endif
