/* SPDX-License-Identifier: MIT */
/* The memory accesses of a loop's statements, as far as their order matters. */
#ifndef TRANSFORM_LEGALITY_MEMORY_ACCESS_CLASS_H
#define TRANSFORM_LEGALITY_MEMORY_ACCESS_CLASS_H

#include "analysis/memory/underlying_objects.h"
#include "transform/plan/plan.h"

/* A statement that reads, writes or frees memory, or orders accesses. */
typedef struct {
	uint32_t stmt;
	bool reads, writes, frees;
	/* it is a fence, acquire or release, or calls a function that contains one */
	bool fence;
	Space space;            /* the state space that it names; SPACE_NONE: none */
	Underlying_objects base;
} Access;
typedef VEC(Access) Accesses;

/* Returns what the statement reads and writes. */
Access access_of_stmt(const Plan *x, uint32_t s);
/* Appends the accesses of a block. */
void accesses_collect(const Plan *x, uint32_t b, Accesses *to);
/* The same, with the underlying objects that objects_proven() returns. */
void accesses_collect_proven(const Plan *x, uint32_t b, Accesses *to);
/* Whether the accesses provably do not overlap: they name different state spaces, or both go to
 * variables that the program declares, and to different ones. */
bool accesses_disjoint(const Access *p, const Access *q);
/* Adds a note that names the function with the fence, if the access is a call with one. */
Verdict access_note_fence(const Plan *x, const Access *a, Verdict v);
bool access_is_atomic(const Plan *x, const Access *a);
/* Whether the statement may observe a change of memory by another thread. Atomic counters do not
 * count: each value that they return belongs to one thread. */
bool access_polls(const Plan *x, uint32_t stmt);

#endif
