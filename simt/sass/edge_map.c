/* SPDX-License-Identifier: MIT */
/* Maps edges of machine-code branches to edges of the PTX: of branches with the line of a PTX
 * branch, and of branches that have lost it or that skip a single statement. See block_map.c. */
#include "simt/sass/map_walk.h"

/* ---- the code behind a branch ---------------------------------------------------------------- */

uint32_t
block_of_inst(const Block_mapper *w, uint32_t inst)
{
	uint32_t stmt = sass_stmt(w->f, inst);
	return stmt ? cfg_block_of(w->g, stmt) : 0;
}

const Sass_inst *
last_inst(const Block_mapper *w, uint32_t s)
{
	return &w->f->sass->insts.at[w->f->blocks[s].end - 1];
}

/* Whether a PTX block is executed only after the edge from t to its successor number k. */
static bool
block_is_behind_edge(const Block_mapper *w, uint32_t t, uint32_t k, uint32_t block)
{
	uint32_t to = cfg_succ(w->g, t)[k];
	if (!to || !block)
		return false;
	if (w->g->blocks[to].npred == 1)
		return dom_dominates(w->d, to, block);
	return to == block && !dom_dominates(w->d, to, t);
}

/* Counts the instructions after a machine-code edge that follow edge k of PTX block t, minus those
 * that follow its edge l. */
static int
edge_preference(const Block_mapper *w, uint32_t to, uint32_t t, uint32_t k, uint32_t l)
{
	enum { ENOUGH = 400 };
	const Sass_flow *f = w->f;
	int sum = 0, seen = 0;
	for (uint32_t n = 0; n < f->norder && seen < ENOUGH; n++) {
		uint32_t s = f->order[n];
		if (s != to && (f->blocks[to].npred > 1 || !sass_dominates(f, to, s)))
			continue;
		for (uint32_t i = f->blocks[s].first; i < f->blocks[s].end; i++, seen++)
			sum += block_is_behind_edge(w, t, k, block_of_inst(w, i)) -
				block_is_behind_edge(w, t, l, block_of_inst(w, i));
	}
	return sum;
}

uint32_t
map_by_content(const Block_mapper *w, uint32_t s, uint32_t b)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = 0;
	for (uint32_t i = k->first; i < k->end; i++)
		n += block_of_inst(w, i) == b && sass_stmt(w->f, i) != cfg_terminator(w->g, b);
	return n;
}

/* Returns the first non-empty block reached from b: empty blocks have no machine code. */
static uint32_t
first_sass_block(const Block_mapper *w, uint32_t b)
{
	for (uint32_t n = 0; b && w->g->blocks[b].nsucc == 1 && n < w->g->nblocks; n++) {
		CFG_STMTS(w->g, b, stmt)
		{
			if (w->g->m->stmts[stmt].kind == STMT_INSN &&
				stmt != cfg_terminator(w->g, b))
				return b;
		}
		b = *cfg_succ(w->g, b);
	}
	return b;
}

/* Counts the instructions of a machine-code block that belong to the first non-empty block reached
 * from PTX block x, minus those for y. */
static int
start_preference(const Block_mapper *w, uint32_t s, uint32_t x, uint32_t y)
{
	return (int)map_by_content(w, s, first_sass_block(w, x)) -
		(int)map_by_content(w, s, first_sass_block(w, y));
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool
is_conditional(const Block_mapper *w, uint32_t s)
{
	const Sass_inst *i = last_inst(w, s);
	return i->kind == SASS_BRX || (i->guarded && (i->kind == SASS_BRA || i->kind == SASS_EXIT));
}

/* Returns the PTX block whose conditional branch ends a block, according to its line; 0: none. */
static uint32_t
ptx_branch_by_line(const Block_mapper *w, uint32_t s)
{
	uint32_t end = w->f->blocks[s].end - 1, b = block_of_inst(w, end);
	uint32_t stmt = sass_stmt(w->f, end);
	return is_conditional(w, s) && b && cfg_terminator(w->g, b) == stmt &&
			w->g->blocks[b].nsucc > 1 ?
		b :
		0;
}

static bool
block_only_exits(const Block_mapper *w, uint32_t b)
{
	b = first_sass_block(w, b);
	return !b ||
		(w->g->blocks[b].nsucc == 1 && !*cfg_succ(w->g, b) &&
			w->g->blocks[b].end - w->g->blocks[b].stmt <= 2);
}

/* Whether the edge to block `to` leads to a dominator of s, perhaps through a block that only
 * jumps. */
static bool
edge_leads_back(const Block_mapper *w, uint32_t to, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[to];
	if (k->end - k->first == 1 && k->nsucc == 1 && last_inst(w, to)->kind == SASS_BRA)
		to = w->f->succ[k->succ];
	return sass_dominates(w->f, to, s);
}

/* Whether a two-way branch at the end of s is inverted relative to that of PTX block t. Decides by
 * the code after it, and in loops by the back edge. sure: the number of instructions that confirm
 * it. */
static bool
branch_is_inverted(const Block_mapper *w, uint32_t s, uint32_t t, int *sure)
{
	const Sass_flow *f = w->f;
	const Sass_block *k = &f->blocks[s];
	const uint32_t *to = f->succ + k->succ, *way = cfg_succ(w->g, t);
	bool exits = last_inst(w, s)->kind == SASS_EXIT;
	uint32_t behind_it = exits ? to[0] : to[1];
	int lean = edge_preference(w, behind_it, t, 1, 0) +
		(exits ? 0 : edge_preference(w, to[0], t, 0, 1));
	bool back[2] = { way[0] && dom_dominates(w->d, way[0], t),
		way[1] && dom_dominates(w->d, way[1], t) };
	*sure = lean < 0 ? -lean : lean;
	if (!exits && back[0] != back[1] &&
		edge_leads_back(w, to[0], s) != edge_leads_back(w, to[1], s)) {
		*sure = 1 << 20;
		return back[0] != edge_leads_back(w, to[0], s);
	}
	if (!exits && back[0] == back[1])
		lean += start_preference(w, to[1], way[1], way[0]) +
			start_preference(w, to[0], way[0], way[1]);
	if (exits && block_only_exits(w, way[0]) != block_only_exits(w, way[1]))
		return block_only_exits(w, way[1]);
	return lean < 0;
}

static void
map_branch_edges(Block_mapper *w, uint32_t s, uint32_t t, bool crossed)
{
	const Sass_block *k = &w->f->blocks[s];
	bool exits = last_inst(w, s)->kind == SASS_EXIT;
	w->to->branch[s] = t;
	for (uint32_t e = 0; e < k->nsucc; e++)
		w->successor[k->succ + e] = 1 + (crossed != (exits || e == 1));
}

/* Maps the edges of a jump table by the code after them, or by their order if that is
 * inconclusive. */
static void
map_table_edges(Block_mapper *w, uint32_t s, uint32_t t)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = w->g->blocks[t].nsucc;
	w->to->branch[s] = t;
	for (uint32_t e = 0; e < k->nsucc; e++) {
		uint32_t best = e < n ? e : n - 1;
		for (uint32_t x = 0; x < n; x++)
			if (edge_preference(w, w->f->succ[k->succ + e], t, x, best) > 0)
				best = x;
		w->successor[k->succ + e] = 1 + best;
	}
}

void
map_by_line(Block_mapper *w, uint32_t s)
{
	uint32_t t = ptx_branch_by_line(w, s), n = w->f->blocks[s].nsucc;
	int sure;
	if (!t || !n)
		return;
	if (w->g->blocks[t].nsucc > 2)
		map_table_edges(w, s, t);
	else if (n == 2 || last_inst(w, s)->kind == SASS_EXIT)
		map_branch_edges(w, s, t, branch_is_inverted(w, s, t, &sure));
}

/* ---- branches without a PTX line ------------------------------------------------------------- */

uint32_t
map_header(const Block_mapper *w, Ptx_location h)
{
	switch (h.kind) {
	case LOCATION_BLOCK:
		return h.index;
	case LOCATION_EDGE:
		return cfg_succ(w->g, h.index)[h.successor];
	case LOCATION_GUARD:
	case LOCATION_PREDICATED_OFF:
	case LOCATION_SLOW_PATH:
	case LOCATION_FAST_PATH:
		return cfg_block_of(w->g, h.index);
	default:
		return 0;
	}
}

/* Handles a branch that skips a guarded statement: finds the edge to the statement. */
static bool
map_guard_branch(Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t stmt = sass_stmt(w->f, k->end - 1);
	if (!stmt || !w->g->m->stmts[stmt].guard ||
		cfg_terminator(w->g, cfg_block_of(w->g, stmt)) == stmt)
		return false;
	for (uint32_t e = k->nsucc; e-- > 0;) {
		const Sass_block *to = &w->f->blocks[w->f->succ[k->succ + e]];
		for (uint32_t i = to->first; i < to->end && to->npred == 1; i++)
			if (sass_stmt(w->f, i) == stmt) {
				w->guard[k->succ + e] = (Ptx_location){ LOCATION_GUARD, stmt, 0,
					w->f->succ[k->succ + e] };
				return true;
			}
	}
	return false;
}

static bool
calls_routine(const Block_mapper *w, uint32_t s, uint32_t stmt)
{
	const Sass_block *k = &w->f->blocks[s];
	for (uint32_t i = k->first; i < k->end; i++)
		if (w->f->sass->insts.at[i].kind == SASS_ROUTINE && sass_stmt(w->f, i) == stmt)
			return true;
	return false;
}

/* Handles a branch between a slow path and a quick one. */
static bool
map_slow_path_branch(Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	const uint32_t *to = w->f->succ + k->succ;
	uint32_t stmt = sass_stmt(w->f, k->end - 1), on = w->to->location[s].kind == LOCATION_GUARD;
	const bool slow[2] = { calls_routine(w, to[0], stmt), calls_routine(w, to[1], stmt) };
	if (!stmt || slow[0] == slow[1])
		return false;
	for (uint32_t e = 0; e < k->nsucc; e++)
		if (w->f->blocks[to[e]].npred == 1)
			w->guard[k->succ + e] =
				(Ptx_location){ slow[e] ? LOCATION_SLOW_PATH : LOCATION_FAST_PATH,
					stmt, on, to[e] };
	return true;
}

/* Handles a PTX branch whose line may be lost: among the branches that post-dominate the PTX
 * location of s, selects the one that best fits the code after it. */
static void
map_branch_by_content(Block_mapper *w, uint32_t s)
{
	enum { FEW = 3 };
	uint32_t best = 0, at = map_header(w, w->to->location[s]);
	int most = FEW - 1, sure;
	for (uint32_t t = at; t; t = w->d->ipdom[t]) {
		if (w->g->blocks[t].nsucc != 2)
			continue;
		branch_is_inverted(w, s, t, &sure);
		if (sure > most && sure < 1 << 20)
			best = t, most = sure;
	}
	if (best)
		map_branch_edges(w, s, best, branch_is_inverted(w, s, best, &sure));
}

/* Whether a block is a loop by itself and belongs to one statement, as the retry loop of an atomic
 * operation does. */
static bool
block_is_retry_loop(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	bool again = sass_is_loop(w->f, s);
	for (uint32_t i = k->first; i < k->end && again; i++)
		again = sass_stmt(w->f, i) == sass_stmt(w->f, k->first);
	return again;
}

void
map_by_guard_or_retry(Block_mapper *w, uint32_t s)
{
	if (!is_conditional(w, s) || w->to->branch[s] || w->f->blocks[s].nsucc != 2 ||
		block_is_retry_loop(w, s))
		return;
	if (!map_slow_path_branch(w, s) && !map_guard_branch(w, s))
		map_branch_by_content(w, s);
}
