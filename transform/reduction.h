/* SPDX-License-Identifier: MIT */
/* Reductions: registers that runs of a path only fold into, and nobody looks at before the loop is left. */
#ifndef TRANSFORM_REDUCTION_H
#define TRANSFORM_REDUCTION_H

#include "transform/plan.h"

/* Is the register, which the path defines and which is live behind it, such a one? Fills *r, but for its row. No: why not, as
 * what is said of a reduction ("is read in the loop"). */
Verdict reduction_find(const Plan *x, const Part *k, uint32_t sym, Reduction *r);
#endif
