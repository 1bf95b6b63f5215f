/* SPDX-License-Identifier: MIT */
/* Values of registers in look-ahead code (state.h). phases.c explains them. */
#include "validate/state/state.h"

uint32_t
ahead_number(const Site *s, uint32_t in)
{
	return fn_is_reg(s->fn, in) ? s->ahead->number[fn_local(s->fn, in)] : 0;
}

Term_id *
ahead_look(const Site *s, Lane *l, uint32_t number)
{
	return &l->env[s->nenv + number - 1];
}

Term_id *
ahead_own(const Site *s, Lane *l, uint32_t number)
{
	return &l->env[s->nenv + s->ahead->n + number - 1];
}

Term_id
ahead_base(Site *s, uint32_t number)
{
	Term_id *base = &s->ahead->base[number - 1];

	return *base ? *base : (*base = term_make(&s->terms, TERM_BASE, number, 0, 0));
}

Term_id
ahead_atom(Site *s, Term_op op)
{
	Term_id *atom = &s->ahead->atom[op];

	return *atom ? *atom : (*atom = term_make(&s->terms, op, 0, 0, 0));
}

bool
ahead_is_opaque(Site *s, Term_id v)
{
	return !v || v == ahead_atom(s, TERM_HELD) || v == ahead_atom(s, TERM_READ);
}

Term_id
ahead_operand(Site *s, Lane *l, uint32_t sym)
{
	const Term_id *at = ahead_slot(s, l, sym);

	return at && !ahead_is_opaque(s, *at) ? *at : 0;
}
