/* SPDX-License-Identifier: MIT */
/* What race.c and causality.c share: the accesses that a word keeps, and what a lane knows of other
 * warps' past. Internal to simt/. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "simt/memory.h"

/* Packed, as of a Word there is one for each word of memory. */
typedef struct {
	uint32_t lanes, time, stmt;
	uint32_t block;
	unsigned warp : 12;
	unsigned strong : 2;    /* Reach; REACH_NONE: it is weak */
	unsigned atomic : 1;    /* it reads and writes */
	unsigned polls : 1;     /* in a loop that waits for a write: polls.h */
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

/* ---- causality.c, known.c -------------------------------------------------------------------- */

/* Is an access ordered before what a lane does now, by strong accesses and fences? If not, what is
 * missing. */
typedef enum {
	KNOWN_NOT,              /* no strong write after it was read by the lane */
	/* one from the access's block was, but its lane did not know of the access */
	KNOWN_BUT_BARRIER,
	KNOWN_BUT_REACH,        /* one was, but it, the read, or a fence reaches the block only */
	KNOWN_BUT_RELEASE,      /* one was, but no fence stands in front of it */
	KNOWN_BUT_ACQUIRE,      /* one was, but no fence stands behind the read */
	KNOWN
} Verdict;

/* u: lane of the access's warp; *stmt: the strong write in question, when one was read. */
Verdict causal_known(Warp *w, uint32_t lane, const Past *a, uint32_t u, uint32_t *stmt);
/* A strong read of a word. A strong write: a release; one that is atomic also keeps what earlier
 * strong writes released. */
void causal_read(Warp *w, const Access *x, uint32_t lane, const Word *at);
void causal_write(Warp *w, const Access *x, const Spot *p, Word *at);
/* Does a weak write of the lane count as a release, being its first behind a fence? */
bool causal_flag(const Warp *w, uint32_t lane);
/* The lanes (by warp, of n warps) all learn what any of them knows. */
void causal_join(Warp *warps, uint32_t n, const uint32_t *lanes);

#endif
