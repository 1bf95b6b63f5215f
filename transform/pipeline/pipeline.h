/* SPDX-License-Identifier: MIT */
/* From a module to the output text: runs the passes, verifies the result, and compares the register
 * use that an assembler reports. */
#ifndef TRANSFORM_PIPELINE_PIPELINE_H
#define TRANSFORM_PIPELINE_PIPELINE_H

#include "transform/pipeline/pass.h"

/* Assembles a text as the build will. False if it is rejected. log: receives the assembler's
 * output, with the registers of each kernel in the format of `ptxas -v`. code: receives the machine
 * code; empty: the assembler does not supply it; NULL: not needed. */
typedef bool Assemble(void *user, const char *ptx, size_t len, Buf *log, Buf *code);

/* Whether function func with explicit products (explicit_products.h) contracts what the assembler
 * contracts in the function of that name in the module `plain`, which may be m. */
bool explicit_products_are_proved(
	const Module *m, uint32_t func, const Module *plain, Assemble *assemble, void *user);

typedef struct {
	Report report;
	Buf text;
} Output;

/* Transforms the module. assemble may be NULL: then register use is not checked. Diagnostics go to
 * d, except those of a transformation that was undone. */
void output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Output *out);
void output_release(Output *o);

#endif
