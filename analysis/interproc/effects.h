/* SPDX-License-Identifier: MIT */
/* What executing code can do besides computing registers: for single statements, and for functions
 * together with their callees. */
#ifndef ANALYSIS_INTERPROC_EFFECTS_H
#define ANALYSIS_INTERPROC_EFFECTS_H

#include "analysis/cfg/cfg.h"
#include "base/bits.h"

typedef enum {
	/* waits for other warps: bar, barrier, barrier.cluster, mbarrier.try_wait ... */
	EFF_BARRIER  = 1 << 0,
	/* warp-synchronous: shfl, vote, match, redux, activemask, bar.warp.sync, elect, mma ... */
	EFF_CROSS    = 1 << 1,
	/* names a .local variable or accesses .local memory, except a callee's own frame. For
	 * registers that hold such an address see local_escape.h. */
	EFF_LOCAL    = 1 << 2,
	EFF_STACK    = 1 << 3,  /* alloca, stacksave, stackrestore */
	EFF_UNKNOWN  = 1 << 4,  /* an opcode that ops.def does not list */
	EFF_EXIT     = 1 << 5,  /* exit: the thread may end */
	/* calls a function that has no body here and is not a known runtime function */
	EFF_EXTERN   = 1 << 6,
	EFF_INDIRECT = 1 << 7,  /* calls through a register */
	/* reads memory that others may write (not .param, .const, ld.global.nc, own .local) */
	EFF_READ     = 1 << 8,
	EFF_WRITE    = 1 << 9,  /* writes memory that others may read */
	EFF_GENERIC  = 1 << 10, /* accesses memory through a generic address */
	EFF_SPIN     = 1 << 11, /* atomic or volatile access, as used in polling loops */
	/* reads a special register that belongs to the thread: %tid, %laneid, %lanemask_* */
	EFF_LANE     = 1 << 12,
	/* cp.async and similar: a copy, or a wait for copies, that belongs to the thread that
	 * started it */
	EFF_ASYNC    = 1 << 13,
	EFF_RECURSE  = 1 << 14, /* calls a function that is recursive */
	/* orders later accesses after earlier ones of other threads, or earlier accesses before
	 * later ones of other threads; a fence does both */
	EFF_ACQUIRE  = 1 << 15,
	EFF_RELEASE  = 1 << 16,
	EFF_ORDER    = EFF_ACQUIRE | EFF_RELEASE
} Effect;

typedef struct {
	/* by Func index: effects of executing it, callees included (0 for an unknown extern: see
	 * EFF_EXTERN) */
	uint32_t *func;
	uint32_t *callees;      /* edges of the call graph */
	uint32_t *callee_of;    /* by Func index: callees[callee_of[f] .. callee_of[f + 1]) */
	uint32_t *callers;      /* reverse edges */
	uint32_t *caller_of;
	/* memory may hold addresses of variables, or numbers computed from them (escape.h);
	 * computed for modules with `proven` annotations, else true */
	bool escapes;
	bool escapes_local;     /* the same for thread-local variables */
} Effects;

Effects *effects_build(const Module *m, Arena *a);
/* Returns the effects of one statement of function f; of a call: those of the callee. */
uint32_t effects_stmt(const Module *m, const Effects *e, uint32_t stmt);
/* Returns the Func index of the function that a call statement calls; 0 if it is indirect. */
uint32_t effects_callee(const Module *m, uint32_t stmt);
/* Whether func is a function of the CUDA runtime that is known to do none of the above except write
 * memory (vprintf, malloc ...). False for func 0. */
bool effects_is_runtime(const Module *m, uint32_t func);
/* Whether func allocates what its result points to; whether it frees what its argument points to.
 * False for func 0. */
bool effects_allocates(const Module *m, uint32_t func);
bool effects_frees(const Module *m, uint32_t func);
/* Adds to seen function `from` and all functions that it may call by name, transitively. */
void effects_flood(const Effects *e, uint32_t from, Bits seen);
/* The same, where a call through a pointer may reach any function except a kernel. */
void effects_flood_any(const Module *m, const Effects *e, uint32_t from, Bits seen);
/* Adds to seen function `to` and all functions that may call it, by name or through a pointer. */
void effects_flood_callers(const Module *m, const Effects *e, uint32_t to, Bits seen);
/* Whether function `from` may call `to`, directly or through others (from == to: whether it is
 * recursive). Calls through pointers may reach any function. */
bool effects_reaches(const Module *m, const Effects *e, uint32_t from, uint32_t to);

#endif
