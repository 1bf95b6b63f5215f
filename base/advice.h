/* SPDX-License-Identifier: MIT */
/* The table of sites that are worth an annotation: a row per site, as measured by `ptxrun --advice`
 * or expected by `ptxccc --suggest`. docs/emulator.md describes the columns. */
#ifndef BASE_ADVICE_H
#define BASE_ADVICE_H

#include "base/diag.h"

typedef enum {
	ADVICE_BRANCH,          /* a branch that may diverge */
	ADVICE_LOOP,            /* a loop whose trip count may differ between lanes */
	ADVICE_UNIFORM          /* all lanes of a warp take the same edge */
} Advice_kind;

typedef struct { double least, most; } Advice_range;

/* Unknown numbers are less than 0, unknown texts NULL. */
typedef struct {
	Advice_kind kind;
	double share;           /* share of all issue slots */
	double lanes, efficiency; /* shares: active lanes; branches that do not diverge */
	double gain;            /* expected speedup; below 1.03 it is not worthwhile */
	/* range by the number of lanes that take it; equal if that is known */
	Advice_range range;
	Diag_place at;          /* position in CUDA, or else in PTX; file NULL: unknown */
	const char *function;   /* demangled name */
	const char *why;        /* why it is not uniform */
	const char *but;        /* drawback */
	const char *plan;       /* how it would be transformed */
	const char *refused;    /* why it cannot be transformed */
	const char *limit;      /* no plan gains: the resource that bounds it, or the launch */
	const char *rewrite;    /* what to write for another annotation */
	const char *confirm;    /* what is known about the properties to confirm */
	const char *pragma;     /* "if" */
	bool reorders;          /* with a clause: floating-point sums may be reordered */
	bool in_order;          /* of a loop: its iterations keep their order */
	bool grid;              /* it is in no loop */
	/* if it is unknown without a profile whether a plan gains: what decides it, such as "at
	 * most 8 of 32 lanes need it", or "" */
	const char *unclear;
	bool exits;             /* of a loop: its lanes are to leave it together */
	uint32_t waits;         /* number of lanes to wait for; 0: tasks are collected */
	const char *site;       /* where its annotation goes; NULL: over it */
	const char *outer;      /* where the loop around it, or without one the kernel, is */
	uint32_t around;        /* line of the enclosing loop; 0: unknown */
} Advice;

/* Returns what an annotation promises. grid: its site is in no loop. */
const char *advice_promise(Advice_kind kind, bool in_order, bool grid);
/* Whether a speedup is worth an annotation. */
bool advice_worth(double gain);
/* Print the table's header, and the message for an empty table. */
void advice_write_head(Buf *out);
void advice_write_none(Buf *out);
void advice_write(const Advice *a, Buf *out);

#endif
