/* SPDX-License-Identifier: MIT */
/* Register limits of kernels (.maxnreg, PTX ISA 11.4.2). */
#ifndef TRANSFORM_OUTPUT_MAXNREG_H
#define TRANSFORM_OUTPUT_MAXNREG_H

#include "analysis/interproc/effects.h"
#include "transform/plan/options.h"
#include "transform/plan/report.h"
#include "transform/text/edit.h"

/* Queues the edit that limits the .maxnreg of a kernel to n. */
void maxnreg_limit(const Module *m, uint32_t func, uint32_t n, Edits *e);
/* Applies the register limits of the options to all kernels that may run a transformed loop. */
void maxnreg_write(const Module *m, const Pass_options *opt, const Report *r,
	const Effects *effects, Edits *e, Arena *a);

#endif
