/* SPDX-License-Identifier: MIT */
/* Values of registers in look-ahead code (state.h). iteration_tracking.c explains them. */
#include "validate/state/state.h"

uint32_t
lookahead_number(const Loop_check *s, uint32_t in)
{
	return fn_is_reg(s->in.fn, in) ? s->lookahead->number[fn_local(s->in.fn, in)] : 0;
}

Term_id *
lookahead_value(const Loop_check *s, Lane_state *l, uint32_t number)
{
	return &l->env[s->layout.nenv + number - 1];
}

Term_id *
lookahead_original(const Loop_check *s, Lane_state *l, uint32_t number)
{
	return &l->env[s->layout.nenv + s->lookahead->n + number - 1];
}

Term_id
lookahead_batch_start(Loop_check *s, uint32_t number)
{
	Term_id *base = &s->lookahead->regs[number - 1].start;

	return *base ? *base : (*base = term_make(&s->terms, TERM_BATCH_START, number, 0, 0));
}

Term_id
lookahead_atom(Loop_check *s, Term_op op)
{
	Term_id *atom = &s->lookahead->atom[op];

	return *atom ? *atom : (*atom = term_make(&s->terms, op, 0, 0, 0));
}

bool
lookahead_is_opaque(Loop_check *s, Term_id v)
{
	return !v || v == lookahead_atom(s, TERM_MATCHES_INPUT) ||
		v == lookahead_atom(s, TERM_READ);
}

Term_id
lookahead_operand(Loop_check *s, Lane_state *l, uint32_t sym)
{
	const Term_id *at = lookahead_slot(&s->out, l, sym);

	return at && !lookahead_is_opaque(s, *at) ? *at : 0;
}
