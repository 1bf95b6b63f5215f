/* SPDX-License-Identifier: MIT */
/* Counting iterations of loops that ptxas has unrolled. Internal to simt/. */
#ifndef SIMT_DECODE_UNROLLED_COUNTS_H
#define SIMT_DECODE_UNROLLED_COUNTS_H

#include "simt/operands/operand_decode.h"

/* Adds what counts at the beginning of block b, if iterations of such a loop are executions of it,
 * or lanes come to it that leave one. */
void turns_place(Head *h, uint32_t b, const Inst *as);

#endif
