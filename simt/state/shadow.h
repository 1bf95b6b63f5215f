/* SPDX-License-Identifier: MIT */
/* What the race check remembers of each word of memory. Internal to simt/. */
#ifndef SIMT_STATE_SHADOW_H
#define SIMT_STATE_SHADOW_H

#include "simt/state/sim.h"

/* Packed, as of a Word there is one for each word of memory. */
typedef struct {
	uint32_t lanes, time, stmt;
	uint32_t block;
	unsigned warp : 12;
	unsigned strong : 2;    /* Reach; REACH_NONE: it is weak */
	unsigned atomic : 1;    /* it reads and writes */
	unsigned polls : 1;     /* in a loop that waits for a write: spin_loops.h */
} __attribute__((packed, aligned(2))) Past;

typedef struct {
	/* whose accesses these are: in global memory the launch's, in shared memory the block's;
	 * of an older one all is forgotten */
	uint32_t epoch;
	union {
		uint32_t log;   /* of the strong writes to it: causality.c; 0: none yet */
		uint32_t parts; /* apart: index of its first byte in Shadow.parts */
	};
	Past write, read[2];
	unsigned apart : 1;     /* each byte is by itself */
	unsigned changes : 2;   /* how many writes changed its value: 0, 1, 2 for more */
	unsigned looked : 1;    /* it was read before it was changed */
	unsigned met : 1;       /* a strong write changed it since the last weak one */
	/* it was read weakly since the last weak write, and before that */
	unsigned searched : 1;
} Word;
enum { LINE = 64 };             /* bytes of a line of the host's cache: a Word is one */
_Static_assert(sizeof(Word) == LINE, "to look at a Word is one miss");

struct Shadow { Word *word; void *all; size_t bytes; VEC(Word) parts; };

Shadow *shadow_new(size_t bytes);                       /* of so many bytes of memory */
void shadow_free(Shadow *s);                            /* s may be NULL */

#endif
