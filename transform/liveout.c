/* CCC: what flows out of the path (docs/design.md 6.6).
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
on_every_way_out(const Ccc *c, uint32_t block)
{
	const Cfg *g = c->fn->cfg;
	if (c->fn->loops->loop_of[block] != c->site->loop)
		return false;
	BITS_EACH(b, c->path->r.blocks)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++)
			if (!ccc_in_path(c, cfg_succ(g, b)[i]) &&
				!dom_dominates(c->fn->dom, block, b))
				return false;
	return true;
}

static bool
def_in_path(const Ccc *c, uint32_t def)
{
	uint32_t s = c->fn->defuse->defs[def].stmt;
	return s && ccc_in_path(c, cfg_block_of(c->fn->cfg, s));
}

/* Can control come from statement a to statement b, which stands in no loop of the path, in one
 * run of the path? */
static bool
comes_before(const Ccc *c, uint32_t a, uint32_t b)
{
	const Cfg *g = c->fn->cfg;
	uint32_t from = cfg_block_of(g, a), to = cfg_block_of(g, b);
	Bits seen = bits_new(c->arena, g->nblocks), within = bits_new(c->arena, g->nblocks);
	if (from == to)
		return a < b;
	bits_copy(within, c->path->r.blocks);
	bits_unset(within, c->path->r.entry);
	for (uint32_t i = 0; i < g->blocks[from].nsucc; i++)
		cfg_flood(g, cfg_succ(g, from)[i], false, within, seen);
	return bits_has(seen, to);
}

/* The definitions of a register in the path that come before a statement: how many, and the last
 * one found. */
static uint32_t
defs_before(const Ccc *c, uint32_t sym, uint32_t stmt, uint32_t *def)
{
	const Defuse *du = c->fn->defuse;
	uint32_t i = fn_local(c->fn, sym), n = 0;
	for (uint32_t k = du->defs_of_sym[i]; k < du->defs_of_sym[i + 1]; k++)
		if (def_in_path(c, du->by_sym[k]) &&
			comes_before(c, du->defs[du->by_sym[k]].stmt, stmt)) {
			*def = du->by_sym[k];
			n++;
		}
	return n;
}

static bool
one_def_in_path(const Ccc *c, uint32_t sym)
{
	const Defuse *du = c->fn->defuse;
	uint32_t i = fn_local(c->fn, sym), n = 0;
	for (uint32_t k = du->defs_of_sym[i]; k < du->defs_of_sym[i + 1]; k++)
		n += def_in_path(c, du->by_sym[k]);
	return n == 1;
}

/* Adds to the slice what computes def's value on the owner's side: a register it reads is the
 * owner's at the path's entry, or comes from one definition in the path, which is in the slice
 * then. */
static bool
owner_computes(Slice *s, uint32_t def)
{
	const Fn *fn = s->c->fn;
	const Defuse *du = fn->defuse;
	uint32_t stmt = du->defs[def].stmt, before;
	Slice_reads r;
	if (slice_has(s, stmt))
		return true;
	if (s->n == MAX_SLICE || !slice_pure(s->c, &du->defs[def]) ||
		!on_every_way_out(s->c, cfg_block_of(fn->cfg, stmt)))
		return false;
	for (uint32_t d = du->def_of_stmt[stmt - fn->f->stmt];
		d < du->ndefs && du->defs[d].stmt == stmt; d++)
		if (!one_def_in_path(s->c, du->defs[d].sym))
			return false;
	s->list[s->n++] = stmt;
	slice_reads(fn, stmt, &r);
	for (uint32_t i = 0; i < r.n && r.ok; i++) {
		uint32_t n = defs_before(s->c, r.regs[i], stmt, &before);
		r.ok = n == 0 || (n == 1 && owner_computes(s, before));
	}
	return r.ok;
}

/* Statements of a slice dominate one another in a chain: reverse post-order of blocks, then text
 * order. */
static void
sort_slice(const Ccc *c)
{
	const Cfg *g = c->fn->cfg;
	for (uint32_t i = 1; i < c->nslice; i++)
		for (uint32_t j = i; j > 0; j--) {
			uint32_t a = c->slice[j - 1], b = c->slice[j];
			uint32_t ra = g->rpo_index[cfg_block_of(g, a)],
				 rb = g->rpo_index[cfg_block_of(g, b)];
			if (ra < rb || (ra == rb && a < b))
				break;
			c->slice[j - 1] = b;
			c->slice[j] = a;
		}
}

static bool
flows_out(Ccc *c, uint32_t sym, uint32_t def)
{
	const Fn *fn = c->fn;
	const Defuse *du = fn->defuse;
	uint32_t used = 0;
	for (uint32_t i = 1; i < du->nuses && !used; i++)
		if (du->uses[i].sym == sym &&
			!ccc_in_path(c, cfg_block_of(fn->cfg, du->uses[i].stmt)))
			for (uint32_t k = 0; k < du->uses[i].ndef; k++)
				if (du->reach[du->uses[i].def + k] == def)
					used = du->uses[i].stmt;
	uint32_t pos = fn_stmt(fn, du->defs[def].stmt)->at.pos;
	ccc_refuse(c, D_LIVE_OUT, pos, "'%.*s' is computed in it and used outside it",
		PTX_NAME(fn->m, sym));
	if (used)
		diag_note(c->diags, fn_stmt(fn, used)->at.pos, "used here");
	if (reduction_is(fn, du->defs[def].stmt, sym))
		diag_note(c->diags, DIAG_NOWHERE,
			"it looks like a reduction: this version collects no reductions; "
			"update memory in the path with an atomic operation instead");
	else
		diag_note(c->diags, DIAG_NOWHERE,
			"let the path store its result to memory, or widen the annotated statement to what uses it");
	return false;
}

/* Would the owner compute half the path for itself, and the task do the other half only? A plain instruction is two slots. */
static bool
worth_it(Ccc *c)
{
	if (c->nslice <= SMALL_SLICE || 4 * (uint64_t)c->nslice <= c->path->cost)
		return true;
	ccc_refuse(c, D_LIVE_OUT, fn_stmt(c->fn, c->slice[0])->at.pos, "most of what it computes is used outside it");
	diag_note(c->diags, DIAG_NOWHERE, "let the path store its result to memory, or widen the annotated statement to what uses it");
	return false;
}

/* Every register that R defines and that its owner may read later: is it a slice, or refuse. */
bool
ccc_live_outs(Ccc *c, Bits defined)
{
	const Fn *fn = c->fn;
	const Cfg *g = fn->cfg;
	uint32_t after = c->path->next;
	BITS_EACH(i, defined) {
		uint32_t defs[64], sym = fn->f->sym0 + i;
		if (!bits_has(fn->live->in[after], i))
			continue;
		uint32_t n = defuse_reaching(g, fn->defuse, after, sym, defs, 64);
		for (uint32_t k = 0; k < n && k < 64; k++) {
			if (!def_in_path(c, defs[k]))
				continue;
			Slice s = { c, c->slice, c->nslice };
			if (n > 64 || !owner_computes(&s, defs[k]))
				return flows_out(c, sym, defs[k]);
			c->nslice = s.n;
		}
	}
	sort_slice(c);
	return worth_it(c);
}
