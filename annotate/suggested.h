/* SPDX-License-Identifier: MIT */
/* cccnvcc --ccc-suggest, and what --ccc-auto has of it. */
#ifndef ANNOTATE_SUGGESTED_H
#define ANNOTATE_SUGGESTED_H

#include "annotate/setup.h"
#include "base/source.h"

/* Says, if that is asked for, what of the source would be worth an annotation, as if it had none:
 * ptxccc does. The source is compiled for that alone, and nothing that comes of it gets into the
 * build. */
void suggested_tell(Hook *h, const Source *src);

/* The same, and where annotations that promise nothing may gain, as suggest/auto_annotate.h says;
 * and, with a profile, tells where some that promise something would. */
void suggested_places(Hook *h, const Source *src, Buf *to);

#endif
