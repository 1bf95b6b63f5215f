/* SPDX-License-Identifier: MIT */
/* cccnvcc --ccc-auto: annotations where nobody has written any. */
#ifndef ANNOTATE_UNASKED_H
#define ANNOTATE_UNASKED_H

#include "annotate/setup.h"
#include "base/source.h"

/* Puts annotations that promise nothing into a source without any, before the branches and loops
 * that ptxccc names. False: there are none, and out is empty. */
bool unasked_annotate(Hook *h, const Source *src, Buf *out);

#endif
