/* SPDX-License-Identifier: MIT */
/* Checks whether launches enter the transformed loops, or all execute the originals.
 *
 * The report names the labels of the meeting points of each transformed loop, and those that
 * threads reach after they exchange work. The emulator's counts by line tell whether the code at
 * these labels was executed. */
#ifndef GEN_ENTERED_H
#define GEN_ENTERED_H

#include "simt/simt.h"
#include "transform/plan/report.h"

/* A copy of a transformed loop. */
typedef struct {
	char label[48];         /* where its lanes meet; "": there is no such copy */
	uint32_t line;          /* line of the code after it in the transformed text */
	uint64_t rounds;        /* executed so far */
	bool may, did;          /* may be entered by a launch */
} Entered_copy;

/* A transformed loop of a kernel, or a remapped branch. */
typedef struct {
	uint32_t threads;       /* larger blocks execute the original code */
	bool remap, lockstep;
	Entered_copy full, others;      /* the copy for full warps; the other one */
} Entered_loop;
typedef VEC(Entered_loop) Entered_loops;

/* The loops that are transformed according to the report. */
void entered_start(Entered_loops *l, const Report *r);
/* Finds the meeting points of their copies in the transformed module. Returns false if a label is
 * missing. */
bool entered_find(Entered_loops *l, const Module *m);

enum { KERNEL_LAUNCHES = 2 };

/* Counts of the copies that might be entered and of those that were; and the sum of squares of the
 * counts per kernel, because usually either all copies of a kernel are entered or none. */
typedef struct { uint64_t may, did, square; } Entered_share;

/* Records the loops that a launch with .lines entered, for the given block size, and counts the
 * launch if it might enter one. Returns false if it entered one that is for smaller blocks. */
bool entered_launch(
	Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches);
typedef struct { Entered_share apart, lockstep, others, remaps; } Entered_shares;
/* Records the loops of a kernel after all of its launches: copies for full warps, apart or in
 * lockstep, and others; and branches. */
void entered_count(const Entered_loops *l, Entered_shares *to);

void entered_add(Entered_share *to, const Entered_share *s);
/* Whether at least the given percentage was entered. Too few kernels, or a shortfall that may be
 * chance, are accepted. */
bool entered_enough(const Entered_share *s, uint32_t percent);
double entered_percent(const Entered_share *s);

#endif
