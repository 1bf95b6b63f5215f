/* SPDX-License-Identifier: MIT */
/* Predicts which loops ptxas unrolls. */
#ifndef ANALYSIS_LOOPS_UNROLL_PREDICT_H
#define ANALYSIS_LOOPS_UNROLL_PREDICT_H

#include "analysis/loops/trip_count.h"

enum { UNROLLED = 4 };  /* unroll factor */

/* Whether ptxas unrolls the loop if it is left unchanged. */
bool loop_is_unrolled_by_ptxas(const Trip_count *t);
/* Whether the statement is .pragma "nounroll", which forbids unrolling of the loop in whose header
 * it is. */
bool unroll_pragma_forbids(const Module *m, const Stmt *s);

#endif
