/* SPDX-License-Identifier: MIT */
/* Machine code of a function, with the reconvergence points of the text that it was made from. */
#ifndef SIMT_DECODE_ORIGINAL_TEXT_H
#define SIMT_DECODE_ORIGINAL_TEXT_H

#include "simt/operands/operand_decode.h"

/* Returns the properties of the function's machine code. d, refs: of h->cfg. */
Issue_slots *machine_code_of(const Opcode *h, const Dom *d, const Refs *refs);

#endif
