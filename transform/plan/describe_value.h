/* SPDX-License-Identifier: MIT */
/* Values in messages. */
#ifndef TRANSFORM_PLAN_DESCRIBE_VALUE_H
#define TRANSFORM_PLAN_DESCRIBE_VALUE_H

#include "transform/plan/plan.h"

/* What messages call a value: "the value computed at k.cu:14", or, where that is not known, its
 * register. stmt: where it is defined; 0: wherever that is. */
const char *plan_value(const Plan *x, uint32_t sym, uint32_t stmt);

#endif
