/* SPDX-License-Identifier: MIT */
/* The task loops of a module while it is undecided which of them remain and how many blocks they
 * need: the text with the remaining loops, on which the passes work, and their results.
 * pipeline.c repeats this until nothing changes. */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_SET_H
#define TRANSFORM_REWRITE_TASK_LOOP_SET_H

#include "transform/rewrite/task_loop.h"
#include "transform/output/ptxas_registers.h"

typedef struct {
	const Module *m;        /* the input */
	const Module *now;      /* with the loops; functions keep their numbers */
	const Pass_options *opt;
	Arena *arena;
	Task_loop *of;          /* by Func; NULL: none requested */
	bool *strays_reported;  /* Func_options.strays_reported */
	Diag_origin *under;     /* origin of m's text; NULL: m is the input */
	void *under_user;
	Edits *edits;           /* from m to now */
	Buf text;
	Source src;
	Module *made;           /* same as now, unless that is m */
} Task_loop_set;

/* Finds kernels for which a task loop was requested. Keeps opt, and sets its strays_reported. */
void task_loop_set_collect(Task_loop_set *l, const Module *m, Pass_options *opt, Arena *a);
/* Tells that m is not the input, but derived from it. */
void task_loop_set_use_origin(Task_loop_set *l, Diag_origin *under, void *user);
void task_loop_set_release(Task_loop_set *l);
/* Returns the input position that a byte of the text originates from (a Diag_origin). */
uint32_t task_loop_set_origin(void *set, uint32_t pos);

/* Makes the text. */
void task_loop_set_write(Task_loop_set *l);
/* Makes d report input positions from here on. */
void task_loop_set_map_places(Task_loop_set *l, Diags *d);
/* Evaluates the passes' results: drops loops without a collected path. Returns true if the text
 * must be made again. */
bool task_loop_set_drop_useless(Task_loop_set *l, const Report *r);
/* The same for the register counts of the kernels. */
bool task_loop_set_update_blocks(Task_loop_set *l, const Kernel_registers *of);
/* Drops loops whose text the validator does not prove (validate/grid/). Returns false if the text
 * must be made again. */
bool task_loop_set_validate(Task_loop_set *l);
/* Writes the text that the passes made, with cluster launch control instead of its placeholders.
 * Returns the edits; NULL: it has none, and nothing was written. */
Edits *task_loop_set_finish(const Task_loop_set *l, const Buf *text, Buf *out);
/* Whether the validator accepts that, as the module `out`. *why: the reason, if not. */
bool task_loop_set_is_finished(const Buf *text, const Module *out, Buf *why);
/* Reports and diagnoses the kernels that got no loop. */
void task_loop_set_report(const Task_loop_set *l, Report *r, Diags *d);

#endif
