/* SPDX-License-Identifier: MIT */
/* What race.c and causality.c share: the accesses that a word keeps, and what a lane knows of other
 * warps' past. Internal to simt/. */
#ifndef SIMT_CHECKS_RACE_H
#define SIMT_CHECKS_RACE_H

#include "simt/checks/checks.h"
#include "simt/state/shadow.h"

/* ---- causality.c, happens_before.c ----------------------------------------------------------- */

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
