/* SPDX-License-Identifier: MIT */
/* The issue slots of a site's code, and an estimate of those that remain if tasks are collected
 * into full warps. Internal to simt/. */
#ifndef SIMT_REPORT_FULL_WARP_ESTIMATE_H
#define SIMT_REPORT_FULL_WARP_ESTIMATE_H

#include "simt/state/sim.h"

/* Sums the counts of a block's statements. */
Sim_counts block_is_profiled(const Sim *s, const Fn *fn, uint32_t block);
/* Returns the issue slots of a block, corrected for register conflicts and unrolling
 * (analysis/cost/static_cost.h). */
double block_issue_count(const Sim *s, const Fn *fn, uint32_t block);
/* Returns the mean number of active lanes per warp in a block, and in *visits how often warps
 * execute it, according to its first statement with issue slots. */
double block_lane_count(const Sim *s, const Fn *fn, uint32_t block, uint64_t *visits);

/* Code that warps execute. */
typedef struct {
	const Sim *s;
	const Fn *fn;
	Bits blocks;
	uint32_t first;         /* its first block */
	double full_lanes;      /* lanes of a full warp */
} Warp_code;

/* Estimates the issue slots of its execution by full warps of unrelated lanes. */
double full_warp_slots(const Warp_code *c);

#endif
