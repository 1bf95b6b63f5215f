/* SPDX-License-Identifier: MIT */
/* Maps machine code to PTX by traversing both flow graphs together, from their entries.
 *
 * A conditional branch of machine code has the line of its PTX branch, so its edges are edges of
 * the PTX; which is which follows from the lines of the code behind each. A block reached by one
 * edge is executed as often as that edge. A block reached by several edges is executed as often as
 * the first PTX block that all of them reach: their nearest common post-dominator. Between
 * branches, a block may contain whatever ptxas has merged, moved or predicated into it: all of it
 * is counted with the block.
 *
 * Some branches are introduced by ptxas: around a guarded statement, where the lanes are those for
 * which the guard is true; to a slow path, selected by the operands; a PTX branch whose line is
 * lost, identified by the code behind it; in unrolled loops, whose blocks belong where most of
 * their lines are. At other ones, such as the retry of an atomic operation, the home does not
 * change.
 */
#include "simt/sass/map_walk.h"

/* ---- homes ----------------------------------------------------------------------------------- */

/* Returns the nearest common post-dominator of a and b in the PTX; 0: none. */
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

/* Sets *h to the place of the PTX to which the edge from p to s leads; false if it is not known
 * yet. */
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

/* Returns the PTX block to which most unguarded instructions of s belong; 0: none. */
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

/* Returns the home of s according to its contents, if ptxas has created the edges to it. */
static Home
by_content(const Walk *w, uint32_t s)
{
	uint32_t b = w->to->branch[s] ? w->to->branch[s] : most_of(w, s);
	return (Home){ b ? HOME_BLOCK : HOME_NONE, b, 0, s };
}

/* Whether s, at home h, ends with a branch introduced by ptxas that has the line of a PTX branch.
 * In front of an unrolled loop there is one, in a block with next to nothing else of the PTX
 * block. */
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

/* Returns the number of back edges to header s; *own: how many of these are not edges of PTX
 * branches. */
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

/* Whether s contains iterations of a PTX loop that does not contain its home. Then ptxas has
 * created the edge to it when unrolling the loop. */
static bool
is_unrolled(const Walk *w, uint32_t s, Home h)
{
	uint32_t b = most_of(w, s), own, back = back_edges(w, s, &own);
	return (h.copy != s || (back && own == back)) && b &&
		loop_depth(w, b) > loop_depth(w, walk_head(w, h)) &&
		2 * walk_content(w, s, b) > w->g->blocks[b].end - w->g->blocks[b].stmt;
}

/* Whether s is reached by a jump table that ptxas has built from a sequence of branches. */
static bool
is_case(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t p = k->npred == 1 ? w->f->pred[k->pred] : s;
	return p != s && walk_last(w, p)->kind == SASS_BRX && !w->to->branch[p];
}

/* Returns the immediate dominator of s, which is not the entry. */
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
	/* the entry of a loop is a copy of its own */
	if (same && is_loop_header(w, s) && parts_lanes)
		first.copy = s;
	if (same)
		return first;
	/* paths that diverge at a branch of ptxas and join here */
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

/* If machine code has no other edge to the PTX block that an edge leads to, ptxas has merged
 * several branches into one: the edge is executed as often as that block. */
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

/* Gives s, and the blocks that belong to the same copy, the home of its dominator within the
 * loop. */
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

/* Does so if a later block is the one that is executed as often as the PTX block: only some of the
 * edges to that join in s, and the others further on; or s leads to a loop that begins there, and
 * ptxas has moved its first test to the front. */
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

/* Does so if s is not in the loop of the PTX block, and there is no other copy: then ptxas has put
 * the contents of the block at the end of the loop's other blocks, and s is at the entry of the
 * loop. */
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

/* Whether groups of lanes may arrive at s one after the other: on several edges, or from a loop. */
static bool
is_come_to_apart(const Walk *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	return k->npred > 1 || (k->npred && w->f->blocks[w->f->pred[k->pred]].depth > k->depth);
}

/* Finds the blocks that end with a BSYNC and begin where lanes reconverge: each arriving group
 * issues them. This excludes blocks that only lead there, even if they have a BSYNC of their
 * own. */
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

/* Finds the blocks ending with a BSYNC at which lanes reconverge that diverged at a single
 * statement. */
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
	enum { PASSES = 2 }; /* the second pass knows the homes at the ends of loops */
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
