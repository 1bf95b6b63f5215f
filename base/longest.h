/* SPDX-License-Identifier: MIT */
/* Expected maximum over lanes: the longest of several executions. */
#ifndef BASE_LONGEST_H
#define BASE_LONGEST_H

/* Returns how far the expected maximum over this many lanes is above the mean, in standard
 * deviations, for exponentially distributed numbers. */
double expected_maximum_above(double lanes);

#endif
