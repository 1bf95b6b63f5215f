/* SPDX-License-Identifier: MIT */
/* Translates functions into the decoded form. Internal to simt/. */
#ifndef SIMT_DECODE_DECODE_H
#define SIMT_DECODE_DECODE_H

#include "simt/operands/operand_decode.h"

/* Decodes one function. Creates the Codes of its callees but does not decode them. */
void decode_function(Opcode *h, uint32_t code);

#endif
