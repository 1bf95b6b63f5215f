/* SPDX-License-Identifier: MIT */
/* Difference of a value between neighbouring lanes of a warp: decides whether an access is
 * coalesced.
 *
 * A heuristic, for performance decisions only: ignores wrap-around, and assumes that a block's
 * first dimension is a multiple of the warp size. */
#ifndef ANALYSIS_MEMORY_LANE_STRIDE_H
#define ANALYSIS_MEMORY_LANE_STRIDE_H

#include "analysis/dataflow/function.h"

/* Whether neighbouring lanes are known to access neighbouring locations. */
bool stride_is_adjacent(const Fn *fn, uint32_t stmt);
/* Returns the number of bytes that one lane accesses. */
uint32_t stride_bytes(const Fn *fn, uint32_t stmt);
/* Returns the distance in bytes between the addresses of neighbouring lanes; 0: none, or
 * unknown. */
uint64_t stride_of_lanes(const Fn *fn, uint32_t stmt);
/* Whether the statement is a plain load from global memory in which neighbouring lanes read
 * neighbouring locations. */
bool stride_coalesced(const Fn *fn, uint32_t stmt);

#endif
