/* SPDX-License-Identifier: MIT */
/* Maintains the report of a whole build in one file. */
#ifndef ANNOTATE_GATHER_H
#define ANNOTATE_GATHER_H

#include "report/unit.h"

/* Adds a unit to the report `file`, in the format of its extension (units_format). Replaces the
 * unit of an earlier compilation of the same source, folder and architecture. Returns 0, or 2
 * after printing a message. */
int gather_report(const char *file, const Unit *u);
/* Merges two compilations: sites not transformed from the first one, transformed sites from the
 * second. Moves the lists of both arguments to the result. */
Unit gather_both(Unit *first, Unit *second);

#endif
