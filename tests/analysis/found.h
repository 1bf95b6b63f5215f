/* SPDX-License-Identifier: MIT */
/* What the analyses find in a function, as the facts that tests write beside statements; see
 * tests/unit/facts.c. */
#ifndef TESTS_ANALYSIS_FOUND_H
#define TESTS_ANALYSIS_FOUND_H

#include "analysis/dump/dump.h"
#include "analysis/interproc/local_escape.h"
#include "base/vec.h"

typedef enum { CFG, DOM, LOOP, LIVE, DEFUSE, UNIFORM, EFFECTS, CARRY, REDUCTION, LOCAL,
	CONTRACTION, GROUPS } Group;

typedef struct { uint32_t stmt; char *text; } Fact;
typedef VEC(Fact) Facts;

typedef struct {
	const Fn *fn;
	const Effects *effects;
	const Locals *locals;
	bool checked[GROUPS];
	Facts found;        /* what the analyses say */
	Facts written;      /* what the file says */
} Check;

/* Adds a fact; takes the text over. */
void fact_add(Facts *v, uint32_t stmt, Buf *text);
/* Adds to c->found what the checked analyses say about function c->fn. */
void found_function(Check *c);

#endif
