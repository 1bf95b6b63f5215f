/* SPDX-License-Identifier: MIT */
/* Of lanes that do something unlike times: the one that does it most often. */
#ifndef BASE_LONGEST_H
#define BASE_LONGEST_H

/* How far the most of so many lanes is above the mean, as a multiple of the deviation, where
 * numbers fall off exponentially. */
double longest_above(double lanes);

#endif
