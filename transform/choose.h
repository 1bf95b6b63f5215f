/* SPDX-License-Identifier: MIT */
/* What becomes of a site: the policy that its clauses ask for, or of all that have a plan the one
 * that is expected to gain most (docs/choosing.md).
 */
#ifndef TRANSFORM_CHOOSE_H
#define TRANSFORM_CHOOSE_H

#include "transform/passes.h"

/* Fills the plan of a site, of which nothing is known but the site. Gives whose plan it is; NULL:
 * none stands, and the plan says why. */
const Pass *choose_plan(Plan *x, const Room *room);

/* What the plan's policy is expected to gain; and another one, n being its number, with the same
 * parts (expect.c). */
Gain plan_gain(const Plan *x);
Gain plan_gain_by(const Plan *x, Annot_policy policy, uint32_t n);

#endif
