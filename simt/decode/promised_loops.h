/* SPDX-License-Identifier: MIT */
/* Finds the loops whose annotations promise independent iterations, and makes the emulator follow
 * their iterations for simt/checks/promise.c. Internal to simt/. */
#ifndef SIMT_DECODE_PROMISED_LOOPS_H
#define SIMT_DECODE_PROMISED_LOOPS_H

#include "simt/operands/operand_decode.h"

/* Finds the loops of the function that h is about to decode, and their accesses with F_MARK. */
void promised_loops_find(Opcode *h);
/* Adds the instructions at the beginning of a block. */
void promised_loops_decode_block(Opcode *h, uint32_t block);

#endif
