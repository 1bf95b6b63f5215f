/* SPDX-License-Identifier: MIT */
/* The variables that an access can reach, for proofs; see underlying_objects.h.
 *
 * The address is based on every variable whose address contributes to it, through any instruction:
 * this is LLVM's rule for pointers made from integers. To get from one variable to another, an
 * index must be computed from the other one's address. Data flow through registers is therefore
 * followed without exception. A value from elsewhere may hide such an address if it has the width
 * of one, or comes from a call, a caller or two halves; the address is then unknown. A narrower
 * integer from memory is a number if the module never stores what an address contributes to
 * (escape.h); one in a kernel's parameter is assumed to be a number, as no host program truncates
 * the distance of two variables to 32 bits.
 *
 * Control flow and predicates do not contribute. Floating-point values are numbers, unless their
 * bits are read as an integer. On every way in which the address is computed there must be a
 * variable's address: a merge of one with a number from memory is unknown. */
#include <string.h>
#include "analysis/memory/underlying_objects.h"
#include "analysis/dataflow/def_use.h"
#include "base/vec.h"

enum { MOST_DEFS = 2000 };

typedef struct {
	const Fn *fn;
	Underlying_objects base; /* variables found */
	Bits seen;              /* definitions that contribute to the address */
	Bits from[BASE_MOST];   /* of these, those that the address of base.of[i] flows into */
	Bits whole;             /* of these, those that are addresses themselves */
	VEC(uint32_t) defs;     /* seen, in the order of discovery */
	bool any;               /* the address is unknown */
} Provenance_trace;

/* ---- sources --------------------------------------------------------------------------------- */

/* Whether a special register's value may be the distance of two arrays. */
static bool
measures_memory(const Sym *y)
{
	return y->aux >= SREG_RESERVED_SMEM_BEGIN && y->aux <= SREG_DYNAMIC_SMEM_SIZE;
}

static bool
is_escaped(const Provenance_trace *t)
{
	return !t->fn->effects || t->fn->effects->escapes;
}

/* Whether the value that a load or atomic operation reads cannot be an address. */
static bool
loads_number(const Provenance_trace *t, uint32_t stmt)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
	Type type = ptx_insn_type(m, s);
	bool caller = ptx_space(m, s) == SPACE_PARAM &&
		(from->tree < 2 || from[1].kind != OPND_SYM || !t->fn->f->entry ||
			m->syms[from[1].sym].kind != SYM_PARAM);

	if (caller || type == TYPE_NONE || (ptx_space(m, s) != SPACE_PARAM && is_escaped(t)))
		return false;
	return type == TYPE_F64 || ptx_type_size(type) * 8 < m->address_size;
}

/* Whether the statement combines halves, or reads a double's bits. */
static bool
stmt_assembles_value(const Provenance_trace *t, uint32_t stmt)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	Op op = ptx_op(m, s);
	Type type = ptx_insn_type(m, s);
	uint64_t by = 0;
	bool real;

	for (uint32_t k = 1; op == OP_MOV && k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_VEC)
			return true;
	if (ptx_type_size(type) * 8 < m->address_size || op == OP_CVT)
		return false;
	if (op == OP_SHL)
		return m->opnds[ptx_operand(m, s, 2)].kind != OPND_IMM ||
			!ptx_imm(m, &m->opnds[ptx_operand(m, s, 2)], &by, &real) ||
			by * 2 >= m->address_size;
	FN_READS(t->fn, stmt, r)
		if (type != TYPE_F64 && m->syms[r->sym].type == TYPE_F64 && ptx_is_reg(m, r->sym))
			return true;
	return op == OP_BFI;
}

typedef enum { RESULT_UNKNOWN, RESULT_NUMBER, RESULT_COMPUTED } Result_kind;

/* What a definition yields; RESULT: a value computed from its operands. */
static Result_kind
result_kind(const Provenance_trace *t, uint32_t stmt)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	Op op = ptx_op(m, s);
	uint32_t flags = ptx_flags(m, s);

	if (op == OP_UNKNOWN || flags & (OPF_CALL | OPF_STACK))
		return RESULT_UNKNOWN;
	if (flags & (OPF_LOAD | OPF_ATOMIC))
		return loads_number(t, stmt) ? RESULT_NUMBER : RESULT_UNKNOWN;
	return stmt_assembles_value(t, stmt) ? RESULT_UNKNOWN : RESULT_COMPUTED;
}

/* ---- the definitions that contribute --------------------------------------------------------- */

static void
find_register(Provenance_trace *t, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_find_use(t->fn, stmt, sym);

	t->any |= !u; /* a register of the module */
	FN_REACH(t->fn, u, d) {
		bool entry = !fn_def(t->fn, d)->stmt;
		t->any |= entry && t->fn->m->syms[sym].kind == SYM_PARAM;
		if (entry || bits_has(t->seen, d))
			continue;
		bits_set(t->seen, d);
		*vec_push(&t->defs) = d;
	}
}

static void
find_source(Provenance_trace *t, uint32_t stmt, uint32_t sym)
{
	const Module *m = t->fn->m;
	const Sym *y = &m->syms[sym];

	if (ptx_is_reg(m, sym) && y->type != TYPE_PRED)
		find_register(t, stmt, sym);
	else if (y->kind == SYM_VAR && ptx_type_size((Type)y->type) && y->space != SPACE_PARAM)
		t->any |= !objects_add_variable(&t->base, m, sym);
	else if (y->kind == SYM_SPECIAL)
		t->any |= measures_memory(y);
	else if (y->kind != SYM_SINK && y->type != TYPE_PRED)
		t->any = true;
}

/* Returns the symbol that an access's operand begins with; 0 if there is none. */
static uint32_t
address_symbol(const Module *m, uint32_t opnd)
{
	const Opnd *o = &m->opnds[opnd];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM ? o->sym : 0;
}

/* Finds everything that contributes to the access's addresses. */
static void
trace_access(Provenance_trace *t, uint32_t access)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, access);

	t->any = ptx_has(m, s, "tensor"); /* the address is that of a descriptor */
	for (uint32_t k = 0; k < s->nopnd; k++) {
		uint32_t opnd = ptx_operand(m, s, k), sym = address_symbol(m, opnd);
		if (m->opnds[opnd].kind == OPND_ADDR && sym)
			find_source(t, access, sym);
		t->any |= m->opnds[opnd].kind == OPND_ADDR && !sym;
	}
	for (uint32_t i = 0; i < t->defs.n && !t->any; i++) {
		uint32_t stmt = fn_def(t->fn, t->defs.at[i])->stmt;
		Result_kind by = result_kind(t, stmt);
		t->any |= by == RESULT_UNKNOWN || i == MOST_DEFS;
		FN_READS(t->fn, stmt, r) {
			if (by == RESULT_COMPUTED)
				find_source(t, stmt, r->sym);
		}
	}
}

/* ---- where addresses flow -------------------------------------------------------------------- */

/* Whether the address of variable i of the base flows into what a statement reads of a symbol. */
static bool
address_flows_into(const Provenance_trace *t, uint32_t i, uint32_t stmt, uint32_t sym)
{
	if (t->fn->m->syms[sym].kind == SYM_VAR)
		return (uint32_t)(t->base.of[i] >> 32) == sym;
	if (!ptx_is_reg(t->fn->m, sym) || t->fn->m->syms[sym].type == TYPE_PRED)
		return false;
	FN_REACH(t->fn, defuse_find_use(t->fn, stmt, sym), d)
		if (bits_has(t->from[i], d))
			return true;
	return false;
}

static void
find_address_flow(Provenance_trace *t, uint32_t i)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t k = t->defs.n; k-- > 0;) {
			uint32_t d = t->defs.at[k], stmt = fn_def(t->fn, d)->stmt;
			bool flow = false;
			if (bits_has(t->from[i], d) || result_kind(t, stmt) != RESULT_COMPUTED)
				continue;
			FN_READS(t->fn, stmt, r)
				flow |= address_flows_into(t, i, stmt, r->sym);
			if (flow)
				bits_set(t->from[i], d);
			changed |= flow;
		}
	}
}

/* Whether operand k is an address itself, for every definition that reaches it. */
static bool
is_whole(const Provenance_trace *t, uint32_t stmt, uint32_t k)
{
	const Module *m = t->fn->m;
	uint32_t sym = address_symbol(m, ptx_operand(m, fn_stmt(t->fn, stmt), k));

	if (!sym || !ptx_is_reg(m, sym))
		return sym && m->syms[sym].kind == SYM_VAR;
	FN_REACH(t->fn, defuse_find_use(t->fn, stmt, sym), d)
		if (fn_def(t->fn, d)->stmt && !bits_has(t->whole, d))
			return false;
	return true;
}

static bool
is_number(const Provenance_trace *t, uint32_t stmt, uint32_t k)
{
	const Module *m = t->fn->m;
	uint32_t sym = address_symbol(m, ptx_operand(m, fn_stmt(t->fn, stmt), k));

	for (uint32_t i = 0; sym && i < t->base.n; i++)
		if (address_flows_into(t, i, stmt, sym))
			return false;
	return true;
}

/* Whether a statement yields an address: by moving one, or adding a number to one. */
static bool
gives_whole(const Provenance_trace *t, uint32_t stmt)
{
	switch (ptx_op(t->fn->m, fn_stmt(t->fn, stmt))) {
	case OP_MOV: case OP_CVTA: case OP_CVT: case OP_SHFL: case OP_MAPA:
		return is_whole(t, stmt, 1);
	case OP_ADD: case OP_AND: case OP_OR:
		return is_whole(t, stmt, 1) || is_whole(t, stmt, 2);
	case OP_SUB: return is_whole(t, stmt, 1) && is_number(t, stmt, 2);
	case OP_MAD: return is_whole(t, stmt, 3);
	case OP_SELP: case OP_MIN: case OP_MAX:
		return is_whole(t, stmt, 1) && is_whole(t, stmt, 2);
	default: return false;
	}
}

static void
find_whole(Provenance_trace *t)
{
	bool changed = true;

	for (uint32_t k = 0; k < t->defs.n; k++)
		bits_set(t->whole, t->defs.at[k]);
	while (changed) {
		changed = false;
		for (uint32_t k = t->defs.n; k-- > 0;) {
			uint32_t d = t->defs.at[k], stmt = fn_def(t->fn, d)->stmt;
			if (!bits_has(t->whole, d) ||
				(result_kind(t, stmt) == RESULT_COMPUTED && gives_whole(t, stmt)))
				continue;
			bits_unset(t->whole, d);
			changed = true;
		}
	}
}

Underlying_objects
objects_proven(const Fn *fn, uint32_t access, Arena *a)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, access);
	Arena_mark mark = arena_mark(a);
	uint32_t n = fn->defuse->ndefs;
	Provenance_trace t = {
		.fn = fn, .base = { .space = access_space(m, s) }, .seen = bits_new(a, n)
	};

	trace_access(&t, access);
	t.whole = bits_new(a, n);
	for (uint32_t i = 0; i < t.base.n && !t.any; i++) {
		t.from[i] = bits_new(a, n);
		find_address_flow(&t, i);
	}
	if (!t.any)
		find_whole(&t);
	for (uint32_t k = 0; k < s->nopnd && !t.any; k++)
		t.any |= m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR &&
			!is_whole(&t, access, k);
	if (t.any)
		t.base.n = 0;
	vec_free(&t.defs);
	arena_release(a, mark);
	return t.base;
}
