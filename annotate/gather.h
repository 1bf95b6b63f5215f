/* SPDX-License-Identifier: MIT */
/* The report of a whole build in one file. */
#ifndef ANNOTATE_GATHER_H
#define ANNOTATE_GATHER_H

#include "report/unit.h"

/* Puts a unit into the report `file` (units_format knows it), in the place of what an earlier
 * compilation said of the same source, folder and architecture. 0, or 2 after a message. */
int gather(const char *file, const Unit *u);
/* Of two compilations, what holds in the end: of the first what was left as it was, of the second
 * what was transformed. Lists are the result's; the arguments' are empty then. */
Unit gather_both(Unit *first, Unit *second);

#endif
