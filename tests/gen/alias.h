/* SPDX-License-Identifier: MIT */
/* Random kernels without annotations: the same seed gives the same PTX text.
 *
 * The program promises only the absence of data races. Iterations of a loop depend on each other
 * through variables and memory, and the kernel reaches a byte of memory through several
 * pointers:
 *
 *	- parameters `a`, `b` and `c`, which a launch sets to overlapping parts of one buffer or
 *	  of a device variable;
 *	- the device variables `g1` and `g2`, the shared arrays `s1` and `s2`, the arrays `d1` and
 *	  `d2` of dynamic shared memory, which are one memory, and the local arrays `l1` and `l2`;
 *	- pointers computed from two of these.
 *
 * Each thread accesses only its window of ALIAS_WINDOW bytes in each of them, so that its results
 * depend only on the order of its own accesses. All threads update counters in `sums` by
 * commutative atomic operations. `in` is never written. At the end a thread writes its variables to
 * `last`. */
#ifndef GEN_ALIAS_H
#define GEN_ALIAS_H

#include "tests/gen/gen.h"

enum {
	ALIAS_THREADS = 128, /* maximum of a launch */
	ALIAS_BLOCK = 64,    /* maximum number of threads of a block */
	ALIAS_WINDOW = 64,   /* bytes */
	ALIAS_STRIDE = 128,  /* from a thread's window in global memory to the next one */
	ALIAS_MEMORY = ALIAS_THREADS * ALIAS_STRIDE + ALIAS_STRIDE,
	ALIAS_LAST = 128,                           /* bytes of a thread in `last` */
	ALIAS_DYNAMIC = ALIAS_BLOCK * ALIAS_WINDOW, /* bytes of dynamic shared memory */
	ALIAS_POINTERS = 3,                         /* a, b, c */
	ALIAS_VARIABLES = 2                         /* g1, g2 */
};

extern const char *const alias_variables[ALIAS_VARIABLES];

/* A launch. A pointer is an offset in the buffer (variable 0) or in device variable - 1. */
typedef struct {
	uint32_t grid, block[3];
	struct {
		uint32_t variable, offset;
	} pointer[ALIAS_POINTERS];
} Alias_launch;

/* Parameters: u64 in, a, b, c, last, sums; u32 n, x. */
void alias_kernel(uint64_t seed, Buf *out, Gen_info *info);
/* Draws a launch. */
void alias_launch(uint64_t *state, Alias_launch *l);

/* Simplifies the text as a compiler would (alias_clean.c). */
void alias_clean(Buf *text);

#endif
