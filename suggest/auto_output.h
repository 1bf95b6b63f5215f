/* SPDX-License-Identifier: MIT */
/* The transformation of functions without annotations (ptxccc --auto). */
#ifndef SUGGEST_AUTO_OUTPUT_H
#define SUGGEST_AUTO_OUTPUT_H

#include "transform/pipeline/pipeline.h"

/* As output_make(), after inserting annotations that promise nothing into the functions that have
 * none (auto_markers.h). Functions without a transformed site are copied byte for byte. */
void auto_output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user,
	Diags *d, Output *out);

/* A module with counted annotations at all places that auto_output_make() may transform, and with
 * the variable that leads a program to the counts. */
typedef struct {
	const Module *of;       /* the original module */
	Module *m;              /* NULL: there are no such places */
	Source src;
	uint32_t *origin;       /* by Stmt of m: that of the original; 0: it was inserted */
} Auto_layers;

/* Makes the layers of m. Returns false if there are none. opt NULL: the defaults. */
bool auto_layers_make(const Module *m, const Pass_options *opt, Auto_layers *to);
void auto_layers_release(Auto_layers *l);

#endif
