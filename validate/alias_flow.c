/* SPDX-License-Identifier: MIT */
/* Propagates the addresses of variables through a function's definitions. See alias_flow.h. */
#include <string.h>
#include "validate/alias_flow.h"

enum { DYNAMIC_SHARED = 0 };

static uint64_t
variable_bit(Alias_flow *w, uint32_t sym)
{
	const Module *m = w->fn->m;
	const Sym *y = &m->syms[sym];
	const Var *v = ptx_var(m, sym);
	uint32_t i = 1;

	if (!v || !ptx_type_size((Type)y->type) || y->space == SPACE_PARAM)
		return ANY;
	if (y->space == SPACE_SHARED && v->linkage == LINK_EXTERN)
		return UINT64_C(1) << DYNAMIC_SHARED;
	while (i <= w->n && w->variables[i] != sym)
		i++;
	if (i == ALIAS_VARIABLES)
		return ANY;
	w->variables[i] = sym;
	w->n = i > w->n ? i : w->n;
	w->local |= y->space == SPACE_LOCAL ? UINT64_C(1) << i : 0;
	return UINT64_C(1) << i;
}

static uint64_t
reaching_values(const Alias_flow *w, uint32_t stmt, uint32_t sym)
{
	uint32_t use = defuse_find_use(w->fn, stmt, sym);
	uint64_t all = use ? 0 : ANY;

	FN_REACH(w->fn, use, d)
		all |= w->pointees[d];
	return all;
}

static uint64_t
symbol_value(Alias_flow *w, uint32_t stmt, uint32_t sym)
{
	const Module *m = w->fn->m;
	const Sym *y = &m->syms[sym];

	if (y->kind == SYM_SINK || y->type == TYPE_PRED)
		return NUMBER;
	if (y->kind == SYM_SPECIAL)
		return strstr(ptx_sregs[y->aux].name, "_smem_") ? OTHERS : NUMBER;
	if (fn_is_reg(w->fn, sym))
		return reaching_values(w, stmt, sym);
	return y->kind == SYM_VAR ? variable_bit(w, sym) : ANY;
}

uint64_t
alias_operand(Alias_flow *w, uint32_t stmt, uint32_t k)
{
	const Module *m = w->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(w->fn, stmt), k)];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	if (o->kind == OPND_SYM)
		return symbol_value(w, stmt, o->sym);
	return o->kind == OPND_IMM ? NUMBER : ANY;
}

/* Whether the result is no address in itself, or may be none. */
static bool
is_number(Alias_flow *w, uint32_t stmt)
{
	uint32_t n = fn_stmt(w->fn, stmt)->nopnd;
	uint64_t a = n > 1 ? alias_operand(w, stmt, 1) : 0,
		 b = n > 2 ? alias_operand(w, stmt, 2) : 0;

	switch (ptx_op(w->fn->m, fn_stmt(w->fn, stmt))) {
	case OP_MOV: case OP_CVTA: case OP_CVT: case OP_SHFL: case OP_MAPA: return a & NUMBER;
	case OP_ADD: case OP_AND: case OP_OR: return a & b & NUMBER;
	case OP_SUB: return a & NUMBER || b & ~NUMBER;
	case OP_MAD: return alias_operand(w, stmt, 3) & NUMBER;
	case OP_SELP: case OP_MIN: case OP_MAX: return (a | b) & NUMBER;
	default: return true;
	}
}

/* Value of a load or an atomic access. */
static uint64_t
load_value(const Alias_flow *w, const Stmt *s)
{
	const Module *m = w->fn->m;
	const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
	Type type = ptx_insn_type(m, s);

	if (ptx_space(m, s) == SPACE_PARAM && (!w->fn->f->entry || from->tree < 2 ||
		m->syms[from[1].sym].kind != SYM_PARAM))
		return w->loaded;
	if (ptx_space(m, s) != SPACE_PARAM && (!w->fn->effects || w->fn->effects->escapes))
		return w->loaded;
	return type == TYPE_F64 || (type && ptx_type_size(type) * 8 < m->address_size) ?
		NUMBER | (w->loaded & LOCAL) :
		w->loaded;
}

/* Whether it assembles a word from halves, or reads the bits of a double. */
static bool
stmt_joins_halves(const Alias_flow *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Type type = ptx_insn_type(m, s);
	Op op = ptx_op(m, s);
	uint64_t by = 64;
	bool real, bits = false;

	FN_READS(w->fn, stmt, r)
		bits |= ptx_is_reg(m, r->sym) && m->syms[r->sym].type == TYPE_F64;
	if (op == OP_SHL && m->opnds[ptx_operand(m, s, 2)].kind == OPND_IMM)
		ptx_imm(m, &m->opnds[ptx_operand(m, s, 2)], &by, &real);
	return ptx_type_size(type) * 8 >= m->address_size && op != OP_CVT &&
		((bits && type != TYPE_F64) || op == OP_BFI ||
			(op == OP_SHL && by >= m->address_size / 2));
}

static uint64_t
result_value(Alias_flow *w, uint32_t stmt)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	uint32_t flags = ptx_flags(w->fn->m, s);
	uint64_t all = 0;

	if (ptx_op(w->fn->m, s) == OP_UNKNOWN || flags & OPF_STACK)
		return ANY;
	if (flags & OPF_CALL)
		return w->loaded;
	if (flags & (OPF_LOAD | OPF_ATOMIC))
		return load_value(w, s);
	FN_READS(w->fn, stmt, r)
		all |= symbol_value(w, stmt, r->sym);
	for (uint32_t k = 1; k < s->nopnd; k++)
		all |= alias_operand(w, stmt, k) & ANY;
	all |= stmt_joins_halves(w, stmt) ? w->loaded : 0;
	return (all & ~NUMBER) | (is_number(w, stmt) ? NUMBER : 0);
}

/* Whether no function of the module can be called from another module. */
static bool
is_closed(const Module *m)
{
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (!m->funcs[i].entry && !effects_is_runtime(m, i) &&
			(!m->funcs[m->syms[m->funcs[i].sym].func].body ||
				m->funcs[i].linkage != LINK_NONE))
			return false;
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_ALIAS)
			return false;
	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].linkage == LINK_EXTERN &&
			m->syms[m->vars[i].sym].space != SPACE_SHARED)
			return false;
	return true;
}

Alias_flow
alias_flow_build(const Fn *fn, Arena *a)
{
	Alias_flow w = { .fn = fn,
		.pointees = arena_array(a, fn->defuse->ndefs + 1, sizeof *w.pointees),
		.local = LOCAL,
		.loaded = OTHERS };
	bool changed = true;

	if (!fn->effects || fn->effects->escapes_local || !(fn->f->entry || is_closed(fn->m)))
		w.loaded = ANY;
	for (uint32_t d = 1; d < fn->defuse->ndefs; d++)
		if (!fn_def(fn, d)->stmt && fn->m->syms[fn_def(fn, d)->sym].kind == SYM_PARAM)
			w.pointees[d] = w.loaded;
	while (changed) {
		changed = false;
		for (uint32_t d = 1; d < fn->defuse->ndefs; d++) {
			uint32_t stmt = fn_def(fn, d)->stmt;
			uint64_t was = w.pointees[d];
			w.pointees[d] |= stmt ? result_value(&w, stmt) : 0;
			changed |= w.pointees[d] != was;
		}
	}
	return w;
}
