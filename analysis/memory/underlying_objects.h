/* SPDX-License-Identifier: MIT */
/* The underlying objects of a memory access: the pointer parameters, variables and calls of malloc
 * that contribute to its address.
 *
 * base_of() guesses, for warnings: it assumes that different kernel parameters point to different
 * arrays, and that integers are indices. base_proven() assumes neither (provenance.c).
 */
#ifndef ANALYSIS_MEMORY_UNDERLYING_OBJECTS_H
#define ANALYSIS_MEMORY_UNDERLYING_OBJECTS_H

#include "analysis/dataflow/function.h"

enum { BASE_MOST = 4 };

typedef struct {
	Space space;
	uint32_t n;                     /* 0: not known, it could be any */
	uint64_t of[BASE_MOST];         /* a variable's symbol; a parameter's, and the offset in it;
	                                   or a call of malloc: base_malloc */
	bool dynamic;                   /* one of them is dynamic shared memory */
	bool merged;                    /* definitions meet on the way to it, as round a loop */
} Base;

/* Of a statement that loads or stores. */
Base base_of(const Fn *fn, uint32_t stmt, Arena *a);
/* The same, of variables alone: every variable that the access can reach, or none if the code does
 * not show it. */
Base base_proven(const Fn *fn, uint32_t stmt, Arena *a);
/* The state space of an access; GENERIC of one that has several addresses, such as cp.async. */
Space base_space(const Module *m, const Stmt *s);
/* Adds a variable; false: there is no room for another. */
bool base_add_variable(Base *b, const Module *m, uint32_t sym);
/* Of the pointer that a call of free gives back; not known unless it is the only argument. */
Base base_freed(const Fn *fn, uint32_t call, Arena *a);
/* Could two accesses be to one array? All .extern .shared arrays begin at the same address. */
bool base_meets(const Base *a, const Base *b);
/* Could a call of free give an access's array back? What a kernel's parameter or a variable leads
 * to is taken to be freed by a pointer from there only. */
bool base_freed_meets(const Base *freed, const Base *access);
/* The call of malloc that one of Base.of stands for, a statement; 0 if it is no such. */
static inline uint32_t base_malloc(uint64_t of) { return of >> 32 ? 0 : (uint32_t)of; }

#endif
