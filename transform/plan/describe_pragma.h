/* SPDX-License-Identifier: MIT */
/* The text of an annotation in messages that say what to write. */
#ifndef TRANSFORM_PLAN_DESCRIBE_PRAGMA_H
#define TRANSFORM_PLAN_DESCRIBE_PRAGMA_H

#include "transform/plan/plan.h"

/* Returns the annotation of the loop or region with this policy instead of its own, and its line:
 * "'#pragma ccc if policy(stack) reduction(+:s)' in line 17". */
const char *describe_pragma(const Plan *x, const Region *r, const char *policy);
/* The same of the annotation of the site where the policy has an effect (clauses.c). */
const char *describe_pragma_of_site(const Plan *x, Annot_policy policy, const char *name);

#endif
