/* SPDX-License-Identifier: MIT */
/* Registers that have one value whenever they are read there, as far as that is seen.
 */
#ifndef ANALYSIS_DATAFLOW_CONSTANTS_H
#define ANALYSIS_DATAFLOW_CONSTANTS_H

#include "analysis/dataflow/function.h"

/* A number, of which the lower half counts in 32 bits; with sym: the address so many bytes behind
 * the beginning of that .local variable. */
typedef struct { bool known; uint32_t sym; uint64_t n; } Constant;

/* What a use reads, and what a definition gives. */
Constant constant_use(const Fn *fn, uint32_t use);
Constant constant_def(const Fn *fn, uint32_t def);
/* The address of a symbol that is a .local variable. */
Constant constant_symbol(const Module *m, uint32_t sym);
/* An OPND_IMM. */
Constant constant_immediate(const Module *m, const Opnd *o);
/* What an instruction computes from its two operands behind the first. */
Constant constant_of(const Module *m, const Stmt *s, const Constant *v);

#endif
