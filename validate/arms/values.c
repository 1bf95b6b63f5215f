/* SPDX-License-Identifier: MIT */
/* Executes a statement on terms (arms.h). */
#include <string.h>
#include "validate/arms/arms.h"

enum {
	KIND_NAME = 11,
	KIND_IMM,
	KIND_LIST,
	KIND_PART,
	KIND_CALL,
	KIND_RESULT,
	KIND_IF,
	KIND_SPACE
};

static Value
name_value(const Module *m, uint32_t sym)
{
	size_t n;
	const char *name = ptx_name(m, sym, &n);

	return value_make(trial_mix_text(KIND_NAME, name, n), 0);
}

Value
arm_start_value(const Module *m, uint32_t sym)
{
	return name_value(m, sym);
}

/* Opcode and modifiers, without `.rn`: a product with it differs from one without it in what ptxas
 * may contract, which legality decides (docs/proofs/contraction.md). */
static Value
opcode_value(const Module *m, const Stmt *t)
{
	const char *at = m->src->text + t->head, *end = m->src->text + t->head_end;
	uint64_t v = KIND_CALL;

	while (at < end) {
		const char *next = memchr(at, '.', (size_t)(end - at));
		next = next ? next : end;
		if (next - at != 2 || memcmp(at, "rn", 2) != 0)
			v = trial_mix_text(v, at, (size_t)(next - at));
		at = next + 1;
	}
	return v;
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint32_t
slot_of(const Arm_text *t, uint32_t sym)
{
	return ptx_has_sym(t->f, sym) ? t->slot[ptx_local_sym(t->f, sym)] : 0;
}

static Value
symbol_value(const Arm_text *t, const Opnd *o)
{
	uint32_t slot = slot_of(t, o->sym);
	Value v = slot ? t->value[slot] : name_value(t->m, o->sym);

	return o->sel ? value_make(v, o->sel) : v;
}

static Value
operand_value(const Arm_text *t, const Opnd *o)
{
	uint64_t v = trial_mix(KIND_LIST, o->kind), imm = 0;
	int64_t offset = 0;
	bool real = false;

	switch ((Opnd_kind)o->kind) {
	case OPND_SYM:
		return symbol_value(t, o);
	case OPND_NOT:
		return value_not(operand_value(t, o + 1));
	case OPND_IMM:
		if (!ptx_imm(t->m, o, &imm, &real))
			imm = trial_mix_text(0, t->m->src->text + o->at.pos, o->at.end - o->at.pos);
		return value_make(trial_mix(KIND_IMM, real), imm);
	case OPND_SUM:
	case OPND_ADDR:
		if (!ptx_offset(t->m, o, &offset))
			v = trial_mix_text(v, t->m->src->text + o->at.pos, o->at.end - o->at.pos);
		v = trial_mix(v, (uint64_t)offset);
		break;
	default:
		break;
	}
	for (uint32_t k = 1; k < o->tree; k += o[k].tree)
		v = trial_mix(v, operand_value(t, o + k));
	return value_make(v, o->tree);
}

/* x if p holds, else y, in one form of p and its negation. */
static Value
select_value(Value p, Value x, Value y)
{
	if (p == VALUE_TRUE || x == y)
		return x;
	if (p == VALUE_FALSE)
		return y;
	if (p & 1)
		return select_value(value_not(p), y, x);
	if (x & 1)
		return value_not(select_value(p, value_not(x), value_not(y)));
	return value_make(trial_mix(trial_mix(KIND_IF, p), x), y);
}

/* Writes the parts of a destination. Of a guarded statement whose guard is unknown, they keep their
 * value where the guard does not hold. */
static void
set_parts(Arm_text *t, const Opnd *o, Value result, Value guard)
{
	uint32_t n = 0;

	for (uint32_t k = o->kind == OPND_SYM ? 0 : 1; k < o->tree; k += o[k].tree) {
		uint32_t slot = o[k].kind == OPND_SYM ? slot_of(t, o[k].sym) : 0;
		Value part = n++ ? value_make(trial_mix(KIND_PART, n), result) : result;
		if (slot)
			t->value[slot] = select_value(guard, part, t->value[slot]);
	}
}

static bool
is_register_or_literal(const Arm_text *t, const Opnd *o)
{
	return o->kind == OPND_IMM || (o->kind == OPND_SYM && !o->sel && slot_of(t, o->sym));
}

/* ---- computation ----------------------------------------------------------------------------- */

Value
arm_guard(const Arm_text *t, const Stmt *s)
{
	if (s->kind != STMT_INSN || !s->guard)
		return VALUE_TRUE;
	uint32_t slot = slot_of(t, s->sym);
	Value v = slot ? t->value[slot] : name_value(t->m, s->sym);
	return s->guard == 2 ? value_not(v) : v;
}

static Value
literal_predicate(const Arm_text *t, const Opnd *o)
{
	uint64_t imm = 0;
	bool real;

	if (o->kind != OPND_IMM || !ptx_imm(t->m, o, &imm, &real))
		return operand_value(t, o);
	return imm ? VALUE_TRUE : VALUE_FALSE;
}

/* The result of an operation on predicates: known ones decide. */
static Value
predicate_value(const Arm_text *t, Op op, const Opnd *a, const Opnd *b)
{
	Value x = literal_predicate(t, a),
	      y = op == OP_NOT || op == OP_MOV ? x : literal_predicate(t, b);
	Value stop = op == OP_AND ? VALUE_FALSE : VALUE_TRUE;

	if (op == OP_MOV)
		return x;
	if (op == OP_NOT)
		return value_not(x);
	if (x == stop || y == stop)
		return stop;
	return x == value_not(stop) ? y : y == value_not(stop) ? x : 0;
}

/* Whether the first two operands of a computation may be exchanged. Operations on double and half
 * floats return one of their NaNs, those on floats always the same one. */
static bool
operands_commute(const Module *m, const Stmt *s)
{
	static const char *const wide[] = { "f64", "f16", "f16x2", "bf16", "bf16x2", "f32x2",
		NULL };

	switch (ptx_op(m, s)) {
	case OP_ADD:
	case OP_MUL:
	case OP_MAD:
	case OP_FMA:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		return !ptx_has_any(m, s, wide) && !(ptx_flags(m, s) & OPF_CARRY);
	default:
		return false;
	}
}

/* The value that the statement computes from its operands. */
static Value
computed_value(const Arm_text *t, const Stmt *s)
{
	const Opnd *all = t->m->opnds;
	Op op = ptx_op(t->m, s);
	uint32_t first = ptx_operand(t->m, s, 1), second = ptx_operand(t->m, s, 2),
		 third = ptx_operand(t->m, s, 3);
	uint64_t v = opcode_value(t->m, s);
	Value known = 0;

	if (ptx_insn_type(t->m, s) == TYPE_PRED &&
		(op == OP_MOV || op == OP_NOT || op == OP_AND || op == OP_OR))
		known = predicate_value(t, op, &all[first], &all[second]);
	else if (op == OP_MOV && all[s->opnd].kind == OPND_SYM &&
		is_register_or_literal(t, &all[first]))
		known = operand_value(t, &all[first]);
	if (op == OP_SELP)
		known = select_value(operand_value(t, &all[third]), operand_value(t, &all[first]),
			operand_value(t, &all[second]));
	if (known)
		return known;
	PTX_OPNDS(t->m, s, k, o)
	{
		Value x = k > 0 ? operand_value(t, &all[o]) : 0;
		if ((k == 1 || k == 2) && operands_commute(t->m, s)) {
			Value y = operand_value(t, &all[k == 1 ? second : first]);
			x = (k == 1) == (x < y) ? x : y;
		}
		v = trial_mix(v, x);
	}
	if (ptx_flags(t->m, s) & OPF_CARRY)
		v = trial_mix(v, t->value[0]);
	return value_make(v, s->nopnd);
}

/* Whether it is a store into the parameter of a call. */
static bool
stores_call_parameter(const Arm_text *t, const Stmt *s)
{
	const Opnd *o = &t->m->opnds[s->opnd];

	return ptx_op(t->m, s) == OP_ST && s->nopnd && ptx_space(t->m, s) == SPACE_PARAM &&
		o->kind == OPND_ADDR && o->tree > 1 && o[1].kind == OPND_SYM &&
		slot_of(t, o[1].sym) && t->m->syms[o[1].sym].kind == SYM_VAR;
}

/* Whether the statement reads something that changes with time. */
static bool
reads_time(const Arm_text *t, const Stmt *s)
{
	PTX_REFS (t->m, s, r)
		if (t->m->syms[r.sym].kind == SYM_SPECIAL &&
			ptx_sregs[t->m->syms[r.sym].aux].flags & SREGF_TIME)
			return true;
	return false;
}

/* Whether the statement's result depends on its operands alone, and it does nothing else. */
static bool
only_computes(const Arm_text *t, const Stmt *s)
{
	uint32_t flags = ptx_flags(t->m, s);
	Space space = ptx_space(t->m, s);

	if (flags & OPF_PURE)
		return !(flags & OPF_VARIES) && !reads_time(t, s);
	return ptx_op(t->m, s) == OP_LD && !(flags & (OPF_EFFECT | OPF_ATOMIC)) &&
		(space == SPACE_PARAM || space == SPACE_CONST);
}

void
arm_set_results(Arm_text *t, uint32_t stmt, Value result)
{
	const Stmt *s = &t->m->stmts[stmt];
	const Opnd *o = &t->m->opnds[s->opnd];

	if (s->nopnd &&
		(ptx_flags(t->m, s) & OPF_WRITES1 ||
			(ptx_op(t->m, s) == OP_CALL && o->kind == OPND_LIST)))
		set_parts(t, o, result, arm_guard(t, s));
}

/* The names of functions, parameters and labels of both texts are equal, so operands of calls are
 * values like others; those of parameters are what was stored into them. */
static bool
describe_event(const Arm_text *t, uint32_t stmt, Value guard, Lane_step *step)
{
	const Stmt *s = &t->m->stmts[stmt];
	uint64_t v = trial_mix(opcode_value(t->m, s), guard);
	bool results = ptx_flags(t->m, s) & OPF_WRITES1 ||
		(ptx_op(t->m, s) == OP_CALL && s->nopnd && t->m->opnds[s->opnd].kind == OPND_LIST);

	PTX_OPNDS(t->m, s, k, o)
	if (k > 0 || !results)
		v = trial_mix(v, operand_value(t, &t->m->opnds[o]));
	*step = (Lane_step){ STEP_EVENT, stmt, value_make(v, s->nopnd), 0 };
	return false;
}

static bool
describe_branch(const Arm_text *t, uint32_t stmt, Value guard, Lane_step *step)
{
	const Stmt *s = &t->m->stmts[stmt];
	uint32_t sym = t->m->opnds[s->opnd].sym;

	*step = (Lane_step){ STEP_UNKNOWN, stmt, guard, 0 };
	if (ptx_op(t->m, s) != OP_BRA || !ptx_has_sym(t->f, sym))
		return false;
	step->kind = STEP_BRANCH;
	step->to = t->label[ptx_local_sym(t->f, sym)];
	return false;
}

/* A declaration in a nested scope: its variables hold nothing. */
static void
declare(Arm_text *t, const Stmt *s, uint32_t stmt)
{
	for (uint32_t sym = s->sym; sym && ptx_has_sym(t->f, sym) && t->m->syms[sym].decl == stmt;
		sym++)
		if (slot_of(t, sym))
			t->value[slot_of(t, sym)] = arm_start_value(t->m, sym);
}

bool
arm_execute(Arm_text *t, uint32_t stmt, Lane_step *step)
{
	const Stmt *s = &t->m->stmts[stmt];

	if (s->kind == STMT_DECL)
		declare(t, s, stmt);
	if (s->kind != STMT_INSN)
		return true;
	uint32_t flags = ptx_flags(t->m, s);
	Value guard = arm_guard(t, s);
	if (guard == VALUE_FALSE)
		return true;
	if (flags & OPF_BRANCH)
		return describe_branch(t, stmt, guard, step);
	if (flags & (OPF_CROSS | OPF_BARRIER | OPF_EXIT | OPF_STACK)) {
		*step = (Lane_step){ STEP_UNKNOWN, stmt, guard, 0 };
		return false;
	}
	if (stores_call_parameter(t, s)) {
		const Opnd *o = &t->m->opnds[s->opnd];
		Value v = value_make(
			opcode_value(t->m, s), operand_value(t, o)); /* with its old value */
		v = value_make(v, operand_value(t, o + o->tree));
		set_parts(t, o + 1, v, guard);
		return true;
	}
	if (!only_computes(t, s))
		return describe_event(t, stmt, guard, step);
	Value v = computed_value(t, s);
	arm_set_results(t, stmt, v);
	if (flags & OPF_CARRY)
		t->value[0] = value_make(KIND_RESULT, v);
	return true;
}
