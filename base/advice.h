/* SPDX-License-Identifier: MIT */
/* The table of sites that are worth an annotation, for people: a row a site, as `ptxrun --advice`
 * has measured it, or `ptxccc --suggest` expects it. docs/emulator.md has the columns.
 */
#ifndef BASE_ADVICE_H
#define BASE_ADVICE_H

#include "base/diag.h"

typedef enum {
	ADVICE_BRANCH,          /* lanes part at it */
	ADVICE_LOOP,            /* lanes leave it at different times */
	ADVICE_UNIFORM          /* all lanes of a warp go one way */
} Advice_kind;

/* What is not known is less than 0, or NULL. */
typedef struct {
	Advice_kind kind;
	double share;           /* of all issue slots */
	double lanes, efficiency; /* parts of all: lanes that are on; branches that do not part */
	double gain;            /* of all that time; under 1.03: it is not worth it */
	double least, most;     /* and by how many lanes take it; alike: that is known */
	Diag_place at;          /* of CUDA, else of PTX */
	const char *function;   /* as C++ has it */
	const char *why;        /* of a site that is not uniform */
	const char *but;        /* what speaks against it */
	const char *plan;       /* how it would be done */
	const char *refused;    /* why it cannot be done */
	const char *confirm;    /* what is known of what is to be confirmed */
	const char *pragma;     /* "if" */
	bool reorders;          /* with a clause: floating-point sums may change their order */
	bool in_order;          /* of a loop: its iterations keep their order */
	bool grid;              /* it stands in no loop */
	uint32_t waits;         /* lanes wait there, until so many do; 0: it is collected */
	uint32_t around;        /* line of the loop around it; 0: not known */
} Advice;

/* Is a gain worth an annotation? */
bool advice_worth(double gain);
/* The head; and that there is nothing to tell. */
void advice_head(Buf *out);
void advice_none(Buf *out);
void advice_put(const Advice *a, Buf *out);

#endif
