/* SPDX-License-Identifier: MIT */
/* Markers of transformed sites, which a second run of the compiler must not transform again. */
#ifndef TRANSFORM_EMIT_MARK_DONE_H
#define TRANSFORM_EMIT_MARK_DONE_H

#include "transform/plan/plan.h"

/* Appends a marker's text with "done" in place of "begin" or "end". */
void marker_write_done(const Module *m, const Marker *k, Buf *out);
/* Queues the edit that replaces a marker by this text. */
void marker_queue_done(const Module *m, const Marker *k, Edits *e);
/* Queues these edits for all markers of the site except its begin marker, which the pass
 * replaces. */
void markers_write_done(const Plan *x, Edits *e);

#endif
