/* SPDX-License-Identifier: MIT */
/* Text-to-text steps before planning: writes products explicitly (explicit_products.h), melds the
 * arms of annotated branches (distribute.h), inserts the exchanges of remapping (remap.h), and
 * makes tasks of recursive calls (recursion.h). All other passes work on the resulting text (see
 * pipeline.c). Each step makes a new text, because nested arms are melded from the inside out, and
 * branches are remapped one by one. */
#ifndef TRANSFORM_REWRITE_PRE_PASSES_H
#define TRANSFORM_REWRITE_PRE_PASSES_H

#include "transform/rewrite/distribute.h"
#include "transform/remap/remap.h"
#include "transform/rewrite/recursion.h"

typedef struct Pre_pass_step Pre_pass_step;
typedef struct {
	const Module *m;        /* the input */
	const Module *now;      /* the current text; functions and markers keep their numbers */
	Arena *arena;
	Pre_pass_step *last;    /* last step; NULL: no changes */
	Meld_outcomes arms;
	Remap_outcomes remaps;
	Recursion_outcomes recursions;
	bool recursed;          /* the last step, which transforms all recursive functions */
} Pre_passes;

/* Applies all possible steps, except in functions that opt excludes. */
void pre_passes_run(Pre_passes *x, const Module *m, const Pass_options *opt, Arena *a);
void pre_passes_release(Pre_passes *x);
/* Returns the input position that a byte of the current text originates from (a Diag_origin). */
uint32_t pre_passes_origin(void *texts, uint32_t pos);
/* Reports what was done, and diagnoses what was refused. */
void pre_passes_report(const Pre_passes *x, Report *r, Diags *d);
/* Whether a step changed the function. */
bool pre_passes_changed(const Pre_passes *x, uint32_t func);

#endif
