/* SPDX-License-Identifier: MIT */
/* Classifies directives: annotation, misspelt annotation, unroll, or unrelated. */
#ifndef ANNOTATE_PRAGMA_H
#define ANNOTATE_PRAGMA_H

#include "annotate/source/cxx.h"
#include "base/diag.h"

typedef enum {
	PRAGMA_NOT,             /* any other directive, such as #define */
	PRAGMA_OTHER,
	PRAGMA_UNROLL,
	PRAGMA_CCC,             /* annotations: this and all that follow */
	PRAGMA_NEARLY,          /* #pragma Ccc, #pragma ccc_for, #pragma cc for */
} Pragma_sort;

/* Classifies directive t. buf receives its text, truncated to size bytes. *rest receives the
 * text after `ccc` for an annotation, otherwise the word itself. */
Pragma_sort pragma_sort(const Cxx *x, Cxx_token t, char *buf, uint32_t size, const char **rest);

/* The same for the text after the word pragma. */
Pragma_sort pragma_sort_text(const char *s, const char **rest);

/* Returns N of `unroll N` or `unroll (N)`; 0 if N is not a plain number. */
uint32_t pragma_unroll(const char *rest);

/* Returns what the misspelt word may mean: "ccc for var". */
const char *pragma_intended_annotation(const char *word);

/* Returns the column, from 1, of a word of an annotation in the CUDA source (word NULL: of the
 * annotation itself; text after the word is ignored). The preprocessor provides only the line,
 * and the annotation there may be a #pragma, a _Pragma or a macro. Returns 0 if the source
 * cannot be read. */
uint32_t pragma_column(const Diags *d, Cuda_pos at, const char *word);

#endif
