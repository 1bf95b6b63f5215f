/* SPDX-License-Identifier: MIT */
/* What running a piece of code can do besides computing registers; for single statements, and for
 * functions with all they call. */
#ifndef ANALYSIS_INTERPROC_EFFECTS_H
#define ANALYSIS_INTERPROC_EFFECTS_H

#include "analysis/cfg/cfg.h"
#include "base/bits.h"

typedef enum {
	/* waits for other warps: bar, barrier, barrier.cluster, mbarrier.try_wait ... */
	EFF_BARRIER  = 1 << 0,
	/* warp-synchronous: shfl, vote, match, redux, activemask, bar.warp.sync, elect, mma ... */
	EFF_CROSS    = 1 << 1,
	/* names a .local variable or accesses .local memory (own frame of a callee: not). Registers
	 * that hold such an address: see local_escape.h */
	EFF_LOCAL    = 1 << 2,
	EFF_STACK    = 1 << 3,  /* alloca, stacksave, stackrestore */
	EFF_UNKNOWN  = 1 << 4,  /* an opcode that ops.def lacks */
	EFF_EXIT     = 1 << 5,  /* exit: the thread may end */
	/* calls a function whose body is not here and that is no known runtime function */
	EFF_EXTERN   = 1 << 6,
	EFF_INDIRECT = 1 << 7,  /* calls through a register */
	/* reads memory that others may write (not .param, .const, ld.global.nc, own .local) */
	EFF_READ     = 1 << 8,
	EFF_WRITE    = 1 << 9,  /* writes memory that others may read */
	EFF_GENERIC  = 1 << 10, /* accesses memory through a generic address */
	EFF_SPIN     = 1 << 11, /* atomic or volatile access: what a waiting loop polls with */
	/* reads a special register that belongs to the thread: %tid, %laneid, %lanemask_* */
	EFF_LANE     = 1 << 12,
	/* cp.async and kin: a copy, or a wait for copies, that belongs to the thread that started
	 * it */
	EFF_ASYNC    = 1 << 13,
	EFF_RECURSE  = 1 << 14  /* calls a function that can come to call itself */
} Effect;

typedef struct {
	/* by Func index: effects of running it, callees included (0 for an unknown extern: see
	 * EXTERN) */
	uint32_t *func;
	uint32_t *callees;      /* call graph: edges */
	uint32_t *callee_of;    /* by Func index: callees[callee_of[f] .. callee_of[f + 1]) */
	uint32_t *callers;      /* the same turned round */
	uint32_t *caller_of;
	/* memory may hold addresses of variables, or numbers computed from them (escape.h); found
	 * for modules that have annotations without a promise, else true */
	bool escapes;
	bool escapes_local;     /* the same, of thread-local variables */
} Effects;

Effects *effects_build(const Module *m, Arena *a);
/* Effects of one statement of function f; of a call: those of the callee. */
uint32_t effects_stmt(const Module *m, const Effects *e, uint32_t stmt);
/* The function that a call statement calls: Func index, 0 when indirect. */
uint32_t effects_callee(const Module *m, uint32_t stmt);
/* Is it a function of the CUDA runtime that is known to do none of the above but write memory
 * (vprintf, malloc ...)? func 0: no. */
bool effects_is_runtime(const Module *m, uint32_t func);
/* Does it allocate what its result points to; free what its argument points to? func 0: no. */
bool effects_allocates(const Module *m, uint32_t func);
bool effects_frees(const Module *m, uint32_t func);
/* Adds to seen function `from` and all that it can come to call by name. */
void effects_flood(const Effects *e, uint32_t from, Bits seen);
/* The same, and through a pointer: that may be any function but a kernel. */
void effects_flood_any(const Module *m, const Effects *e, uint32_t from, Bits seen);
/* Adds to seen function `to` and all that can come to call it, by name or through a pointer. */
void effects_flood_callers(const Module *m, const Effects *e, uint32_t to, Bits seen);
/* Can function `from` come to call `to`, directly or through others? (from == to: is it recursive?)
 * Calls through pointers may go anywhere. */
bool effects_reaches(const Module *m, const Effects *e, uint32_t from, uint32_t to);

#endif
