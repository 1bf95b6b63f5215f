/* SPDX-License-Identifier: MIT */
/* Runs the analyses of one function in the order of their dependences; see analyse.h. */
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "analysis/analyse.h"
#include "analysis/loops/trip_count.h"
#include "analysis/loops/unroll_predict.h"
#include "analysis/memory/underlying_objects.h"

static uint32_t *
scope_depths(const Module *m, const Func *f, Arena *a)
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

static void
count_trips(const Fn *fn)
{
	for (uint32_t l = 1; l < fn->loops->nloops; l++) {
		Arena_mark mark = arena_mark(fn->arena);
		const Trip_count *t = trip_count_analyse(fn, l, fn->arena);
		fn->loops->loops[l].trips = trip_count_constant(t);
		fn->loops->loops[l].unrolled = loop_is_unrolled_by_ptxas(t);
		arena_release(fn->arena, mark);
	}
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
	fn->depth = scope_depths(m, fn->f, a);
	fn->locs = loc_index_build(m, fn->f, a);
	fn->refs = refs_build(m, fn->f, a);
	fn->cfg = cfg_build(m, func, a);
	fn->dom = dom_build(fn->cfg, a);
	fn->loops = loop_build(fn->cfg, fn->dom, a);
	fn->live = live_build(fn->cfg, fn->refs, a);
	fn->carry = carry_build(fn->cfg, fn->refs, a);
	fn->defuse = defuse_build(fn->cfg, fn->refs, a);
	fn->uniform = uniform_build(fn->cfg, fn->dom, fn->loops, fn->defuse, a);
	fn->contraction = contraction_build(fn, a);
	fn->objects = object_cache_build(fn, a);
	fn->meet = arena_zalloc(a, sizeof *fn->meet);
	fn->meet->at = arena_array(a, fn->cfg->nblocks, sizeof *fn->meet->at);
	count_trips(fn);
	return fn;
}

/* Whether statement a is above b in the CUDA source, in the same function. */
static bool
stmt_is_above(const Fn *fn, uint32_t a, uint32_t b)
{
	Cuda_pos p, q, caller = { 0 }, other = { 0 };

	if (!ptx_cuda_pos(fn->m, a, &p) || !ptx_cuda_pos(fn->m, b, &q))
		return false;
	bool inlined = ptx_cuda_caller(fn->m, a, &caller);
	return inlined == ptx_cuda_caller(fn->m, b, &other) && caller.line == other.line &&
		p.line < q.line && strcmp(p.file, q.file) == 0;
}

uint32_t
fn_loop_stmt(const Fn *fn, uint32_t loop)
{
	uint32_t header = fn->loops->loops[loop].header, first = 0, back = 0;

	FN_BLOCK_STMTS(fn, cfg_skip_empty(fn->cfg, header, 0), s) /* such as that of a marker */
		if (!first && fn_stmt(fn, s)->kind == STMT_INSN)
			first = s;
	FN_PRED(fn, header, p)
		if (loop_contains(fn->loops, loop, p) && cfg_terminator(fn->cfg, p))
			back = cfg_terminator(fn->cfg, p);
	if (!first)
		first = fn->cfg->blocks[header].stmt;
	return !back || stmt_is_above(fn, first, back) ? first : back;
}
