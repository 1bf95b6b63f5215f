/* SPDX-License-Identifier: MIT */
/* Removes line information (.loc and related statements) from PTX text. */
#ifndef TRANSFORM_OUTPUT_STRIP_LINE_INFO_H
#define TRANSFORM_OUTPUT_STRIP_LINE_INFO_H

#include "base/buf.h"

/* Removes it from text in nvcc's format, in which each of these is on separate lines. The result is
 * what nvcc generates without line information. */
void strip_line_info(Buf *text);

#endif
