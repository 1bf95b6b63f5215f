/* SPDX-License-Identifier: MIT */
/* What race.c and causality.c share: the accesses that a word keeps, and what a lane knows of other
 * warps' past. Internal to simt/. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "simt/memory.h"

typedef struct {
	uint32_t lanes, time, stmt;
	uint32_t block;
	uint16_t warp;
	unsigned strong : 2;    /* Reach; REACH_NONE: it is weak */
	unsigned atomic : 1;    /* it reads and writes */
	unsigned polls : 1;     /* in a loop that waits for a write: polls.h */
} Past;

typedef struct {
	/* of what: in global memory the launch, in shared memory the block, whose accesses these
	 * are */
	uint32_t epoch;
	uint32_t log;           /* of the strong writes here: causality.c; 0: none yet */
	/* which of the shadow's parts are its bytes, each on its own; 0: the word is one */
	uint32_t parts;
	uint8_t changes;        /* writes that changed it: 0, 1, 2 for more */
	bool looked;            /* it was read before it was changed */
	bool met;               /* a strong write changed it since the last weak one */
	bool searched;          /* it was read weakly since the last weak write, and before that */
	Past write, read[2];
} Word;

struct Shadow { Word *word; VEC(Word) parts; };

/* ---- causality.c, known.c -------------------------------------------------------------------- */

/* Is an access ordered before what a lane does now, by strong accesses and fences? If not, what is
 * missing. */
typedef enum {
	KNOWN_NOT,              /* no strong write after it was read by the lane */
	/* one of the access's block was, but its lane did not know of the access */
	KNOWN_BUT_BARRIER,
	KNOWN_BUT_REACH,        /* one was, but it, the read, or a fence reaches the block only */
	KNOWN_BUT_RELEASE,      /* one was, but no fence stands in front of it */
	KNOWN_BUT_ACQUIRE,      /* one was, but no fence stands behind the read */
	KNOWN
} Verdict;

/* u: lane of the access's warp; *stmt: the strong write in question, when one was read. */
Verdict causal_known(Warp *w, uint32_t lane, const Past *a, uint32_t u, uint32_t *stmt);
/* A strong read of a word; a strong write, which if it is atomic keeps what those before it
 * released. */
void causal_read(Warp *w, const Access *x, uint32_t lane, const Word *at);
void causal_write(Warp *w, const Access *x, const Spot *p, Word *at);
/* Is a weak write of the lane, too, one to leave a release with? */
bool causal_flag(const Warp *w, uint32_t lane);
/* The lanes of n warps, by warp, learn what one of them knows. */
void causal_join(Warp *warps, uint32_t n, const uint32_t *lanes);

#endif
