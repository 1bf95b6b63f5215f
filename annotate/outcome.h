/* SPDX-License-Identifier: MIT */
/* What ptxccc reports about a compilation. */
#ifndef ANNOTATE_OUTCOME_H
#define ANNOTATE_OUTCOME_H

#include "annotate/setup.h"
#include "base/buf.h"

typedef struct {
	Buf followed, report;   /* as written by ptxccc */
	/* records of the second compilation, if it is used and there is a report of the build */
	Buf again;
} Outcome;

/* Reads and removes the files that ptxccc has written. */
Outcome outcome_read(const Hook *h);
void outcome_release(Outcome *o);
/* Adds ptxccc's records to the report of the build. Returns the exit status. */
int outcome_gather(Hook *h, const Outcome *o);

#endif
