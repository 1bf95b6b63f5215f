/* SPDX-License-Identifier: MIT */
/* Instruments functions to count their profile points: the state shared by the module's functions
 * (instrument_module.c). */
#ifndef TRANSFORM_INSTRUMENT_INSTRUMENT_H
#define TRANSFORM_INSTRUMENT_INSTRUMENT_H

#include "analysis/region/profile_points.h"
#include "base/vec.h"
#include "transform/text/edit.h"
#include "transform/plan/options.h"
#include "transform/text/template.h"

enum {
	POINT_RECORD_NUMBERS = 12, /* numbers in a row of the table */
	/* There are COPIES copies of the counters, interleaved in groups of SIDE_BY_SIDE
	 * (ccc_profile.h adds them up), so that blocks that run at the same time update different
	 * ones. */
	COPIES = 16, SIDE_BY_SIDE = 64
};

/* Counters for the beginning of a loop or iteration; all profile points of the loop share them. */
typedef struct { uint32_t block, counter; } Begin_counter;

/* Counts executions of a place per run of a loop or profile point. block: it is a block of a
 * profile point. row: offset of the lane's partial sums in its local memory. */
typedef struct { uint32_t counter, row; bool block; } Lane_count;

/* A register of a lane that is added to a counter (or whose maximum is taken) when the lane ends;
 * or a row that is loaded for the following ones. */
typedef struct { const char *section, *name; uint32_t number, counter; } Counter_flush;

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;
	Tpl t;
	const Fn *fn;
	const Fn *plain;        /* function whose body runs in blocks that do not count */
	uint32_t counters, places, points;
	uint32_t local_bytes;   /* bytes of the function's local memory */
	uint32_t granule;       /* promise.c: the bytes whose accesses are told apart */
	/* the function's launch counter, followed by the largest block; NO_LAUNCHES: it is no
	 * kernel */
	uint32_t launches;
	/* The following members belong to the current function. */
	VEC(Begin_counter) begins;
	Bits unrolled;          /* loops that ptxas may unroll */
	VEC(Lane_count) numbers;
	VEC(Counter_flush) flushes;
	Buf table, texts;       /* data for the program */
	Buf names;              /* declarations */
	Buf zeros;              /* initialisation of the lanes' registers */
	Buf launched;           /* code of a launch's first thread */
} Instrumentation;

/* Queues the edits that make the function count its profile points, if it has any, and adds their
 * rows to the table. plain: the function whose body runs in blocks that do not count: fn, or a
 * result of find_unannotated_func. prefix: for new names. */
void instrument_function(Instrumentation *w, const Fn *fn, const Fn *plain, const char *prefix);

/* Queues the edits that make the function check the promises of its loops, if it has any, and adds
 * their sites to the table (promise.c). */
void promise_function(Instrumentation *w, const Fn *fn, const char *prefix);
/* Returns the bytes whose accesses the module's check tells apart: 1 to 8. */
uint32_t promise_granule(const Module *m);
/* Writes the variables and functions of the check. */
void promise_declare(Instrumentation *w, const char *prefix, Buf *out);

/* ---- shared by the files of this folder ------------------------------------------------------ */

/* Allocates n consecutive counters that are adjacent within a copy; returns the first. */
uint32_t instrument_reserve_counters(Instrumentation *w, uint32_t n);
/* Returns the byte offset of a counter in the first copy. */
uint32_t instrument_counter_offset(uint32_t counter);
/* instrument_begin_text starts a piece of code; instrument_insert inserts at pos what was written
 * since. */
size_t instrument_begin_text(Instrumentation *w);
void instrument_insert(Instrumentation *w, uint32_t pos, size_t from);
/* Inserts a section at the beginning of a block. */
void instrument_section(Instrumentation *w, uint32_t block, const char *section);
/* Declares a register of each lane whose final value is added to a counter. */
void instrument_sum(Instrumentation *w, const char *name, uint32_t number, uint32_t counter);
/* Adds counters for a profile point's atomic operations and for how few lines of memory they touch;
 * returns the first, or 0 if it has none (instrument_atomics.c). */
uint32_t instrument_atomics(Instrumentation *w, const Profile_point *c);

#endif
