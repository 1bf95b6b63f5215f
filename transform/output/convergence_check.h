/* SPDX-License-Identifier: MIT */
/* Checks that every lane of a group reaches every barrier and vote that names the group. Works on
 * output text, without any plan. */
#ifndef TRANSFORM_OUTPUT_CONVERGENCE_CHECK_H
#define TRANSFORM_OUTPUT_CONVERGENCE_CHECK_H

#include "analysis/dataflow/function.h"
#include "base/buf.h"

/* Checks all groups of a function, which are the masks that activemask returned. False: *why
 * receives the first fault and its line. */
bool check_convergence(const Fn *fn, Buf *why);

#endif
