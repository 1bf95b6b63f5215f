/* SPDX-License-Identifier: MIT */
/* Where the machine code of a function has instructions that its PTX has not, and the other way
 * round, so that the emulator counts what a GPU would. See docs/emulator.md, "Counting as the
 * machine code does". Internal to simt/. */
#ifndef SIMT_SASS_ISSUE_SLOTS_H
#define SIMT_SASS_ISSUE_SLOTS_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"
#include "simt/sass/listing.h"

/* Where issue slots are counted beside the statement that they are of: with the lanes of the group
 * that is there. */
typedef enum {
	PLACE_BLOCK,        /* the beginning of block .of */
	PLACE_EDGE,         /* the way from block .of to its successor number .way */
	PLACE_GUARD,        /* statement .of, with the lanes that its guard leaves on */
	PLACE_OFF,          /* with those that it turns off */
	/* statement .of, with the lanes that take its slow path; .way 1: of those that its guard
	 * leaves on */
	PLACE_SLOW,
	PLACE_QUICK,        /* likewise, with those that do not */
	/* part .way of a loop whose iterations begin with block .of: unrolled_counts.h */
	PLACE_TURNS
} Place_kind;
typedef struct {
	uint8_t kind;           /* Place_kind */
	uint32_t of, way;
	uint32_t first, n;      /* Machine.extra[first .. first + n) */
} Machine_place;
/* on: of slots, those that the place counts as not turned off by a guard. */
typedef struct { uint32_t stmt; uint16_t slots, on; } Machine_extra;

/* Lanes that come to a place are to meet again at the beginning of block .meet (BSSY). */
typedef struct { Machine_place at; uint32_t meet; } Machine_open;

/* A loop is unrolled whose iterations are executions of .block, and lanes may leave it for .exit.
 * The first .first iterations count elsewhere. row: unrolled_counts.c's. */
typedef struct { uint32_t block, exit, first, row; } Machine_loop;

/* By block. */
typedef struct {
	/* the block whose branch jumps over this one, which runs predicated instead; 0: none */
	uint32_t *owner;
	/* ends in a bra that machine code does not have: one that jumps over predicated blocks, one
	 * inside of those, or one to the next block */
	Bits over;
	Bits leaves;            /* ends in a bra to a mere exit, so the bra is an exit itself */
	uint32_t *opens;        /* number of BSSYs before its branch or, without one, its end */
	/* begins with a BSYNC: an instruction for each group that arrives */
	Bits join;
	Bits exits;             /* is a mere exit of the kernel */
	/* From here on: of a machine code that has been read (issue_slots_listing.c); slots NULL:
	 * of none */
	uint16_t *slots;        /* by ptx_local_stmt: counted when it runs */
	uint16_t *on;           /* likewise, by the lanes that its guard leaves on */
	uint16_t *arrive;       /* by block: counted for each group that arrives there to meet */
	/* by ptx_local_stmt: of one that lanes wait at, counted for each group that comes without
	 * the others, and once for all */
	uint8_t *alone, *together;
	/* by ptx_local_stmt: of the routine of its slow path, the first instruction + 1; 0: none */
	uint32_t *routine;
	Machine_place *places; uint32_t nplaces; /* by kind, of, way */
	Machine_extra *extra;
	Machine_loop *loops; uint32_t nloops;
	Machine_open *open; uint32_t nopen; /* of one place: outer ones first */
	/* by block: where lanes meet that its branch parts, if no place says so; 0: nowhere */
	uint32_t *meet;
} Machine;

/* One of which nothing is known. All live in arena a. */
Machine *machine_new(const Cfg *g, Arena *a);
/* By rules. */
Machine *machine_build(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);
/* From a listing; NULL: it does not have the function, or too little of it is understood.
 * */
Machine *machine_listed(const Sass *s, const Cfg *g, const Dom *d, Arena *a);
/* Their order. */
int machine_compare(const Machine_place *a, const Machine_place *b);
/* The issue slots of an instruction; 0: machine code has none for it. */
uint32_t machine_slots(const Module *m, const Stmt *s);

#endif
