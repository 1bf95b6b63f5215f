/* Which registers may hold the address of thread-local memory (a .local variable, or a .func's
 * parameter).
 *
 * A generic pointer to local memory means another place in each thread, so a task that carries
 * one cannot be given to another lane. Flow-insensitive, over the whole module: addresses are
 * followed through arithmetic, memory and calls.
 */
#ifndef ANALYSIS_LOCAL_H
#define ANALYSIS_LOCAL_H

#include "base/bits.h"
#include "parser/ptx.h"

typedef struct {
	Bits sym;           /* by module symbol: register that may hold such an address */
	bool stored;        /* one is stored outside .local memory: any load may give it back */
	bool passed;        /* one is an argument of a call: any .func's parameter, and any call's result, may be one */
} Locals;

Locals *local_build(const Module *m, Arena *a);

#endif
