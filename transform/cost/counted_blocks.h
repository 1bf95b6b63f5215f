/* SPDX-License-Identifier: MIT */
/* The effort of a region's blocks, by how often each is executed: from the profile, or else by the
 * constant trip counts of loops, as in loop_run_count(). */
#ifndef TRANSFORM_COST_COUNTED_BLOCKS_H
#define TRANSFORM_COST_COUNTED_BLOCKS_H

#include "analysis/region/profile_points.h"
#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

/* Number of executions of a block per run of its region: mean over lanes; the slowest of the lanes
 * that run it together; one standard deviation above the mean; the maximum; the maximum within a
 * launch. For the iterations of an inner loop, whose counts are summed, only the mean is known. */
typedef enum { MEAN, RUNS_TOGETHER, DEVIATING, MOST, LAST } Run_statistic;

/* Execution counts of a region's blocks. */
typedef struct {
	const Region *r;
	const Execution_counts *f;
	Counted_block of[MAX_COUNTED_BLOCKS]; uint32_t n; /* 0: no counts */
	bool differs;           /* the profile counted other blocks */
	double trips;           /* assumed iterations of loops that are not counted */
	uint32_t size[MAX_COUNTED_BLOCKS];
} Counted_region;

Counted_region counted_region(const Plan *x, const Region *r, double trips);
/* Number of runs that the counts of the region's blocks refer to: by lanes, or by warps. */
double region_visits(const Region *r, const Execution_counts *f, bool by_warps);
/* Returns the effort of the blocks per run of the region, whose entry is a block. */
Run_cost effort_of_blocks(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Run_statistic which);
/* The same, issue slots only. */
double slots_of_blocks(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Run_statistic which);
/* Sets the arms of an inner loop that not every iteration executes. */
void set_counted_arms(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Cost_region *k);

#endif
