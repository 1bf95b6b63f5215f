/* SPDX-License-Identifier: MIT */
/* Annotations that are part of no site, and so have no effect. */
#ifndef ANALYSIS_REGION_REGION_LEFT_H
#define ANALYSIS_REGION_REGION_LEFT_H

#include "analysis/region/region.h"
#include "base/verdict.h"

typedef struct Region_left {
	const Marker *marker;
	Verdict why;            /* in the arena of the regions */
	struct Region_left *next; /* the one that was reported after it */
} Region_left;

/* Reports that an annotation has no effect, with `lead` before the reason, and adds it to
 * rs->left. */
void region_leave(Regions *rs, const Marker *k, const char *lead, Verdict why);

#endif
