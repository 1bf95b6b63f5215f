/* SPDX-License-Identifier: MIT */
/* Does every lane of a group come to every barrier and vote that names the group? Asked of a text
 * that was written, which knows nothing of plans. */
#ifndef TRANSFORM_OUTPUT_CONVERGENCE_CHECK_H
#define TRANSFORM_OUTPUT_CONVERGENCE_CHECK_H

#include "analysis/dataflow/function.h"
#include "base/buf.h"

/* Looks at all groups of a function: the masks that activemask gave. False: *why gets the first
 * fault and its line. */
bool sync_converges(const Fn *fn, Buf *why);

#endif
