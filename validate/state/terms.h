/* SPDX-License-Identifier: MIT */
/* What a register of the inserted text holds, as a term: equal terms are equal numbers.
 *
 * Integers are sums of atoms with factors, modulo 2^32, so that `top + rank` is one term however it
 * is computed; a truth value is a comparison with zero, or made of such. Anything else is an atom.
 */
#ifndef VALIDATE_STATE_TERMS_H
#define VALIDATE_STATE_TERMS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/vec.h"

typedef uint32_t Term_id;       /* 0: nothing was written yet */

typedef enum {
	TERM_NONE,
	TERM_SUM,       /* c and the factors of atoms; without any: a constant */
	/* Atoms, with what a, b and c are. */
	TERM_UNKNOWN,   /* a: the statement that made it */
	TERM_BEFORE,    /* what a register held when the round began; a: the register */
	TERM_SPECIAL,   /* a: special register, by Sreg; b: component */
	TERM_ADDRESS,   /* of a variable; a: symbol */
	TERM_MASK,      /* activemask; a: statement */
	TERM_BALLOT,    /* a: statement; b: register; c: what this lane voted */
	/* of the register b (component c) at the path's entry; a: Term_whose and the region */
	TERM_VALUE,
	/* what a definition of the input gave last; a: likewise; b: the definition */
	TERM_DEFINED,
	/* popped: packed predicates, or a lane's number; a: offset of the row, b: width */
	TERM_WORD,
	/* what a lane keeps: packed predicates; a: offset of the row, b: Term_whose */
	TERM_KEPT,
	/* Of a reduction, a: path, b: register: the identity that a run begins with, what comes of
	 * it, and what a lane's slot held in the end. */
	TERM_IDENTITY, TERM_RESULT, TERM_TOTAL,
	TERM_AND, TERM_OR, TERM_XOR, TERM_MIN, TERM_MAX, TERM_SHR, TERM_MUL, TERM_POPC, TERM_SELECT,
	/* Lanes that look ahead, see phases.c: what a register held when the batch began, a: its
	 * number; that it holds what the input's does, that in the last iteration alone, if memory
	 * was not written; iterations of a batch: noted and not run, the one that is run, the one
	 * by which the lane leaves; a word with bit i - c for each iteration i that wants its path,
	 * from a up to b; a 64-bit copy; the number of the lowest bit; bits the other way
	 * round; the bit of that number; what definition a of the input gives in each iteration. */
	TERM_BASE, TERM_HELD, TERM_READ, TERM_OWED, TERM_CURRENT, TERM_PASSED, TERM_NOTES,
	TERM_WIDE, TERM_LOWEST, TERM_MIRROR, TERM_BIT, TERM_LASTING,
	/* Truth. */
	TERM_NEGATIVE,  /* a < 0 */
	TERM_ZERO,      /* a == 0 */
	/* votes: a: the statement, b: what the lane voted; c, of any: it overwrites that */
	TERM_ANY, TERM_ALL,
	TERM_NOT, TERM_BOTH
} Term_op;

/* Whose task does a value belong to? */
typedef enum { TERM_OWN, TERM_POPPED, TERM_EITHER } Term_whose;

typedef struct {
	uint8_t op;             /* Term_op */
	uint8_t stable;         /* the same in all rounds */
	uint32_t a, b;
	uint32_t c;             /* SUM: the constant */
	uint32_t first, n;      /* SUM: its atoms, ascending */
} Term;

typedef struct { Term_id atom; uint32_t factor; } Term_atom;

typedef struct {
	Arena *arena;
	VEC(Term) terms;
	VEC(Term_atom) atoms;
	uint32_t *table, cap;
	Term_id small[2];       /* the constants 0 and 1; 0: not made yet */
} Terms;

void terms_init(Terms *t, Arena *a);
void terms_release(Terms *t);
Term_id term_const(Terms *t, uint32_t value);
Term_id term_make(Terms *t, Term_op op, uint32_t a, uint32_t b, uint32_t c);
/* a + factor * b. */
Term_id term_sum(Terms *t, Term_id a, Term_id b, uint32_t factor);
Term_id term_times(Terms *t, Term_id a, Term_id b);
Term_id term_and(Terms *t, Term_id a, Term_id b);
Term_id term_not(Terms *t, Term_id a);
/* How many bits are set. */
Term_id term_popc(Terms *t, Term_id a);
Term_id term_both(Terms *t, Term_id a, Term_id b);
/* The factor of an atom in a term. */
uint32_t term_factor(const Terms *t, Term_id a, Term_id atom);
/* The constant in a sum. */
uint32_t term_constant(const Terms *t, Term_id a);
/* The term with an atom, and its population count, taken for zero. */
Term_id term_without(Terms *t, Term_id a, Term_id atom);

static inline const Term *term_at(const Terms *t, Term_id a) { return &t->terms.at[a]; }

static inline bool
term_is_const(const Terms *t, Term_id a, uint32_t *value)
{
	const Term *x = term_at(t, a);

	*value = x->c;
	return x->op == TERM_SUM && x->n == 0;
}

#endif
