/* SPDX-License-Identifier: MIT */
/* What flows out of the path (docs/design.md 6.6).
 *
 * A register that R defines and that its owner reads later is legal if it is a pure function of the
 * owner's own state at the path's entry, computed on every way through R: the owner then runs that
 * slice for itself. Anything else is refused.
 *
 * Correct because every statement of the slice has one definition in R for each register it writes,
 * dominates every way out, stands in no loop inside R, and reads only what the owner has at the entry
 * or what the slice computes: run at the entry, in dominance order, it gives what R would have.
 */
#include "analysis/reduction.h"
#include "transform/slice.h"

enum { SMALL_SLICE = 8 }; /* statements */

static bool
on_every_way_out(const Plan *x, const Part *k, uint32_t block)
{
	const Cfg *g = x->fn->cfg;
	if (x->fn->loops->loop_of[block] != x->site->loop)
		return false;
	BITS_EACH(b, k->path->r.blocks)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++)
			if (!part_has(k, cfg_succ(g, b)[i]) &&
				!dom_dominates(x->fn->dom, block, b))
				return false;
	return true;
}

static bool
def_in_path(const Plan *x, const Part *k, uint32_t def)
{
	uint32_t s = x->fn->defuse->defs[def].stmt;
	return s && part_has(k, cfg_block_of(x->fn->cfg, s));
}

/* Can control come from statement a to statement b, which stands in no loop of the path, in one
 * run of the path? */
static bool
comes_before(const Plan *x, const Part *k, uint32_t a, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t from = cfg_block_of(g, a), to = cfg_block_of(g, b);
	Bits seen = bits_new(x->arena, g->nblocks), within = bits_new(x->arena, g->nblocks);
	if (from == to)
		return a < b;
	bits_copy(within, k->path->r.blocks);
	bits_unset(within, k->path->r.entry);
	for (uint32_t i = 0; i < g->blocks[from].nsucc; i++)
		cfg_flood(g, cfg_succ(g, from)[i], false, within, seen);
	return bits_has(seen, to);
}

/* The definitions of a register in the path that come before a statement: how many, and the last
 * one found. */
static uint32_t
defs_before(const Slice *of, uint32_t sym, uint32_t stmt, uint32_t *def)
{
	const Defuse *du = of->x->fn->defuse;
	uint32_t s = fn_local(of->x->fn, sym), n = 0;

	for (uint32_t i = du->defs_of_sym[s]; i < du->defs_of_sym[s + 1]; i++)
		if (def_in_path(of->x, of->k, du->by_sym[i]) &&
			comes_before(of->x, of->k, du->defs[du->by_sym[i]].stmt, stmt)) {
			*def = du->by_sym[i];
			n++;
		}
	return n;
}

static bool
one_def_in_path(const Plan *x, const Part *k, uint32_t sym)
{
	const Defuse *du = x->fn->defuse;
	uint32_t s = fn_local(x->fn, sym), n = 0;

	for (uint32_t i = du->defs_of_sym[s]; i < du->defs_of_sym[s + 1]; i++)
		n += def_in_path(x, k, du->by_sym[i]);
	return n == 1;
}

/* Adds to the slice what computes def's value on the owner's side: a register it reads is the
 * owner's at the path's entry, or comes from one definition in the path, which is in the slice
 * then. */
static bool
owner_computes(Slice *s, uint32_t def)
{
	const Fn *fn = s->x->fn;
	const Defuse *du = fn->defuse;
	uint32_t stmt = du->defs[def].stmt, before;
	Slice_reads r;
	if (slice_has(s, stmt))
		return true;
	if (s->n == MAX_SLICE || !slice_pure(s->x, &du->defs[def]) ||
		!on_every_way_out(s->x, s->k, cfg_block_of(fn->cfg, stmt)))
		return false;
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (!one_def_in_path(s->x, s->k, fn_def(fn, d)->sym))
			return false;
	s->list[s->n++] = stmt;
	slice_reads(fn, stmt, &r);
	for (uint32_t i = 0; i < r.n && r.ok; i++) {
		uint32_t n = defs_before(s, r.regs[i], stmt, &before);
		r.ok = n == 0 || (n == 1 && owner_computes(s, before));
	}
	return r.ok;
}

/* Statements of a slice dominate one another in a chain: reverse post-order of blocks, then text
 * order. */
static void
sort_slice(const Plan *x, const Task *t)
{
	const Cfg *g = x->fn->cfg;
	for (uint32_t i = 1; i < t->nslice; i++)
		for (uint32_t j = i; j > 0; j--) {
			uint32_t a = t->slice[j - 1], b = t->slice[j];
			uint32_t ra = g->rpo_index[cfg_block_of(g, a)],
				 rb = g->rpo_index[cfg_block_of(g, b)];
			if (ra < rb || (ra == rb && a < b))
				break;
			t->slice[j - 1] = b;
			t->slice[j] = a;
		}
}

/* A use outside the path that the definition reaches; 0: there is none. */
static uint32_t
use_outside(const Plan *x, const Part *k, uint32_t sym, uint32_t def)
{
	const Defuse *du = x->fn->defuse;

	for (uint32_t i = 1; i < du->nuses; i++) {
		const Use *u = &du->uses[i];
		if (u->sym != sym || part_has(k, cfg_block_of(x->fn->cfg, u->stmt)))
			continue;
		for (uint32_t j = 0; j < u->ndef; j++)
			if (du->reach[u->def + j] == def)
				return u->stmt;
	}
	return 0;
}

static Verdict
flows_out(const Plan *x, const Part *k, uint32_t sym, uint32_t def)
{
	const Fn *fn = x->fn;
	uint32_t stmt = fn->defuse->defs[def].stmt, used = use_outside(x, k, sym, def);
	Verdict v = verdict(x->arena, D_LIVE_OUT, fn_stmt(fn, stmt)->at.pos, "'%.*s' is computed in it and used outside it",
		PTX_NAME(fn->m, sym));

	if (used)
		v = verdict_note(v, x->arena, fn_stmt(fn, used)->at.pos, "used here");
	return verdict_note(v, x->arena, DIAG_NOWHERE, "%s", reduction_is(fn, stmt, sym) ?
		"it looks like a reduction: this version collects no reductions; "
		"update memory in the path with an atomic operation instead" :
		"let the path store its result to memory, or widen the annotated statement to what uses it");
}

/* Would the owner compute half the path for itself, and the task do the other half only? A plain instruction is two slots. */
static Verdict
worth_it(const Plan *x, const Part *k)
{
	const Task *t = &k->task;

	if (t->nslice <= SMALL_SLICE || 4 * (uint64_t)t->nslice <= k->path->cost)
		return VERDICT_YES;
	return verdict_note(verdict(x->arena, D_LIVE_OUT, fn_stmt(x->fn, t->slice[0])->at.pos,
		"most of what it computes is used outside it"), x->arena, DIAG_NOWHERE,
		"let the path store its result to memory, or widen the annotated statement to what uses it");
}

/* A register that the path defines and that its owner may read later: is it a slice? */
static Verdict
live_out(const Plan *x, Part *k, uint32_t sym)
{
	Reaching r = defuse_reaching(x->fn, k->path->next, sym);

	for (uint32_t i = 0; i < r.n; i++) {
		if (!def_in_path(x, k, r.at[i]))
			continue;
		Slice s = { x, k, k->task.slice, k->task.nslice };
		if (!owner_computes(&s, r.at[i]))
			return flows_out(x, k, sym, r.at[i]);
		k->task.nslice = s.n;
	}
	return VERDICT_YES;
}

Verdict
task_live_outs(Plan *x, Part *k, Bits defined)
{
	const Fn *fn = x->fn;
	Verdict v = VERDICT_YES;

	BITS_EACH(i, defined)
		if (!verdict_no(v) && bits_has(fn->live->in[k->path->next], i))
			v = live_out(x, k, fn_sym(fn, i));
	if (verdict_no(v))
		return v;
	sort_slice(x, &k->task);
	return worth_it(x, k);
}
