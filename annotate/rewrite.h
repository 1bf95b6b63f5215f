/* SPDX-License-Identifier: MIT */
/* Rewrites preprocessed CUDA: annotations become guard objects, whose inline assembly reaches PTX
 * as markers.
 *
 *	#pragma ccc for                          if (::__ccc_g0 __ccc_v = ::__ccc_g0())
 *	                                         __builtin_unreachable(); else
 *	for (...) {                      =>      #pragma unroll 1 // or as unroll(N) says
 *		#pragma ccc if for (...) if (::__ccc_i0()) __builtin_unreachable(); else {
 *		if (a && b) S if (a && b) if (::__ccc_g1 __ccc_v = ::__ccc_g1())
 *		__builtin_unreachable(); else S
 *	}                                        }
 *
 * Line markers around whatever is inserted keep every token of the user's at its own line and
 * column.
 */
#ifndef ANNOTATE_REWRITE_H
#define ANNOTATE_REWRITE_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/source.h"

/* Could the text hold an annotation? Exact on the preprocessor's output; quick. The text ends in a
 * NUL not counted in len. */
bool rewrite_wanted(const char *text, size_t len);

/* Rewrites len bytes of C++. name: the file's, for positions before the first line marker. Sets *n
 * to the number of annotations; if there are none, out stays empty and the text holds as it is.
 * Misplaced and misspelt annotations are errors in d; the result is then of no use. */
void rewrite(const char *name, const char *text, uint32_t len, Buf *out, uint32_t *n, Diags *d);

/* The same without some of its annotations, which the compiler then sees nothing of. Guards keep
 * their numbers. without: those to leave out, by number, as far as n goes. */
typedef struct { bool *at; uint32_t n; } Guards;
void rewrite_without(const Source *src, Guards without, Buf *out, Diags *d);

/* The same for text that the preprocessor has not seen, one of several that are compiled as one
 * program. guards: of the texts before it; raised by its own. Also takes annotations by _Pragma and
 * by the macros of ccc.h, where they stand in the text themselves. out gets the text in any case
 * but errors. */
void rewrite_raw(
	const char *name, const char *text, uint32_t len, uint32_t *guards, Buf *out, Diags *d);

/* The text without its annotations: their lines are empty. */
void rewrite_strip(const char *text, uint32_t len, Buf *out);

/* The same with loops that are not unrolled, as those of annotations are not: what is found in the
 * code that a compiler makes of it holds for the code once it is annotated. */
void rewrite_rolled(const char *name, const char *text, uint32_t len, Buf *out);

#endif
