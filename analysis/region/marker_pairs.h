/* SPDX-License-Identifier: MIT */
/* Markers without a partner: no work of cccnvcc, except that the end of an endless loop is
 * optimised away. */
#ifndef ANALYSIS_REGION_MARKER_PAIRS_H
#define ANALYSIS_REGION_MARKER_PAIRS_H

#include "analysis/dataflow/function.h"

/* Has every marker that control comes to another of its annotation, of the other sort? Reports
 * those that have none. */
bool partners_check(const Fn *fn, Diags *d);
/* Does the marker ask for a task loop, which is not there yet? Then it stands alone. */
bool partners_wish(const Fn *fn, const Marker *k);

#endif
