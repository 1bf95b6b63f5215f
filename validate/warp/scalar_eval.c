/* SPDX-License-Identifier: MIT */
/* Executes statements that compute machine registers.
 *
 * A value is uniform if it is the result of a vote, or computed from uniform values by all lanes at
 * the same place, without a divergent branch since the last vote or barrier (written_by_all). A
 * register that only some lanes have written (Divergence.writes) may vary after the next vote.
 */
#include <string.h>
#include "validate/warp/warp.h"

static bool
bitset_has(const uint64_t *set, uint32_t i)
{
	return set[i >> 6] >> (i & 63) & 1;
}
static void
bitset_add(uint64_t *set, uint32_t i)
{
	set[i >> 6] |= UINT64_C(1) << (i & 63);
}
static void
bitset_remove(uint64_t *set, uint32_t i)
{
	set[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

bool
scalar_varies(const Loop_check *s, const Lane_state *l, uint32_t sym)
{
	const Output_reg *r = output_reg(&s->out, sym);

	if (r->kind != REG_EMITTED)
		return true;
	return bitset_has(l->regs.varies, r->index) ||
		(!bitset_has(l->regs.written_by_all, r->index) &&
			bitset_has(s->divergence.writes, r->index));
}

/* ---- operands -------------------------------------------------------------------------------- */

static Term_id
assumed_predicate(Loop_check *s, const Lane_state *l, const Output_reg *r, uint32_t sym)
{
	for (uint32_t i = 0; i < l->assumed.n; i++)
		if (l->assumed.at[i].sym == r->input_sym && batch_register_holds(s, l, r))
			return term_const(&s->terms, l->assumed.at[i].value);
	return term_make(&s->terms, TERM_UNKNOWN, sym | UINT32_C(1) << 31, 0, 0);
}

Term_id
scalar_predicate(Loop_check *s, Lane_state *l, uint32_t sym)
{
	const Output_reg *r = output_reg(&s->out, sym);

	if (r->kind == REG_EMITTED)
		return l->env[r->index];
	return assumed_predicate(s, l, r, sym);
}

Term_id
scalar_operand(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k)
{
	const Output_stmt *step = output_stmt(&s->out, stmt);

	if (step->fixed[k])
		return step->fixed[k];
	if (step->machine[k])
		return l->env[step->machine[k] - 1];
	uint32_t sym = output_operand(&s->out, stmt, k)->sym;
	const Output_reg *r = output_reg(&s->out, sym);
	if (r->kind == REG_EMITTED)
		return l->env[r->index];
	if (s->lookahead && lookahead_operand(s, l, sym))
		return lookahead_operand(s, l, sym);
	if (r->kind == REG_COPY && r->index && l->env[s->emitted.n + r->index - 1])
		return l->env[s->emitted.n + r->index - 1];
	return assumed_predicate(s, l, r, sym);
}

static bool
is_pred(const Output_text *output, uint32_t sym)
{
	return output->m->syms[sym].type == TYPE_PRED;
}

static inline void
set_register(Loop_check *s, Lane_state *l, uint32_t sym, Term_id value, bool varies)
{
	uint32_t i = output_reg(&s->out, sym)->index;
	uint32_t v;

	if (is_pred(&s->out, sym) && term_is_const(&s->terms, value, &v))
		value = term_const(&s->terms, v != 0);
	lane_set_register(l, i, value);
	bitset_remove(l->regs.varies, i);
	if (varies)
		bitset_add(l->regs.varies, i);
	if (l->segment.diverged) {
		bitset_add(s->divergence.writes, i);
		bitset_add(l->regs.written_by_some, i);
		bitset_remove(l->regs.written_by_all, i);
	} else {
		bitset_add(l->regs.written_by_all, i);
	}
}

void
scalar_set(Loop_check *s, Lane_state *l, uint32_t sym, Term_id value, bool varies)
{
	set_register(s, l, sym, value, varies);
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static Term_id
comparison_term(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Terms *ts = &s->terms;
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2), d;

	d = term_sum(ts, a, b, UINT32_MAX);
	if (opcode_word_is(&s->out, stmt, 1, "eq"))
		return term_make(ts, TERM_ZERO, d, 0, 0);
	if (opcode_word_is(&s->out, stmt, 1, "ne"))
		return term_not(ts, term_make(ts, TERM_ZERO, d, 0, 0));
	if (opcode_word_is(&s->out, stmt, 1, "lt"))
		return term_make(ts, TERM_NEGATIVE, d, 0, 0);
	if (opcode_word_is(&s->out, stmt, 1, "ge"))
		return term_not(ts, term_make(ts, TERM_NEGATIVE, d, 0, 0));
	d = term_sum(ts, b, a, UINT32_MAX);
	if (opcode_word_is(&s->out, stmt, 1, "gt"))
		return term_make(ts, TERM_NEGATIVE, d, 0, 0);
	if (opcode_word_is(&s->out, stmt, 1, "le"))
		return term_not(ts, term_make(ts, TERM_NEGATIVE, d, 0, 0));
	return 0;
}

/* setp with a second predicate: setp.ne.and. */
static Term_id
combined_comparison(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Terms *ts = &s->terms;
	Term_id a = comparison_term(s, l, stmt), b;

	if (s->out.m->stmts[stmt].nopnd == 3 || !a)
		return a;
	b = scalar_operand(s, l, stmt, 3);
	if (opcode_word_is(&s->out, stmt, 2, "and"))
		return term_both(ts, a, b);
	if (opcode_word_is(&s->out, stmt, 2, "or"))
		return term_not(ts, term_both(ts, term_not(ts, a), term_not(ts, b)));
	return 0;
}

static Term_id
logic_term(Loop_check *s, Lane_state *l, uint32_t stmt, Op op, bool pred)
{
	Terms *ts = &s->terms;
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2);
	uint32_t v;

	if (op == OP_AND)
		return pred ? term_both(ts, a, b) : term_and(ts, a, b);
	if (pred) /* by De Morgan's law */
		return op == OP_OR ? term_not(ts, term_both(ts, term_not(ts, a), term_not(ts, b))) :
				     0;
	if (term_is_const(ts, a, &v) && v == 0)
		return b;
	if (term_is_const(ts, b, &v) && v == 0)
		return a;
	return term_make(ts, op == OP_OR ? TERM_OR : TERM_XOR, a, b, 0);
}

static Term_id
shift_term(Loop_check *s, Lane_state *l, uint32_t stmt, Op op)
{
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2);
	uint32_t v;

	if (!term_is_const(&s->terms, b, &v) || v > 31)
		return 0;
	if (op == OP_SHL)
		return term_sum(&s->terms, term_const(&s->terms, 0), a, UINT32_C(1) << v);
	return term_make(&s->terms, TERM_SHR, a, v, 0);
}

static Term_id
arithmetic_term(Loop_check *s, Lane_state *l, uint32_t stmt, Op op)
{
	Terms *ts = &s->terms;
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2);

	switch (op) {
	case OP_ADD: return term_sum(ts, a, b, 1);
	case OP_SUB: return term_sum(ts, a, b, UINT32_MAX);
	case OP_MUL: return opcode_word_is(&s->out, stmt, 1, "lo") ? term_times(ts, a, b) : 0;
	case OP_MAD:
		return opcode_word_is(&s->out, stmt, 1, "lo") ?
			term_sum(ts, scalar_operand(s, l, stmt, 3), term_times(ts, a, b), 1) :
			0;
	default: return 0;
	}
}

static Term_id
min_max_term(Loop_check *s, Lane_state *l, uint32_t stmt, Op op)
{
	Term_id a = scalar_operand(s, l, stmt, 1), b = scalar_operand(s, l, stmt, 2);

	return term_make(&s->terms, op == OP_MIN ? TERM_MIN : TERM_MAX, a, b, 0);
}

/* The predicate of a selp: a predicate of the task that is to be pushed, if it is one. */
static Term_id
task_predicate(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Opnd *o = output_operand(&s->out, stmt, 3);
	uint64_t wants = tasks_voted_for(&s->observed, l->round.vote_subject);
	Term_id v = 0;

	if (o->kind == OPND_SYM && output_reg(&s->out, o->sym)->kind != REG_EMITTED && wants)
		v = task_value(s, l, o->sym, (uint32_t)__builtin_ctzll(wants));
	return v ? v : scalar_operand(s, l, stmt, 3);
}

static Term_id
select_value(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Terms *ts = &s->terms;
	Term_id p = task_predicate(s, l, stmt), a = scalar_operand(s, l, stmt, 1),
		z = scalar_operand(s, l, stmt, 2);
	uint32_t v;

	if (term_is_const(ts, p, &v))
		return v ? a : z;
	return term_is_const(ts, z, &v) && v == 0 ? term_make(ts, TERM_SELECT, a, p, 0) : 0;
}

/* Value of a computation; 0 if unknown. */
static Term_id
computed_term(Loop_check *s, Lane_state *l, uint32_t stmt, bool pred)
{
	Op op = (Op)output_stmt(&s->out, stmt)->op;
	Terms *ts = &s->terms;

	switch (op) {
	case OP_MOV: return scalar_operand(s, l, stmt, 1);
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_MAD: return arithmetic_term(s, l, stmt, op);
	case OP_SHL:
	case OP_SHR: return shift_term(s, l, stmt, op);
	case OP_AND:
	case OP_OR:
	case OP_XOR: return logic_term(s, l, stmt, op, pred);
	case OP_MIN:
	case OP_MAX:
		return opcode_word_is(&s->out, stmt, 1, "s32") ? min_max_term(s, l, stmt, op) : 0;
	case OP_NOT: return pred ? term_not(ts, scalar_operand(s, l, stmt, 1)) : 0;
	case OP_POPC: return term_popc(ts, scalar_operand(s, l, stmt, 1));
	case OP_SETP: return combined_comparison(s, l, stmt);
	case OP_SELP: return select_value(s, l, stmt);
	default: return 0;
	}
}

/* Whether every machine register that it reads has a value. */
static bool
operands_are_set(const Output_text *output, const Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = output_stmt(output, stmt);

	return !((k->regs.reads[0] & ~l->regs.defined[0]) |
		(k->regs.reads[1] & ~l->regs.defined[1]));
}

/* The same, from a cache keyed by the operands. */
static Term_id
recomputed_term(Loop_check *s, Lane_state *l, uint32_t stmt, bool pred)
{
	Output_stmt *k = output_stmt(&s->out, stmt);
	Term_id of[4] = { 0 };

	if (k->op == OP_SELP) /* depends on the task */
		return computed_term(s, l, stmt, pred);
	for (uint32_t i = 1, n = s->out.m->stmts[stmt].nopnd; i < n && i < 4; i++)
		of[i] = k->machine[i] ? l->env[k->machine[i] - 1] : scalar_operand(s, l, stmt, i);
	if (!k->known.results)
		k->known.results = arena_array(s->arena, MOST_KNOWN, sizeof *k->known.results);
	for (const Computed_value *c = k->known.results;
		c < k->known.results + MOST_KNOWN && c->of[1]; c++)
		if (of[1] == c->of[1] && of[2] == c->of[2] && of[3] == c->of[3])
			return c->value;
	Term_id v = computed_term(s, l, stmt, pred);
	Computed_value *c = &k->known.results[k->known.next_result++ % MOST_KNOWN];
	c->value = v;
	memcpy(c->of, of, sizeof of);
	return v;
}

bool
scalar_result_varies(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = output_stmt(&s->out, stmt);
	uint64_t varies = 0;

	for (uint32_t i = 0; i < 2; i++)
		varies |= k->regs.reads[i] &
			(l->regs.varies[i] |
				(s->divergence.writes[i] & ~l->regs.written_by_all[i]));
	return varies || k->varies || !(k->flags & OPF_PURE);
}

void
scalar_run_all(Loop_check *s, Lane_state *l)
{
	for (const Output_stmt *k = output_stmt(&s->out, l->at.output);
		k->computes && !k->flow.joins && !k->flow.reconverges; k++) {
		bits_set(s->observed.reached, ptx_local_stmt(s->out.f, l->at.output));
		scalar_compute(s, l, l->at.output++);
		s->steps++;
	}
}

bool
scalar_compute(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t to = output_operand(&s->out, stmt, 0)->sym;
	bool varies = scalar_result_varies(s, l, stmt);
	bool known = operands_are_set(&s->out, l, stmt);
	Term_id v = known ? recomputed_term(s, l, stmt, is_pred(&s->out, to)) : 0;
	if (known && !v)
		v = term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0);
	set_register(s, l, to, v, varies);
	return true;
}
