/* SPDX-License-Identifier: MIT */
/* Functions that count their cuts (instrument_module.c): what the module's functions share. */
#ifndef TRANSFORM_INSTRUMENT_INSTRUMENT_H
#define TRANSFORM_INSTRUMENT_INSTRUMENT_H

#include "analysis/region/profile_points.h"
#include "base/vec.h"
#include "transform/text/edit.h"
#include "transform/plan/options.h"
#include "transform/text/template.h"

enum {
	OF_CUT = 10,            /* numbers in its row of the table */
	/* Counters stand COPIES times, SIDE_BY_SIDE of one copy beside those of the next
	 * (ccc_profile.h adds them up): blocks that run at the same time add to different ones. */
	COPIES = 16, SIDE_BY_SIDE = 64
};

/* The counters of places at which loops and iterations begin: those of one serve all its cuts. */
typedef struct { uint32_t block, counter; } Begun;

/* How often lanes come by a place in a run of a loop, or of a cut, whose block it is. row: where a
 * lane has what it has counted of it, in its own memory. */
typedef struct { uint32_t counter, row; bool block; } Number;

/* A register of each lane's own, and the counter that it is added to when the lane ends, or of
 * which it may be the largest; or a row that is loaded for those behind it. */
typedef struct { const char *section, *name; uint32_t number, counter; } Told;

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;
	Tpl t;
	const Fn *fn;
	const Fn *plain;        /* whose body blocks run that do not count */
	uint32_t counters, places, cuts;
	uint32_t own;           /* bytes of the function's local memory */
	uint32_t launches;      /* the function's counter; NO_LAUNCHES: it is no kernel */
	/* of the function */
	VEC(Begun) begun;
	Bits unrolled;          /* loops of which nothing says that they must not be */
	VEC(Number) numbers;
	VEC(Told) told;
	Buf table, texts;       /* what the program reads */
	Buf names;              /* declarations */
	Buf zeros;              /* what its lanes count for themselves begins with */
	Buf launched;           /* what the first thread of a launch does */
} Counting;

/* Queues the edits that make the function count its cuts, if it has any, and adds their rows to
 * the table. plain: what blocks run that do not count, the function itself or one that plain_func
 * has found; prefix: of new names. */
void count_function(Counting *w, const Fn *fn, const Fn *plain, const char *prefix);

/* ---- what its files share -------------------------------------------------------------------- */

/* That many following counters, of which all of a copy are side by side; the first. */
uint32_t count_take(Counting *w, uint32_t n);
/* Where a counter stands in the first copy, in bytes. */
uint32_t count_offset(uint32_t counter);
/* Begins what stands in front of some code; puts it there: what has been written since. */
size_t count_begin(Counting *w);
void count_insert(Counting *w, uint32_t pos, size_t from);
/* A register of each lane's own, which is added to a counter. */
void count_sum(Counting *w, const char *name, uint32_t number, uint32_t counter);
/* The counters of a cut's atomic operations, in how few lines of memory they meet, and their
 * counting; 0: it has none (instrument_atomics.c). */
uint32_t count_atomics(Counting *w, const Cut_places *c);

#endif
