/* Which arrays a memory access may go to: the pointer parameters and variables that its address is made from.
 *
 * A guess, good for warnings only: it takes pointers that come to a kernel in different parameters for pointers to different
 * arrays.
 */
#ifndef ANALYSIS_BASE_H
#define ANALYSIS_BASE_H

#include "analysis/fn.h"

enum { BASE_MOST = 4 };

typedef struct {
	Space space;
	uint32_t n;                     /* 0: not known, it could be any */
	uint64_t of[BASE_MOST];         /* a variable's symbol; or a parameter's, and the offset in it */
} Base;

/* Of a statement that loads or stores. */
Base base_of(const Fn *fn, uint32_t stmt, Arena *a);
/* Could two accesses be to one array? */
bool base_meets(const Base *a, const Base *b);

#endif
