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
	uint32_t line;          /* of what stands behind it in the transformed text */
	uint64_t rounds;        /* executed so far */
	bool may, did;          /* be entered by a launch */
} Entered_copy;

/* A transformed loop of a kernel, or a branch at which work is exchanged. */
typedef struct {
	uint32_t threads;       /* larger blocks run what was there */
	bool remap, lockstep;
	Entered_copy full, others;      /* the copy for full warps; the other one */
} Entered_loop;
typedef VEC(Entered_loop) Entered_loops;

/* What the report says was transformed. */
void entered_start(Entered_loops *l, const Report *r);
/* Finds where the lanes of their copies meet in the transformed module. False: a label is not
 * there. */
bool entered_find(Entered_loops *l, const Module *m);

enum { KERNEL_LAUNCHES = 2 };

/* Of what might be entered, how much was; and the sum over the kernels of the square of what each
 * has of it, as all of a kernel is entered or nothing is, mostly. */
typedef struct { uint64_t may, did, square; } Entered_share;

/* Notes which loops a launch with .lines entered, in blocks of so many threads, and counts the
 * launch if it might enter one. False: it entered one that is for smaller blocks. */
bool entered_launch(
	Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches);
typedef struct { Entered_share apart, lockstep, others, remaps; } Entered_shares;
/* Notes the loops of a kernel, launched in all its ways: copies for full warps, apart or in
 * lockstep, and others; and branches. */
void entered_count(const Entered_loops *l, Entered_shares *to);

void entered_add(Entered_share *to, const Entered_share *s);
/* Are at least so many percent entered? A few kernels that might say nothing, and what falls short
 * is not to be chance. */
bool entered_enough(const Entered_share *s, uint32_t percent);
double entered_percent(const Entered_share *s);

#endif
