/* SPDX-License-Identifier: MIT */
/* What is remembered of strong accesses and fences: causality.c keeps it, happens_before.c
 * searches it.
 * Internal to simt/. */
#ifndef SIMT_CHECKS_CAUSALITY_H
#define SIMT_CHECKS_CAUSALITY_H

#include "simt/checks/race.h"

enum { MOST_SEEN = 64 };

/* Releases [from, to) of a log. */
typedef struct { uint32_t log, from, to, wide; } Seen;
typedef struct { Seen *at; uint32_t n, cap; bool all; } Seens; /* all: too many to name */

/* What a lane knew: accesses before these times, and releases. */
typedef struct {
	uint32_t lane[LANES];           /* of its own warp */
	const uint32_t *warp;           /* by warp of its block */
	const Seen *seen; uint32_t nseen;
	bool all;
} Snap;

enum { IN_BLOCK, IN_ALL, SCOPES };
typedef struct {
	uint32_t block, lanes, stmt;
	uint32_t now;                   /* the lanes' own accesses before this time come first */
	uint32_t fenced[SCOPES];        /* before this, also a fence of that scope */
	/* the block's previous release in this log, from 1; 0: none */
	uint32_t before;
	uint16_t warp, nwarps;
	bool wide;
	const Snap *at, *at_fence[SCOPES];
	/* of the block's threads, by scope and thread; NULL: none yet */
	const uint32_t *fences;
} Release;

/* The lane that made release `at` of a log had seen these releases of another log (log 0: of all);
 * fenced: and had a fence of that scope afterwards. */
typedef struct { Seen seen; uint32_t at; bool fenced[SCOPES]; } Link;

typedef struct {
	VEC(Release) all;
	VEC(Link) links;
	uint32_t first;                 /* releases that a read sees now: from here on */
	uint32_t first_link;
} Log;

/* Of a lane. snap: what it knows now, NULL: not made yet; after_fence: it has had a fence and has
 * not written since. */
typedef struct {
	Seens seen, pending;
	const Snap *snap, *at_fence[SCOPES];
	bool after_fence;
} Lane_causality;
struct Warp_causality { bool any; const Snap *last; Lane_causality lane[LANES]; };

/* log and block: its last release there, from 1 */
typedef struct { uint64_t key; uint32_t last; } Entry;

struct Causality {
	Arena *arena;
	VEC(Log) logs;                  /* index 0 unused */
	Entry *index; uint32_t nindex, used; /* a hash table */
	uint32_t releases;
	size_t snap_bytes;
	/* memory is used up, nothing more is kept: whoever reads strongly has seen everything */
	bool full;
};

/* Where the index keeps a log's releases by a block: its entry, or the free one it would get. */
static inline uint64_t
causal_key(uint32_t log, uint32_t block)
{
	return (uint64_t)log << 32 | block;
}
Entry *causal_entry(const Causality *o, uint64_t key);

#endif
