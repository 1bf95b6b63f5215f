/* SPDX-License-Identifier: MIT */
/* Register use of kernels as reported by the assembler, and the largest blocks that it permits.
 *
 * A launch fails ("too many resources requested") if the registers of a thread times the threads of
 * a block exceed the 65,536 of a multiprocessor (sm_70 and later; CUDA Programming Guide, table of
 * compute capabilities). */
#ifndef TRANSFORM_OUTPUT_PTXAS_REGISTERS_H
#define TRANSFORM_OUTPUT_PTXAS_REGISTERS_H

#include "parser/ptx.h"

typedef struct {
	uint32_t used;          /* registers per thread; 0: unknown */
	uint32_t spilled;       /* bytes per thread spilled to local memory */
	uint32_t shared;        /* bytes of static shared memory per block */
} Kernel_registers;

/* Parses the output of `ptxas -v` (or of nvPTXCompiler with -v, which has the same format). of:
 * m->nfuncs entries, by Func. */
void kernel_registers_parse(const Module *m, const char *log, Kernel_registers *of);
/* Returns the warps of the largest launchable block with `used` registers per thread: 1 to 32. */
uint32_t registers_max_warps(uint32_t used);
/* Returns the most registers per thread with which a block of `warps` warps is launchable. */
uint32_t registers_max_per_thread(uint32_t warps);

#endif
