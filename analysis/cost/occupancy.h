/* SPDX-License-Identifier: MIT */
/* Occupancy: how many blocks of a kernel can be resident on a multiprocessor.
 *
 * The numbers are those of the CUDA Programming Guide's table of compute capabilities, and the
 * multiprocessors of the largest GPU of each capability in wide use. GPUs of the same capability
 * differ in size: --sms overrides the number. */
#ifndef ANALYSIS_COST_OCCUPANCY_H
#define ANALYSIS_COST_OCCUPANCY_H

#include <stdint.h>

typedef struct {
	uint32_t sms;           /* multiprocessors of the GPU */
	/* resident warps of a multiprocessor, limited by the hardware and by registers */
	uint32_t warps;
	/* resident blocks of a multiprocessor, limited by the hardware and by shared memory */
	uint32_t blocks;
} Occupancy;

/* target: 90 for sm_90. registers: per thread; 0 if unknown, then a typical number is assumed.
 * shared: bytes per block. */
Occupancy occupancy_of(uint32_t target, uint32_t registers, uint32_t shared);
/* Returns the number of resident blocks of a multiprocessor for blocks of this many threads; at
 * least 1. */
uint32_t occupancy_blocks(const Occupancy *o, uint32_t threads);

#endif
