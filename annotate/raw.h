/* SPDX-License-Identifier: MIT */
/* Rewrites the annotations of unpreprocessed CUDA source as `#pragma ccc` lines. */
#ifndef ANNOTATE_RAW_H
#define ANNOTATE_RAW_H

#include <stdint.h>
#include "base/buf.h"

/* Writes the text with CCC_IF(clauses) and the like, and _Pragma("ccc ..."), on separate lines.
 * Finds only what is spelt out in the text, not what other macros expand to. Line markers keep
 * every token on its line. name: name of the file. */
void raw_spell_out(const char *name, const char *text, uint32_t len, Buf *out);

#endif
