/* SPDX-License-Identifier: MIT */
/* Loop-carried registers that are a function of others (Khorasani, Gupta, Bhuyan, MICRO-48 2015,
 * section 4.1 and figure 6: retKey = kvp >> 32).
 *
 * If a task is one iteration of an inner loop, a register that the loop carries has several
 * definitions: before the loop, and in it. If all of them compute the same function of registers
 * that the task has, compress.c may recompute it.
 *
 * Correctness: the register equals the function of its leaves at the entry of the path, the *cut*:
 * - A definition D_i is an unguarded statement, and some D_i reaches the cut on every path, since
 *   the function's entry is none of them. So the register holds the result of the D_i that was
 *   executed last.
 * - D_i and the statements that it reads from, which are in its block, are pure integer operations.
 *   Their trees have the same opcodes, literals, and leaves: registers that are not written between
 *   the statement that reads them and the cut without another D_j in between.
 * - So the result equals that of any of these trees on the values that the leaves hold at the cut.
 *   The tree of the definition that comes first in reverse post-order is used: it comes before
 *   every statement that reads the register at the cut's values. */
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/task/task_inputs.h"

enum { MOST_DEFS = 8 };

typedef struct {
	const Plan *x;
	const Task_region *k;
	/* blocks on paths from a definition to the cut, without those of definitions */
	Bits later;
	Carried_function *f;
} Carried_walk;

static bool
is_cheap(const Fn *fn, const Stmt *s)
{
	switch (ptx_ops[ptx_op(fn->m, s)].cost) {
	case COST_NONE:
	case COST_ALU:
	case COST_MUL:
	case COST_FMA:
	case COST_CVT: return true;
	default: return false;
	}
}

bool
task_def_is_scoped(const Fn *fn, uint32_t def)
{
	uint32_t s = fn_def(fn, def)->stmt, decl = fn->m->syms[fn_def(fn, def)->sym].decl;

	return s > fn->f->stmt + 2 && decl == s - 1 && fn_stmt(fn, s - 2)->kind == STMT_OPEN &&
		fn_stmt(fn, decl)->kind == STMT_DECL && fn_stmt(fn, s + 1)->kind == STMT_CLOSE;
}

static bool
def_is_pure_and_cheap(const Plan *x, uint32_t def)
{
	uint32_t stmt = fn_def(x->fn, def)->stmt;

	return stmt && slice_def_is_pure(x, def) && is_cheap(x->fn, fn_stmt(x->fn, stmt)) &&
		!(fn_effects(x->fn, stmt) & EFF_LANE);
}

bool
task_def_is_computable(const Plan *x, uint32_t def)
{
	FN_DEFS_OF_STMT(x->fn, fn_def(x->fn, def)->stmt, other)
		if (other != def)
			return false;
	return def_is_pure_and_cheap(x, def);
}

static bool
def_is_integer_function(const Carried_walk *w, uint32_t def)
{
	const Fn *fn = w->x->fn;
	uint32_t stmt = fn_def(fn, def)->stmt;

	if (!def_is_pure_and_cheap(w->x, def) || !fn_def(fn, def)->kills)
		return false;
	FN_DEFS_OF_STMT(fn, stmt, other)
		if (other != def && !task_def_is_scoped(fn, other))
			return false;
	Type t = ptx_insn_type(fn->m, fn_stmt(fn, stmt));
	return t != TYPE_F16 && t != TYPE_F16X2 && t != TYPE_F32 && t != TYPE_F64 &&
		contraction_kind(fn->m, fn_stmt(fn, stmt)) == FLOAT_NONE;
}

/* Whether the register may be written between the statement and the cut. */
static bool
is_written_later(const Carried_walk *w, uint32_t stmt, uint32_t sym)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && ((fn_block(fn, s) == fn_block(fn, stmt) && s >= stmt) ||
				 bits_has(w->later, fn_block(fn, s))))
			return true;
	}
	return false;
}

/* Whether the register has a single definition and no value at the cut that the path reads. */
static bool
is_temporary(const Carried_walk *w, uint32_t sym)
{
	const Defuse *du = w->x->fn->defuse;
	uint32_t i = fn_local(w->x->fn, sym);

	return du->defs_of_sym[i + 1] - du->defs_of_sym[i] == 2 &&
		!bits_has(w->x->fn->live->in[w->k->path->entry], i);
}

static bool
same_span(const Module *m, Span a, Span b)
{
	return a.end - a.pos == b.end - b.pos &&
		memcmp(m->src->text + a.pos, m->src->text + b.pos, a.end - a.pos) == 0;
}

static bool trees_match(Carried_walk *w, uint32_t a, uint32_t b);

/* Whether two reads of registers are the same leaf, or the same function of leaves. */
static bool
reads_match(Carried_walk *w, uint32_t a, uint32_t b)
{
	const Fn *fn = w->x->fn;
	const Use *u = fn_use(fn, a), *v = fn_use(fn, b);

	if (u->sym == v->sym && !is_written_later(w, u->stmt, u->sym) &&
		!is_written_later(w, v->stmt, v->sym)) {
		for (uint32_t i = 0; i < w->f->nleaves; i++)
			if (fn_use(fn, w->f->leaves[i])->sym == u->sym)
				return true;
		if (w->f->nleaves == MOST_CARRIED)
			return false;
		w->f->leaves[w->f->nleaves++] = a;
		return true;
	}
	if (u->ndef != 1 || v->ndef != 1 || !is_temporary(w, u->sym))
		return false;
	uint32_t d = fn->defuse->reach[u->def], e = fn->defuse->reach[v->def];
	return fn_def(fn, d)->stmt && fn_def(fn, e)->stmt &&
		fn_block(fn, fn_def(fn, d)->stmt) == fn_block(fn, u->stmt) &&
		fn_block(fn, fn_def(fn, e)->stmt) == fn_block(fn, v->stmt) && trees_match(w, d, e);
}

/* Whether the definitions are the same element of what their statements write. */
static bool
destinations_match(const Fn *fn, uint32_t a, uint32_t b)
{
	const Opnd *p = &fn->m->opnds[fn_stmt(fn, fn_def(fn, a)->stmt)->opnd],
		   *q = &fn->m->opnds[fn_stmt(fn, fn_def(fn, b)->stmt)->opnd];

	for (uint32_t i = 0; i < p->tree; i++)
		if (q->tree != p->tree || p[i].kind != q[i].kind ||
			(p[i].sym == fn_def(fn, a)->sym) != (q[i].sym == fn_def(fn, b)->sym))
			return false;
	return true;
}

static bool
operands_match(Carried_walk *w, const Opnd *a, const Opnd *b, uint32_t s, uint32_t t)
{
	const Fn *fn = w->x->fn;

	if (a->kind != b->kind || a->tree != 1 || b->tree != 1 || a->sel || b->sel)
		return false;
	if (a->kind == OPND_SYM && fn_is_reg(fn, a->sym) && fn_is_reg(fn, b->sym))
		return reads_match(w, defuse_find_use(fn, s, a->sym),
			defuse_find_use(fn, t, b->sym));
	return a->kind == OPND_IMM && same_span(fn->m, a->at, b->at);
}

/* Adds the statement and the scope around it. */
static bool
add_stmt(Carried_function *f, const Fn *fn, uint32_t s)
{
	uint32_t first = s, last = s;

	FN_DEFS_OF_STMT(fn, s, d)
		if (task_def_is_scoped(fn, d)) {
			first = s - 2;
			last = s + 1;
		}
	for (uint32_t i = 0; i < f->nstmts; i++)
		if (f->stmts[i] == s)
			return true;
	for (; first <= last && f->nstmts < MOST_CARRIED; first++)
		f->stmts[f->nstmts++] = first;
	return first > last;
}

/* Adds the tree of definition a to the function if that of b is the same. */
static bool
trees_match(Carried_walk *w, uint32_t a, uint32_t b)
{
	const Fn *fn = w->x->fn;
	uint32_t s = fn_def(fn, a)->stmt, t = fn_def(fn, b)->stmt;
	const Stmt *p = fn_stmt(fn, s), *q = fn_stmt(fn, t);

	if (!def_is_integer_function(w, a) || !def_is_integer_function(w, b) ||
		p->nopnd != q->nopnd ||
		!same_span(fn->m, (Span){ p->head, p->head_end }, (Span){ q->head, q->head_end }))
		return false;
	if (!destinations_match(fn, a, b))
		return false;
	const Opnd *o = &fn->m->opnds[p->opnd], *r = &fn->m->opnds[q->opnd];
	for (uint32_t i = 1; i < p->nopnd; i++) {
		o += o->tree;
		r += r->tree;
		if (!operands_match(w, o, r, s, t))
			return false;
	}
	return add_stmt(w->f, fn, s);
}

/* Computes `later` for the definitions. */
static void
find_later_blocks(Carried_walk *w, const uint32_t *defs, uint32_t n)
{
	const Fn *fn = w->x->fn;
	Bits within = bits_new(w->x->scratch, fn->cfg->nblocks);

	w->later = bits_new(w->x->scratch, fn->cfg->nblocks);
	bits_fill(within, 1, fn->cfg->nblocks);
	for (uint32_t i = 0; i < n; i++)
		bits_unset(within, fn_block(fn, fn_def(fn, defs[i])->stmt));
	FN_PRED(fn, w->k->path->entry, p)
		cfg_flood(fn->cfg, p, true, within, w->later);
}

bool
task_carried_function(const Plan *x, const Task_region *k, uint32_t sym, Carried_function *f)
{
	const Fn *fn = x->fn;
	Reaching r = defuse_reaching(fn, k->path->entry, sym);
	uint32_t defs[MOST_DEFS], n = r.n;
	Carried_function other;
	Carried_walk w = { .x = x, .k = k, .f = f };

	if (!k->by_iteration || n < 2 || n > MOST_DEFS)
		return false;
	memcpy(defs, r.at, n * sizeof *defs);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = fn_def(fn, defs[i])->stmt, first = defs[0];
		if (!s || fn_def(fn, defs[i])->crowded)
			return false;
		uint32_t at = fn->cfg->rpo_index[fn_block(fn, s)],
			 least = fn->cfg->rpo_index[fn_block(fn, fn_def(fn, first)->stmt)];
		if (at < least) {
			defs[0] = defs[i];
			defs[i] = first;
		}
	}
	find_later_blocks(&w, defs, n);
	for (uint32_t i = 1; i < n; i++) {
		w.f = i > 1 ? &other : f;
		*w.f = (Carried_function){ .def = defs[0] };
		if (!trees_match(&w, defs[0], defs[i]) || memcmp(w.f, f, sizeof *f) != 0)
			return false;
	}
	return true;
}
