/* SPDX-License-Identifier: MIT */
/* What a directive is to the rewriter: an annotation, one that is misspelt, an unroll, or no
 * business of ours. */
#ifndef ANNOTATE_PRAGMA_H
#define ANNOTATE_PRAGMA_H

#include "annotate/cxx.h"

typedef enum {
	PRAGMA_NOT,             /* #define and its like */
	PRAGMA_OTHER,
	PRAGMA_UNROLL,
	PRAGMA_CCC,             /* from here on annotations */
	PRAGMA_NEARLY,          /* #pragma Ccc, #pragma ccc_for, #pragma cc for */
} Pragma_sort;

/* Classifies directive t. buf receives the directive's text, cut to size; of an annotation, *rest
 * is what stands behind `ccc`, of one that is misspelt, the misspelt word. */
Pragma_sort pragma_sort(const Cxx *x, Cxx_token t, char *buf, uint32_t size, const char **rest);

/* The same for what stands behind the word pragma. */
Pragma_sort pragma_sort_text(const char *s, const char **rest);

/* What the misspelt word may mean: "ccc for var". */
const char *pragma_meant(const char *word);

#endif
