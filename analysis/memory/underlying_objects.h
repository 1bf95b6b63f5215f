/* SPDX-License-Identifier: MIT */
/* The underlying objects of a memory access: the pointer parameters, variables and calls of malloc
 * that contribute to its address.
 *
 * base_of() guesses, for warnings: it assumes that different kernel parameters point to different
 * arrays, and that integers are indices. objects_proven() assumes neither (provenance.c).
 */
#ifndef ANALYSIS_MEMORY_UNDERLYING_OBJECTS_H
#define ANALYSIS_MEMORY_UNDERLYING_OBJECTS_H

#include "analysis/dataflow/function.h"

enum { BASE_MOST = 4 };

typedef struct {
	Space space;
	uint32_t n;                     /* 0: unknown, any object */
	/* a variable's symbol; a parameter's symbol and the offset in it; or a call of malloc
	 * (object_malloc_call) */
	uint64_t of[BASE_MOST];
	bool dynamic;                   /* one of them is dynamic shared memory */
	/* several definitions reach the address, for example around a loop */
	bool merged;
} Underlying_objects;

/* Returns room for the results of objects_of_access(), which plans query again and again; NULL
 * without effects. */
Object_cache *object_cache_build(const Fn *fn, Arena *a);
/* Returns the objects of a load or store. */
Underlying_objects objects_of_access(const Fn *fn, uint32_t stmt, Arena *a);
/* The same, restricted to variables and proven: every variable that the access can reach, or none
 * if the code does not show it. */
Underlying_objects objects_proven(const Fn *fn, uint32_t stmt, Arena *a);
/* Returns the state space of an access; GENERIC if it has several addresses, such as cp.async. */
Space access_space(const Module *m, const Stmt *s);
/* Adds a variable; false if there is no room for another. */
bool objects_add_variable(Underlying_objects *b, const Module *m, uint32_t sym);
/* Returns the objects of the pointer that a call of free releases; unknown unless it is the only
 * argument. */
Underlying_objects objects_freed_by_call(const Fn *fn, uint32_t call, Arena *a);
/* Whether two accesses may be to the same array. All .extern .shared arrays begin at the same
 * address. */
bool objects_may_alias(const Underlying_objects *a, const Underlying_objects *b);
/* Whether a call of free may release the array of an access. Assumes that memory reached from a
 * kernel parameter or a variable is only freed through a pointer from there. */
bool freed_may_alias(const Underlying_objects *freed, const Underlying_objects *access);
/* Returns the malloc call statement of an element of Underlying_objects.of; 0 if the element is
 * another object. */
static inline uint32_t object_malloc_call(uint64_t of) { return of >> 32 ? 0 : (uint32_t)of; }

#endif
