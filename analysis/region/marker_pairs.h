/* SPDX-License-Identifier: MIT */
/* Finds markers without a partner. cccnvcc does not produce them, except that the end of an endless
 * loop is optimised away. */
#ifndef ANALYSIS_REGION_MARKER_PAIRS_H
#define ANALYSIS_REGION_MARKER_PAIRS_H

#include "analysis/region/region.h"

/* Whether every reachable marker has a partner: an end or begin marker of the same annotation.
 * Reports markers without one to rs. */
bool marker_pairs_check(const Fn *fn, Regions *rs);
/* Whether the marker requests a task loop that does not exist yet. Such a marker has no partner. */
bool marker_pair_advice(const Fn *fn, const Marker *k);

#endif
