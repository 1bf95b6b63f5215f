/* SPDX-License-Identifier: MIT */
/* How long launches take for the lane that goes round a loop most often. Internal to simt/. */
#ifndef SIMT_REPORT_CRITICAL_LANE_H
#define SIMT_REPORT_CRITICAL_LANE_H

#include "simt/state/sim.h"

/* Slots that all warps would issue while those lanes go round, in all launches; 0: lanes leave the
 * loop together, or it was not counted. */
double alone_slots(const Sim *s, const Fn *fn, uint32_t loop);

#endif
