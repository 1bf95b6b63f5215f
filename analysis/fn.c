/* SPDX-License-Identifier: MIT */
/* Runs the analyses of one function in the order of their needs. See fn.h. */
#include "analysis/fn.h"

static uint32_t *
depths(const Module *m, const Func *f, Arena *a)
{
	uint32_t *depth = arena_array(a, f->nstmt + 1, sizeof *depth), now = 0;

	PTX_STMTS(f, s) {
		Stmt_kind k = m->stmts[s].kind;
		now -= k == STMT_CLOSE;
		depth[ptx_local_stmt(f, s)] = now;
		now += k == STMT_OPEN;
	}
	depth[f->nstmt] = now;
	return depth;
}

static uint32_t *
stmt_effects(const Module *m, const Func *f, const Effects *e, Arena *a)
{
	uint32_t *does = arena_array(a, f->nstmt + 1, sizeof *does);

	PTX_STMTS(f, s)
		does[ptx_local_stmt(f, s)] = effects_stmt(m, e, s);
	return does;
}

Fn *
fn_build(const Module *m, uint32_t func, const Effects *e, Arena *a)
{
	Fn *fn = arena_zalloc(a, sizeof *fn);
	fn->m = m;
	fn->f = &m->funcs[func];
	fn->func = func;
	fn->arena = a;
	fn->effects = e;
	fn->does = e ? stmt_effects(m, fn->f, e, a) : NULL;
	fn->depth = depths(m, fn->f, a);
	fn->locs = locs_build(m, fn->f, a);
	fn->refs = refs_build(m, fn->f, a);
	fn->cfg = cfg_build(m, func, a);
	fn->dom = dom_build(fn->cfg, a);
	fn->loops = loop_build(fn->cfg, fn->dom, a);
	fn->live = live_build(fn->cfg, fn->refs, a);
	fn->carry = carry_build(fn->cfg, fn->refs, a);
	fn->defuse = defuse_build(fn->cfg, fn->refs, a);
	fn->uniform = uniform_build(fn->cfg, fn->dom, fn->loops, fn->defuse, a);
	return fn;
}
