/* SPDX-License-Identifier: MIT */
/* Interning and simplification of terms (terms.h). */
#include <string.h>
#include "validate/state/terms.h"

enum { MOST_ATOMS = 12 };
static const Term_atom no_atoms[1];

typedef struct {
	uint32_t c, n;
	Term_atom atom[2 * MOST_ATOMS];
} Linear_sum;

void
terms_init(Terms *t, Arena *a)
{
	*t = (Terms){ .arena = a, .cap = 512 };
	t->table = arena_array(a, t->cap, sizeof *t->table);
	*vec_push(&t->terms) = (Term){ 0 };
}

void
terms_release(Terms *t)
{
	vec_free(&t->terms);
	vec_free(&t->atoms);
}

static inline uint32_t
hash_term(const Terms *t, const Term *x, const Term_atom *atoms)
{
	uint32_t h = (x->op * 31u + x->a) * 0x9e3779b1u + x->b * 0x85ebca6bu + x->c * 0xc2b2ae35u;

	for (uint32_t i = 0; i < x->n; i++)
		h = (h * 0x9e3779b1u + atoms[i].atom) * 0x85ebca6bu + atoms[i].factor;
	return (h ^ h >> 15) & (t->cap - 1);
}

static inline bool
terms_equal(const Terms *t, const Term *x, const Term *y, const Term_atom *atoms)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && x->n == y->n &&
		(x->n == 0 || memcmp(t->atoms.at + x->first, atoms, x->n * sizeof *atoms) == 0);
}

static void
grow_table(Terms *t)
{
	t->cap *= 2;
	t->table = arena_array(t->arena, t->cap, sizeof *t->table);
	for (uint32_t i = 1; i < t->terms.n; i++) {
		const Term *x = &t->terms.at[i];
		uint32_t h = hash_term(t, x, t->atoms.at + x->first);
		while (t->table[h])
			h = (h + 1) & (t->cap - 1);
		t->table[h] = i;
	}
}

/* Whether the term has the same value in all rounds. */
static bool
is_stable(const Terms *t, const Term *x, const Term_atom *atoms)
{
	bool all = true;

	switch ((Term_op)x->op) {
	case TERM_SUM:
		for (uint32_t i = 0; i < x->n; i++)
			all &= t->terms.at[atoms[i].atom].stable;
		return all;
	case TERM_SPECIAL:
	case TERM_ADDRESS:
	case TERM_MASK: return true;
	case TERM_AND:
	case TERM_OR:
	case TERM_XOR:
	case TERM_MIN:
	case TERM_MAX:
	case TERM_MUL:
	case TERM_BOTH: return t->terms.at[x->a].stable && t->terms.at[x->b].stable;
	case TERM_SHR:
	case TERM_POPC:
	case TERM_NEGATIVE:
	case TERM_ZERO:
	case TERM_NOT: return t->terms.at[x->a].stable;
	default: return false;
	}
}

static __attribute__((noinline)) Term_id
add_term(Terms *t, uint32_t h, const Term *x, const Term_atom *atoms)
{
	Term_id id = t->terms.n;

	t->table[h] = id;
	*vec_push(&t->terms) = *x;
	t->terms.at[id].stable = is_stable(t, x, atoms);
	t->terms.at[id].first = t->atoms.n;
	for (uint32_t i = 0; i < x->n; i++)
		*vec_push(&t->atoms) = atoms[i];
	if (2 * t->terms.n > t->cap)
		grow_table(t);
	return id;
}

/* Returns the existing term that equals x, or adds it. */
static inline Term_id
intern_term(Terms *t, const Term *x, const Term_atom *atoms)
{
	uint32_t h = hash_term(t, x, atoms);

	for (; t->table[h]; h = (h + 1) & (t->cap - 1))
		if (terms_equal(t, &t->terms.at[t->table[h]], x, atoms))
			return t->table[h];
	return add_term(t, h, x, atoms);
}

Term_id
term_const(Terms *t, uint32_t value)
{
	if (value < 2 && t->small[value])
		return t->small[value];
	Term_id a = intern_term(t, &(Term){ .op = TERM_SUM, .c = value }, no_atoms);
	if (value < 2)
		t->small[value] = a;
	return a;
}

static bool
op_commutes(Term_op op)
{
	return op == TERM_AND || op == TERM_OR || op == TERM_XOR || op == TERM_MUL ||
		op == TERM_MIN || op == TERM_MAX || op == TERM_BOTH;
}

Term_id
term_make(Terms *t, Term_op op, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t v;

	if (op_commutes(op) && a > b)
		return term_make(t, op, b, a, c);
	if ((op == TERM_NEGATIVE || op == TERM_ZERO) && term_is_const(t, a, &v))
		return term_const(t, op == TERM_ZERO ? v == 0 : v >> 31);
	return intern_term(t, &(Term){ .op = (uint8_t)op, .a = a, .b = b, .c = c }, no_atoms);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void
sum_of_term(const Terms *t, Term_id a, Linear_sum *s)
{
	const Term *x = &t->terms.at[a];
	bool sum = x->op == TERM_SUM;

	s->c = sum ? x->c : 0;
	s->n = sum ? x->n : 1;
	if (!sum)
		s->atom[0] = (Term_atom){ a, 1 };
	for (uint32_t i = 0; sum && i < x->n; i++)
		s->atom[i] = t->atoms.at[x->first + i];
}

static Term_id
term_of_sum(Terms *t, const Linear_sum *s)
{
	if (s->n == 1 && s->c == 0 && s->atom[0].factor == 1)
		return s->atom[0].atom;
	if (s->n > MOST_ATOMS) /* longer than any that occurs: a fresh term, equal to no other */
		return term_make(t, TERM_UNKNOWN, UINT32_MAX, t->terms.n, 0);
	return intern_term(t, &(Term){ .op = TERM_SUM, .c = s->c, .n = s->n }, s->atom);
}

static void
add_atom(Linear_sum *s, Term_id atom, uint32_t factor)
{
	uint32_t i = 0;

	while (i < s->n && s->atom[i].atom < atom)
		i++;
	if (i < s->n && s->atom[i].atom == atom) {
		s->atom[i].factor += factor;
		if (s->atom[i].factor == 0) {
			s->n--;
			memmove(s->atom + i, s->atom + i + 1, (s->n - i) * sizeof *s->atom);
		}
		return;
	}
	if (factor == 0)
		return;
	memmove(s->atom + i + 1, s->atom + i, (s->n - i) * sizeof *s->atom);
	s->atom[i] = (Term_atom){ atom, factor };
	s->n++;
}

Term_id
term_sum(Terms *t, Term_id a, Term_id b, uint32_t factor)
{
	Linear_sum s, r;

	if (b == t->small[0] && b)
		return a;
	sum_of_term(t, a, &s);
	sum_of_term(t, b, &r);
	s.c += factor * r.c;
	for (uint32_t i = 0; i < r.n; i++)
		add_atom(&s, r.atom[i].atom, factor * r.atom[i].factor);
	return term_of_sum(t, &s);
}

Term_id
term_times(Terms *t, Term_id a, Term_id b)
{
	uint32_t v;

	if (term_is_const(t, a, &v))
		return term_sum(t, term_const(t, 0), b, v);
	if (term_is_const(t, b, &v))
		return term_sum(t, term_const(t, 0), a, v);
	return term_make(t, TERM_MUL, a, b, 0);
}

uint32_t
term_factor(const Terms *t, Term_id a, Term_id atom)
{
	const Term *x = &t->terms.at[a];

	if (x->op != TERM_SUM)
		return a == atom;
	for (uint32_t i = 0; i < x->n; i++)
		if (t->atoms.at[x->first + i].atom == atom)
			return t->atoms.at[x->first + i].factor;
	return 0;
}

Term_id
term_without(Terms *t, Term_id a, Term_id atom)
{
	Term_id count = term_make(t, TERM_POPC, atom, 0, 0);
	uint32_t f = term_factor(t, a, atom), g = term_factor(t, a, count);

	if (f)
		a = term_sum(t, a, atom, 0u - f);
	return g ? term_sum(t, a, count, 0u - g) : a;
}

/* ---- bits and truth -------------------------------------------------------------------------- */

Term_id
term_and(Terms *t, Term_id a, Term_id b)
{
	uint32_t v, w;

	if (term_is_const(t, a, &v) && term_is_const(t, b, &w))
		return term_const(t, v & w);
	return term_make(t, TERM_AND, a, b, 0);
}

Term_id
term_not(Terms *t, Term_id a)
{
	uint32_t v;

	if (term_is_const(t, a, &v))
		return term_const(t, !v);
	if (t->terms.at[a].op == TERM_NOT)
		return t->terms.at[a].a;
	return term_make(t, TERM_NOT, a, 0, 0);
}

Term_id
term_popc(Terms *t, Term_id a)
{
	uint32_t v;

	if (a && term_is_const(t, a, &v))
		return term_const(t, (uint32_t)__builtin_popcount(v));
	return term_make(t, TERM_POPC, a, 0, 0);
}

Term_id
term_both(Terms *t, Term_id a, Term_id b)
{
	uint32_t v;

	if (term_is_const(t, a, &v))
		return v ? b : a;
	if (term_is_const(t, b, &v))
		return v ? a : b;
	return term_make(t, TERM_BOTH, a, b, 0);
}
