/* SPDX-License-Identifier: MIT */
/* What an assembler says of the registers that kernels take, and the largest blocks that can have
 * as many.
 *
 * A launch fails ("too many resources requested") when registers a thread, times the threads of a
 * block, pass the 65,536 that a multiprocessor has (sm_70 and later; CUDA Programming Guide, table
 * of compute capabilities).
 */
#ifndef TRANSFORM_OUTPUT_REGISTERS_H
#define TRANSFORM_OUTPUT_REGISTERS_H

#include "parser/ptx.h"

typedef struct {
	uint32_t used;          /* registers a thread; 0: nothing was said of it */
	uint32_t spilled;       /* bytes a thread that were stored for want of registers */
	uint32_t shared;        /* bytes of static shared memory a block */
} Registers;

/* Reads what `ptxas -v` says (or nvPTXCompiler with -v: the same text). of: by Func, m->nfuncs of
 * them. */
void registers_read(const Module *m, const char *log, Registers *of);
/* The warps of the largest block that can be launched with so many registers a thread: 1 to 32. */
uint32_t registers_warps(uint32_t used);
/* The most registers a thread with which a block of so many warps can be launched. */
uint32_t registers_most(uint32_t warps);

#endif
