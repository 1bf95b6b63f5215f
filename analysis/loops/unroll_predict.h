/* SPDX-License-Identifier: MIT */
/* Loops of which ptxas has several iterations in one. */
#ifndef ANALYSIS_LOOPS_UNROLL_PREDICT_H
#define ANALYSIS_LOOPS_UNROLL_PREDICT_H

#include "analysis/loops/trip_count.h"

enum { UNROLLED = 4 };  /* iterations in one */

/* Does ptxas unroll the loop, if it is left as it is? */
bool unrolled_is(const Trips *t);
/* Is it .pragma "nounroll", which forbids that for the loop whose header it stands in? */
bool unrolled_forbids(const Module *m, const Stmt *s);

#endif
