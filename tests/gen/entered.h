/* SPDX-License-Identifier: MIT */
/* Do launches enter the transformed loops, or do they all run the untouched ones?
 *
 * A transformed loop votes, and nothing else in a random kernel does: the emulator's counts by
 * line say whether its vote was executed.
 */
#ifndef GEN_ENTERED_H
#define GEN_ENTERED_H

#include "simt/simt.h"
#include "transform/report.h"

/* A copy of a transformed loop. */
enum { ENTERED_VOTES = 8 };
typedef struct {
	/* of its votes in the transformed text; none: there is no such copy */
	uint32_t line[ENTERED_VOTES], nlines;
	uint64_t votes;         /* executed so far */
	bool may, did;          /* be entered by a launch */
} Entered_copy;

/* A transformed loop of a kernel. */
typedef struct {
	uint32_t loop;          /* line of its annotation */
	uint32_t threads;       /* larger blocks run the untouched loop */
	bool lockstep, bound, two_copies;
	Entered_copy full, others;      /* the copy for full warps; the other one */
} Entered_loop;
typedef VEC(Entered_loop) Entered_loops;

/* The loops that the report says were transformed; votes are found later. */
void entered_start(Entered_loops *l, const Report *r);
/* Finds the votes of each loop's copies in the transformed module. False: a copy has none. */
bool entered_find(Entered_loops *l, const Module *m);

/* Of what might be entered, how much was. */
typedef struct { uint64_t may, did; } Entered_share;

/* Notes which loops a launch with .lines entered, in blocks of so many threads, and counts the
 * launch if it might enter one. False: it entered one that is for smaller blocks. */
bool entered_launch(
	Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches);
typedef struct { Entered_share apart, lockstep, others; } Entered_shares;
/* Notes the loops of a kernel, launched in all its ways: copies for full warps, apart or in
 * lockstep, and others. */
void entered_count(const Entered_loops *l, Entered_shares *to);

/* Are at least so many percent entered? Few that might say nothing. */
bool entered_enough(const Entered_share *s, uint32_t percent);
double entered_percent(const Entered_share *s);

#endif
