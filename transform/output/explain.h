/* SPDX-License-Identifier: MIT */
/* Collects what --explain shows (base/explained.h). While a site is written, template lines and
 * copied instructions get a comment that names their source (text/cite.c); explain_finish removes
 * these comments from the output. */
#ifndef TRANSFORM_OUTPUT_EXPLAIN_H
#define TRANSFORM_OUTPUT_EXPLAIN_H

#include "base/explained.h"
#include "transform/plan/passes.h"

/* Begins the explanation of a module. If its text has such comments, there will be no others. */
void explain_begin(Explained *to, const Module *m);
/* Adds a site. pass: name of the pass that planned it; NULL: it was refused. */
void explain_site(Explained *to, const Plan *x, const char *pass, Arena *a);

typedef struct {
	const Module *m;        /* the input */
	const Module *now;      /* the text that the passes read */
	const Edits *edits;     /* the edits that made the output of it; NULL: the output is m */
	const Edits *finish;    /* edits of that; NULL: none */
	Diag_origin *origin;    /* input position of a byte of `now` */
	void *user;
	bool cites;             /* the output has comments with sources */
} Explain_source;

/* Finds the source of each line of the output, removes the comments from it, and converts the
 * positions of regions to lines of the input. */
void explain_finish(Explained *to, const Explain_source *s, Buf *text, Arena *a);
void explain_clear(Explained *e);

#endif
