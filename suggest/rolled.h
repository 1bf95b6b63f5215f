/* SPDX-License-Identifier: MIT */
/* Functions whose loops the compiler must not unroll. */
#ifndef SUGGEST_ROLLED_H
#define SUGGEST_ROLLED_H

#include "suggest/suggest.h"

/* Adds the text of m, compiled with all loops kept from being unrolled, in which functions have the
 * bodies of opt->unannotated, compiled from the same source as usual, unless unrolling has changed
 * their candidates. */
Suggest rolled_write;

/* Adds a line if a function of m, compiled as usual, may be transformed, or could be if its loops
 * were not unrolled: a plan is accepted, or a candidate has several copies. */
Suggest possible_write;

#endif
