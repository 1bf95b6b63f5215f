/* SPDX-License-Identifier: MIT */
/* Functions in the form in which they are run. Internal to simt/. */
#ifndef SIMT_DECODE_DECODE_H
#define SIMT_DECODE_DECODE_H

#include "simt/operands/operand_decode.h"

/* Codes that it calls are made, not decoded. */
void decode_function(Head *h, uint32_t code);

#endif
