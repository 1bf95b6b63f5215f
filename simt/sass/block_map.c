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
common_postdominator(const Block_mapper *w, uint32_t a, uint32_t b)
{
	while (a && !dom_postdominates(w->d, a, b))
		a = w->d->ipdom[a];
	return a;
}

static uint32_t
ptx_edge(const Block_mapper *w, uint32_t p, uint32_t s)
{
	uint32_t e = w->f->blocks[p].succ;
	while (w->f->succ[e] != s)
		e++;
	return e;
}

/* Sets *h to the place of the PTX to which the edge from p to s leads; false if it is not known
 * yet. */
static bool
location_after_edge(const Block_mapper *w, uint32_t p, uint32_t s, Ptx_location *h)
{
	uint32_t e = ptx_edge(w, p, s);
	if (w->successor[e]) {
		*h = (Ptx_location){ LOCATION_EDGE, w->to->branch[p], w->successor[e] - 1, s };
		if (w->g->blocks[map_header(w, *h)].npred == 1)
			*h = (Ptx_location){ LOCATION_BLOCK, map_header(w, *h), 0, s };
		return map_header(w, *h) != 0;
	}
	*h = w->guard[e].kind ? w->guard[e] : w->to->location[p];
	return bits_has(w->done, p) && h->kind;
}

/* Returns the PTX block to which most unguarded instructions of s belong; 0: none. */
static uint32_t
dominant_block(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t best = 0, most = 0;
	for (uint32_t i = k->first; i < k->end; i++) {
		uint32_t n = 0;
		for (uint32_t j = k->first; j < k->end && block_of_inst(w, i); j++)
			n += block_of_inst(w, j) == block_of_inst(w, i) &&
				!w->f->sass->insts.at[j].guarded;
		if (n > most)
			most = n, best = block_of_inst(w, i);
	}
	return best;
}

/* Returns the PTX location of s according to its contents, if ptxas has created the edges to it. */
static Ptx_location
locate_by_content(const Block_mapper *w, uint32_t s)
{
	uint32_t b = w->to->branch[s] ? w->to->branch[s] : dominant_block(w, s);
	return (Ptx_location){ b ? LOCATION_BLOCK : LOCATION_NONE, b, 0, s };
}

/* Whether s, at PTX location h, ends with a branch introduced by ptxas that has the line of a PTX
 * branch. One precedes each unrolled loop, in a block with almost nothing else of the PTX block. */
static bool
branch_line_is_borrowed(const Block_mapper *w, uint32_t s, Ptx_location h)
{
	enum { LITTLE = 4 };
	uint32_t t = w->to->branch[s], much;
	if (!t || map_header(w, h) == t)
		return false;
	much = LITTLE * map_by_content(w, s, t);
	if (much >= w->g->blocks[t].end - w->g->blocks[t].stmt)
		return false;
	for (uint32_t n = 0; n < w->f->norder; n++)
		if (w->to->branch[w->f->order[n]] == t &&
			map_by_content(w, w->f->order[n], t) > much)
			return true;
	return false;
}

static uint32_t
loop_depth(const Block_mapper *w, uint32_t block)
{
	return w->loops->loops[w->loops->loop_of[block]].depth;
}

/* Returns the number of back edges to header s; *own: how many of these are not edges of PTX
 * branches. */
static uint32_t
back_edges(const Block_mapper *w, uint32_t s, uint32_t *own)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t n = 0;
	*own = 0;
	for (uint32_t e = 0; e < k->npred; e++) {
		uint32_t p = w->f->pred[k->pred + e];
		if (!sass_dominates(w->f, s, p))
			continue;
		n++;
		*own += !w->successor[ptx_edge(w, p, s)];
	}
	return n;
}

static bool
is_loop_header(const Block_mapper *w, uint32_t s)
{
	uint32_t own;
	return back_edges(w, s, &own) > 0;
}

/* Whether s contains iterations of a PTX loop that does not contain its PTX location. Then ptxas
 * has created the edge to it when unrolling the loop. */
static bool
block_is_unrolled(const Block_mapper *w, uint32_t s, Ptx_location h)
{
	uint32_t b = dominant_block(w, s), own, back = back_edges(w, s, &own);
	return (h.copy != s || (back && own == back)) && b &&
		loop_depth(w, b) > loop_depth(w, map_header(w, h)) &&
		2 * map_by_content(w, s, b) > w->g->blocks[b].end - w->g->blocks[b].stmt;
}

/* Whether s is reached by a jump table that ptxas has built from a sequence of branches. */
static bool
block_is_switch_case(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	uint32_t p = k->npred == 1 ? w->f->pred[k->pred] : s;
	return p != s && last_inst(w, p)->kind == SASS_BRX && !w->to->branch[p];
}

/* Returns the immediate dominator of s, which is not the entry. */
static uint32_t
immediate_dominator(const Block_mapper *w, uint32_t s)
{
	uint32_t best = 0;
	for (uint32_t n = 0; w->f->order[n] != s; n++)
		if (sass_dominates(w->f, w->f->order[n], s))
			best = w->f->order[n];
	return best;
}

static Ptx_location
merge_locations(Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	Ptx_location h, first = { 0 }, goes_on = { 0 };
	uint32_t meet = 0, n = 0, from = immediate_dominator(w, s);
	bool same = true, parts_lanes = false;
	for (uint32_t e = 0; e < k->npred; e++) {
		if (!location_after_edge(w, w->f->pred[k->pred + e], s, &h))
			continue;
		parts_lanes = parts_lanes || h.copy == s;
		if (!n++)
			first = h, meet = map_header(w, h);
		same = same && locations_equal(h, first);
		meet = common_postdominator(w, meet, map_header(w, h));
		if (h.kind == LOCATION_BLOCK && h.copy != s)
			goes_on = h;
	}
	/* the entry of a loop is a separate copy */
	if (same && is_loop_header(w, s) && parts_lanes)
		first.copy = s;
	if (same)
		return first;
	/* paths that diverge at a branch of ptxas and join here */
	if (!w->to->branch[from] && !is_loop_header(w, s))
		return w->to->location[from];
	if (goes_on.kind && goes_on.index == meet && !is_loop_header(w, s))
		return goes_on;
	return (Ptx_location){ meet ? LOCATION_BLOCK : LOCATION_NONE, meet, 0, s };
}

static void
locate_block(Block_mapper *w, uint32_t s)
{
	Ptx_location h = s ? merge_locations(w, s) : (Ptx_location){ LOCATION_BLOCK, 1, 0, 0 };
	uint32_t t = w->to->branch[s], b = map_header(w, h);
	if (branch_line_is_borrowed(w, s, h)) {
		const Sass_block *k = &w->f->blocks[s];
		t = w->to->branch[s] = 0;
		for (uint32_t e = 0; e < k->nsucc; e++)
			w->successor[k->succ + e] = 0;
	}
	if (!h.kind || (t && b && !dom_dominates(w->d, b, t) && !dom_postdominates(w->d, t, b)) ||
		block_is_unrolled(w, s, h) || block_is_switch_case(w, s))
		h = locate_by_content(w, s);
	w->to->location[s] = h;
	bits_set(w->done, s);
}

/* If machine code has no other edge to the PTX block that an edge leads to, ptxas has merged
 * several branches into one: the edge is executed as often as that block. */
static void
widen_to_block(Block_mapper *w, Ptx_location *h)
{
	if (h->kind != LOCATION_EDGE)
		return;
	uint32_t to = map_header(w, *h);
	CFG_PRED(w->g, to, p)
	{
		bool known = w->g->blocks[p].nsucc < 2;
		for (uint32_t s = 0; s < w->f->nblocks && p != h->index && !known; s++)
			known = w->to->branch[s] == p;
		if (p != h->index && known)
			return;
	}
	*h = (Ptx_location){ LOCATION_BLOCK, to, 0, h->copy };
}

/* Gives s, and the blocks that belong to the same copy, the PTX location of its dominator within
 * the loop. */
static void
inherit_dominator(Block_mapper *w, uint32_t s)
{
	const Ptx_location was = w->to->location[s];
	uint32_t from = immediate_dominator(w, s);
	while (w->f->blocks[from].depth > w->f->blocks[s].depth)
		from = immediate_dominator(w, from);
	for (uint32_t n = 0; n < w->f->norder; n++) {
		Ptx_location *x = &w->to->location[w->f->order[n]];
		if (x->copy == s && locations_equal(*x, was))
			*x = w->to->location[from];
	}
}

/* Does so if a later block is the one that is executed as often as the PTX block: only some of the
 * edges to that join in s, and the others further on; or s leads to a loop that begins there, and
 * ptxas has moved its first test to the front. */
static void
correct_block(Block_mapper *w, uint32_t s)
{
	const Ptx_location was = w->to->location[s], *h = &was;
	uint32_t to = s;
	for (uint32_t n = 0; n < w->f->norder && h->copy == s && w->f->blocks[to].nsucc == 1; n++) {
		to = w->f->succ[w->f->blocks[to].succ];
		h = &w->to->location[to];
	}
	if (!s || was.copy != s || h->copy == s || !locations_equal(was, *h) ||
		is_loop_header(w, s) || (w->f->blocks[s].npred < 2 && !is_loop_header(w, to)))
		return;
	inherit_dominator(w, s);
}

/* Does so if s is not in the loop of the PTX block, and there is no other copy: then ptxas has put
 * the contents of the block at the end of the loop's other blocks, and s is at the entry of the
 * loop. */
static void
correct_before_loop(Block_mapper *w, uint32_t s)
{
	const Ptx_location *h = &w->to->location[s];
	if (!s || h->kind != LOCATION_BLOCK || h->copy != s || w->f->irreducible ||
		is_loop_header(w, s) || w->f->blocks[s].depth >= loop_depth(w, h->index))
		return;
	for (uint32_t n = 0; n < w->f->norder; n++) {
		const Ptx_location *x = &w->to->location[w->f->order[n]];
		if (x->copy != s && locations_equal(*x, *h))
			return;
	}
	inherit_dominator(w, s);
}

/* Whether groups of lanes may arrive at s one after the other: on several edges, or from a loop. */
static bool
lanes_arrive_separately(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	return k->npred > 1 || (k->npred && w->f->blocks[w->f->pred[k->pred]].depth > k->depth);
}

/* Finds the blocks that end with a BSYNC and begin where lanes reconverge: each arriving group
 * issues them. This excludes blocks that only lead there, even if they have their own BSYNC. */
static void
find_arrival_blocks(Block_mapper *w)
{
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		const Ptx_location *h = &w->to->location[s];
		if (last_inst(w, s)->kind == SASS_BSYNC && h->kind == LOCATION_BLOCK &&
			h->copy == s && lanes_arrive_separately(w, s))
			bits_set(w->to->reconverging, s);
	}
}

static bool
only_waits(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];

	for (uint32_t i = k->first; i < k->end; i++) {
		const Sass_inst *x = &w->f->sass->insts.at[i];
		if (x->kind != SASS_BSYNC && (x->kind != SASS_BRA || x->guarded))
			return false;
	}
	return true;
}

/* Whether only waits and branches of s's location lead to s, other than from an iteration to the
 * next. */
static bool
location_begins_at(const Block_mapper *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];

	for (uint32_t e = 0; e < k->npred; e++) {
		uint32_t from = w->f->pred[k->pred + e];
		if (locations_equal(w->to->location[from], w->to->location[s]) &&
			!sass_dominates(w->f, s, from) &&
			!(bits_has(w->to->beginning, from) && only_waits(w, from)))
			return false;
	}
	return true;
}

static void
find_beginnings(Block_mapper *w)
{
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		if (w->to->location[s].copy == s || location_begins_at(w, s))
			bits_set(w->to->beginning, s);
	}
}

/* Finds the blocks ending with a BSYNC at which lanes reconverge that diverged at a single
 * statement. */
static void
find_guarded_paths(Block_mapper *w)
{
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		const Sass_block *k = &w->f->blocks[s];
		for (uint32_t e = 0; e < k->npred && last_inst(w, s)->kind == SASS_BSYNC; e++) {
			const Ptx_location *h = &w->to->location[w->f->pred[k->pred + e]];
			if ((h->kind == LOCATION_SLOW_PATH || h->kind == LOCATION_GUARD) &&
				!locations_equal(*h, w->to->location[s]))
				w->to->paths[s] = *h;
		}
	}
}

Sass_block_map *
sass_block_map_build(const Sass_flow *f, const Cfg *g, const Dom *d, Arena *a)
{
	enum { PASSES = 2 }; /* the second pass knows the PTX locations at the ends of loops */
	Sass_block_map *to = arena_zalloc(a, sizeof *to);
	uint32_t edges = 0;
	for (uint32_t s = 0; s < f->nblocks; s++)
		edges += f->blocks[s].nsucc;
	Block_mapper w = { .f = f,
		.g = g,
		.d = d,
		.loops = loop_build(g, d, a),
		.to = to,
		.successor = arena_array(a, edges + 1, sizeof *w.successor),
		.guard = arena_array(a, edges + 1, sizeof *w.guard),
		.done = bits_new(a, f->nblocks) };
	to->location = arena_array(a, f->nblocks, sizeof *to->location);
	to->branch = arena_array(a, f->nblocks, sizeof *to->branch);
	to->paths = arena_array(a, f->nblocks, sizeof *to->paths);
	to->beginning = bits_new(a, f->nblocks);
	to->reconverging = bits_new(a, f->nblocks);
	for (uint32_t n = 0; n < f->norder; n++)
		map_by_line(&w, f->order[n]);
	for (int pass = 0; pass < PASSES; pass++)
		for (uint32_t n = 0; n < f->norder; n++) {
			locate_block(&w, f->order[n]);
			if (!pass)
				map_by_guard_or_retry(&w, f->order[n]);
		}
	for (uint32_t n = 0; n < f->norder; n++)
		widen_to_block(&w, &to->location[f->order[n]]);
	for (uint32_t n = 0; n < f->norder; n++)
		correct_block(&w, f->order[n]);
	for (uint32_t n = 0; n < f->norder; n++)
		correct_before_loop(&w, f->order[n]);
	find_beginnings(&w);
	find_arrival_blocks(&w);
	find_guarded_paths(&w);
	return to;
}
