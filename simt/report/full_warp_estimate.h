/* SPDX-License-Identifier: MIT */
/* What a site's code issued, and what of that would be left if lanes were collected. Internal to
 * simt/. */
#ifndef SIMT_REPORT_FULL_WARP_ESTIMATE_H
#define SIMT_REPORT_FULL_WARP_ESTIMATE_H

#include "simt/state/sim.h"

/* What was counted of a block's statements. */
Sim_counts lasting_counts(const Sim *s, const Fn *fn, uint32_t block);
/* The slots that it took. */
double lasting_issued(const Sim *s, const Fn *fn, uint32_t block);
/* How many lanes of a warp are on in a block, in the mean, and how often warps run it: as its first
 * instruction that takes a slot has counted. */
double lasting_lanes(const Sim *s, const Fn *fn, uint32_t block, uint64_t *visits);

/* Code that warps come to. */
typedef struct {
	const Sim *s;
	const Fn *fn;
	Bits blocks;
	uint32_t first;         /* the block with which it begins */
	double full;            /* lanes of a warp that is full */
} Lasting_code;

/* The slots of its runs by full warps of lanes that have nothing to do with each other. */
double lasting_slots(const Lasting_code *c);

#endif
