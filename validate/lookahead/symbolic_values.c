/* SPDX-License-Identifier: MIT */
/* Values of registers in look-ahead code: sums over their values at the start of the batch. */
#include "validate/lookahead/lookahead.h"

/* Sums are modulo 2^32. A 64-bit literal is used only if its magnitude is below FAR, so that 32 of
 * them, the most that a batch adds, do not overflow. */
#define FAR (UINT64_C(1) << 26)

/* ---- kinds of statements --------------------------------------------------------------------- */

typedef enum {
	SUM_UNREAD,
	SUM_NONE,
	SUM_MOV,
	SUM_ADD,
	SUM_SUB,
	SUM_MUL,
	SUM_MUL_WIDE,
	SUM_MAD,
	SUM_MAD_WIDE,
	SUM_SHL,
	SUM_CVT
} Sum_kind;

/* Bytes of the integer type named by a word of the opcode; 0 if it is none. */
static uint32_t
integer_bytes(const Output_text *output, uint32_t stmt, uint32_t k)
{
	uint32_t n;
	const char *word = opcode_word(output, stmt, k, &n);

	if (n < 2 || n > 3 || (*word != 'u' && *word != 's' && *word != 'b'))
		return 0;
	if (n == 2)
		return word[1] == '8';
	return word[1] == '1' && word[2] == '6' ? 2 :
		word[1] == '3' && word[2] == '2' ? 4 :
		word[1] == '6' && word[2] == '4' ? 8 : 0;
}

static Sum_kind
kind_of(const Output_text *output, uint32_t stmt)
{
	const Output_stmt *k = first_identical_stmt(output, stmt);
	bool product = k->op == OP_MUL || k->op == OP_MAD,
	     lo = product && opcode_word_is(output, stmt, 1, "lo"),
	     wide = product && opcode_word_is(output, stmt, 1, "wide");

	if (output_operand(output, stmt, 0)->kind != OPND_SYM)
		return SUM_NONE; /* part of a register, or two results */
	switch ((Op)k->op) {
	case OP_MOV: return SUM_MOV;
	case OP_ADD: return k->flags & OPF_CARRY ? SUM_NONE : SUM_ADD;
	case OP_SUB: return k->flags & OPF_CARRY ? SUM_NONE : SUM_SUB;
	case OP_MUL: return lo ? SUM_MUL : wide ? SUM_MUL_WIDE : SUM_NONE;
	case OP_MAD:
		if (k->flags & OPF_CARRY)
			return SUM_NONE;
		return lo ? SUM_MAD : wide ? SUM_MAD_WIDE : SUM_NONE;
	case OP_SHL: return SUM_SHL;
	case OP_CVT: return SUM_CVT;
	default: return SUM_NONE;
	}
}

/* For a conversion, the size is the source's bytes plus 16 times the target's. */
static void
read_sum(const Output_text *output, uint32_t stmt)
{
	Output_stmt *k = first_identical_stmt(output, stmt);
	uint32_t word = k->op == OP_MUL || k->op == OP_MAD ? 2 : 1, from = 0;

	k->known.sum.kind = (uint8_t)kind_of(output, stmt);
	if (k->known.sum.kind == SUM_NONE)
		return;
	k->known.sum.size = (uint8_t)integer_bytes(output, stmt, word);
	if (k->known.sum.kind == SUM_CVT) {
		from = integer_bytes(output, stmt, 2);
		k->known.sum.size = (uint8_t)(from ? 16 * k->known.sum.size + from : 0);
	}
	if (!k->known.sum.size)
		k->known.sum.kind = SUM_NONE;
}

/* ---- values ---------------------------------------------------------------------------------- */

static Term_id
literal_term(Terms *terms, uint64_t v, uint32_t size)
{
	return size < 8 || v + FAR < 2 * FAR ?
		term_const(terms, (uint32_t)v) :
		term_make(terms, TERM_UNKNOWN, (uint32_t)v, (uint32_t)(v >> 32), 2);
}

/* Value of an operand of an integer statement of the given size; 0 if unknown. */
static Term_id
operand_term(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k, uint32_t size)
{
	const Opnd *o = output_operand(&s->out, stmt, k);
	const Term_id *at = o->kind == OPND_SYM ? lookahead_slot(&s->out, l, o->sym) : NULL;
	uint64_t v;
	bool real;

	if (o->kind == OPND_IMM) {
		if (first_identical_stmt(&s->out, stmt)->known.sum.literal[k])
			return first_identical_stmt(&s->out, stmt)->known.sum.literal[k];
		if (!ptx_imm(s->out.m, o, &v, &real) || real)
			return 0;
		return first_identical_stmt(&s->out, stmt)->known.sum.literal[k] =
			       literal_term(&s->terms, v, size);
	}
	if (o->kind != OPND_SYM || (at && lookahead_is_opaque(s, *at)))
		return 0;
	if (s->out.m->syms[o->sym].kind == SYM_SPECIAL &&
		ptx_sregs[s->out.m->syms[o->sym].aux].flags & SREGF_TIME)
		return 0;
	return at ? *at : scalar_operand(s, l, stmt, k);
}

static Term_id
convert_term(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t from, uint32_t to)
{
	Term_id a = operand_term(s, l, stmt, 1, from);

	if (!a)
		return 0;
	const Term x = *term_at(&s->terms, a);
	if (to > from)
		return x.op == TERM_CURRENT || x.op == TERM_PASSED ?
			a : term_make(&s->terms, TERM_WIDE, a, 0, 0);
	return x.op == TERM_WIDE && to < 8 ? x.a : a;
}

Term_id
lookahead_product(Terms *t, Term_id a, Term_id b)
{
	const Term x = *term_at(t, a), y = *term_at(t, b);

	if (x.op != TERM_CURRENT && x.op != TERM_PASSED)
		return y.op == TERM_CURRENT || y.op == TERM_PASSED ? lookahead_product(t, b, a) :
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

/* Whether the second factor of a widening product is a literal that its type represents
 * unchanged. */
static bool
is_wide_factor(const Output_text *output, uint32_t stmt)
{
	const Opnd *o = output_operand(output, stmt, 2);
	uint64_t v;
	uint32_t n;
	bool real, is_signed = *opcode_word(output, stmt, 2, &n) == 's';

	if (first_identical_stmt(output, stmt)->known.sum.size != 4 || o->kind != OPND_IMM ||
		!ptx_imm(output->m, o, &v, &real) || real)
		return false;
	return v <= INT32_MAX || (is_signed && v >= (uint64_t)INT32_MIN);
}

static Term_id
product_term(Loop_check *s, Lane_state *l, uint32_t stmt, bool wide)
{
	uint32_t size = wide ? 8 : first_identical_stmt(&s->out, stmt)->known.sum.size;
	Term_id a = operand_term(s, l, stmt, 1, size),
		b = a ? operand_term(s, l, stmt, 2, size) : 0;

	if (!a || !b)
		return 0;
	if (!wide)
		return lookahead_product(&s->terms, a, b);
	Term_op op = (Term_op)term_at(&s->terms, a)->op;
	return (op == TERM_CURRENT || op == TERM_PASSED) && is_wide_factor(&s->out, stmt) ?
		lookahead_product(&s->terms, a, b) : 0;
}

static Term_id
sum_term(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t factor)
{
	uint32_t size = first_identical_stmt(&s->out, stmt)->known.sum.size;
	Term_id a = operand_term(s, l, stmt, 1, size),
		b = a ? operand_term(s, l, stmt, 2, size) : 0;

	return b ? term_sum(&s->terms, a, b, factor) : 0;
}

static Term_id
product_sum_term(Loop_check *s, Lane_state *l, uint32_t stmt, bool wide)
{
	Term_id a = product_term(s, l, stmt, wide),
		b = a ? operand_term(s, l, stmt, 3,
				wide ? 8 : first_identical_stmt(&s->out, stmt)->known.sum.size) :
			0;

	return b ? term_sum(&s->terms, b, a, 1) : 0;
}

static Term_id
shift_term(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t size = first_identical_stmt(&s->out, stmt)->known.sum.size, v;
	Term_id a = operand_term(s, l, stmt, 1, size), b = a ? operand_term(s, l, stmt, 2, 4) : 0;

	return b && term_is_const(&s->terms, b, &v) && v < 8 * size && v < 32 ?
		term_times(&s->terms, a, term_const(&s->terms, UINT32_C(1) << v)) : 0;
}

bool
lookahead_is_sum(const Output_text *output, uint32_t stmt)
{
	if (first_identical_stmt(output, stmt)->known.sum.kind == SUM_UNREAD)
		read_sum(output, stmt);
	return first_identical_stmt(output, stmt)->known.sum.kind != SUM_NONE;
}

Term_id
lookahead_compute(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = first_identical_stmt(&s->out, stmt);

	if (!lookahead_is_sum(&s->out, stmt))
		return 0;
	switch ((Sum_kind)k->known.sum.kind) {
	case SUM_MOV: return operand_term(s, l, stmt, 1, k->known.sum.size);
	case SUM_ADD: return sum_term(s, l, stmt, 1);
	case SUM_SUB: return sum_term(s, l, stmt, UINT32_MAX);
	case SUM_MUL: return product_term(s, l, stmt, false);
	case SUM_MUL_WIDE: return product_term(s, l, stmt, true);
	case SUM_MAD: return product_sum_term(s, l, stmt, false);
	case SUM_MAD_WIDE: return product_sum_term(s, l, stmt, true);
	case SUM_SHL: return shift_term(s, l, stmt);
	case SUM_CVT:
		return convert_term(s, l, stmt, k->known.sum.size & 15, k->known.sum.size >> 4);
	case SUM_UNREAD:
	case SUM_NONE: break;
	}
	return 0;
}

static bool stmt_is_invariant(const Loop_check *s, uint32_t in);

uint32_t
lookahead_only_writer(const Loop_check *s, uint32_t in, uint32_t sym)
{
	uint32_t use = defuse_find_use(s->in.fn, in, sym), by = 0, n = 0;

	FN_REACH(s->in.fn, use, d) {
		by = fn_def(s->in.fn, d)->stmt;
		n++;
	}
	return n == 1 && by && lookahead_in_loop(&s->in, by) && stmt_is_invariant(s, by) &&
			s->in.m->syms[sym].type != TYPE_PRED ?
		by :
		0;
}

/* Whether the statement reads only loop-invariant values. */
static bool
find_invariant(const Loop_check *s, uint32_t in)
{
	const Stmt *t = fn_stmt(s->in.fn, in);
	uint32_t flags = ptx_flags(s->in.m, t);
	bool fixed = flags & OPF_PURE ||
		(flags & OPF_LOAD && ptx_space(s->in.m, t) == SPACE_PARAM && s->in.fn->f->entry);

	if (!fixed || t->guard ||
		flags & (OPF_VARIES | OPF_EFFECT | OPF_CROSS | OPF_STORE | OPF_CARRY))
		return false;
	FN_READS(s->in.fn, in, r)
		if (fn_is_reg(s->in.fn, r->sym) &&
			bits_has(s->lookahead->written, fn_local(s->in.fn, r->sym)) &&
			!lookahead_only_writer(s, in, r->sym))
			return false;
	return true;
}

static bool
stmt_is_invariant(const Loop_check *s, uint32_t in)
{
	uint8_t *known = &s->lookahead->invariant[fn_local_stmt(s->in.fn, in)];

	if (!*known) {
		*known = 1; /* in case of a cycle */
		*known = find_invariant(s, in) ? 2 : 1;
	}
	return *known == 2;
}

Term_id
lookahead_invariant(Loop_check *s, uint32_t in, uint32_t sym)
{
	FN_DEFS_OF_STMT(s->in.fn, in, d)
		if (fn_def(s->in.fn, d)->sym == sym && s->in.m->syms[sym].type != TYPE_PRED &&
			stmt_is_invariant(s, in))
			return term_make(&s->terms, TERM_LOOP_INVARIANT, d, 0, 0);
	return 0;
}

bool
lookahead_value_matches(Loop_check *s, uint32_t in, uint32_t sym, Term_id v)
{
	const Stmt *t = fn_stmt(s->in.fn, in);
	const Opnd *to = &s->in.m->opnds[ptx_operand(s->in.m, t, 0)],
		   *o = &s->in.m->opnds[ptx_operand(s->in.m, t, 1)];
	uint64_t n;
	bool real;

	if (!v || v == lookahead_invariant(s, in, sym))
		return v;
	return ptx_op(s->in.m, t) == OP_MOV && to->kind == OPND_SYM && o->kind == OPND_IMM &&
		ptx_imm(s->in.m, o, &n, &real) && !real &&
		v == literal_term(&s->terms, n, ptx_type_size((Type)s->in.m->syms[sym].type));
}

bool
lookahead_is_trackable(const Terms *terms, Term_id v)
{
	const Term *x = term_at(terms, v);

	switch ((Term_op)x->op) {
	case TERM_SUM:
		for (uint32_t i = 0; i < x->n; i++)
			if (!lookahead_is_trackable(terms, terms->atoms.at[x->first + i].atom))
				return false;
		return true;
	case TERM_BATCH_START:
	case TERM_PENDING:
	case TERM_CURRENT:
	case TERM_PASSED:
	case TERM_SELECTED_SET:
	case TERM_LOWEST: case TERM_REVERSED: case TERM_BIT: case TERM_LOOP_INVARIANT:
	case TERM_SPECIAL: case TERM_MASK:
		return true;
	case TERM_WIDE: return lookahead_is_trackable(terms, x->a);
	case TERM_MUL:
		return lookahead_is_trackable(terms, x->a) && lookahead_is_trackable(terms, x->b);
	case TERM_UNKNOWN: return x->a >> 31 || x->c == 2;
	default: return false;
	}
}
