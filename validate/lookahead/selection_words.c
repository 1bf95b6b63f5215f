/* SPDX-License-Identifier: MIT */
/* Machine statements in look-ahead code: words of selected iterations, and values computed from
 * them (iteration_tracking.c). */
#include "validate/lookahead/lookahead.h"

static bool bitset_has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* Sets the bit of the current look-ahead iteration in a word, if the iteration needs a path. One
 * bit stands for all paths of the iteration. Returns 0 for another form. */
static Term_id
set_note_bit(Loop_check *s, Lane_state *l, const Output_reg *r, Term_id word, uint32_t bit)
{
	const Term x = *term_at(&s->terms, word);
	uint32_t j = l->lookahead.iterations_seen;

	if (!lookahead_is_active(&l->lookahead) ||
		!bitset_has(s->lookahead->selection.first_words, r->index) ||
		x.op != TERM_SELECTED_SET)
		return 0;
	if (!l->lookahead.selected && !l->lookahead.pending)
		lookahead_skip(s, l);
	if (l->lookahead.selected ? x.b != j + 1 : x.b != j || !l->lookahead.pending)
		return 0;
	if (j < x.c || j - x.c > 31 || bit != UINT32_C(1) << (j - x.c))
		return 0;
	l->lookahead.pending = 0;
	l->lookahead.selected = true;
	return term_make(&s->terms, TERM_SELECTED_SET, x.a, j + 1, x.c);
}

/* Value of an `or` with a word of selected iterations; 0 for an unknown form. */
static Term_id
run_note(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Term_id word = scalar_operand(s, l, stmt, 1), with = scalar_operand(s, l, stmt, 2);
	const Term x = *term_at(&s->terms, word), y = *term_at(&s->terms, with);
	uint32_t v;

	if (term_is_const(&s->terms, with, &v))
		return v == 0 ? word :
				set_note_bit(s, l,
					output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym),
					word, v);
	if (y.op == TERM_SELECTED_SET && term_is_const(&s->terms, word, &v) && v == 0)
		return with;
	if (y.op == TERM_SELECTED_SET && x.op == TERM_SELECTED_SET && x.b == y.a && x.c == y.c)
		return term_make(&s->terms, TERM_SELECTED_SET, x.a, y.b, x.c);
	if (y.op == TERM_BIT && y.a == lookahead_atom(s, TERM_PASSED) && l->lookahead.leaves_loop &&
		x.op == TERM_SELECTED_SET && !x.a && !x.c && x.b == LOOKED_AT_ALL) {
		l->lookahead.ends = true;
		return word;
	}
	return 0;
}

/* Whether the statement removes the lowest bit of the word. */
static bool
is_take_lowest(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Terms *t = &s->terms;
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2),
		owed = lookahead_atom(s, TERM_PENDING),
		less = term_sum(t, owed, term_const(t, 1), UINT32_MAX);

	return (a == owed && b == less) || (a == less && b == owed);
}

static Term_id
shifted_value(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Terms *t = &s->terms;
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2);
	const Term x = *term_at(t, a);
	uint32_t v;

	if (x.op == TERM_SELECTED_SET && term_is_const(t, b, &v) && v <= x.c)
		return term_make(t, TERM_SELECTED_SET, x.a, x.b, x.c - v);
	if (term_is_const(t, a, &v) && v == 1 && b == lookahead_atom(s, TERM_PASSED))
		return term_make(t, TERM_BIT, b, 0, 0);
	return term_is_const(t, a, &v) && v == 0 ? a : lookahead_compute(s, l, stmt);
}

/* Value of a machine statement; 0: scalar_eval.c decides. */
static Term_id
own_value(Loop_check *s, Lane_state *l, uint32_t stmt, bool word)
{
	Terms *t = &s->terms;
	uint32_t j = l->lookahead.iterations_seen, v;
	Term_id a;

	switch ((Op)output_stmt(&s->out, stmt)->op) {
	case OP_MOV:
		a = lookahead_compute(s, l, stmt);
		return word && lookahead_is_active(&l->lookahead) && !l->lookahead.selected && a &&
				term_is_const(t, a, &v) && v == 0 ?
			term_make(t, TERM_SELECTED_SET, j, j, j) : a;
	case OP_SHL: return shifted_value(s, l, stmt);
	case OP_BREV: return term_make(t, TERM_REVERSED, scalar_operand(s, l, stmt, 1), 0, 0);
	case OP_BFIND:
		a = scalar_operand(s, l, stmt, 1);
		return opcode_word_is(&s->out, stmt, 1, "shiftamt") &&
				opcode_word_is(&s->out, stmt, 2, "u32") &&
				term_at(t, a)->op == TERM_REVERSED ?
			term_make(t, TERM_LOWEST, term_at(t, a)->a, 0, 0) : 0;
	case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAD: case OP_CVT:
		return lookahead_compute(s, l, stmt);
	default: return 0;
	}
}

/* A look-ahead predicate is tested once. */
static void
forget_asked(Output_text *output, Lane_state *l, uint32_t stmt)
{
	STMT_REFS(output, stmt, r)
		if (!r->written && r->reg->kind == REG_UNIFORM)
			lane_forget_predicate(&l->assumed, r->reg->input_sym);
}

bool
lookahead_run_emitted(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t to = output_operand(&s->out, stmt, 0)->sym, i = output_reg(&s->out, to)->index;
	bool pred = s->out.m->syms[to].type == TYPE_PRED,
	     word = bitset_has(s->lookahead->selection.words, i);
	Op op = (Op)output_stmt(&s->out, stmt)->op;
	Term_id v = 0;

	if (op == OP_OR && word && !pred) {
		v = run_note(s, l, stmt);
		if (s->fault.why)
			return false;
		if (!v)
			return loop_check_fault(s, stmt,
				"the noted iteration is not the one that was looked at");
	} else if (op == OP_AND && !pred && is_take_lowest(s, l, stmt)) {
		if (!lookahead_take_lowest(s, l))
			return false;
		v = lookahead_atom(s, TERM_PENDING);
	} else if (!pred) {
		v = own_value(s, l, stmt, word);
	}
	if (!v) {
		if (!scalar_compute(s, l, stmt))
			return false;
		forget_asked(&s->out, l, stmt);
		v = l->env[i];
		if (v && !pred && !lookahead_is_trackable(&s->terms, v))
			l->env[i] = term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0);
		return true;
	}
	if (!lookahead_is_trackable(&s->terms, v))
		v = term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0);
	scalar_set(s, l, to, v, scalar_result_varies(s, l, stmt));
	return true;
}
