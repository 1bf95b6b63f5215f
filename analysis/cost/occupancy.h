/* SPDX-License-Identifier: MIT */
/* How many blocks of a kernel a multiprocessor has room for at one time.
 *
 * The numbers are those of the CUDA Programming Guide's table of compute capabilities, and how many
 * multiprocessors the largest GPU of that capability in wide use has. The same capability has GPUs
 * of several sizes: who knows better says so (--sms).
 */
#ifndef ANALYSIS_COST_OCCUPANCY_H
#define ANALYSIS_COST_OCCUPANCY_H

#include <stdint.h>

typedef struct {
	uint32_t sms;           /* multiprocessors of the GPU */
	/* resident warps of one: what it has, and what the registers leave room for */
	uint32_t warps;
	/* resident blocks of one: what it has, and what shared memory leaves room for */
	uint32_t blocks;
} Occupancy;

/* target: 90 for sm_90. registers: a thread takes so many; 0: not known, then a middle. shared:
 * bytes a block takes. */
Occupancy occupancy_of(uint32_t target, uint32_t registers, uint32_t shared);
/* Blocks of so many threads that a multiprocessor has room for; at least 1. */
uint32_t occupancy_blocks(const Occupancy *o, uint32_t threads);

#endif
