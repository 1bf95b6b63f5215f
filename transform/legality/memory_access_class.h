/* SPDX-License-Identifier: MIT */
/* The accesses to memory of a loop's statements, as far as it matters in which order they come. */
#ifndef TRANSFORM_LEGALITY_MEMORY_ACCESS_CLASS_H
#define TRANSFORM_LEGALITY_MEMORY_ACCESS_CLASS_H

#include "analysis/memory/underlying_objects.h"
#include "transform/plan/plan.h"

/* A statement that reads, writes or frees memory, or a fence. */
typedef struct { uint32_t stmt; bool reads, writes, frees, fence; Base base; } Access;
typedef VEC(Access) Accesses;

/* What the statement reads and writes. */
Access access_of(const Plan *x, uint32_t s);
/* Adds those of a block. */
void accesses_find(const Plan *x, uint32_t b, Accesses *to);
/* Like that, with what base_proven() says of their bases. */
void accesses_find_proven(const Plan *x, uint32_t b, Accesses *to);
/* Is it certain that two of these never meet: do both go to variables that the program declares,
 * and to different ones? */
bool access_apart(const Access *p, const Access *q);
bool access_is_atomic(const Plan *x, const Access *a);
/* Does a statement look whether memory has changed? Not one that counts: what it finds is its
 * own. */
bool access_looks(const Plan *x, uint32_t stmt);

#endif
