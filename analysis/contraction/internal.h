/* SPDX-License-Identifier: MIT */
/* What the files of the rule of docs/proofs/contraction.md share: contraction.c, which finds
 * products, unoptimised.c, which asks whether code is optimised, known_values.c, which finds
 * comparisons whose result ptxas knows, and kept_branches.c, which finds branches that ptxas
 * keeps, and nan_signs.c, which finds operations on the sign of a NaN. */
#ifndef ANALYSIS_CONTRACTION_INTERNAL_H
#define ANALYSIS_CONTRACTION_INTERNAL_H

#include "analysis/contraction/contraction.h"

/* Ways between blocks that are examined; later ones count as unknown. Definitions that are followed
 * from a reader, or through moves. */
enum { MOST_PATHS = 2000, MOST_FOLLOWED = 400 };

/* A use of a product, perhaps behind moves and negations. */
typedef struct {
	uint32_t stmt;
	bool only;              /* no other definition reaches it, nor the moves in between */
	bool direct;            /* there are no moves in between */
} Reader;
typedef VEC(Reader) Readers;
typedef VEC(uint32_t) Ids;

typedef struct {
	const Fn *fn;
	Contraction *c;
	Bits live;              /* statements that something depends on, by local number */
	Bits varying;           /* definitions that depend on more than literals */
	Bits all, forward, back;        /* blocks */
	Bits seen, open;        /* definitions */
	uint32_t npaths, followed;
	bool canonical;         /* the operation on a sign reads no NaN but the canonical one */
	Arena *scratch;
} Finder;

/* Is it a statement that is executed for more than the registers that it writes? */
bool contraction_has_effect(const Fn *fn, uint32_t stmt);
bool contraction_is_float(const Module *m, const Stmt *s);
bool contraction_has_rounding(const Module *m, const Stmt *s);
/* Does the block end between two of its statements? */
Block_end contraction_end_between(const Fn *fn, uint32_t first, uint32_t last);
/* Fills w->varying. */
void contraction_find_varying(Finder *w);
/* Would ptxas find much to fold or to drop? Then what reads a product in the end is not known. */
bool contraction_is_raw(Finder *w);
/* Are the first two sources of the statement equal, as far as value numbering shows? */
bool contraction_equal_sources(const Fn *fn, uint32_t stmt);
/* Is it a floating-point comparison that the ranges of its operands decide? */
bool contraction_is_decided(Finder *w, uint32_t stmt);
/* Has the function operations on the sign of an f32? */
bool contraction_has_signs(const Fn *fn);
/* Fills `signs`, and notes where they are not known. */
void contraction_find_signs(Finder *w);
/* Fills `forward` and `back`: blocks in both lie on ways from one block to another that pass
 * neither of them. */
void contraction_find_ways(Finder *w, uint32_t from, uint32_t to);
/* Do a product of block `from` and an addition stay in different blocks, whatever ptxas unrolls? */
bool contraction_stay_apart(Finder *w, uint32_t from, uint32_t product, uint32_t sum);
/* Notes the blocks in which, or on the way between which, contraction is not known. */
void contraction_note_unknown(Finder *w, uint32_t product, uint32_t reader);

#endif
