/* SPDX-License-Identifier: MIT */
/* The records of each word of memory for the checks of races and of promises. Internal to simt/. */
#ifndef SIMT_STATE_SHADOW_H
#define SIMT_STATE_SHADOW_H

#include "simt/state/sim.h"

/* A previous access. Packed, because each word of memory has three. */
typedef struct {
	uint32_t lanes, time, stmt;
	uint32_t block;
	unsigned warp : 12;
	unsigned strong : 2;    /* Reach; REACH_NONE: weak */
	unsigned atomic : 1;    /* reads and writes */
	unsigned polls : 1;     /* in a loop that waits for a write: spin_loops.h */
} __attribute__((packed, aligned(2))) Past_access;

typedef struct {
	/* owner of these accesses: in global memory the launch, in shared memory the block.
	 * Accesses of an older owner are ignored */
	uint32_t epoch;
	union {
		uint32_t log;   /* log of its strong writes: causality.c; 0: none yet */
		uint32_t parts; /* if apart: index of its first byte in Shadow.parts */
	};
	Past_access write, read[2];
	unsigned apart : 1;     /* bytes are tracked separately */
	unsigned changes : 2;   /* number of writes that changed its value; 2: two or more */
	unsigned looked : 1;    /* it was read before it was changed */
	unsigned met : 1;       /* a strong write changed it since the last weak one */
	/* it was read weakly since the last weak write, and before that */
	unsigned searched : 1;
} Shadow_word;
enum { LINE = 64 };             /* bytes of a cache line of the host; the size of a Word */
_Static_assert(sizeof(Shadow_word) == LINE, "to look at a Word is one miss");

/* Accesses by one thread in one iteration of an annotated loop. */
typedef struct {
	uint32_t time;          /* the lane's time: promise.c */
	unsigned stmt : 25;     /* of the last one */
	unsigned bytes : 4;     /* a bit for each byte of the word; 0: no access */
	unsigned atomic : 1;    /* all were atomic operations */
	/* writes: all were marks (F_MARK), or atomic operations that followed a read */
	unsigned mark : 1;
	unsigned path : 1;      /* one was in a path of a loop whose lanes are in step */
} Promised_access;

/* The promise check's record of a word: the thread that accessed it last, its last write, and its
 * last reads in two iterations. */
typedef struct {
	uint32_t block;         /* number of the thread's block; 0: no access yet */
	uint32_t thread;
	Promised_access write, read[2];
} Promised_word;

struct Shadow {
	Shadow_word *word;
	void *all;
	size_t bytes;
	VEC(Shadow_word) parts;
	Promised_word *iterations;     /* NULL until needed */
};

Shadow *shadow_new(size_t bytes);                       /* for that many bytes of memory */
void shadow_add_iterations(Shadow *s);                  /* allocates s->iterations */
void shadow_free(Shadow *s);                            /* s may be NULL */

#endif
