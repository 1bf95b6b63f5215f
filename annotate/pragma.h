/* SPDX-License-Identifier: MIT */
/* What a directive is to the rewriter: an annotation, one that is misspelt, an unroll, or no
 * business of ours. */
#ifndef ANNOTATE_PRAGMA_H
#define ANNOTATE_PRAGMA_H

#include "annotate/cxx.h"
#include "base/diag.h"

typedef enum {
	PRAGMA_NOT,             /* #define and its like */
	PRAGMA_OTHER,
	PRAGMA_UNROLL,
	PRAGMA_CCC,             /* from here on annotations */
	PRAGMA_NEARLY,          /* #pragma Ccc, #pragma ccc_for, #pragma cc for */
} Pragma_sort;

/* Classifies directive t. buf receives the directive's text, cut to size; of an annotation, *rest
 * is what stands behind `ccc`, of others the word itself. */
Pragma_sort pragma_sort(const Cxx *x, Cxx_token t, char *buf, uint32_t size, const char **rest);

/* The same for what stands behind the word pragma. */
Pragma_sort pragma_sort_text(const char *s, const char **rest);

/* Of a PRAGMA_UNROLL, `unroll 4` or `unroll (4)`: 4; 0: no plain number stands there. */
uint32_t pragma_unroll(const char *rest);

/* What the misspelt word may mean: "ccc for var". */
const char *pragma_meant(const char *word);

/* The column, from 1, of a word of an annotation (what follows it does not matter; NULL: where the
 * annotation begins) in its line of the CUDA source: the preprocessor tells the line only, and the
 * annotation may be a #pragma, a _Pragma or a macro there. 0: the source cannot be read. */
uint32_t pragma_column(const Diags *d, Cuda_pos at, const char *word);

#endif
