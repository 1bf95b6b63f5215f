/* SPDX-License-Identifier: MIT */
/* Which registers may hold the address of thread-local memory (a .local variable, or a .func's
 * parameter), and by which statement it came to them.
 *
 * A generic pointer to local memory means another place in each thread, so a task that carries
 * one cannot be given to another lane. Flow-insensitive, over all functions that a thread may run
 * which runs the function in question: addresses are followed through arithmetic, arguments and
 * results, and through memory.
 */
#ifndef ANALYSIS_INTERPROC_LOCAL_ESCAPE_H
#define ANALYSIS_INTERPROC_LOCAL_ESCAPE_H

#include "analysis/interproc/thread_reachability.h"

typedef struct Locals Locals;

/* Where such an address comes from. func 0: from nowhere, there is none. stmt: what takes it; or,
 * when it comes from another function or through memory, the call that passes it or the statement
 * that stores it; 0: code of another module may have passed or stored one, which can call func. */
typedef struct { uint32_t func, stmt; } Local_from;

/* What is so in the threads that run function func. */
Locals *local_build(const Module *m, const Threads *t, uint32_t func, Arena *a);

/* One that a symbol of the function may hold: a register; a .param variable, or a .func's
 * parameter or result. */
Local_from local_held(const Locals *l, uint32_t sym);
/* One that the function, or what it calls, may find in memory: it was stored outside of .local
 * memory. */
Local_from local_stored(const Locals *l);
/* Do all addresses that the function knows point to its own frame, and does it give none of them
 * away? It may keep them in its frame. */
bool local_private(const Locals *l);

#endif
