/* SPDX-License-Identifier: MIT */
/* Estimates the time that launches need because of the lane with the highest trip count of a loop.
 * Internal to simt/. */
#ifndef SIMT_REPORT_CRITICAL_LANE_H
#define SIMT_REPORT_CRITICAL_LANE_H

#include "simt/state/sim.h"

/* Returns that time, over all launches, as the issue slots that all warps could use meanwhile; 0 if
 * the lanes leave the loop together, or the loop was not counted. */
double critical_lane_slots(const Sim *s, const Fn *fn, uint32_t loop);

#endif
