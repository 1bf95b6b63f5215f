/* SPDX-License-Identifier: MIT */
/* What an instruction has its operands from: literals and registers. */
#ifndef ANALYSIS_COST_OPERAND_COST_H
#define ANALYSIS_COST_OPERAND_COST_H

#include "analysis/dataflow/function.h"

/* Registers that an instruction of arithmetic reads, each once: what two operands share is one. One
 * literal stands in the instruction itself; a register that is moved from a literal is one. */
uint32_t operands_registers(const Fn *fn, uint32_t stmt);

#endif
