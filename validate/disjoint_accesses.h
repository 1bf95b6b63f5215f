/* SPDX-License-Identifier: MIT */
/* Memory accesses whose order the transformation changes. Internal to validate/. */
#ifndef VALIDATE_DISJOINT_ACCESSES_H
#define VALIDATE_DISJOINT_ACCESSES_H

#include "validate/state/state.h"

/* Whether all accesses that change their order go to different variables, or the annotation
 * promises that they do not overlap. For sites of known or unknown form. */
bool accesses_are_disjoint(Loop_check *s);

#endif
