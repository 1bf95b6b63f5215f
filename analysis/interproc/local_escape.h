/* SPDX-License-Identifier: MIT */
/* Which registers may hold the address of thread-local memory (a .local variable, or a .func's
 * parameter), and which statement gave it to them.
 *
 * A generic pointer to local memory refers to a different location in each thread, so a task that
 * carries one cannot be given to another lane. Flow-insensitive, over all functions that may run in
 * the same thread as the given function: addresses are followed through arithmetic, arguments and
 * results, and through memory. */
#ifndef ANALYSIS_INTERPROC_LOCAL_ESCAPE_H
#define ANALYSIS_INTERPROC_LOCAL_ESCAPE_H

#include "analysis/interproc/thread_reachability.h"

typedef struct Locals Locals;

/* Origin of such an address. func 0: there is no such address. stmt: the statement that takes it;
 * if it comes from another function or through memory, the call that passes it or the statement
 * that stores it; 0: code of another module that can call func may have passed or stored one. */
typedef struct { uint32_t func, stmt; } Address_origin;

/* Runs the analysis for the threads that execute function func. */
Locals *local_build(const Module *m, const Threads *t, uint32_t func, Arena *a);
/* Returns the result for func with the tables of the result for another function; NULL if they
 * differ, since other functions run in its threads. */
const Locals *local_share(const Locals *of, const Threads *t, uint32_t func, Arena *a);

/* Returns the origin of an address that a symbol of the function may hold. The symbol is a
 * register, a .param variable, or a parameter or result of a .func. */
Address_origin address_origin_of(const Locals *l, uint32_t sym);
/* Returns the origin of an address that the function or its callees may load from memory outside of
 * .local. */
Address_origin local_address_is_stored(const Locals *l);
/* Whether all local addresses that the function knows point to its own frame, and none escapes
 * except into its frame. */
bool local_memory_is_private(const Locals *l);

#endif
