/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any, and inserts their markers into the PTX (ptxccc
 * --auto). All of them have the clause `proven`, so a site is transformed only if the analyses
 * prove that no result changes (transform/legality/proven.c). */
#ifndef SUGGEST_AUTO_MARKERS_H
#define SUGGEST_AUTO_MARKERS_H

#include "base/diag.h"
#include "parser/ptx.h"
#include "transform/pipeline/pass.h"
#include "transform/plan/report.h"
#include "transform/text/edit.h"

typedef struct Auto_markers Auto_markers;

/* Plans the candidates of m as opt says, and selects those with a plan that save most. The loops of
 * selected sites are not nested in each other. m must live as long as the result. */
Auto_markers *auto_markers_select(const Module *m, const Pass_options *opt);
/* Returns the number of the first annotation. */
uint32_t auto_markers_first(const Auto_markers *w);
/* Queues the markers of the sites that were not dropped. Returns false if there are none. */
bool auto_markers_insert(const Auto_markers *w, Edits *e);
/* Sets the functions with such sites. */
void auto_markers_functions(const Auto_markers *w, Bits to);
/* Drops the sites that the transformation of the text with the markers left unchanged. Returns
 * false if there are none. */
bool auto_markers_drop_refused(Auto_markers *w, const Report *r);
/* Adds to the report of the last text the candidates that are not transformed, and reports those
 * whose text had a fault. */
void auto_markers_report(const Auto_markers *w, Report *r, Diags *d);
void auto_markers_free(Auto_markers *w);

#endif
