/* SPDX-License-Identifier: MIT */
/* The text of a module with what is done before there are plans: the arms of annotated branches
 * melded (distribute.h), then work exchanged in front of others (remap.h). All else works on it;
 * see output.c. A text is made for each step: arms that stand in arms are melded first, and
 * branches are remapped one by one. */
#ifndef TRANSFORM_REWRITE_PRE_PASSES_H
#define TRANSFORM_REWRITE_PRE_PASSES_H

#include "transform/rewrite/distribute.h"
#include "transform/rewrite/remap.h"

typedef struct Text_step Text_step;
typedef struct {
	const Module *m;        /* as it was */
	const Module *now;      /* functions and markers have the same numbers */
	Arena *arena;
	Text_step *last;        /* NULL: nothing was done */
	Arms_told arms;
	Remaps_told remaps;
} Texts;

/* Does what can be done, but in functions that opt says to leave. */
void texts_make(Texts *x, const Module *m, const Pass_options *opt, Arena *a);
void texts_release(Texts *x);
/* The byte of the input that a byte of the text comes from: a Diag_origin. */
uint32_t texts_origin(void *texts, uint32_t pos);
/* Reports what was done, and diagnoses what was not. */
void texts_tell(const Texts *x, Report *r, Diags *d);
/* Was something done in the function? */
bool texts_changed(const Texts *x, uint32_t func);

#endif
