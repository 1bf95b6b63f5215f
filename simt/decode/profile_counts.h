/* SPDX-License-Identifier: MIT */
/* Counts the cuts of annotated code that was not transformed, while it runs. Internal to simt/. */
#ifndef SIMT_DECODE_PROFILE_COUNTS_H
#define SIMT_DECODE_PROFILE_COUNTS_H

#include "analysis/region/profile_points.h"
#include "simt/operands/operand_decode.h"

/* Finds the cuts of the function that h is about to decode, and adds the instruction by which it
 * begins to count. */
void cuts_function(Head *h);
/* Adds the instructions that count, in front of a block. */
void cuts_block(Head *h, uint32_t block);

#endif
