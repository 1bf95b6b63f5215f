/* SPDX-License-Identifier: MIT */
/* CUDA source before the preprocessor: its annotations as `#pragma ccc` lines. */
#ifndef ANNOTATE_RAW_H
#define ANNOTATE_RAW_H

#include <stdint.h>
#include "base/buf.h"

/* Adds the text to out, with CCC_IF(clauses), its kin and _Pragma("ccc ...") as lines of their own.
 * They are found where they stand in the text, not in what other macros expand to. Line markers
 * keep every token at its line. name: the file's. */
void raw_spell_out(const char *name, const char *text, uint32_t len, Buf *out);

#endif
