/* SPDX-License-Identifier: MIT */
/* From a module to the text that is written: the passes, the net under them, and what an assembler
 * says of the result. */
#ifndef TRANSFORM_PIPELINE_OUTPUT_H
#define TRANSFORM_PIPELINE_OUTPUT_H

#include "transform/pipeline/pass.h"

/* Assembles a text as the build will. False: it is refused. log: gets what the assembler says, with
 * the registers that each kernel takes, in the words of `ptxas -v`. */
typedef bool Assemble(void *user, const char *ptx, size_t len, Buf *log);

typedef struct {
	Report report;
	Buf text;
} Output;

/* Transforms the module. assemble may be NULL: then registers are not looked at. Diagnostics go to
 * d; what a transformation that was taken back said is not among them. */
void output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Output *out);
void output_release(Output *o);

#endif
