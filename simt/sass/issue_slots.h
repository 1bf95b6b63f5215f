/* SPDX-License-Identifier: MIT */
/* Where the machine code of a function has instructions that the PTX lacks, and vice versa, so that
 * the emulator counts what a GPU would. See README.md.
 * Internal to simt/. */
#ifndef SIMT_SASS_ISSUE_SLOTS_H
#define SIMT_SASS_ISSUE_SLOTS_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"
#include "simt/sass/listing.h"

/* Places where issue slots are counted apart from the statement that they belong to, with the lanes
 * of the group that is there. */
typedef enum {
	SLOT_BLOCK,         /* beginning of block .index */
	SLOT_EDGE,          /* edge from block .index to its successor number .successor */
	SLOT_GUARD,         /* statement .index, with the lanes for which its guard is true */
	SLOT_PREDICATED_OFF, /* the same, with those for which it is false */
	/* statement .index, with the lanes that take its slow path; .successor 1: among those for
	 * which its guard is true */
	SLOT_SLOW_PATH,
	SLOT_FAST_PATH,     /* the same, with those that take the quick path */
	/* piece .successor of a loop whose iterations begin with block .index: unrolled_counts.h */
	SLOT_UNROLLED
} Slot_place_kind;
typedef struct {
	uint8_t kind;           /* Slot_place_kind */
	uint32_t index, successor;
	uint32_t first, n;      /* Issue_slots.extra[first .. first + n) */
} Slot_place;
/* active: the number of slots that count as active. */
typedef struct { uint32_t stmt; uint16_t slots, active; } Slot_entry;

/* Lanes that arrive at a place reconverge at the beginning of block .meet (BSSY). number: their
 * order at one place. */
typedef struct { Slot_place at; uint32_t meet, number; } Open_reconvergence;

/* An unrolled loop. Executions of .block are its iterations; lanes that leave it may go to .exit.
 * The first .first iterations are counted elsewhere. row: used by unrolled_counts.c. */
typedef struct { uint32_t block, exit, first, row; } Unrolled_count;

/* Properties of a function's machine code; arrays by block unless stated otherwise. */
typedef struct {
	/* the block whose branch skips this one, which is predicated instead; 0: none */
	uint32_t *owner;
	/* ends with a bra that the machine code lacks: one over predicated blocks, one inside of
	 * those, or one to the next block */
	Bits folded_branch;
	Bits leaves; /* ends with a bra to an empty exit block, so the bra itself is an exit */
	uint32_t *opens;        /* number of BSSYs before its branch or, without one, its end */
	/* begins with a BSYNC: one instruction for each arriving group */
	Bits join;
	Bits exits;             /* is an empty exit block of the kernel */
	/* The members below describe machine code that has been read (issue_slots_listing.c); if
	 * slots is NULL, there is none */
	uint16_t *slots;        /* by ptx_local_stmt: counted on execution */
	uint16_t *active_slots; /* the same, for lanes that are not predicated off */
	uint16_t *reconvergence_slots; /* counted for each group that arrives to reconverge */
	/* by ptx_local_stmt, for an instruction at which lanes wait: counted for each group that
	 * arrives without the others, and once for all */
	uint8_t *divergent_slots, *converged_slots;
	/* by ptx_local_stmt: 1 + first instruction of its slow-path routine; 0: none */
	uint32_t *routine;
	Slot_place *places; uint32_t nplaces; /* sorted by kind, index, successor */
	Slot_entry *extra;
	Unrolled_count *loops; uint32_t nloops;
	/* sorted by place; outer ones first at the same place */
	Open_reconvergence *open; uint32_t nopen;
	/* reconvergence point of its branch unless a place defines one; 0: none */
	uint32_t *meet;
} Issue_slots;

/* Returns an empty Issue_slots. All results live in arena a. */
Issue_slots *issue_slots_new(const Cfg *g, Arena *a);
/* Estimates it by rules. */
Issue_slots *issue_slots_build(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);
/* Reads it from a listing; NULL if the function is missing or too little of it is understood. */
Issue_slots *issue_slots_from_listing(const Sass *s, const Cfg *g, const Dom *d, Arena *a);
/* Sets the barriers, n of any places; those of one place are in order. */
void issue_slots_set_open(Issue_slots *to, const Open_reconvergence *open, uint32_t n, Arena *a);
/* The sort order of places. */
int issue_slots_compare_places(const Slot_place *a, const Slot_place *b);
/* Returns the issue slots of an instruction; 0 if it has no machine code. */
uint32_t issue_slots_of_stmt(const Module *m, const Stmt *s);

#endif
