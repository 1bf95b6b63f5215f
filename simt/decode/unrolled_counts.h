/* SPDX-License-Identifier: MIT */
/* Counts iterations of loops that ptxas has unrolled. Internal to simt/. */
#ifndef SIMT_DECODE_UNROLLED_COUNTS_H
#define SIMT_DECODE_UNROLLED_COUNTS_H

#include "simt/operands/operand_decode.h"

/* Adds the counting instructions at the beginning of block b, if executions of b are iterations of
 * an unrolled loop, or lanes that leave such a loop reconverge there. */
void unrolled_counts_decode(Opcode *h, uint32_t b, const Inst *as);

#endif
