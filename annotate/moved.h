/* SPDX-License-Identifier: MIT */
/* Detects annotations that the preprocessor has moved.
 *
 * gcc executes a #pragma in macro arguments before it expands the macro. The annotation is then
 * before the whole expansion, and may apply to a different loop than the user's. */
#ifndef ANNOTATE_MOVED_H
#define ANNOTATE_MOVED_H

#include "base/diag.h"

/* Reports each such annotation in len bytes of preprocessed text as an error. name: as for
 * rewrite(). Reads the sources that line markers name, only if there is a suspicion. */
void report_moved_annotations(const char *name, const char *text, uint32_t len, Diags *d);

#endif
