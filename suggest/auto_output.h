/* SPDX-License-Identifier: MIT */
/* The transformation of functions without annotations (ptxccc --auto). */
#ifndef SUGGEST_AUTO_OUTPUT_H
#define SUGGEST_AUTO_OUTPUT_H

#include "transform/pipeline/pipeline.h"

/* As output_make(), after inserting annotations that promise nothing into the functions that have
 * none (auto_markers.h). Functions without a transformed site are copied byte for byte. */
void auto_output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user,
	Diags *d, Output *out);
/* Parses the text of m with counted annotations at all places that auto_output_make() may
 * transform, and with the variable that leads a program to the counts. Returns NULL if there are
 * none. opt NULL: the defaults. src: receives the text, to be released after the module. */
Module *auto_layers(const Module *m, const Pass_options *opt, Source *src);

#endif
