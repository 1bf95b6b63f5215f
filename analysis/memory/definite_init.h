/* SPDX-License-Identifier: MIT */
/* Definite initialisation of thread-local memory: whether it is used as a scratch pad that is
 * written before it is read.
 *
 * A lane that runs code for another lane does so in its own frame and overwrites its own values
 * there. This is harmless if it writes each byte again before it reads it. */
#ifndef ANALYSIS_MEMORY_DEFINITE_INIT_H
#define ANALYSIS_MEMORY_DEFINITE_INIT_H

#include "analysis/dataflow/function.h"
#include "analysis/interproc/local_escape.h"

/* Whether the contents of the frame may be lost on the edge from one block to another. */
typedef bool Undefined_read(void *user, uint32_t from, uint32_t to);

/* Whether the function writes every byte that it reads of its .local variables after the last point
 * where it may be lost. Those variables must be the only thread-local memory that it accesses
 * (local_memory_is_private). Conservative: false unless shown. */
bool definite_init_reads(const Fn *fn, const Locals *l, Undefined_read *lost, void *user, Arena *a);

#endif
