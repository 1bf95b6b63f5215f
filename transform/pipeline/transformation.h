/* SPDX-License-Identifier: MIT */
/* The transformation of a module while its steps run. The steps and their order are in
 * pipeline.c. */
#ifndef TRANSFORM_PIPELINE_TRANSFORMATION_H
#define TRANSFORM_PIPELINE_TRANSFORMATION_H

#include "transform/output/register_budget.h"
#include "transform/pipeline/pipeline.h"
#include "transform/rewrite/pre_passes.h"
#include "transform/rewrite/task_loop_set.h"

typedef struct {
	const Module *m;
	Pre_passes texts;       /* including the text in which task loops are made */
	Task_loop_set loops;    /* including the text that the passes read */
	uint32_t mark;          /* end of the diagnostics that precede the passes */
	size_t shown;           /* length of `opt.dump` before the passes */
	Pass_options opt;       /* the caller's options; steps add what they decide */
	Assemble *assemble;
	void *user;
	Diags *diags;
	Output *out;
	Arena *arena;
	Edits *edits;           /* edits of the last run of the passes */
	/* edits of what they made, for cluster launch control, and the text before; NULL: none */
	Edits *finish;
	Buf unfinished;
	Register_limits limits; /* limits.m is NULL until the input was measured */
	bool limits_changed;    /* by the last measurement */
	Transformed_fns facts;  /* analyses of the passes, for the validator */
	/* by Marker of the text that the passes read: fault of the site's text */
	const char **faults;
	uint32_t nfaults;       /* number of markers of that text */
	bool refuted;           /* some site's text was found to be wrong */
	bool restored;          /* the text is the input again */
} Transformation;

/* What follows a step: the next one; those from the step that its row names; nothing. */
typedef enum { CONTINUE, REPEAT, STOP } Outcome;
typedef Outcome Pipeline_step(Transformation *w);

/* Whether the passes or the rewrites before them changed anything. */
static inline bool
transformation_changes(const Transformation *w)
{
	return edit_any(w->edits) || w->texts.last;
}
/* Replaces a faulty text by the input, with a diagnostic. */
void transformation_undo(Transformation *w, const char *why);

/* settle_rounding.c: has functions whose loops are refused for their contractions written with
 * explicit products; once. */
Pipeline_step settle_rounding;

/* check_text.c: parses and validates the text. */
Pipeline_step check_text;

/* check_registers.c: has the assembler report the register use of the changed kernels, and compares
 * it with that of the input. */
Pipeline_step measure_input, measure_output, refuse_rewrites, limit_registers, report_registers;

#endif
