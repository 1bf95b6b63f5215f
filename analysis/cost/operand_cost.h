/* SPDX-License-Identifier: MIT */
/* The operands of an instruction as ptxas sees them: literals and registers. */
#ifndef ANALYSIS_COST_OPERAND_COST_H
#define ANALYSIS_COST_OPERAND_COST_H

#include "analysis/dataflow/function.h"

/* Returns the number of distinct registers that an arithmetic instruction reads. One literal is
 * encoded in the instruction itself; further literals count as registers. A register that is only
 * moved from a literal counts as a literal. */
uint32_t operands_registers(const Fn *fn, uint32_t stmt);

#endif
