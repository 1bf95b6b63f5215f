/* SPDX-License-Identifier: MIT */
/* Programs that time transformed and original kernels at their first launches (--ccc-timed): the
 * necessary changes to the host code. */
#ifndef ANNOTATE_TIMED_LAUNCH_H
#define ANNOTATE_TIMED_LAUNCH_H

#include "base/buf.h"

/* Appends host code that selects between these kernels, one per line, and their originals. */
void timed_table_write(const char *names, Buf *to);

#endif
