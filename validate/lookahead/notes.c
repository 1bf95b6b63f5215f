/* SPDX-License-Identifier: MIT */
/* Machine statements in look-ahead code: words of selected iterations, and values computed from
 * them (phases.c). */
#include "validate/lookahead/lookahead.h"

static bool has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* Sets the bit of the current look-ahead iteration in a word, if the iteration needs a path. One
 * bit stands for all paths of the iteration. Returns 0 for another form. */
static Term_id
note_one(Site *s, Lane *l, const Reg *r, Term_id word, uint32_t bit)
{
	const Term x = *term_at(&s->terms, word);
	uint32_t j = l->look.looks;

	if (!ahead_is_looking(l) || !has(s->ahead->notes, r->index) || x.op != TERM_NOTES)
		return 0;
	if (!l->look.noted && !l->look.pending)
		ahead_skip(s, l);
	if (l->look.noted ? x.b != j + 1 : x.b != j || !l->look.pending)
		return 0;
	if (j < x.c || j - x.c > 31 || bit != UINT32_C(1) << (j - x.c))
		return 0;
	l->look.pending = 0;
	l->look.noted = true;
	return term_make(&s->terms, TERM_NOTES, x.a, j + 1, x.c);
}

/* Value of an `or` with a word of selected iterations; 0 for an unknown form. */
static Term_id
note(Site *s, Lane *l, uint32_t stmt)
{
	Term_id word = inserted_operand(s, l, stmt, 1), with = inserted_operand(s, l, stmt, 2);
	const Term x = *term_at(&s->terms, word), y = *term_at(&s->terms, with);
	uint32_t v;

	if (term_is_const(&s->terms, with, &v))
		return v == 0 ? word :
			note_one(s, l, site_reg(s, step_operand(s, stmt, 0)->sym), word, v);
	if (y.op == TERM_NOTES && term_is_const(&s->terms, word, &v) && v == 0)
		return with;
	if (y.op == TERM_NOTES && x.op == TERM_NOTES && x.b == y.a && x.c == y.c)
		return term_make(&s->terms, TERM_NOTES, x.a, y.b, x.c);
	if (y.op == TERM_BIT && y.a == ahead_atom(s, TERM_PASSED) && l->look.gone &&
		x.op == TERM_NOTES && !x.a && !x.c && x.b == LOOKED_ALL) {
		l->look.ends = true;
		return word;
	}
	return 0;
}

/* Whether the statement removes the lowest bit of the word. */
static bool
takes(Site *s, Lane *l, uint32_t stmt)
{
	Terms *t = &s->terms;
	Term_id a = inserted_operand(s, l, stmt, 1), b = inserted_operand(s, l, stmt, 2),
		owed = ahead_atom(s, TERM_OWED),
		less = term_sum(t, owed, term_const(t, 1), UINT32_MAX);

	return (a == owed && b == less) || (a == less && b == owed);
}

static Term_id
shifted(Site *s, Lane *l, uint32_t stmt)
{
	Terms *t = &s->terms;
	Term_id a = inserted_operand(s, l, stmt, 1), b = inserted_operand(s, l, stmt, 2);
	const Term x = *term_at(t, a);
	uint32_t v;

	if (x.op == TERM_NOTES && term_is_const(t, b, &v) && v <= x.c)
		return term_make(t, TERM_NOTES, x.a, x.b, x.c - v);
	if (term_is_const(t, a, &v) && v == 1 && b == ahead_atom(s, TERM_PASSED))
		return term_make(t, TERM_BIT, b, 0, 0);
	return term_is_const(t, a, &v) && v == 0 ? a : ahead_value(s, l, stmt);
}

/* Value of a machine statement; 0: scalar_eval.c decides. */
static Term_id
computed(Site *s, Lane *l, uint32_t stmt, bool word)
{
	Terms *t = &s->terms;
	uint32_t j = l->look.looks, v;
	Term_id a;

	switch ((Op)step_at(s, stmt)->op) {
	case OP_MOV:
		a = ahead_value(s, l, stmt);
		return word && ahead_is_looking(l) && !l->look.noted && a &&
				term_is_const(t, a, &v) && v == 0 ?
			term_make(t, TERM_NOTES, j, j, j) : a;
	case OP_SHL: return shifted(s, l, stmt);
	case OP_BREV: return term_make(t, TERM_MIRROR, inserted_operand(s, l, stmt, 1), 0, 0);
	case OP_BFIND:
		a = inserted_operand(s, l, stmt, 1);
		return inserted_word_is(s, stmt, 1, "shiftamt") &&
				inserted_word_is(s, stmt, 2, "u32") &&
				term_at(t, a)->op == TERM_MIRROR ?
			term_make(t, TERM_LOWEST, term_at(t, a)->a, 0, 0) : 0;
	case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAD: case OP_CVT:
		return ahead_value(s, l, stmt);
	default: return 0;
	}
}

/* A look-ahead predicate is tested once. */
static void
forget_asked(Site *s, Lane *l, uint32_t stmt)
{
	STEP_REFS(s, stmt, r)
		if (!r->written && r->reg->kind == REG_AGAIN)
			lane_unknow(l, r->reg->in);
}

bool
ahead_machine(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t to = step_operand(s, stmt, 0)->sym, i = site_reg(s, to)->index;
	bool pred = s->out->syms[to].type == TYPE_PRED, word = has(s->ahead->words, i);
	Op op = (Op)step_at(s, stmt)->op;
	Term_id v = 0;

	if (op == OP_OR && word && !pred) {
		v = note(s, l, stmt);
		if (s->why)
			return false;
		if (!v)
			return site_fault(s, stmt,
				"the noted iteration is not the one that was looked at");
	} else if (op == OP_AND && !pred && takes(s, l, stmt)) {
		if (!ahead_take(s, l))
			return false;
		v = ahead_atom(s, TERM_OWED);
	} else if (!pred) {
		v = computed(s, l, stmt, word);
	}
	if (!v) {
		if (!inserted_compute(s, l, stmt))
			return false;
		forget_asked(s, l, stmt);
		v = l->env[i];
		if (v && !pred && !ahead_plain(s, v))
			l->env[i] = term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0);
		return true;
	}
	if (!ahead_plain(s, v))
		v = term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0);
	inserted_set(s, l, to, v, inserted_gives(s, l, stmt));
	return true;
}
