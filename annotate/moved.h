/* SPDX-License-Identifier: MIT */
/* Annotations that the preprocessor has moved.
 *
 * gcc executes a #pragma in the arguments of a macro before it expands the macro: the annotation
 * then stands in front of the whole expansion, and perhaps in front of another loop than the
 * user's.
 */
#ifndef ANNOTATE_MOVED_H
#define ANNOTATE_MOVED_H

#include "base/diag.h"

/* Reports each such annotation in len bytes of preprocessed text as an error. name: as for
 * rewrite(). The sources that line markers name are read, but only where there is a suspicion. */
void moved_report(const char *name, const char *text, uint32_t len, Diags *d);

#endif
