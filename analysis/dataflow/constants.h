/* SPDX-License-Identifier: MIT */
/* Constant propagation on demand: registers that always have the same value when they are read.
 * Conservative: a value is unknown unless it is shown to be constant. */
#ifndef ANALYSIS_DATAFLOW_CONSTANTS_H
#define ANALYSIS_DATAFLOW_CONSTANTS_H

#include "analysis/dataflow/function.h"

/* A number; 32-bit code uses its lower half. If sym is set: the address n bytes after the start of
 * that .local variable. */
typedef struct { bool known; uint32_t sym; uint64_t n; } Constant;

/* Return the value of a use and of a definition. */
Constant constant_use(const Fn *fn, uint32_t use);
Constant constant_def(const Fn *fn, uint32_t def);
/* Returns the address of a symbol that is a .local variable. */
Constant constant_symbol(const Module *m, uint32_t sym);
/* Returns the value of an OPND_IMM. */
Constant constant_immediate(const Module *m, const Opnd *o);
/* Returns what an instruction computes from its two operands after the destination. */
Constant constant_of(const Module *m, const Stmt *s, const Constant *v);

#endif
