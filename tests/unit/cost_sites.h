/* SPDX-License-Identifier: MIT */
/* Loops for unit tests of the cost model. */
#ifndef TESTS_UNIT_COST_SITES_H
#define TESTS_UNIT_COST_SITES_H

#include "transform/cost/cost_model.h"

/* Returns a path with these issue slots, which a quarter of the lanes take by a profile. */
static inline Cost_region
counted_path(double issue)
{
	return (Cost_region){ .work = { .issue = issue },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.share = { .lanes = 0.25, .warps = 1 } };
}

/* Returns a loop of 10 issue slots around the path. */
static inline Cost_site
site_of_path(const Cost_region *path)
{
	return (Cost_site){
		.common = { .issue = 10 }, .regions = path, .nregions = 1, .lockstep = true
	};
}

#endif
