/* SPDX-License-Identifier: MIT */
/* Slices for owners and entries. See slice.h. */
#include <string.h>
#include "transform/plan/plan.h"
#include "transform/task/slice.h"

bool
slice_add(Stmt_slice *s, uint32_t d, Slice_rule *rule)
{
	const Fn *fn = s->x->fn;
	Stmts all = { 0 };

	for (uint32_t i = 0; i < s->n; i++)
		*vec_push(&all) = s->list[i];
	bool found = slice_back(fn, fn_def(fn, d)->stmt, rule, s, &all) && all.n <= SLICE_MAX;
	if (found) {
		memcpy(s->list, all.at, all.n * sizeof *s->list);
		s->n = all.n;
	}
	vec_free(&all);
	return found;
}

bool
slice_has(const Stmt_slice *s, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->list[i] == stmt)
			return true;
	return false;
}

/* Whether the scope of the declaration ends before the annotated statement. */
static bool
scope_ends_before(const Plan *x, uint32_t decl)
{
	uint32_t marker = plan_marker(x)->stmt, depth = fn_depth(x->fn, decl);

	if (!depth)
		return false;
	for (uint32_t s = decl; s <= marker; s++)
		if (fn_depth(x->fn, s) < depth)
			return true;
	return decl > marker;
}

bool
slice_register_is_declared_inside(const Plan *x, uint32_t sym)
{
	uint32_t s = x->fn->m->syms[sym].decl;

	if (!ptx_has_stmt(x->fn->f, s))
		return false;
	return (!x->remap && bits_has(x->site->blocks, fn_block(x->fn, s))) ||
		scope_ends_before(x, s);
}

static bool
stmt_reads_clock(const Fn *fn, uint32_t stmt)
{
	FN_READS(fn, stmt, r)
		if (fn_sreg_has(fn, r->sym, SREGF_TIME))
			return true;
	return false;
}

bool
slice_def_is_pure(const Plan *x, uint32_t d)
{
	const Def *def = fn_def(x->fn, d);
	const Stmt *st = fn_stmt(x->fn, def->stmt);
	uint32_t flags = ptx_flags(x->fn->m, st);

	return st->kind == STMT_INSN && !st->guard && flags & OPF_PURE &&
		!(flags & (OPF_VARIES | OPF_CARRY)) &&
		!slice_register_is_declared_inside(x, def->sym) &&
		!stmt_reads_clock(x->fn, def->stmt);
}

bool
slice_is_param_load(const Fn *fn, uint32_t stmt)
{
	const Stmt *st = fn_stmt(fn, stmt);

	if (!fn->f->entry || st->kind != STMT_INSN || st->guard || ptx_op(fn->m, st) != OP_LD ||
		ptx_space(fn->m, st) != SPACE_PARAM)
		return false;
	/* Results of calls do not count; they are declared next to the call. */
	FN_REFS(fn, stmt, r)
		if (ptx_has_stmt(fn->f, fn->m->syms[r->sym].decl) && !fn_is_reg(fn, r->sym))
			return false;
	return true;
}
