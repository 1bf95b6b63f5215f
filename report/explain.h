/* SPDX-License-Identifier: MIT */
/* The page of ptxccc --explain: the input and the output of each annotated function side by side,
 * with the regions of its sites and the reasons of their plans. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "base/explained.h"
#include "report/unit.h"

/* u: what became of the annotations. */
void explain_html(const Explained *e, const Unit *u, Buf *out);

#endif
