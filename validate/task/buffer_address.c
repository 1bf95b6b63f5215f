/* SPDX-License-Identifier: MIT */
/* Addresses in the shared memory of the inserted text: the warp's part, and the rows in it. */
#include "validate/task/task.h"

static Term_id
special_register_term(Terms *terms, Sreg r, uint8_t sel)
{
	return term_make(terms, TERM_SPECIAL, r, sel, 0);
}

/* The thread's number in its block, computed from as many dimensions as the block may have. */
static Term_id
thread_number(Loop_check *s)
{
	const uint32_t *n = s->in.fn->f->reqntid;
	Terms *t = &s->terms;
	Term_id row = special_register_term(&s->terms, SREG_TID, 'y');

	if (n[0] && n[1] <= 1 && n[2] <= 1)
		return special_register_term(&s->terms, SREG_TID, 'x');
	if (!n[0] || n[2] > 1)
		row = term_sum(t, row,
			term_times(t, special_register_term(&s->terms, SREG_TID, 'z'),
				special_register_term(&s->terms, SREG_NTID, 'y')),
			1);
	return term_sum(t, special_register_term(&s->terms, SREG_TID, 'x'),
		term_times(t, row, special_register_term(&s->terms, SREG_NTID, 'x')), 1);
}

/* Offset of an address in the warp's part of the buffer; 0 on a fault. */
static Term_id
find_within(Loop_check *s, uint32_t stmt, Term_id a)
{
	uint32_t buffer = 0, warp = 0;
	const Term x = *term_at(&s->terms, a);
	Term_id number = term_make(&s->terms, TERM_SHR, thread_number(s), 5, 0);

	for (uint32_t i = 0; x.op == TERM_SUM && i < x.n; i++) {
		Term_atom atom = s->terms.atoms.at[x.first + i];
		if (term_at(&s->terms, atom.atom)->op == TERM_ADDRESS && atom.factor == 1)
			buffer = term_at(&s->terms, atom.atom)->a;
		if (atom.atom == number)
			warp = atom.factor;
	}
	if (!buffer || !warp)
		return loop_check_fault(
			s, stmt, "an address that is not in the warp's part of the buffer");
	if ((s->buffer.sym && s->buffer.sym != buffer) ||
		(s->buffer.stride && s->buffer.stride != warp))
		return loop_check_fault(s, stmt, "the warp's part of the buffer is not where it was");
	s->buffer.sym = buffer;
	s->buffer.stride = warp;
	a = term_sum(&s->terms, a, term_make(&s->terms, TERM_ADDRESS, buffer, 0, 0), UINT32_MAX);
	return term_sum(&s->terms, a, number, 0u - warp);
}

/* The same with a cache. */
Term_id
buffer_offset_at(Loop_check *s, uint32_t stmt, Term_id a)
{
	Buffer_offset *k = &s->buffer.offsets[a % MOST_WITHIN];

	if (k->address != a || !k->offset)
		*k = (Buffer_offset){ a, find_within(s, stmt, a) };
	return k->offset;
}

/* The address in operand k without the constant offset; 0 on a fault. */
Term_id
buffer_address(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k)
{
	const Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, k)[1].sym);
	Term_id a = r->kind == REG_EMITTED ? l->env[r->index] : 0;

	if (!a || output_stmt(&s->out, stmt)->access.far)
		return loop_check_fault(s, stmt, "an address that nothing has set");
	if (!l->group.full && !l->group.majority)
		return loop_check_fault(s, stmt, "two groups of lanes could be at the buffer");
	s->buffer.unlimited |= !l->group.limited;
	return a;
}

Term_id
buffer_address_base(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k)
{
	Term_id a = buffer_address(s, l, stmt, k);

	return a ? buffer_offset_at(s, stmt, a) : 0;
}

Term_id
buffer_offset_of(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k)
{
	Term_id rest = buffer_address_base(s, l, stmt, k);
	Term_id more = term_const(&s->terms, output_stmt(&s->out, stmt)->access.offset);

	return rest ? term_sum(&s->terms, rest, more, 1) : 0;
}

Buffer_row *
buffer_row(Task_buffer *buffer, Buffer_row r)
{
	for (uint32_t i = 0; i < buffer->rows.n; i++) {
		Buffer_row *k = &buffer->rows.at[i];
		if (k->at != r.at || k->bit != r.bit)
			continue;
		if (k->path != r.path || k->sym != r.sym || k->sel != r.sel || k->size != r.size ||
			k->lanes != r.lanes)
			return NULL;
		k->pushed |= r.pushed;
		k->popped |= r.popped;
		return k;
	}
	*vec_push(&buffer->rows) = r;
	return &buffer->rows.at[buffer->rows.n - 1];
}
