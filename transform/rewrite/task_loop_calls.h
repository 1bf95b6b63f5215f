/* SPDX-License-Identifier: MIT */
/* Functions that read the block's number and are called from a kernel with a task loop. Such a
 * kernel calls copies of them, and passes the number of the block whose work it executes. */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_CALLS_H
#define TRANSFORM_REWRITE_TASK_LOOP_CALLS_H

#include "analysis/interproc/effects.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/text/template.h"

typedef struct {
	const Module *m;
	const Effects *effects;
	uint8_t *reads;         /* by Func: bits of x, y, z that it reads, including callees */
	const char *prefix;     /* of names that the module lacks, for copies: "ccc1_" */
} Task_loop_calls;

Task_loop_calls *task_loop_calls_build(const Module *m, const Effects *effects, Arena *a);
/* Whether a kernel with a task loop can call the function. */
Verdict task_loop_calls_check(const Task_loop_calls *c, uint32_t kernel, uint32_t func, Arena *a);
/* Queues the edits of a statement that reads the block's number, or passes it on: the number is
 * in registers %<prefix>x, y, z. at0: position in the text that the edits are relative to. */
void task_loop_calls_edit_stmt(
	const Task_loop_calls *c, const Stmt *s, const char *prefix, uint32_t at0, Edits *e);
/* Adds the functions that a kernel with a task loop needs copies of to `needed`. */
void task_loop_calls_mark_needed(const Task_loop_calls *c, uint32_t kernel, Bits needed);
/* Inserts the copies after the last function, and their prototypes at position pos. t: of
 * grid.tpl. */
void task_loop_calls_write(const Task_loop_calls *c, Bits needed, uint32_t pos, Edits *e, Tpl *t);

#endif
