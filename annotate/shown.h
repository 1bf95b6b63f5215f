/* SPDX-License-Identifier: MIT */
/* Repairs the source lines in cicc's messages. */
#ifndef ANNOTATE_SHOWN_H
#define ANNOTATE_SHOWN_H

#include "base/buf.h"
#include "base/source.h"

/* A line that a guard splits appears only in part in cicc's messages. Writes the messages with
 * whole lines, taken from the preprocessed source src. */
void complete_excerpts(const Source *src, const Buf *messages, Buf *out);

#endif
