/* SPDX-License-Identifier: MIT */
/* Addresses in the shared memory of the inserted text: the warp's part, and the rows in it. */
#include "validate/task/task.h"

static Term_id
special(Site *s, Sreg r, uint8_t sel)
{
	return term_make(&s->terms, TERM_SPECIAL, r, sel, 0);
}

/* The thread's number in its block, computed from as many dimensions as the block may have. */
static Term_id
thread(Site *s)
{
	const uint32_t *n = s->fn->f->reqntid;
	Terms *t = &s->terms;
	Term_id row = special(s, SREG_TID, 'y');

	if (n[0] && n[1] <= 1 && n[2] <= 1)
		return special(s, SREG_TID, 'x');
	if (!n[0] || n[2] > 1)
		row = term_sum(t, row,
			term_times(t, special(s, SREG_TID, 'z'), special(s, SREG_NTID, 'y')), 1);
	return term_sum(
		t, special(s, SREG_TID, 'x'), term_times(t, row, special(s, SREG_NTID, 'x')), 1);
}

/* Offset of an address in the warp's part of the buffer; 0 on a fault. */
static Term_id
find_within(Site *s, uint32_t stmt, Term_id a)
{
	uint32_t buffer = 0, warp = 0;
	const Term x = *term_at(&s->terms, a);
	Term_id number = term_make(&s->terms, TERM_SHR, thread(s), 5, 0);

	for (uint32_t i = 0; x.op == TERM_SUM && i < x.n; i++) {
		Term_atom atom = s->terms.atoms.at[x.first + i];
		if (term_at(&s->terms, atom.atom)->op == TERM_ADDRESS && atom.factor == 1)
			buffer = term_at(&s->terms, atom.atom)->a;
		if (atom.atom == number)
			warp = atom.factor;
	}
	if (!buffer || !warp)
		return site_fault(
			s, stmt, "an address that is not in the warp's part of the buffer");
	if ((s->buffer && s->buffer != buffer) || (s->stride && s->stride != warp))
		return site_fault(s, stmt, "the warp's part of the buffer is not where it was");
	s->buffer = buffer;
	s->stride = warp;
	a = term_sum(&s->terms, a, term_make(&s->terms, TERM_ADDRESS, buffer, 0, 0), UINT32_MAX);
	return term_sum(&s->terms, a, number, 0u - warp);
}

/* The same with a cache. */
Term_id
buffer_within(Site *s, uint32_t stmt, Term_id a)
{
	Within *k = &s->within[a % MOST_WITHIN];

	if (k->address != a || !k->rest)
		*k = (Within){ a, find_within(s, stmt, a) };
	return k->rest;
}

/* The address in operand k without the constant offset; 0 on a fault. */
Term_id
buffer_address(Site *s, Lane *l, uint32_t stmt, uint32_t k)
{
	const Reg *r = site_reg(s, step_operand(s, stmt, k)[1].sym);
	Term_id a = r->kind == REG_MACHINE ? l->env[r->index] : 0;

	if (!a || step_at(s, stmt)->far)
		return site_fault(s, stmt, "an address that nothing has set");
	if (!l->full && !l->most)
		return site_fault(s, stmt, "two groups of lanes could be at the buffer");
	s->unlimited |= !l->small;
	return a;
}

Term_id
buffer_part(Site *s, Lane *l, uint32_t stmt, uint32_t k)
{
	Term_id a = buffer_address(s, l, stmt, k);

	return a ? buffer_within(s, stmt, a) : 0;
}

Term_id
buffer_rest(Site *s, Lane *l, uint32_t stmt, uint32_t k)
{
	Term_id rest = buffer_part(s, l, stmt, k);
	Term_id more = term_const(&s->terms, step_at(s, stmt)->offset);

	return rest ? term_sum(&s->terms, rest, more, 1) : 0;
}

Row *
buffer_row(Site *s, Row r)
{
	for (uint32_t i = 0; i < s->rows.n; i++) {
		Row *k = &s->rows.at[i];
		if (k->at != r.at || k->bit != r.bit)
			continue;
		if (k->path != r.path || k->sym != r.sym || k->sel != r.sel || k->size != r.size ||
			k->lanes != r.lanes)
			return NULL;
		k->pushed |= r.pushed;
		k->popped |= r.popped;
		return k;
	}
	*vec_push(&s->rows) = r;
	return &s->rows.at[s->rows.n - 1];
}
