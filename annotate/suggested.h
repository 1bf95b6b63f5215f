/* SPDX-License-Identifier: MIT */
/* cccnvcc --ccc-suggest, and the suggestions that --ccc-auto uses. */
#ifndef ANNOTATE_SUGGESTED_H
#define ANNOTATE_SUGGESTED_H

#include "annotate/setup.h"
#include "base/source.h"

/* If requested, prints what ptxccc suggests to annotate in the source, as if it had no
 * annotations. Compiles the source separately for that; the build is not affected. */
void suggestions_print(Hook *h, const Source *src);

/* Writes the PTX of the source with markers for everything that --ccc-auto might annotate, to be
 * counted; nothing if there is nothing. */
void suggestions_collect_layers(Hook *h, const Source *src, Buf *to);

/* Lists the places where annotations that promise nothing may gain, in the format of
 * suggest/auto_annotate.h. With a profile, also reports where annotations with a promise would. */
void suggestions_collect_places(Hook *h, const Source *src, Buf *to);

/* Lists the annotations to insert, in the format of suggest_write_fixes (suggest/suggest.h). */
void suggestions_collect_fixes(Hook *h, const Source *src, Buf *to);

#endif
