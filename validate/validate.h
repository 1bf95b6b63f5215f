/* SPDX-License-Identifier: MIT */
/* Is a transformed text right? A reading of the output of its own, which knows nothing of how it
 * was made (docs/verification.md).
 *
 * The input is the text that the passes worked on. Every byte of it is in the output, and of each
 * inserted text is shown that a lane which runs it does what it would have done in the input, or
 * that others do it for it.
 */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "analysis/region/region.h"

typedef enum {
	VALID_YES,
	/* of a form that the validator does not know: but it does what the input does with numbers
	 * made up */
	VALID_TRIED,
	/* nothing is said of it */
	VALID_UNKNOWN,
	VALID_NO
} Valid;

/* What became of an annotated loop that was transformed. */
typedef struct {
	uint32_t marker;        /* its begin marker in the input */
	Valid valid;
	const char *why;        /* in the arena; not of VALID_YES */
	uint32_t line;          /* of VALID_UNKNOWN and VALID_NO: of the output; 0: none */
	uint32_t steps;         /* that lanes were followed by */
	uint32_t share;         /* of VALID_TRIED: of 100 instructions, lanes came to so many */
} Valid_site;

typedef struct {
	Valid_site *sites; uint32_t nsites;
	const char *why;        /* what is wrong with the text between the sites; NULL: nothing */
	uint32_t line;
} Valid_func;

/* Looks at a function of which the input's analyses and regions are given. */
Valid_func validate_func(const Fn *fn, const Regions *rs, const Module *out, Arena *a);

#endif
