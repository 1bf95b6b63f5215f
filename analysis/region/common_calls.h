/* SPDX-License-Identifier: MIT */
/* Common calls (Damani and others, CGO 2020, sections 2 and 4.4): predicted statements on the sides
 * of a branch that call the same function. Which of them become one, and why the others cannot. */
#ifndef ANALYSIS_REGION_COMMON_CALLS_H
#define ANALYSIS_REGION_COMMON_CALLS_H

#include "analysis/region/region.h"

/* Whether no iteration of the innermost loop around both executes a and b. */
bool regions_are_exclusive(const Fn *fn, const Region *a, const Region *b);
/* Returns the later statement that is to become one with r first, or NULL: of those that call the
 * same function, on sides of the innermost branch. taken: markers of regions to ignore. */
const Region *common_call_partner(const Fn *fn, const Region *r, Bits taken);
/* Whether a and b, once they are one, can become one with a further statement. */
bool common_call_continues(const Fn *fn, const Region *a, const Region *b);
/* Notes what to do so that the first call of a predicted statement becomes one with another, if
 * there is another annotated call of the function. */
void common_call_note(const Fn *fn, const Region *r, Diags *d);

#endif
