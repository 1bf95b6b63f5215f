/* SPDX-License-Identifier: MIT */
/* Counts executions of the profile points of annotated code that was not transformed. Internal to
 * simt/. */
#ifndef SIMT_DECODE_PROFILE_COUNTS_H
#define SIMT_DECODE_PROFILE_COUNTS_H

#include "analysis/region/profile_points.h"
#include "simt/operands/operand_decode.h"

/* Finds the profile points of the function that h is about to decode, and adds the instruction that
 * initialises their counters. */
void profile_points_register(Opcode *h);
/* Adds the counting instructions at the beginning of a block. */
void profile_points_decode_block(Opcode *h, uint32_t block);

#endif
