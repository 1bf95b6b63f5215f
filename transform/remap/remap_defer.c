/* SPDX-License-Identifier: MIT */
/* Leaves the code before a nested branch to the paths, if the nested conditions can be computed
 * without it: before the meeting each thread executes only their slice, which finds its leaf. Its
 * task begins at the arm's entry and executes the whole code again, so what the slice finds decides
 * only which threads run together (docs/proofs/remap.md, R9). */
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"
#include "transform/task/slice.h"

/* The code of an arm before its nested branches. */
typedef struct {
	Plan *x;
	const Region *arm;
	Bits blocks;
	bool writes;            /* a statement may write memory */
	Bits slice;             /* statements, as numbers of the function */
	uint32_t *work, nwork;
} Prefix;

static uint32_t
local_stmt(const Prefix *p, uint32_t stmt)
{
	return fn_local_stmt(p->x->fn, stmt);
}

/* Whether the statement is a load that no thread can wait with. */
static bool
is_plain_load(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN && ptx_op(fn->m, s) == OP_LD &&
		!(fn_effects(fn, stmt) & (EFF_SPIN | EFF_LANE));
}

static bool
block_writes(const Fn *fn, uint32_t b)
{
	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (st->kind == STMT_INSN && !is_plain_load(fn, s) &&
			!(ptx_flags(fn->m, st) & (OPF_PURE | OPF_BRANCH)))
			return true;
	}
	return false;
}

/* Whether the statement of the definition may be executed before the meeting and again in the
 * path: it has no effect, and changes no value that the path reads. */
static bool
def_is_early(const Prefix *p, uint32_t d)
{
	const Fn *fn = p->x->fn;
	const Stmt *s = fn_stmt(fn, fn_def(fn, d)->stmt);
	bool loads = !p->writes && !s->guard && is_plain_load(fn, fn_def(fn, d)->stmt);

	if (!loads && !slice_def_is_pure(p->x, d) &&
		!slice_is_param_load(fn, fn_def(fn, d)->stmt))
		return false;
	FN_DEFS_OF_STMT(fn, fn_def(fn, d)->stmt, k) {
		uint32_t declared = fn->m->syms[fn_def(fn, k)->sym].decl;
		Reaching r = defuse_reaching(fn, p->arm->entry, fn_def(fn, k)->sym);
		if (ptx_has_stmt(fn->f, declared) && bits_has(p->blocks, fn_block(fn, declared)))
			return false;
		for (uint32_t i = 0; i < r.n; i++)
			if (fn_def(fn, r.at[i])->stmt)
				return false;
		if (bits_has(fn->live->in[p->arm->entry], fn_local(fn, fn_def(fn, k)->sym)))
			return false;
	}
	return true;
}

/* Adds the definitions in the prefix that reach the statement's uses. */
static bool
add_operands(Prefix *p, uint32_t stmt)
{
	const Fn *fn = p->x->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (!s || !bits_has(p->blocks, fn_block(fn, s)) ||
				bits_has(p->slice, local_stmt(p, s)))
				continue;
			if (!def_is_early(p, d))
				return false;
			bits_set(p->slice, local_stmt(p, s));
			p->work[p->nwork++] = s;
		}
	return true;
}

/* Computes the slice of all branches of the prefix. A table of targets would be removed with the
 * rest of the code. */
static bool
find_slice(Prefix *p)
{
	const Fn *fn = p->x->fn;

	BITS_EACH(b, p->blocks) {
		uint32_t t = cfg_terminator(fn->cfg, b);
		bool branches = t && fn->cfg->blocks[b].nsucc > 1;
		if (branches &&
			(ptx_op(fn->m, fn_stmt(fn, t)) == OP_BRX || !add_operands(p, t)))
			return false;
	}
	while (p->nwork)
		if (!add_operands(p, p->work[--p->nwork]))
			return false;
	return true;
}

/* Whether only the prefix leads to its leaves, and nothing else into it. */
static bool
prefix_is_closed(const Prefix *p)
{
	const Plan *x = p->x;
	const Remap *k = x->remap;

	BITS_EACH(b, p->blocks) {
		if (!dom_dominates(x->fn->dom, p->arm->entry, b))
			return false;
		FN_SUCC(x->fn, b, s)
			if (s != k->join && !bits_has(p->blocks, s) &&
				!dom_dominates(x->fn->dom, p->arm->entry, s))
				return false;
	}
	return true;
}

static bool
prefix_leads_to(const Prefix *p, uint32_t block)
{
	FN_PRED(p->x->fn, block, b)
		if (bits_has(p->blocks, b))
			return true;
	return false;
}

/* Whether warps save more by not executing the rest of the code for all arms than the slice, which
 * is executed twice, costs. */
static bool
rest_is_worth_it(const Prefix *p, uint32_t leaves)
{
	enum { LEAST = 8 };
	const Plan *x = p->x;
	double all = run_cost_of_blocks(x->fn, p->blocks, p->arm->entry).issue, early = 0;

	BITS_EACH(b, p->blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			early += bits_has(p->slice, local_stmt(p, s)) ||
				s == cfg_terminator(x->fn->cfg, b);
	return all - early > all * leaves / x->remap->npaths + LEAST;
}

/* Makes the paths that the prefix leads to begin with it; also edges past them are one. */
static void
begin_with_prefix(const Prefix *p, uint32_t leaves)
{
	Remap *k = p->x->remap;
	bool past = prefix_leads_to(p, k->join);
	Remap_path *paths = arena_array(p->x->arena, k->npaths + 1, sizeof *paths);
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->npaths; i++) {
		bool leaf = prefix_leads_to(p, k->paths[i].entry);
		paths[n] = k->paths[i];
		if (leaf)
			paths[n].begin = p->arm->entry;
		n++;
		if (leaf && past && !--leaves)
			paths[n++] = (Remap_path){ .entry = k->join, .begin = p->arm->entry };
	}
	k->paths = paths;
	k->npaths = n;
	bits_or(k->nest.again, p->blocks);
	bits_or(k->nest.early, p->slice);
}

static void
defer_prefix(Plan *x, const Region *arm)
{
	const Fn *fn = x->fn;
	const Remap *k = x->remap;
	Bits within = bits_new(x->scratch, fn->cfg->nblocks);
	Prefix p = { .x = x,
		.arm = arm,
		.blocks = bits_new(x->scratch, fn->cfg->nblocks),
		.slice = bits_new(x->scratch, fn->f->nstmt),
		.work = arena_array(x->scratch, fn->f->nstmt, sizeof *p.work) };
	uint32_t leaves = 0;

	FN_BLOCKS(fn, b)
		if (b != k->join && remap_path_at(k, b) == k->npaths)
			bits_set(within, b);
	cfg_flood(fn->cfg, arm->entry, false, within, p.blocks);
	BITS_EACH(b, p.blocks)
		p.writes |= block_writes(fn, b);
	for (uint32_t i = 0; i < k->npaths; i++)
		leaves += prefix_leads_to(&p, k->paths[i].entry);
	if (bits_any(p.blocks) && leaves && k->npaths < REMAP_MOST_PATHS && prefix_is_closed(&p) &&
		find_slice(&p) && rest_is_worth_it(&p, leaves))
		begin_with_prefix(&p, leaves);
}

void
remap_defer_prefixes(Plan *x)
{
	Remap *k = x->remap;

	k->nest.again = bits_new(x->arena, x->fn->cfg->nblocks);
	k->nest.early = bits_new(x->arena, x->fn->f->nstmt);
	for (uint32_t i = 0; i < k->narms && k->nest.found; i++)
		defer_prefix(x, k->arms[i]);
}
