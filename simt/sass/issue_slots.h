/* SPDX-License-Identifier: MIT */
/* Where the machine code of a function has instructions that the PTX lacks, and vice versa, so that
 * the emulator counts what a GPU would. See docs/emulator.md, "Counting as the machine code does".
 * Internal to simt/. */
#ifndef SIMT_SASS_ISSUE_SLOTS_H
#define SIMT_SASS_ISSUE_SLOTS_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"
#include "simt/sass/listing.h"

/* Places where issue slots are counted apart from the statement that they belong to, with the lanes
 * of the group that is there. */
typedef enum {
	PLACE_BLOCK,        /* beginning of block .of */
	PLACE_EDGE,         /* edge from block .of to its successor number .way */
	PLACE_GUARD,        /* statement .of, with the lanes for which its guard is true */
	PLACE_OFF,          /* the same, with those for which it is false */
	/* statement .of, with the lanes that take its slow path; .way 1: among those for which its
	 * guard is true */
	PLACE_SLOW,
	PLACE_QUICK,        /* the same, with those that take the quick path */
	/* part .way of a loop whose iterations begin with block .of: unrolled_counts.h */
	PLACE_TURNS
} Place_kind;
typedef struct {
	uint8_t kind;           /* Place_kind */
	uint32_t of, way;
	uint32_t first, n;      /* Machine.extra[first .. first + n) */
} Machine_place;
/* on: how many of the slots count as active. */
typedef struct { uint32_t stmt; uint16_t slots, on; } Machine_extra;

/* Lanes that arrive at a place reconverge at the beginning of block .meet (BSSY). */
typedef struct { Machine_place at; uint32_t meet; } Machine_open;

/* An unrolled loop. Executions of .block are its iterations; lanes that leave it may go to .exit.
 * The first .first iterations are counted elsewhere. row: used by unrolled_counts.c. */
typedef struct { uint32_t block, exit, first, row; } Machine_loop;

/* Properties of a function's machine code; arrays by block unless stated otherwise. */
typedef struct {
	/* the block whose branch skips this one, which is predicated instead; 0: none */
	uint32_t *owner;
	/* ends with a bra that the machine code lacks: one over predicated blocks, one inside of
	 * those, or one to the next block */
	Bits over;
	Bits leaves; /* ends with a bra to an empty exit block, so the bra itself is an exit */
	uint32_t *opens;        /* number of BSSYs before its branch or, without one, its end */
	/* begins with a BSYNC: one instruction for each arriving group */
	Bits join;
	Bits exits;             /* is an empty exit block of the kernel */
	/* The members below describe machine code that has been read (issue_slots_listing.c); if
	 * slots is NULL, there is none */
	uint16_t *slots;        /* by ptx_local_stmt: counted on execution */
	uint16_t *on;           /* the same, for lanes that are not predicated off */
	uint16_t *arrive;       /* counted for each group that arrives to reconverge */
	/* by ptx_local_stmt, for an instruction at which lanes wait: counted for each group that
	 * arrives without the others, and once for all */
	uint8_t *alone, *together;
	/* by ptx_local_stmt: 1 + first instruction of its slow-path routine; 0: none */
	uint32_t *routine;
	Machine_place *places; uint32_t nplaces; /* sorted by kind, of, way */
	Machine_extra *extra;
	Machine_loop *loops; uint32_t nloops;
	Machine_open *open; uint32_t nopen; /* outer ones first at the same place */
	/* reconvergence point of its branch unless a place defines one; 0: none */
	uint32_t *meet;
} Machine;

/* Returns an empty Machine. All results live in arena a. */
Machine *machine_new(const Cfg *g, Arena *a);
/* Estimates it by rules. */
Machine *machine_build(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);
/* Reads it from a listing; NULL if the function is missing or too little of it is understood. */
Machine *machine_listed(const Sass *s, const Cfg *g, const Dom *d, Arena *a);
/* The sort order of places. */
int machine_compare(const Machine_place *a, const Machine_place *b);
/* Returns the issue slots of an instruction; 0 if it has no machine code. */
uint32_t machine_slots(const Module *m, const Stmt *s);

#endif
