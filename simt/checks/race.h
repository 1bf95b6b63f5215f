/* SPDX-License-Identifier: MIT */
/* The interface between race.c and causality.c: the accesses recorded for a word, and a lane's
 * knowledge of other warps' past accesses. Internal to simt/. */
#ifndef SIMT_CHECKS_RACE_H
#define SIMT_CHECKS_RACE_H

#include "simt/checks/checks.h"
#include "simt/state/shadow.h"

/* ---- causality.c, happens_before.c ----------------------------------------------------------- */

/* Whether strong accesses and fences order an access before a lane's next ones; if not, what is
 * missing. */
typedef enum {
	KNOWN_NOT,              /* the lane has read no strong write made after the access */
	/* it has read one from the access's block, but the writing lane did not know of the
	 * access */
	KNOWN_BUT_BARRIER,
	KNOWN_BUT_REACH, /* the scope of the write, of the read or of a fence is only the block */
	KNOWN_BUT_RELEASE,      /* no fence precedes the write */
	KNOWN_BUT_ACQUIRE,      /* no fence follows the read */
	KNOWN
} Verdict;

/* u: lane of the access's warp; *stmt: the strong write in question, if one was read. */
Verdict happens_before(Warp *w, uint32_t lane, const Past_access *a, uint32_t u, uint32_t *stmt);
/* Record a strong read, or a strong write, of a word. A write is a release; an atomic one also
 * keeps what earlier strong writes released. */
void causality_read(Warp *w, const Access *x, uint32_t lane, const Shadow_word *at);
void causality_write(Warp *w, const Access *x, const Access_target *p, Shadow_word *at);
/* Whether a weak write of the lane counts as a release, because it is the first after a fence. */
bool causality_flag(const Warp *w, uint32_t lane);
/* Lets the lanes (by warp, of n warps) all learn what any of them knows. */
void causality_join(Warp *warps, uint32_t n, const uint32_t *lanes);

#endif
