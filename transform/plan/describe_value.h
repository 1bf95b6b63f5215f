/* SPDX-License-Identifier: MIT */
/* Values in messages. */
#ifndef TRANSFORM_PLAN_DESCRIBE_VALUE_H
#define TRANSFORM_PLAN_DESCRIBE_VALUE_H

#include "transform/plan/plan.h"

/* Returns the description of a value for messages: "the value computed at k.cu:14", or its register
 * if no line is known. stmt: its definition; 0: any definition. */
const char *describe_value(const Plan *x, uint32_t sym, uint32_t stmt);

#endif
