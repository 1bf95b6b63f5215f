/* SPDX-License-Identifier: MIT */
/* A module that counts, in place of one that is transformed: cccnvcc --ccc-profile-generate. */
#ifndef TRANSFORM_INSTRUMENT_INSTRUMENT_MODULE_H
#define TRANSFORM_INSTRUMENT_INSTRUMENT_MODULE_H

#include "transform/pipeline/output.h"
#include "transform/plan/options.h"

/* Writes the module's text with counters of its cuts to a buffer. assemble may be NULL: else its
 * kernels are held to registers with which as many warps have room as before. False, after a
 * diagnostic: it has annotations, but no variable that would give the counters to the program; the
 * text is as it was. */
bool generate_text(const Module *m, const Pass_options *opt, Assemble *assemble, void *user,
	Diags *d, Buf *out);

#endif
