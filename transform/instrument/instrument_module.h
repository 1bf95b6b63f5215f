/* SPDX-License-Identifier: MIT */
/* Instruments a module instead of transforming it: cccnvcc --ccc-profile-generate. */
#ifndef TRANSFORM_INSTRUMENT_INSTRUMENT_MODULE_H
#define TRANSFORM_INSTRUMENT_INSTRUMENT_MODULE_H

#include "transform/pipeline/pipeline.h"
#include "transform/plan/options.h"

/* Writes the module's text with counters for its profile points. assemble may be NULL; else its
 * kernels get register limits that keep the original occupancy. False, with a diagnostic: the
 * module has annotations but no variable that passes the counters to the program; the text is
 * unchanged then. */
bool generate_text(const Module *m, const Pass_options *opt, Assemble *assemble, void *user,
	Diags *d, Buf *out);

#endif
