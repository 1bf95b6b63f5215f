/* SPDX-License-Identifier: MIT */
/* Dumps of analysis results, as text or as a Graphviz graph: --dump=WHAT [--dot]. The output is
 * stable: it depends on the module's text only. Blocks are named by their label, or by B and their
 * number in text order; statements by line number. */
#ifndef ANALYSIS_DUMP_DUMP_H
#define ANALYSIS_DUMP_DUMP_H

#include "analysis/dataflow/function.h"
#include "base/buf.h"

/* Whether there is a dump of that name: cfg, dom, loop, live, defuse, uniform, region. */
bool dump_known(const char *what);
/* Writes a dump of function func, which has a body. Returns false if there is no dump of that name,
 * or no graph of it (only cfg and defuse have one). Faults that a dump finds in the module are
 * reported to d. */
bool dump_function(const char *what, const Module *m, uint32_t func, bool dot, Diags *d, Buf *out);

/* ---- helpers for the files that implement dumps --------------------------------------------- */

typedef void Dump(const Fn *fn, Diags *d, Buf *out);
/* dataflow.c, regions.c, graphviz.c */
Dump dump_defuse, dump_uniform, dump_region, dot_cfg, dot_defuse;

/* Writes a block's name: its label, B7, or "exit". */
void dump_block(const Cfg *g, uint32_t block, Buf *out);
/* Writes a statement's text in one line with single blanks, cut off after max bytes ("..."). */
void dump_stmt(const Module *m, uint32_t stmt, size_t max, Buf *out);
uint32_t dump_line(const Module *m, uint32_t stmt);
void dump_sym(const Module *m, uint32_t sym, Buf *out);

#endif
