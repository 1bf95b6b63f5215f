/* SPDX-License-Identifier: MIT */
/* Limits on the registers of a kernel (.maxnreg, PTX ISA 11.4.2). */
#ifndef TRANSFORM_OUTPUT_MAXNREG_H
#define TRANSFORM_OUTPUT_MAXNREG_H

#include "analysis/interproc/effects.h"
#include "transform/plan/options.h"
#include "transform/plan/report.h"
#include "transform/text/edit.h"

/* Queues the edit that makes .maxnreg of a kernel no more than n. */
void maxnreg_hold(const Module *m, uint32_t func, uint32_t n, Edits *e);
/* Holds the kernels that can come to run a transformed loop to as many registers as the options say
 * (maxnreg.c). */
void maxnreg_put(const Module *m, const Pass_options *opt, const Report *r, const Effects *effects,
	Edits *e, Arena *a);

#endif
