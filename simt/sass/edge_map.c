/* SPDX-License-Identifier: MIT */
/* Maps edges of machine-code branches to edges of the PTX: of branches with the line of a PTX
 * branch, and of branches that have lost it or that skip a single statement. See block_map.c. */
#include "simt/sass/map_walk.h"

/* ---- the code behind a branch ---------------------------------------------------------------- */

uint32_t
walk_block(const Walk *w, uint32_t inst)
{
	uint32_t stmt = sass_stmt(w->f, inst);
	return stmt ? cfg_block_of(w->g, stmt) : 0;
}

const Sass_inst *
walk_last(const Walk *w, uint32_t s)
{
	return &w->f->sass->insts.at[w->f->blocks[s].end - 1];
}

/* Whether a PTX block is executed only after the edge from t to its successor number k. */
static bool
behind(const Walk *w, uint32_t t, uint32_t k, uint32_t block)
{
	uint32_t to = cfg_succ(w->g, t)[k];
	if (!to || !block)
		return false;
	if (w->g->blocks[to].npred == 1)
		return dom_dominates(w->d, to, block);
	return to == block && !dom_dominates(w->d, to, t);
}

/* Counts the instructions behind a machine-code edge that are behind edge k of PTX block t, minus
 * those behind its edge l. */
static int
leaning(const Walk *w, uint32_t to, uint32_t t, uint32_t k, uint32_t l)
{
	enum { ENOUGH = 400 };
	const Sass_flow *f = w->f;
	int sum = 0, seen = 0;
	for (uint32_t n = 0; n < f->norder && seen < ENOUGH; n++) {
		uint32_t s = f->order[n];
		if (s != to && (f->blocks[to].npred > 1 || !sass_dominates(f, to, s)))
			continue;
		for (uint32_t i = f->blocks[s].first; i < f->blocks[s].end; i++, seen++)
			sum += behind(w, t, k, walk_block(w, i)) -
				behind(w, t, l, walk_block(w, i));
	}
	return sum;
}

uint32_t
walk_content(const Walk *w, uint32_t s, uint32_t b)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = 0;
	for (uint32_t i = k->first; i < k->end; i++)
		n += walk_block(w, i) == b && sass_stmt(w->f, i) != cfg_terminator(w->g, b);
	return n;
}

/* Returns the first non-empty block reached from b: empty blocks have no machine code. */
static uint32_t
first_of_own(const Walk *w, uint32_t b)
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
beginning(const Walk *w, uint32_t s, uint32_t x, uint32_t y)
{
	return (int)walk_content(w, s, first_of_own(w, x)) -
		(int)walk_content(w, s, first_of_own(w, y));
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool
is_conditional(const Walk *w, uint32_t s)
{
	const Sass_inst *i = walk_last(w, s);
	return i->kind == SASS_BRX || (i->guarded && (i->kind == SASS_BRA || i->kind == SASS_EXIT));
}

/* Returns the PTX block whose conditional branch ends a block, according to its line; 0: none. */
static uint32_t
branch_by_line(const Walk *w, uint32_t s)
{
	uint32_t end = w->f->blocks[s].end - 1, b = walk_block(w, end);
	uint32_t stmt = sass_stmt(w->f, end);
	return is_conditional(w, s) && b && cfg_terminator(w->g, b) == stmt &&
			w->g->blocks[b].nsucc > 1 ?
		b :
		0;
}

static bool
only_exits(const Walk *w, uint32_t b)
{
	b = first_of_own(w, b);
	return !b ||
		(w->g->blocks[b].nsucc == 1 && !*cfg_succ(w->g, b) &&
			w->g->blocks[b].end - w->g->blocks[b].stmt <= 2);
}

/* Whether the edge to block `to` leads to a dominator of s, perhaps through a block that only
 * jumps. */
static bool
leads_back(const Walk *w, uint32_t to, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[to];
	if (k->end - k->first == 1 && k->nsucc == 1 && walk_last(w, to)->kind == SASS_BRA)
		to = w->f->succ[k->succ];
	return sass_dominates(w->f, to, s);
}

/* Whether a two-way branch at the end of s is inverted relative to that of PTX block t. Decides by
 * the code behind it, and in loops by the back edge. sure: the number of instructions that confirm
 * it. */
static bool
crosses(const Walk *w, uint32_t s, uint32_t t, int *sure)
{
	const Sass_flow *f = w->f;
	const Sass_block *k = &f->blocks[s];
	const uint32_t *to = f->succ + k->succ, *way = cfg_succ(w->g, t);
	bool exits = walk_last(w, s)->kind == SASS_EXIT;
	uint32_t behind_it = exits ? to[0] : to[1];
	int lean = leaning(w, behind_it, t, 1, 0) + (exits ? 0 : leaning(w, to[0], t, 0, 1));
	bool back[2] = { way[0] && dom_dominates(w->d, way[0], t),
		way[1] && dom_dominates(w->d, way[1], t) };
	*sure = lean < 0 ? -lean : lean;
	if (!exits && back[0] != back[1] && leads_back(w, to[0], s) != leads_back(w, to[1], s)) {
		*sure = 1 << 20;
		return back[0] != leads_back(w, to[0], s);
	}
	if (!exits && back[0] == back[1])
		lean += beginning(w, to[1], way[1], way[0]) + beginning(w, to[0], way[0], way[1]);
	if (exits && only_exits(w, way[0]) != only_exits(w, way[1]))
		return only_exits(w, way[1]);
	return lean < 0;
}

static void
set_ways(Walk *w, uint32_t s, uint32_t t, bool crossed)
{
	const Sass_block *k = &w->f->blocks[s];
	bool exits = walk_last(w, s)->kind == SASS_EXIT;
	w->to->branch[s] = t;
	for (uint32_t e = 0; e < k->nsucc; e++)
		w->way[k->succ + e] = 1 + (crossed != (exits || e == 1));
}

/* Maps the edges of a jump table by the code behind them, or by their order if that is
 * inconclusive. */
static void
set_ways_of_table(Walk *w, uint32_t s, uint32_t t)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = w->g->blocks[t].nsucc;
	w->to->branch[s] = t;
	for (uint32_t e = 0; e < k->nsucc; e++) {
		uint32_t best = e < n ? e : n - 1;
		for (uint32_t x = 0; x < n; x++)
			if (leaning(w, w->f->succ[k->succ + e], t, x, best) > 0)
				best = x;
		w->way[k->succ + e] = 1 + best;
	}
}

void
walk_line(Walk *w, uint32_t s)
{
	uint32_t t = branch_by_line(w, s), n = w->f->blocks[s].nsucc;
	int sure;
	if (!t || !n)
		return;
	if (w->g->blocks[t].nsucc > 2)
		set_ways_of_table(w, s, t);
	else if (n == 2 || walk_last(w, s)->kind == SASS_EXIT)
		set_ways(w, s, t, crosses(w, s, t, &sure));
}

/* ---- branches without a PTX line ------------------------------------------------------------- */

uint32_t
walk_head(const Walk *w, Home h)
{
	switch (h.kind) {
	case HOME_BLOCK:
		return h.of;
	case HOME_EDGE:
		return cfg_succ(w->g, h.of)[h.way];
	case HOME_GUARD:
	case HOME_OFF:
	case HOME_SLOW:
	case HOME_QUICK:
		return cfg_block_of(w->g, h.of);
	default:
		return 0;
	}
}

/* Handles a branch that skips a guarded statement: finds the edge to the statement. */
static bool
follow_guard(Walk *w, uint32_t s)
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
				w->guard[k->succ + e] =
					(Home){ HOME_GUARD, stmt, 0, w->f->succ[k->succ + e] };
				return true;
			}
	}
	return false;
}

static bool
calls_routine(const Walk *w, uint32_t s, uint32_t stmt)
{
	const Sass_block *k = &w->f->blocks[s];
	for (uint32_t i = k->first; i < k->end; i++)
		if (w->f->sass->insts.at[i].kind == SASS_ROUTINE && sass_stmt(w->f, i) == stmt)
			return true;
	return false;
}

/* Handles a branch between a slow path and a quick one. */
static bool
follow_slow(Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	const uint32_t *to = w->f->succ + k->succ;
	uint32_t stmt = sass_stmt(w->f, k->end - 1), on = w->to->home[s].kind == HOME_GUARD;
	const bool slow[2] = { calls_routine(w, to[0], stmt), calls_routine(w, to[1], stmt) };
	if (!stmt || slow[0] == slow[1])
		return false;
	for (uint32_t e = 0; e < k->nsucc; e++)
		if (w->f->blocks[to[e]].npred == 1)
			w->guard[k->succ + e] =
				(Home){ slow[e] ? HOME_SLOW : HOME_QUICK, stmt, on, to[e] };
	return true;
}

/* Handles a PTX branch whose line may be lost: among the branches that post-dominate the home of s,
 * selects the one that fits best with the code behind it. */
static void
follow_content(Walk *w, uint32_t s)
{
	enum { FEW = 3 };
	uint32_t best = 0, at = walk_head(w, w->to->home[s]);
	int most = FEW - 1, sure;
	for (uint32_t t = at; t; t = w->d->ipdom[t]) {
		if (w->g->blocks[t].nsucc != 2)
			continue;
		crosses(w, s, t, &sure);
		if (sure > most && sure < 1 << 20)
			best = t, most = sure;
	}
	if (best)
		set_ways(w, s, best, crosses(w, s, best, &sure));
}

/* Whether a block is a loop by itself and belongs to one statement, as the retry loop of an atomic
 * operation does. */
static bool
tries_again(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	bool again = sass_is_loop(w->f, s);
	for (uint32_t i = k->first; i < k->end && again; i++)
		again = sass_stmt(w->f, i) == sass_stmt(w->f, k->first);
	return again;
}

void
walk_other(Walk *w, uint32_t s)
{
	if (!is_conditional(w, s) || w->to->branch[s] || w->f->blocks[s].nsucc != 2 ||
		tries_again(w, s))
		return;
	if (!follow_slow(w, s) && !follow_guard(w, s))
		follow_content(w, s);
}
