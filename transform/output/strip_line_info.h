/* SPDX-License-Identifier: MIT */
/* Line information (.loc and what belongs to it) out of PTX text. */
#ifndef TRANSFORM_OUTPUT_STRIP_LINE_INFO_H
#define TRANSFORM_OUTPUT_STRIP_LINE_INFO_H

#include "base/buf.h"

/* Removes it from a text as nvcc writes it, where each of these stands on lines of its own. What is
 * left is what nvcc writes when it is not asked for lines. */
void lines_strip(Buf *text);

#endif
