/* SPDX-License-Identifier: MIT */
/* Text-to-text steps before planning: melds the arms of annotated branches (distribute.h), then
 * inserts the exchanges of remapping (remap.h). All other passes work on the resulting text (see
 * output.c). Each step makes a new text, because nested arms are melded from the inside out, and
 * branches are remapped one by one. */
#ifndef TRANSFORM_REWRITE_PRE_PASSES_H
#define TRANSFORM_REWRITE_PRE_PASSES_H

#include "transform/rewrite/distribute.h"
#include "transform/rewrite/remap.h"

typedef struct Text_step Text_step;
typedef struct {
	const Module *m;        /* the input */
	const Module *now;      /* the current text; functions and markers keep their numbers */
	Arena *arena;
	Text_step *last;        /* last step; NULL: no changes */
	Arms_told arms;
	Remaps_told remaps;
} Texts;

/* Applies all possible steps, except in functions that opt excludes. */
void texts_make(Texts *x, const Module *m, const Pass_options *opt, Arena *a);
void texts_release(Texts *x);
/* Returns the input position that a byte of the current text originates from (a Diag_origin). */
uint32_t texts_origin(void *texts, uint32_t pos);
/* Reports what was done, and diagnoses what was refused. */
void texts_tell(const Texts *x, Report *r, Diags *d);
/* Whether a step changed the function. */
bool texts_changed(const Texts *x, uint32_t func);

#endif
