/* SPDX-License-Identifier: MIT */
/* Records of strong accesses and fences: causality.c maintains them, happens_before.c searches
 * them. Internal to simt/. */
#ifndef SIMT_CHECKS_CAUSALITY_H
#define SIMT_CHECKS_CAUSALITY_H

#include "simt/checks/race.h"

enum { MOST_SEEN = 64 };

/* Releases [from, to) of a log. */
typedef struct { uint32_t log, from, to, wide; } Seen_release;
/* sorted by log; all: too many to record, so all count as seen */
typedef struct { Seen_release *at; uint32_t n, cap; bool all; } Seen_releases;

/* A snapshot of what a lane knew: accesses before these times, and releases. */
typedef struct {
	uint32_t lane[LANES];           /* by lane of its own warp */
	const uint32_t *warp;           /* by warp of its block */
	const Seen_release *seen; uint32_t nseen;
	bool all;
} Knowledge_snapshot;

enum { IN_BLOCK, IN_ALL, SCOPES };
typedef struct {
	uint32_t block, lanes, stmt;
	uint32_t now;                   /* the lanes' own accesses before this time precede it */
	uint32_t fenced[SCOPES]; /* accesses before this time also precede a fence of that scope */
	/* the block's previous release in this log, as an index from 1; 0: none */
	uint32_t before;
	uint16_t warp, nwarps;
	bool wide;
	const Knowledge_snapshot *at, *at_fence[SCOPES];
	/* fence times of the block's threads, by scope and thread; NULL: none yet */
	const uint32_t *fences;
} Release;

/* The lane that made release `at` of a log had seen these releases of another log (log 0: of all
 * logs). fenced: it had executed a fence of that scope since then. next: the link that was added
 * after this one the last time. */
typedef struct { Seen_release seen; uint32_t at, next; bool fenced[SCOPES]; } Release_link;

typedef struct {
	VEC(Release) all;
	VEC(Release_link) links;
	uint32_t first;                 /* releases from here on are visible to a read now */
	uint32_t first_link, link;      /* their first link; the one added last */
} Release_log;

/* State of a lane. snap: what it knows now, NULL if not up to date; after_fence: it has not written
 * since its last fence. */
typedef struct {
	Seen_releases seen, pending;
	const Knowledge_snapshot *snap, *at_fence[SCOPES];
	bool after_fence;
} Lane_causality;
struct Warp_causality { bool any; const Knowledge_snapshot *last; Lane_causality lane[LANES]; };

/* log and block; index of its last release there, from 1 */
typedef struct { uint64_t key; uint32_t last; } Index_entry;

struct Causality {
	Arena *arena;
	VEC(Release_log) logs;          /* index 0 unused */
	Index_entry *index; uint32_t nindex, used; /* hash table */
	uint32_t releases;
	size_t snap_bytes;
	/* out of memory, nothing more is recorded: every strong read counts as having seen all
	 * releases */
	bool full;
};

/* The index maps a log and a block to the block's last release there. Returns the entry, or the
 * free one where it would be inserted. */
static inline uint64_t
causality_index_key(uint32_t log, uint32_t block)
{
	return (uint64_t)log << 32 | block;
}
Index_entry *causality_index_entry(const Causality *o, uint64_t key);

#endif
