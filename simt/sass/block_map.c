/* SPDX-License-Identifier: MIT */
/* Walks the flow graphs of machine code and PTX together, from their entries.
 *
 * A conditional branch of machine code carries the line of the PTX branch that it was made from, so
 * that its ways are ways of the PTX; which is which is decided by the lines that lie behind each.
 * What is entered by one way is run as often as that. What several ways lead to is run as often as
 * the first PTX block that all of them come to: the nearest common post-dominator. Between branches
 * the machine code's block may hold whatever ptxas has merged, moved or predicated into it: it
 * counts with the block.
 *
 * Branches that ptxas has made itself: around a guarded statement, whose lanes then are those that
 * the guard leaves on; to a slow path, which is taken by operands; of a branch whose line is lost,
 * which is found by what lies behind; of loops that ptxas has unrolled, whose blocks go to where
 * most of their lines are. Others lead on in the same home (an atomic operation that is tried
 * again).
 */
#include "simt/sass/map_walk.h"

/* ---- homes ----------------------------------------------------------------------------------- */

/* The nearest PTX block that all ways from a and all from b come to; 0: none. */
static uint32_t
common(const Walk *w, uint32_t a, uint32_t b)
{
	while (a && !dom_postdominates(w->d, a, b))
		a = w->d->ipdom[a];
	return a;
}

static uint32_t
edge(const Walk *w, uint32_t p, uint32_t s)
{
	uint32_t e = w->f->blocks[p].succ;
	while (w->f->succ[e] != s)
		e++;
	return e;
}

/* Where the way from block p to s begins, of which home h is set; false: not known yet. */
static bool
arrive(const Walk *w, uint32_t p, uint32_t s, Home *h)
{
	uint32_t e = edge(w, p, s);
	if (w->way[e]) {
		*h = (Home){ HOME_EDGE, w->to->branch[p], w->way[e] - 1, s };
		if (w->g->blocks[walk_head(w, *h)].npred == 1)
			*h = (Home){ HOME_BLOCK, walk_head(w, *h), 0, s };
		return walk_head(w, *h) != 0;
	}
	*h = w->guard[e].kind ? w->guard[e] : w->to->home[p];
	return bits_has(w->done, p) && h->kind;
}

/* The PTX block that most instructions of s without a guard are from; 0: none. */
static uint32_t
most_of(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t best = 0, most = 0;
	for (uint32_t i = k->first; i < k->end; i++) {
		uint32_t n = 0;
		for (uint32_t j = k->first; j < k->end && walk_block(w, i); j++)
			n += walk_block(w, j) == walk_block(w, i) &&
				!w->f->sass->insts.at[j].guarded;
		if (n > most)
			most = n, best = walk_block(w, i);
	}
	return best;
}

/* Where ptxas has made the ways to s itself. */
static Home
by_content(const Walk *w, uint32_t s)
{
	uint32_t b = w->to->branch[s] ? w->to->branch[s] : most_of(w, s);
	return (Home){ b ? HOME_BLOCK : HOME_NONE, b, 0, s };
}

/* Does s, at home h, end in a branch of ptxas's own that has the line of a PTX branch? Before a
 * loop that ptxas has unrolled there is one that has next to nothing else of the PTX block. */
static bool
is_borrowed(const Walk *w, uint32_t s, Home h)
{
	enum { LITTLE = 4 };
	uint32_t t = w->to->branch[s], much;
	if (!t || walk_head(w, h) == t)
		return false;
	much = LITTLE * walk_content(w, s, t);
	if (much >= w->g->blocks[t].end - w->g->blocks[t].stmt)
		return false;
	for (uint32_t n = 0; n < w->f->norder; n++)
		if (w->to->branch[w->f->order[n]] == t && walk_content(w, w->f->order[n], t) > much)
			return true;
	return false;
}

static uint32_t
loop_depth(const Walk *w, uint32_t block)
{
	return w->loops->loops[w->loops->loop_of[block]].depth;
}

/* How many edges lead back to s from the loops that it is the header of; own: of those the ones
 * that are no ways of PTX branches. */
static uint32_t
back_edges(const Walk *w, uint32_t s, uint32_t *own)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = 0;
	*own = 0;
	for (uint32_t e = 0; e < k->npred; e++) {
		uint32_t p = w->f->pred[k->pred + e];
		if (!sass_dominates(w->f, s, p))
			continue;
		n++;
		*own += !w->way[edge(w, p, s)];
	}
	return n;
}

static bool
is_loop_header(const Walk *w, uint32_t s)
{
	uint32_t own;
	return back_edges(w, s, &own) > 0;
}

/* Does s hold iterations of a PTX loop that its home is not in? Then ptxas has made the way to
 * them, in unrolling the loop. */
static bool
is_unrolled(const Walk *w, uint32_t s, Home h)
{
	uint32_t b = most_of(w, s), own, back = back_edges(w, s, &own);
	return (h.copy != s || (back && own == back)) && b &&
		loop_depth(w, b) > loop_depth(w, walk_head(w, h)) &&
		2 * walk_content(w, s, b) > w->g->blocks[b].end - w->g->blocks[b].stmt;
}

/* Is s behind a table of ptxas's own, which it has made of a row of branches? */
static bool
is_case(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t p = k->npred == 1 ? w->f->pred[k->pred] : s;
	return p != s && walk_last(w, p)->kind == SASS_BRX && !w->to->branch[p];
}

/* The block that dominates s and all others that do; s is not the entry. */
static uint32_t
dominator(const Walk *w, uint32_t s)
{
	uint32_t best = 0;
	for (uint32_t n = 0; w->f->order[n] != s; n++)
		if (sass_dominates(w->f, w->f->order[n], s))
			best = w->f->order[n];
	return best;
}

static Home
merge(Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	Home h, first = { 0 }, goes_on = { 0 };
	uint32_t meet = 0, n = 0, from = dominator(w, s);
	bool same = true, parts_lanes = false;
	for (uint32_t e = 0; e < k->npred; e++) {
		if (!arrive(w, w->f->pred[k->pred + e], s, &h))
			continue;
		parts_lanes = parts_lanes || h.copy == s;
		if (!n++)
			first = h, meet = walk_head(w, h);
		same = same && home_same(h, first);
		meet = common(w, meet, walk_head(w, h));
		if (h.kind == HOME_BLOCK && h.copy != s)
			goes_on = h;
	}
	/* the way into a loop is another copy of where the loop begins */
	if (same && is_loop_header(w, s) && parts_lanes)
		first.copy = s;
	if (same)
		return first;
	/* ways that a branch of ptxas's own has parted, and that meet again */
	if (!w->to->branch[from] && !is_loop_header(w, s))
		return w->to->home[from];
	if (goes_on.kind && goes_on.of == meet && !is_loop_header(w, s))
		return goes_on;
	return (Home){ meet ? HOME_BLOCK : HOME_NONE, meet, 0, s };
}

static void
find_home(Walk *w, uint32_t s)
{
	Home h = s ? merge(w, s) : (Home){ HOME_BLOCK, 1, 0, 0 };
	uint32_t t = w->to->branch[s], b = walk_head(w, h);
	if (is_borrowed(w, s, h)) {
		const Sass_block *k = &w->f->blocks[s];
		t = w->to->branch[s] = 0;
		for (uint32_t e = 0; e < k->nsucc; e++)
			w->way[k->succ + e] = 0;
	}
	if (!h.kind || (t && b && !dom_dominates(w->d, b, t) && !dom_postdominates(w->d, t, b)) ||
		is_unrolled(w, s, h) || is_case(w, s))
		h = by_content(w, s);
	w->to->home[s] = h;
	bits_set(w->done, s);
}

/* A way to a PTX block to which machine code has no other is run as often as that block: ptxas has
 * made one branch of several. */
static void
widen(Walk *w, Home *h)
{
	if (h->kind != HOME_EDGE)
		return;
	uint32_t to = walk_head(w, *h);
	CFG_PRED(w->g, to, p)
	{
		bool known = w->g->blocks[p].nsucc < 2;
		for (uint32_t s = 0; s < w->f->nblocks && p != h->of && !known; s++)
			known = w->to->branch[s] == p;
		if (p != h->of && known)
			return;
	}
	*h = (Home){ HOME_BLOCK, to, 0, h->copy };
}

/* Gives s, and what goes on in its home, the home of what dominates it in its loop. */
static void
leave_to_dominator(Walk *w, uint32_t s)
{
	const Home was = w->to->home[s];
	uint32_t from = dominator(w, s);
	while (w->f->blocks[from].depth > w->f->blocks[s].depth)
		from = dominator(w, from);
	for (uint32_t n = 0; n < w->f->norder; n++) {
		Home *x = &w->to->home[w->f->order[n]];
		if (x->copy == s && home_same(*x, was))
			*x = w->to->home[from];
	}
}

/* Does so where another block behind it is the one that is run as often as the PTX block: only some
 * of the ways to that meet in s, and the rest further on; or s leads into a loop that begins there,
 * and whose first test ptxas has put in front. */
static void
settle(Walk *w, uint32_t s)
{
	const Home was = w->to->home[s], *h = &was;
	uint32_t to = s;
	for (uint32_t n = 0; n < w->f->norder && h->copy == s && w->f->blocks[to].nsucc == 1; n++) {
		to = w->f->succ[w->f->blocks[to].succ];
		h = &w->to->home[to];
	}
	if (!s || was.copy != s || h->copy == s || !home_same(was, *h) || is_loop_header(w, s) ||
		(w->f->blocks[s].npred < 2 && !is_loop_header(w, to)))
		return;
	leave_to_dominator(w, s);
}

/* Likewise where s is not in the loop of the PTX block, and no other copy is: then ptxas has put
 * what the block does at the end of the loop's other blocks, and s is come to where the loop
 * begins. */
static void
settle_in_front(Walk *w, uint32_t s)
{
	const Home *h = &w->to->home[s];
	if (!s || h->kind != HOME_BLOCK || h->copy != s || w->f->irreducible ||
		is_loop_header(w, s) || w->f->blocks[s].depth >= loop_depth(w, h->of))
		return;
	for (uint32_t n = 0; n < w->f->norder; n++) {
		const Home *x = &w->to->home[w->f->order[n]];
		if (x->copy != s && home_same(*x, *h))
			return;
	}
	leave_to_dominator(w, s);
}

/* May lanes come to s one after the other? On several ways, or out of a loop. */
static bool
is_come_to_apart(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	return k->npred > 1 || (k->npred && w->f->blocks[w->f->pred[k->pred]].depth > k->depth);
}

/* Blocks that end in a BSYNC, and begin where lanes meet: each group of lanes that comes issues
 * them. A block that leads there is another matter, although it may have a BSYNC of its own. */
static void
find_arrivals(Walk *w)
{
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		const Home *h = &w->to->home[s];
		if (walk_last(w, s)->kind == SASS_BSYNC && h->kind == HOME_BLOCK && h->copy == s &&
			is_come_to_apart(w, s))
			bits_set(w->to->arrives, s);
	}
}

/* Blocks that end in a BSYNC which lanes come to that one statement has parted. */
static void
find_paths(Walk *w)
{
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		const Sass_block *k = &w->f->blocks[s];
		for (uint32_t e = 0; e < k->npred && walk_last(w, s)->kind == SASS_BSYNC; e++) {
			const Home *h = &w->to->home[w->f->pred[k->pred + e]];
			if ((h->kind == HOME_SLOW || h->kind == HOME_GUARD) &&
				!home_same(*h, w->to->home[s]))
				w->to->paths[s] = *h;
		}
	}
}

Homes *
homes_find(const Sass_flow *f, const Cfg *g, const Dom *d, Arena *a)
{
	enum { PASSES = 2 }; /* in the second one the homes at the ends of loops are known */
	Homes *to = arena_zalloc(a, sizeof *to);
	uint32_t edges = 0;
	for (uint32_t s = 0; s < f->nblocks; s++)
		edges += f->blocks[s].nsucc;
	Walk w = { .f = f,
		.g = g,
		.d = d,
		.loops = loop_build(g, d, a),
		.to = to,
		.way = arena_array(a, edges + 1, sizeof *w.way),
		.guard = arena_array(a, edges + 1, sizeof *w.guard),
		.done = bits_new(a, f->nblocks) };
	to->home = arena_array(a, f->nblocks, sizeof *to->home);
	to->branch = arena_array(a, f->nblocks, sizeof *to->branch);
	to->paths = arena_array(a, f->nblocks, sizeof *to->paths);
	to->arrives = bits_new(a, f->nblocks);
	for (uint32_t n = 0; n < f->norder; n++)
		walk_line(&w, f->order[n]);
	for (int pass = 0; pass < PASSES; pass++)
		for (uint32_t n = 0; n < f->norder; n++) {
			find_home(&w, f->order[n]);
			if (!pass)
				walk_other(&w, f->order[n]);
		}
	for (uint32_t n = 0; n < f->norder; n++)
		widen(&w, &to->home[f->order[n]]);
	for (uint32_t n = 0; n < f->norder; n++)
		settle(&w, f->order[n]);
	for (uint32_t n = 0; n < f->norder; n++)
		settle_in_front(&w, f->order[n]);
	find_arrivals(&w);
	find_paths(&w);
	return to;
}
