/* SPDX-License-Identifier: MIT */
/* The text of a module with the arms of its annotated branches melded (distribute.h), which all else works on; see output.c.
 * Arms that stand in arms are melded first, so there may be several texts on the way. */
#ifndef TRANSFORM_MELDS_H
#define TRANSFORM_MELDS_H

#include "transform/distribute.h"

typedef struct Melds_text Melds_text;
typedef struct {
	const Module *m;        /* as it was */
	const Module *now;      /* functions and markers have the same numbers */
	Arena *arena;
	Melds_text *last;       /* NULL: nothing was melded */
	Arms_told told;
} Melds;

/* Melds what can be, but for functions that opt says to leave. */
void melds_make(Melds *x, const Module *m, const Pass_options *opt, Arena *a);
void melds_release(Melds *x);
/* The byte of the input that a byte of the text comes from: a Diag_origin. */
uint32_t melds_origin(void *melds, uint32_t pos);
/* Reports what was melded, and diagnoses what was not. */
void melds_tell(const Melds *x, Report *r, Diags *d);
/* Was something melded in the function? */
bool melds_changed(const Melds *x, uint32_t func);

#endif
