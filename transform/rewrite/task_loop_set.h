/* SPDX-License-Identifier: MIT */
/* The task loops of a module, until it is known which of them stand and how many blocks they want:
 * the text with those that stand so far, which the passes work on, and what they found there. See
 * output.c, which goes round until nothing changes.
 */
#ifndef TRANSFORM_REWRITE_TASK_LOOP_SET_H
#define TRANSFORM_REWRITE_TASK_LOOP_SET_H

#include "transform/rewrite/task_loop.h"
#include "transform/output/registers.h"

typedef struct {
	const Module *m;        /* as it was */
	const Module *now;      /* with the loops; functions have the same numbers */
	const Pass_options *opt;
	Arena *arena;
	Task_loop *of;          /* by Func; NULL: no kernel shall have one */
	bool *strays_told;      /* Pass_options.strays_told */
	Diag_origin *under;     /* where m comes from; NULL: it is the input */
	void *under_user;
	Edits *edits;           /* from m to now */
	Buf text;
	Source src;
	Module *made;           /* what now is, if it is not m */
} Taskloops;

/* Looks for kernels that shall have a task loop. opt is kept, and told of. */
void taskloops_find(Taskloops *l, const Module *m, Pass_options *opt, Arena *a);
/* m is no input, but a text that comes from one. */
void taskloops_under(Taskloops *l, Diag_origin *under, void *user);
void taskloops_release(Taskloops *l);

/* Makes the text. */
void taskloops_make(Taskloops *l);
/* Places that are reported from here on are those of the input. */
void taskloops_speak(Taskloops *l, Diags *d);
/* What did the passes make of it? A loop of which no path was collected is dropped. True: the text
 * must be made anew. */
bool taskloops_judge(Taskloops *l, const Report *r);
/* The same by the registers that kernels take. */
bool taskloops_registers(Taskloops *l, const Registers *of);
/* Reports and diagnoses the kernels that got none. */
void taskloops_tell(const Taskloops *l, Report *r, Diags *d);

#endif
