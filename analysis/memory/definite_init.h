/* SPDX-License-Identifier: MIT */
/* Thread-local memory that is written before it is read: a scratch pad, whatever was in it.
 *
 * Where a lane runs code in another's stead, it does so in its own frame: what it had there itself
 * is lost. That is nothing to it if it writes each byte again before it reads it.
 */
#ifndef ANALYSIS_MEMORY_DEFINITE_INIT_H
#define ANALYSIS_MEMORY_DEFINITE_INIT_H

#include "analysis/dataflow/function.h"
#include "analysis/interproc/local_escape.h"

/* May what is in the frame be lost on the way from one block to another? */
typedef bool Filled_lost(void *user, uint32_t from, uint32_t to);

/* Is all that the function reads of its .local variables written by it behind the place where it
 * was last lost? Those variables must be all that it knows of thread-local memory (local_private).
 * A guess to the safe side: false if that is not seen. */
bool filled_reads(const Fn *fn, const Locals *l, Filled_lost *lost, void *user, Arena *a);

#endif
