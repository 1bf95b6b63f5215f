/* SPDX-License-Identifier: MIT */
/* Sequences of copies in look-ahead code, which a lane passes in one step. transfer.c has the
 * effect of each copy.
 *
 * They are in one block of the input, without guards, and write registers of one kind only:
 * look-ahead registers, or the input's own. Their results are the same for all lanes:
 * loop-invariant values in look-ahead, or else unknown values, as they are no sums, or sums of
 * unknown values. The registers that the sequence reads must hold the required values before it; a
 * lane with others executes the copies one by one.
 */
#include "validate/lookahead/lookahead.h"

/* A series being computed, for a lane at its start: the registers that it reads before writing
 * them, and those that it writes. */
typedef struct {
	Loop_check *s;
	const Lane_state *l;
	uint32_t region;
	Series_slot needs[MAX_SERIES], gives[MAX_SERIES];
	uint32_t nneeds, ngives;
} Series_builder;

static Series_slot *
slot_in(Series_slot *list, uint32_t n, uint32_t slot)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].slot == slot)
			return &list[i];
	return NULL;
}

/* Records what a register must hold at the start, by its index in Lane_state.env. */
static bool
add_need(Series_builder *m, uint32_t slot, Reg_kind kind)
{
	Series_slot *x = slot_in(m->needs, m->nneeds, slot);

	if (!x && m->nneeds == MAX_SERIES)
		return false;
	if (!x)
		*(x = &m->needs[m->nneeds++]) = (Series_slot){ slot, kind };
	if (kind == REG_NONE) /* an unknown value */
		x->value = kind;
	return true;
}

/* In look-ahead: whether the result is unknown for every lane. */
static bool
is_unknown(Series_builder *m, uint32_t stmt)
{
	Loop_check *s = m->s;

	if (!lookahead_is_sum(&s->out, stmt))
		return true;
	for (uint32_t k = 1; k < s->out.m->stmts[stmt].nopnd && k < 4; k++) {
		const Opnd *o = output_operand(&s->out, stmt, k);
		uint32_t slot = o->kind == OPND_SYM ? output_reg(&s->out, o->sym)->slot : 0;
		const Series_slot *x = slot ? slot_in(m->gives, m->ngives, slot) : NULL;
		if (x ? x->value == lookahead_atom(s, TERM_MATCHES_INPUT) :
			slot && m->l->env[slot - 1] == lookahead_atom(s, TERM_MATCHES_INPUT))
			return x || add_need(m, slot, REG_NONE);
	}
	return false;
}

/* Whether the statement is a copy of the input's and has no other effect. */
static bool
may_join(Series_builder *m, uint32_t stmt, uint32_t in)
{
	const Loop_check *s = m->s;
	const Output_stmt *k = output_stmt(&s->out, stmt);
	bool looks_ahead = m->region == LOOKAHEAD_COPY;

	if (s->out.m->stmts[stmt].kind != STMT_INSN || s->out.m->stmts[stmt].guard ||
		fn_stmt(s->in.fn, in)->guard || k->flow.joins || k->writes_emitted || k->buffer ||
		k->op == OP_TRAP || k->flags & (OPF_BRANCH | OPF_EXIT | OPF_CROSS) ||
		!stmt_is_copy(s, stmt, in, m->region, true))
		return false;
	STMT_REFS(&s->out, stmt, r)
		if (r->written && (r->reg->kind != (looks_ahead ? REG_UNIFORM : REG_INPUT) ||
			(!looks_ahead && register_is_scoped(&s->out, r->sym))))
			return false;
	return !looks_ahead || (k->flags & (OPF_PURE | OPF_LOAD) &&
			!(k->flags & (OPF_STORE | OPF_ATOMIC | OPF_EFFECT)) &&
			is_unknown(m, stmt));
}

static bool
add_to_series(Series_builder *m, uint32_t stmt, uint32_t in)
{
	Loop_check *s = m->s;

	if (!may_join(m, stmt, in))
		return false;
	STMT_REFS(&s->out, stmt, r) {
		uint32_t slot = r->reg->slot;
		if (!r->written && slot && !slot_in(m->gives, m->ngives, slot) &&
			!add_need(m, slot, (Reg_kind)r->reg->kind))
			return false;
	}
	STMT_REFS(&s->out, stmt, r) {
		uint32_t slot = r->written ? r->reg->slot : 0;
		Series_slot *x = slot_in(m->gives, m->ngives, slot);
		if (!slot)
			continue;
		if (!x && m->ngives == MAX_SERIES)
			return false;
		if (!x)
			x = &m->gives[m->ngives++];
		Term_id v = m->region == LOOKAHEAD_COPY ?
			lookahead_invariant(s, in, r->reg->input_sym) :
			0;
		*x = (Series_slot){ slot, v ? v : lookahead_atom(s, TERM_MATCHES_INPUT) };
	}
	return true;
}

static Copy_series
make_series(Loop_check *s, const Lane_state *l, uint32_t stmt, uint32_t region)
{
	Series_builder m = { .s = s, .l = l, .region = region };
	uint32_t in = l->at.input, block = input_stmt(&s->in, in)->block;
	Copy_series x = { .in = in, .region = region, .first = s->series.slots.n };

	while (stmt + x.n < s->out.end && ptx_has_stmt(s->in.fn->f, in + x.n) &&
		input_stmt(&s->in, in + x.n)->kind == INPUT_PLAIN &&
		input_stmt(&s->in, in + x.n)->block == block &&
		add_to_series(&m, stmt + x.n, in + x.n)) {
		bits_set(s->observed.reached, ptx_local_stmt(s->out.f, stmt + x.n));
		x.n++;
	}
	x.nneeds = m.nneeds;
	x.ngives = m.ngives;
	for (uint32_t i = 0; i < m.nneeds; i++)
		*vec_push(&s->series.slots) = m.needs[i];
	for (uint32_t i = 0; i < m.ngives; i++)
		*vec_push(&s->series.slots) = m.gives[i];
	return x;
}

static const Copy_series *
find_series(Loop_check *s, const Lane_state *l, uint32_t stmt, uint32_t region)
{
	Output_stmt *k = output_stmt(&s->out, stmt);

	for (uint32_t i = k->known.series; i; i = s->series.at.at[i - 1].next) {
		const Copy_series *x = &s->series.at.at[i - 1];
		if (x->in == l->at.input && x->region == region)
			return x;
	}
	Copy_series x = make_series(s, l, stmt, region);
	x.next = k->known.series;
	*vec_push(&s->series.at) = x;
	k->known.series = s->series.at.n;
	return &s->series.at.at[s->series.at.n - 1];
}

/* Whether each register that the series reads holds the required value. */
static bool
series_applies(Loop_check *s, const Lane_state *l, const Copy_series *x)
{
	for (uint32_t i = 0; i < x->nneeds; i++) {
		const Series_slot *k = &s->series.slots.at[x->first + i];
		Term_id v = l->env[k->slot - 1];
		if (v != lookahead_atom(s, TERM_MATCHES_INPUT) && !(k->value == REG_UNIFORM && v))
			return false;
	}
	return true;
}

bool
lookahead_run_series(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t region)
{
	if (stmt + 1 >= s->out.end || !ptx_has_stmt(s->in.fn->f, l->at.input) ||
		input_stmt(&s->in, l->at.input)->kind != INPUT_PLAIN)
		return true;
	const Copy_series *x = find_series(s, l, stmt + 1, region);
	if (!x->n || !series_applies(s, l, x))
		return true;
	const Series_slot *gives = &s->series.slots.at[x->first + x->nneeds];
	for (uint32_t i = 0; i < x->ngives; i++)
		l->env[gives[i].slot - 1] = gives[i].value;
	for (uint32_t i = 0; i < x->n && l->assumed.n; i++)
		FN_WRITES(s->in.fn, l->at.input + i, r)
			lane_forget_predicate(&l->assumed, r->sym);
	l->at.output += x->n;
	l->at.input += x->n;
	s->steps += x->n;
	return input_advance(s, l);
}
