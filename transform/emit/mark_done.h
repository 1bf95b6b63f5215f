/* SPDX-License-Identifier: MIT */
/* Markers of what is done: a text that is transformed again is not transformed twice. */
#ifndef TRANSFORM_EMIT_MARK_DONE_H
#define TRANSFORM_EMIT_MARK_DONE_H

#include "transform/plan/plan.h"

/* Adds a marker's text with "done" for "begin" or "end". */
void mark_done(const Module *m, const Marker *k, Buf *out);
/* Queues the edits that do so to every marker of the site but its begin marker, which its pass
 * replaces. */
void marks_done(const Plan *x, Edits *e);

#endif
