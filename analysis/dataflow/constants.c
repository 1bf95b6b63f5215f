/* SPDX-License-Identifier: MIT */
/* Constant propagation backwards along definitions; see constants.h.
 *
 * A value has 64 bits; its reader converts it to the reader's type. On addresses, only additions
 * and subtractions are evaluated. */
#include "analysis/dataflow/constants.h"

static const Constant unknown;

/* maximum number of statements between a value and the constants that it is computed from */
enum { DEEP = 16 };

static bool
whole_number(Type t)
{
	return t == TYPE_B32 || t == TYPE_B64 || t == TYPE_U32 || t == TYPE_U64 || t == TYPE_S32 ||
		t == TYPE_S64;
}

/* Converts n to what an instruction of the type reads. */
static uint64_t
truncate_to_type(uint64_t n, Type type)
{
	if (ptx_type_size(type) != 4)
		return n;
	return type == TYPE_S32 ? (uint64_t)(int64_t)(int32_t)n : (uint32_t)n;
}

static bool
fold_comparison(const Module *m, const Stmt *s, uint64_t a, uint64_t b, bool *is)
{
	Type type = ptx_insn_type(m, s);
	bool sign = type == TYPE_S32 || type == TYPE_S64;
	int before = sign ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) :
			    (a > b) - (a < b);
	const struct { const char *word; bool is; } compares[] = { { "eq", before == 0 },
		{ "ne", before != 0 }, { "lt", before < 0 }, { "le", before <= 0 },
		{ "gt", before > 0 }, { "ge", before >= 0 } };

	for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
		if (ptx_has(m, s, compares[i].word)) {
			*is = compares[i].is;
			return true;
		}
	return false;
}

Constant
constant_of(const Module *m, const Stmt *s, const Constant *v)
{
	Type type = ptx_insn_type(m, s);
	Op op = ptx_op(m, s);
	static const char *const other[] = { "u8", "s8", "u16", "s16", "f16", "bf16", "f32", "f64",
		"sat", NULL };
	bool wide = ptx_has(m, s, "wide"), is;
	uint64_t a = truncate_to_type(v[0].n, type), b = truncate_to_type(v[1].n, type);

	if (!whole_number(type) || ptx_has_any(m, s, other) || !v[0].known)
		return unknown;
	if (op == OP_MOV || op == OP_CVTA)
		return s->nopnd == 2 ? v[0] : unknown;
	if (op == OP_CVT)
		return s->nopnd == 2 && !v[0].sym ? (Constant){ true, 0, a } : unknown;
	if (s->nopnd < 3 || !v[1].known || (v[0].sym && v[1].sym))
		return unknown;
	if (op == OP_ADD)
		return (Constant){ true, v[0].sym | v[1].sym, a + b };
	if (op == OP_SUB && !v[1].sym)
		return (Constant){ true, v[0].sym, a - b };
	if (v[0].sym || v[1].sym)
		return unknown;
	if (op == OP_SETP && s->nopnd == 3 && fold_comparison(m, s, a, b, &is))
		return (Constant){ true, 0, is };
	if (op == OP_SHL)
		return v[1].n < 32 ? (Constant){ true, 0, a << v[1].n } : unknown;
	if (op == OP_MUL && (wide || ptx_has(m, s, "lo")))
		return (Constant){ true, 0, a * b };
	return unknown;
}

/* ---- values of uses and definitions ---------------------------------------------- */

static Constant constant_of_use(const Fn *fn, uint32_t use, uint32_t deep);

Constant
constant_immediate(const Module *m, const Opnd *o)
{
	uint64_t n;
	bool real;

	return ptx_imm(m, o, &n, &real) && !real ? (Constant){ true, 0, n } : unknown;
}

Constant
constant_symbol(const Module *m, uint32_t sym)
{
	const Sym *y = &m->syms[sym];

	return y->kind == SYM_VAR && y->space == SPACE_LOCAL ? (Constant){ true, sym, 0 } : unknown;
}

static Constant
constant_of_operand(const Fn *fn, uint32_t stmt, uint32_t k, uint32_t deep)
{
	const Module *m = fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(fn, stmt), k)];

	if (o->kind == OPND_IMM)
		return constant_immediate(m, o);
	if (o->kind != OPND_SYM || o->sel)
		return unknown;
	if (!fn_is_reg(fn, o->sym))
		return constant_symbol(m, o->sym);
	return constant_of_use(fn, defuse_find_use(fn, stmt, o->sym), deep);
}

/* Whether constant_of knows the operation. */
static bool
op_is_folded(Op op)
{
	return op == OP_MOV || op == OP_CVTA || op == OP_CVT || op == OP_ADD || op == OP_SUB ||
		op == OP_SETP || op == OP_SHL || op == OP_MUL;
}

/* If the first operand is unknown, so is the result. The second operand is then not looked at, so
 * that the walk seldom branches. */
static Constant
constant_of_def(const Fn *fn, uint32_t def, uint32_t deep)
{
	uint32_t stmt = fn_def(fn, def)->stmt;
	Constant v[2] = { { 0 } };

	if (!stmt || deep == DEEP || !fn_def(fn, def)->kills ||
		fn_stmt(fn, stmt)->kind != STMT_INSN ||
		!op_is_folded(ptx_op(fn->m, fn_stmt(fn, stmt))))
		return unknown;
	for (uint32_t k = 1; k < 3 && k < fn_stmt(fn, stmt)->nopnd; k++) {
		v[k - 1] = constant_of_operand(fn, stmt, k, deep + 1);
		if (!v[0].known)
			return unknown;
	}
	return constant_of(fn->m, fn_stmt(fn, stmt), v);
}

static Constant
constant_of_use(const Fn *fn, uint32_t use, uint32_t deep)
{
	const Use *u = fn_use(fn, use);

	return use && u->ndef == 1 ? constant_of_def(fn, fn->defuse->reach[u->def], deep) : unknown;
}

Constant
constant_def(const Fn *fn, uint32_t def)
{
	return constant_of_def(fn, def, 0);
}

Constant
constant_use(const Fn *fn, uint32_t use)
{
	return constant_of_use(fn, use, 0);
}
