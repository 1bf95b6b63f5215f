/* SPDX-License-Identifier: MIT */
/* Which loops of a function are annotated, given that annotated loops are not nested. */
#ifndef SUGGEST_LOOP_CHOICE_H
#define SUGGEST_LOOP_CHOICE_H

#include "analysis/dataflow/function.h"

/* Selects loops that do not contain each other, with the largest sum of weights. A weight is 0 if
 * the loop cannot be annotated; loop 0, the function, contains all loops. In arena a. */
Bits loop_choice(const Loops *l, const double *weight, Arena *a);

#endif
