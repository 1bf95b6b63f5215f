/* SPDX-License-Identifier: MIT */
/* cccnvcc --ccc-auto: annotates source code automatically. */
#ifndef ANNOTATE_UNASKED_H
#define ANNOTATE_UNASKED_H

#include "annotate/setup.h"
#include "base/source.h"

/* Inserts annotations that promise nothing into a source without annotations, at the branches
 * and loops that ptxccc selects. Returns false, with out empty, if it selects none. */
bool auto_annotate_source(Hook *h, const Source *src, Buf *out);

#endif
