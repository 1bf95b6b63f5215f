/* SPDX-License-Identifier: MIT */
/* Checks that a transformed function computes what the input does (docs/verification.md).
 *
 * The input is the text that the passes worked on. The output must contain all of it unchanged. For
 * each inserted text the validator shows that a lane either does what it would have done in the
 * input, or that other lanes do it on its behalf. The validator shares no code with the
 * transformation.
 */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "analysis/region/region.h"

typedef enum {
	VALID_YES,
	/* the form is unknown to the validator, but the output does what the input does on random
	 * inputs (validate/trial/) */
	VALID_TRIED,
	/* neither proved nor tried */
	VALID_UNKNOWN,
	VALID_NO
} Valid;

/* The validator's result for one transformed loop. */
typedef struct {
	uint32_t marker;        /* its begin marker in the input */
	Valid valid;
	const char *why;        /* reason, in the arena; unset for VALID_YES */
	uint32_t line;          /* VALID_UNKNOWN, VALID_NO: line of the output; 0 if none */
	uint32_t steps;         /* statements that lanes were followed through */
	uint32_t share; /* VALID_TRIED: percentage of instructions that the trials executed */
} Valid_site;

typedef struct {
	Valid_site *sites; uint32_t nsites;
	const char *why;        /* what is wrong with the text between the sites; NULL if nothing */
	uint32_t line;
} Valid_func;

/* Checks the output of one function. fn and rs are the input's analyses and regions. */
Valid_func validate_func(const Fn *fn, const Regions *rs, const Module *out, Arena *a);

/* valid: YES, UNKNOWN or NO; why: the reason, static, unless it is YES; line: of the output */
typedef struct { Valid valid; const char *why; uint32_t line; } Valid_arms, Valid_grid;

/* Checks a text in which branches of a function were melded at once, or calls
 * (docs/proofs/distribute.md). fn and rs are the analyses and regions of the text before. markers:
 * the begin markers of the arms there, in Module.markers; of the i-th branch, 2i and 2i + 1. */
Valid_arms validate_arms(const Fn *fn, const Regions *rs, const Module *out,
	const uint32_t *markers, uint32_t nmarkers);

/* Checks a text in which a kernel became a loop over blocks (validate/grid/grid.h). effects: of
 * `in`, the text before. */
Valid_grid validate_grid(
	const Module *in, const Module *out, uint32_t kernel, const Effects *effects);

/* Checks a text in which the placeholders of cluster launch control were replaced
 * (docs/proofs/grid.md, G10). in: the text before. */
Valid_grid validate_launch_control(const Module *in, const Module *out);

#endif
