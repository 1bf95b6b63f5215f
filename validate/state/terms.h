/* SPDX-License-Identifier: MIT */
/* Terms: hash-consed symbolic values of the inserted text's registers. Equal terms have equal
 * numbers.
 *
 * Integers are linear sums of atoms modulo 2^32, so that `top + rank` is the same term in whatever
 * order it is computed. A truth value is a comparison with zero, or a combination of such.
 * Everything else is an atom.
 */
#ifndef VALIDATE_STATE_TERMS_H
#define VALIDATE_STATE_TERMS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/vec.h"

typedef uint32_t Term_id;       /* 0: not written yet */

typedef enum {
	TERM_NONE,
	TERM_SUM, /* c plus multiples of atoms; a constant if there are none */
	/* Atoms, and the meaning of a, b and c. */
	TERM_UNKNOWN, /* a: the statement that computed it */
	TERM_BEFORE,  /* value of register a at the start of the round */
	TERM_SPECIAL, /* a: special register (Sreg); b: component */
	TERM_ADDRESS, /* address of the variable a */
	TERM_MASK,    /* activemask; a: statement */
	TERM_BALLOT,  /* a: statement; b: register; c: what this lane voted */
	/* register b (component c) at the path's entry; a: Term_whose and the region */
	TERM_VALUE,
	/* last value of definition b of the input; a: as above */
	TERM_DEFINED,
	/* popped word: packed predicates, or a lane number; a: offset of the row, b: width */
	TERM_WORD,
	/* lane-invariant word: packed predicates; a: offset of the row, b: Term_whose */
	TERM_INVARIANT,
	/* Reduction of path a in register b: the identity at the start of a run, the run's result,
	 * and the final value of a lane's slot. */
	TERM_IDENTITY,
	TERM_RESULT,
	TERM_TOTAL,
	TERM_AND,
	TERM_OR,
	TERM_XOR,
	TERM_MIN,
	TERM_MAX,
	TERM_SHR,
	TERM_MUL,
	TERM_POPC,
	TERM_SELECT,
	/* Look-ahead (iteration_tracking.c), in this order. BATCH_START: register a at the start of
	 * the batch. MATCHES_INPUT: the same value as in the input. READ: the same in the last
	 * iteration only, if no memory was written. PENDING, CURRENT, PASSED: the selected
	 * iterations that are not executed yet, the one that is executed, the one in which the lane
	 * leaves. SELECTED_SET: a word with bit i - c for each iteration i in [a, b) that needs its
	 * path. WIDE: a 64-bit copy. LOWEST: the number of the lowest bit. REVERSED: the reversed
	 * bits. BIT: the bit with a given number. LOOP_INVARIANT: the value of definition a of the
	 * input in every iteration. */
	TERM_BATCH_START,
	TERM_MATCHES_INPUT,
	TERM_READ,
	TERM_PENDING,
	TERM_CURRENT,
	TERM_PASSED,
	TERM_SELECTED_SET,
	TERM_WIDE,
	TERM_LOWEST,
	TERM_REVERSED,
	TERM_BIT,
	TERM_LOOP_INVARIANT,
	/* Truth values. */
	TERM_NEGATIVE, /* a < 0 */
	TERM_ZERO,     /* a == 0 */
	/* votes; a: statement, b: what the lane voted; c (ANY): whether it overwrites its
	 * operand */
	TERM_ANY,
	TERM_ALL,
	TERM_NOT,
	TERM_BOTH
} Term_op;

/* Whose task a value belongs to. */
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
	Term_id small[2];       /* the constants 0 and 1; 0 until made */
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
/* Number of bits that are set. */
Term_id term_popc(Terms *t, Term_id a);
Term_id term_both(Terms *t, Term_id a, Term_id b);
/* Factor of an atom in a term; 0 if it does not occur. */
uint32_t term_factor(const Terms *t, Term_id a, Term_id atom);
/* The term with an atom and its population count replaced by zero. */
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
