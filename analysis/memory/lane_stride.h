/* SPDX-License-Identifier: MIT */
/* By how much a value grows from one lane of a warp to the next: what makes a load coalesced.
 *
 * A guess, good for what is only faster or slower: wrapping around is not looked at, nor whether a
 * block's first dimension is a multiple of a warp. */
#ifndef ANALYSIS_MEMORY_LANE_STRIDE_H
#define ANALYSIS_MEMORY_LANE_STRIDE_H

#include "analysis/dataflow/function.h"

/* Are the places that an access names by lanes of a warp known to be side by side? */
bool stride_beside(const Fn *fn, uint32_t stmt);
/* Bytes that a lane of it reads or writes. */
uint32_t stride_bytes(const Fn *fn, uint32_t stmt);
/* Is the statement a plain load from global memory whose lanes read places side by side? */
bool stride_coalesced(const Fn *fn, uint32_t stmt);

#endif
