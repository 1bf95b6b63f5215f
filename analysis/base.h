/* SPDX-License-Identifier: MIT */
/* Which arrays a memory access may go to: the pointer parameters, variables and calls of malloc
 * that its address is made from.
 *
 * A guess, good for warnings only: it takes pointers that come to a kernel in different parameters
 * for pointers to different arrays.
 */
#ifndef ANALYSIS_BASE_H
#define ANALYSIS_BASE_H

#include "analysis/fn.h"

enum { BASE_MOST = 4 };

typedef struct {
	Space space;
	uint32_t n;                     /* 0: not known, it could be any */
	uint64_t of[BASE_MOST];         /* a variable's symbol; a parameter's, and the offset in it;
	                                   or a call of malloc: base_malloc */
	bool merged;                    /* definitions meet on the way to it, as round a loop */
} Base;

/* Of a statement that loads or stores. */
Base base_of(const Fn *fn, uint32_t stmt, Arena *a);
/* Of the pointer that a call of free gives back; not known unless it is the only argument. */
Base base_freed(const Fn *fn, uint32_t call, Arena *a);
/* Could two accesses be to one array? */
bool base_meets(const Base *a, const Base *b);
/* Could a call of free give an access's array back? What a kernel's parameter or a variable leads
 * to is taken to be freed by a pointer from there only. */
bool base_freed_meets(const Base *freed, const Base *access);
/* The call of malloc that one of Base.of stands for, a statement; 0 if it is no such. */
static inline uint32_t base_malloc(uint64_t of) { return of >> 32 ? 0 : (uint32_t)of; }

#endif
