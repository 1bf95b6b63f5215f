/* SPDX-License-Identifier: MIT */
/* What registers hold where lanes look ahead, and what statements make of that: sums of what they
 * held when the batch began. See ahead.c. */
#include "validate/parts.h"

Term_id *
ahead_slot(const Site *s, Lane *l, uint32_t sym)
{
	const Reg *r = site_reg(s, sym);
	uint32_t k = match_inner(s, sym) && r->kind == REG_OWN ? 0 :
		r->kind == REG_OWN || r->kind == REG_AGAIN ? ahead_number(s, r->in) : 0;

	return !k ? NULL : r->kind == REG_AGAIN ? ahead_look(s, l, k) : ahead_own(s, l, k);
}

static bool
is_opaque(Site *s, Term_id v)
{
	return !v || v == ahead_atom(s, TERM_HELD) || v == ahead_atom(s, TERM_READ);
}

Term_id
ahead_operand(Site *s, Lane *l, uint32_t sym)
{
	const Term_id *at = ahead_slot(s, l, sym);

	return at && !is_opaque(s, *at) ? *at : 0;
}

/* Of an integer statement of so many bytes; 0: not known. */
static Term_id
operand(Site *s, Lane *l, uint32_t stmt, uint32_t k, uint32_t size)
{
	const Opnd *o = step_operand(s, stmt, k);
	const Term_id *at = o->kind == OPND_SYM ? ahead_slot(s, l, o->sym) : NULL;
	uint64_t v;
	bool real;

	if (o->kind == OPND_IMM) {
		if (!ptx_imm(s->out, o, &v, &real) || real)
			return 0;
		return size < 8 || v == (uint64_t)(int64_t)(int32_t)v ?
			term_const(&s->terms, (uint32_t)v) :
			term_make(&s->terms, TERM_UNKNOWN, (uint32_t)v, (uint32_t)(v >> 32), 2);
	}
	if (o->kind != OPND_SYM || (at && is_opaque(s, *at)))
		return 0;
	if (s->out->syms[o->sym].kind == SYM_SPECIAL &&
		ptx_sregs[s->out->syms[o->sym].aux].flags & SREGF_TIME)
		return 0;
	return at ? *at : inserted_operand(s, l, stmt, k);
}

/* The type that a word of the opcode names, its bytes; 0: that is no integer. */
static uint32_t
integer(const Site *s, uint32_t stmt, uint32_t k)
{
	static const char *const words[][8] = { { "u8", "s8", "b8" }, { "u16", "s16", "b16" },
		{ "u32", "s32", "b32" }, { "u64", "s64", "b64" } };

	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t n = 0; words[i][n]; n++)
			if (inserted_word_is(s, stmt, k, words[i][n]))
				return 1u << i;
	return 0;
}

static Term_id
convert(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t to = integer(s, stmt, 1), from = integer(s, stmt, 2);
	Term_id a = to && from ? operand(s, l, stmt, 1, from) : 0;

	if (!a)
		return 0;
	const Term x = *term_at(&s->terms, a);
	if (to > from)
		return x.op == TERM_CURRENT || x.op == TERM_PASSED ?
			a : term_make(&s->terms, TERM_WIDE, a, 0, 0);
	return x.op == TERM_WIDE && to < 8 ? x.a : a;
}

Term_id
ahead_times(Site *s, Term_id a, Term_id b)
{
	Terms *t = &s->terms;
	const Term x = *term_at(t, a), y = *term_at(t, b);

	if (x.op != TERM_CURRENT && x.op != TERM_PASSED)
		return y.op == TERM_CURRENT || y.op == TERM_PASSED ? ahead_times(s, b, a) :
								     term_times(t, a, b);
	if (y.op != TERM_SUM)
		return term_times(t, a, b);
	Term_id sum = term_sum(t, term_const(t, 0), a, y.c);
	for (uint32_t i = 0; i < y.n; i++) {
		const Term_atom k = t->atoms.at[y.first + i];
		sum = term_sum(t, sum, term_times(t, a, k.atom), k.factor);
	}
	return sum;
}

static Term_id
product(Site *s, Lane *l, uint32_t stmt, bool lo)
{
	uint32_t size = integer(s, stmt, 2);
	Term_id a = operand(s, l, stmt, 1, lo ? size : 8),
		b = operand(s, l, stmt, 2, lo ? size : 8);
	uint32_t v;

	if (!a || !b || !size)
		return 0;
	if (lo)
		return ahead_times(s, a, b);
	Term_op op = (Term_op)term_at(&s->terms, a)->op;
	return (op == TERM_CURRENT || op == TERM_PASSED) && term_is_const(&s->terms, b, &v) ?
		ahead_times(s, a, b) : 0;
}

Term_id
ahead_value(Site *s, Lane *l, uint32_t stmt)
{
	const Step *k = step_at(s, stmt);
	Terms *t = &s->terms;
	bool product_of = k->op == OP_MUL || k->op == OP_MAD,
	     lo = product_of && inserted_word_is(s, stmt, 1, "lo"),
	     wide = product_of && inserted_word_is(s, stmt, 1, "wide");
	uint32_t size = integer(s, stmt, product_of ? 2 : 1), v;
	Term_id a, b;

	if (k->op == OP_CVT)
		return convert(s, l, stmt);
	if (!size || k->flags & OPF_CARRY || (product_of && !lo && !wide))
		return 0;
	switch ((Op)k->op) {
	case OP_MOV: return operand(s, l, stmt, 1, size);
	case OP_ADD:
	case OP_SUB:
		a = operand(s, l, stmt, 1, size);
		b = operand(s, l, stmt, 2, size);
		return a && b ? term_sum(t, a, b, k->op == OP_ADD ? 1 : UINT32_MAX) : 0;
	case OP_MUL: return product(s, l, stmt, lo);
	case OP_MAD:
		a = product(s, l, stmt, lo);
		b = operand(s, l, stmt, 3, wide ? 8 : size);
		return a && b ? term_sum(t, b, a, 1) : 0;
	case OP_SHL:
		a = operand(s, l, stmt, 1, size);
		b = operand(s, l, stmt, 2, 4);
		return a && b && term_is_const(t, b, &v) && v < 8 * size && v < 32 ?
			term_times(t, a, term_const(t, UINT32_C(1) << v)) : 0;
	default: return 0;
	}
}

bool
ahead_plain(const Site *s, Term_id v)
{
	const Term *x = term_at(&s->terms, v);

	switch ((Term_op)x->op) {
	case TERM_SUM:
		for (uint32_t i = 0; i < x->n; i++)
			if (!ahead_plain(s, s->terms.atoms.at[x->first + i].atom))
				return false;
		return true;
	case TERM_BASE: case TERM_OWED: case TERM_CURRENT: case TERM_PASSED: case TERM_NOTES:
	case TERM_LOWEST: case TERM_MIRROR: case TERM_BIT: case TERM_SPECIAL: case TERM_MASK:
		return true;
	case TERM_WIDE: return ahead_plain(s, x->a);
	case TERM_MUL: return ahead_plain(s, x->a) && ahead_plain(s, x->b);
	case TERM_UNKNOWN: return x->a >> 31 || x->c == 2;
	default: return false;
	}
}
