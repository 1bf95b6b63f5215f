/* SPDX-License-Identifier: MIT */
/* The counts of a run of random kernels. */
#ifndef GEN_TOTALS_H
#define GEN_TOTALS_H

#include "base/annot.h"
#include "tests/gen/entered.h"
#include "tests/gen/unasked.h"

enum { ALL_SHAPES = 30 };

typedef struct {
	uint64_t ran, failed;   /* kernels */
	uint64_t last;          /* seed */
	uint64_t sites, done;
	uint64_t remaps, remapped;              /* remapped branches */
	uint64_t kinds[ANNOT_KINDS];            /* kernels that were transformed, by annotation */
	Entered_shares entered;                 /* of copies of loops */
	Entered_share launches[ALL_SHAPES];     /* by shape */
	Unasked unasked;                        /* of kernels without annotations */
} Totals;

void totals_add(Totals *to, const Totals *t);
void totals_kinds(const Totals *t);
/* Prints them at the end of a run from seed `first` on; returns false if kernels failed, or if too
 * few of the transformed loops were entered. */
bool totals_print(const Totals *t, uint64_t first, double seconds);
/* Likewise, for kernels without annotations; returns false if kernels failed, or if too few were
 * transformed. */
bool totals_print_unasked(const Totals *t, uint64_t first, double seconds);

#endif
