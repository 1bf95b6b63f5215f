/* SPDX-License-Identifier: MIT */
/* cccnvcc --ccc-suggest, and the suggestions that --ccc-auto uses. */
#ifndef ANNOTATE_SUGGESTED_H
#define ANNOTATE_SUGGESTED_H

#include "annotate/setup.h"
#include "base/source.h"

/* If requested, prints what ptxccc suggests to annotate in the source, as if it had no
 * annotations. Compiles the source separately for that; the build is not affected. */
void suggestions_print(Hook *h, const Source *src);

/* Compiles a source without annotations to files.made, with its statements, and as usual to
 * files.made_plain. In files.made, loops stay rolled in functions where unrolling would copy a
 * branch or loop that may be transformed. */
bool suggestions_compile(Hook *h, const Source *src);

/* Whether --ccc-auto can transform nothing in a source without annotations, and neither a report
 * nor a profile needs its sites. Then its PTX is at files.made. Compiles it once. */
bool suggestions_exclude(Hook *h, const Source *src);

/* Prints suggestions for that PTX, if requested, and where annotations with a promise would gain by
 * the profile. */
void suggestions_print_compiled(Hook *h);

/* Writes that PTX with markers for everything that --ccc-auto might transform, to be counted;
 * nothing if there is nothing. */
void suggestions_collect_layers(Hook *h, Buf *to);

/* Compiles the source, and lists the annotations to insert, in the format of suggest_write_fixes
 * (suggest/suggest.h). */
void suggestions_collect_fixes(Hook *h, const Source *src, Buf *to);

#endif
