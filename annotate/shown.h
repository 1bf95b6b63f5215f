/* SPDX-License-Identifier: MIT */
/* Source lines in cicc's messages. */
#ifndef ANNOTATE_SHOWN_H
#define ANNOTATE_SHOWN_H

#include "base/buf.h"
#include "base/source.h"

/* Of a line that a guard broke in two, cicc's messages show one part: adds them to out with whole
 * lines, as the preprocessed source src has them. */
void shown_whole(const Source *src, const Buf *messages, Buf *out);

#endif
