/* SPDX-License-Identifier: MIT */
/* Rewrites preprocessed CUDA: annotations become guard objects, whose inline assembly reaches PTX
 * as markers.
 *
 *	#pragma ccc for            =>  if (::__ccc_g0 __ccc_v = ::__ccc_g0())
 *	                                   __builtin_unreachable(); else
 *	                               #pragma unroll 1 // or as unroll(N) requests
 *	for (...) {                    for (...) if (::__ccc_i0())
 *	                                   __builtin_unreachable(); else {
 *	    #pragma ccc if
 *	    if (a && b)                    if (a && b)
 *	                                       if (::__ccc_g1 __ccc_v = ::__ccc_g1())
 *	                                           __builtin_unreachable(); else
 *	        S                                  S
 *	}                              }
 *
 * Line markers around insertions keep every token of the user's at its own line and column.
 */
#ifndef ANNOTATE_REWRITE_H
#define ANNOTATE_REWRITE_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/source.h"

/* Whether the text may contain an annotation; fast, and exact for preprocessed text. The text
 * must end in a NUL that len does not count. */
bool rewrite_is_needed(const char *text, size_t len);

/* Rewrites len bytes of C++. name: name of the file, for places before the first line marker.
 * Sets *n to the number of annotations; if it is 0, out stays empty and the text needs no
 * change. Misplaced and misspelt annotations are errors in d; the result is then unusable. */
void rewrite_pragmas(
	const char *name, const char *text, uint32_t len, Buf *out, uint32_t *n, Diags *d);

/* The same with the annotations in `without` omitted entirely; the other guards keep their
 * numbers. Guards: indexed by guard number, of size n; greater numbers are not in the set. */
typedef struct { bool *at; uint32_t n; } Guards;
void rewrite_without(const Source *src, Guards without, Buf *out, Diags *d);

/* The same for unpreprocessed text, one of several that form a program. *guards: number of
 * guards in the texts before it; increased by its own. Also accepts _Pragma annotations and the
 * macros of ccc.h, if spelt out in the text. Writes out unless there are errors. */
void rewrite_raw(
	const char *name, const char *text, uint32_t len, uint32_t *guards, Buf *out, Diags *d);

/* Writes the text with the lines of its annotations emptied. */
void rewrite_strip(const char *text, uint32_t len, Buf *out);

/* The same with loops kept from being unrolled, as annotated loops are, so that findings in the
 * compiled code also hold after annotation. */
void rewrite_rolled(const char *name, const char *text, uint32_t len, Buf *out);

#endif
