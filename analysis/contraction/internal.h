/* SPDX-License-Identifier: MIT */
/* Shared declarations of the files that implement the rule of docs/proofs/contraction.md:
 * contraction.c classifies products, product_readers.c finds what reads them, unoptimised.c decides
 * whether the code is optimised, known_values.c finds comparisons whose result ptxas knows,
 * kept_branches.c finds branches that ptxas keeps. */
#ifndef ANALYSIS_CONTRACTION_INTERNAL_H
#define ANALYSIS_CONTRACTION_INTERNAL_H

#include "analysis/contraction/contraction.h"

/* Limits. MOST_PATHS: pairs of blocks whose connecting paths are examined; further pairs count as
 * unknown. MOST_FOLLOWED: definitions followed from one reader or through moves. */
enum { MOST_PATHS = 2000, MOST_FOLLOWED = 400 };

/* a use of a product, possibly through moves and negations */
typedef struct {
	uint32_t stmt;
	uint32_t negation;      /* one in the product's block that it reads the product through */
	bool only;              /* no other definition reaches it or the moves in between */
	bool direct;            /* without moves in between */
	bool reached;           /* the product is known to reach it on some path */
	bool same_iteration;    /* also in the iteration of the loop that computes the product */
} Reader;
typedef VEC(Reader) Readers;
typedef VEC(uint32_t) Ids;

/* the numbers between two bounds; NaNs are always possible */
typedef struct { double lo, hi; } Range;

typedef struct {
	const Fn *fn;
	Contraction *c;
	Bits live;              /* statements that an effect depends on, by local number */
	Bits varying;           /* definitions that depend on more than literals */
	Bits all, forward, back;        /* blocks */
	Bits seen, open;        /* definitions */
	Range *ranges;          /* what ptxas knows of each definition's f32 value */
	bool *examined, *tests_data; /* by loop: results of contraction_loop_tests_data() */
	uint32_t npaths, followed;
	bool canonical;         /* the operation on a sign reads no NaN but the canonical one */
	Arena *scratch;
} Contraction_finder;

/* Whether a statement is executed for more than the registers that it writes. */
bool contraction_has_effect(const Fn *fn, uint32_t stmt);
bool contraction_is_float(const Module *m, const Stmt *s);
bool contraction_has_rounding(const Module *m, const Stmt *s);
/* Whether the block ends between two of its statements (as Block_end). */
Block_end contraction_end_between(const Fn *fn, uint32_t first, uint32_t last);
/* Whether the statement is a move or negation, through which ptxas sees the product, or may be one
 * (contraction_is_plain_abs). */
bool contraction_is_move(const Contraction_finder *w, uint32_t stmt);
/* Finds the readers of the product, also through moves. Sets w->followed. */
void contraction_find_readers(Contraction_finder *w, uint32_t product, Readers *to);
/* Whether each copy of the product that unrolling makes has a copy of the reader. */
bool contraction_reader_follows(Contraction_finder *w, uint32_t product, const Reader *r);
/* Whether ptxas may compute the product again in each block with an addition that reads it. */
bool contraction_is_repeated(Contraction_finder *w, uint32_t product);
/* Computes w->varying. */
void contraction_find_varying(Contraction_finder *w);
/* Whether ptxas would fold or remove much of the code. If so, the final readers of a product are
 * unknown. */
bool contraction_is_raw(Contraction_finder *w);
/* Whether value numbering shows that the first two sources of the statement are equal. */
bool contraction_equal_sources(const Contraction_finder *w, uint32_t stmt);
/* Computes w->ranges. */
void contraction_find_ranges(Contraction_finder *w);
/* Whether the statement is an `abs` of a value whose sign ptxas may know. */
bool contraction_is_plain_abs(const Contraction_finder *w, uint32_t stmt);
/* Whether the ranges of its operands decide the result of a comparison, an operation with .sat,
 * `min` or `max` of f32 values. */
bool contraction_is_decided(Contraction_finder *w, uint32_t stmt);
/* Whether the function has operations on the sign of an f32. */
bool contraction_has_signs(const Fn *fn);
/* Computes `signs`, and records where they are unknown. */
void contraction_find_signs(Contraction_finder *w);
/* Whether a product of block `from` and an addition stay in different blocks, whatever ptxas
 * unrolls. */
bool contraction_stays_apart(Contraction_finder *w, uint32_t from, uint32_t product, uint32_t sum);
/* Whether each branch out of the loop depends on data that changes in it. */
bool contraction_loop_tests_data(Contraction_finder *w, uint32_t loop);
/* Records the blocks in which, or on the paths between which, contraction is unknown. */
void contraction_note_unknown(Contraction_finder *w, uint32_t product, uint32_t reader);

#endif
