/* SPDX-License-Identifier: MIT */
/* Finds where lanes reconverge; see reconvergence.h. Cost: post-dominators of the function for each
 * depth of loops in which lanes diverge. */
#include "analysis/cfg/reconvergence.h"

typedef struct {
	const Cfg *g;
	const Dom *d;
	const Loops *l;
	Bits exits;
	Arena *a;
	uint32_t **ipdom;       /* by depth of loops, of iterations; NULL: not yet computed */
} Reconvergence_finder;

static bool
only_exits(const Cfg *g, uint32_t block)
{
	uint32_t last = cfg_terminator(g, block), n = 0;

	for (uint32_t i = g->blocks[block].stmt; i < g->blocks[block].end; i++)
		n += g->m->stmts[i].kind == STMT_INSN;
	if (n != 1 || !last || g->m->stmts[last].guard)
		return false;
	Op op = ptx_op(g->m, &g->m->stmts[last]);
	return op == OP_EXIT || (op == OP_RET && g->m->funcs[g->func].entry);
}

Bits
reconvergence_empty_exits(const Cfg *g, Arena *a)
{
	Bits exits = bits_new(a, g->nblocks);

	for (uint32_t i = 1; i < g->nblocks; i++)
		if (only_exits(g, i))
			bits_set(exits, i);
	return exits;
}

/* Whether the edge to a block ends the lane. */
static bool
ends_lane(const Reconvergence_finder *f, uint32_t to)
{
	return !to || bits_has(f->exits, to);
}

/* Returns the innermost loop around a block, or around its successors that are outside of that,
 * that contains them all. */
static uint32_t
loop_of_successors(const Reconvergence_finder *f, uint32_t block)
{
	uint32_t loop = f->l->loop_of[block];

	CFG_SUCC(f->g, block, to)
		while (loop && !ends_lane(f, to) && !loop_contains(f->l, loop, to))
			loop = f->l->loops[loop].parent;
	return loop;
}

/* Whether all exits of a loop lead to the same loop around it, or all to none. */
static bool
exits_to_one_loop(const Reconvergence_finder *f, uint32_t loop)
{
	uint32_t outer = UINT32_MAX;

	BITS_EACH(x, f->l->loops[loop].blocks)
		CFG_SUCC(f->g, x, to)
		{
			uint32_t l = loop;
			if (ends_lane(f, to) || loop_contains(f->l, loop, to))
				continue;
			while (l && !loop_contains(f->l, l, to))
				l = f->l->loops[l].parent;
			if (outer != UINT32_MAX && outer != l)
				return false;
			outer = l;
		}
	return true;
}

/* Returns, by block, the header of the loop of that depth around it; 0: there is none. */
static uint32_t *
headers_at(const Reconvergence_finder *f, uint32_t depth)
{
	uint32_t *header = arena_array(f->a, f->g->nblocks, sizeof *header);

	for (uint32_t i = 1; i < f->l->nloops; i++)
		if (f->l->loops[i].depth == depth)
			BITS_EACH(b, f->l->loops[i].blocks)
				header[b] = f->l->loops[i].header;
	return header;
}

/* Returns the block where lanes reconverge that diverge at a block's end. */
static uint32_t
reconvergence_point(Reconvergence_finder *f, uint32_t block, const Bits *one)
{
	uint32_t loop = loop_of_successors(f, block), ways = 0;

	CFG_SUCC(f->g, block, to)
		ways += !ends_lane(f, to);
	if (ways < 2)
		return 0;
	while (loop && !bits_has(*one, loop))
		loop = f->l->loops[loop].parent;
	const Loop *l = &f->l->loops[loop];
	uint32_t header = loop ? l->header : 0;
	uint32_t depth = loop ? l->depth : 0;
	if (!f->ipdom[depth])
		f->ipdom[depth] = dom_postdominators_without(
			f->g, f->exits, depth ? headers_at(f, depth) : NULL, f->a);
	uint32_t meet = f->ipdom[depth][block];
	return meet ? meet : header;
}

static bool
is_in_every_iteration(const Reconvergence_finder *f, uint32_t loop, uint32_t x)
{
	CFG_PRED(f->g, f->l->loops[loop].header, p)
		if (loop_contains(f->l, loop, p) && !dom_dominates(f->d, x, p))
			return false;
	return true;
}

/* Returns the target of the last exit that every iteration reaches; 0 if there is none. */
static uint32_t
last_exit_target(const Reconvergence_finder *f, uint32_t loop)
{
	uint32_t last = 0, target = 0;

	BITS_EACH(x, f->l->loops[loop].blocks)
		CFG_SUCC(f->g, x, to)
			if (!ends_lane(f, to) && !loop_contains(f->l, loop, to) &&
				is_in_every_iteration(f, loop, x) &&
				(!last || dom_dominates(f->d, last, x))) {
				last = x;
				target = to;
			}
	return target;
}

/* If the last exit of a loop leads to code, and all others past it, to where the exits meet, lanes
 * that take the last one wait before that code. */
static void
wait_at_last_exit(const Reconvergence_finder *f, uint32_t loop, uint32_t *meet)
{
	const uint32_t parent = f->l->loops[loop].parent, last = last_exit_target(f, loop);
	const Bits blocks = f->l->loops[loop].blocks;

	for (uint32_t pass = 0; last && pass < 2; pass++)
		BITS_EACH(x, blocks)
			CFG_SUCC(f->g, x, to)
			{
				if (ends_lane(f, to) || loop_contains(f->l, loop, to) ||
					(parent && !loop_contains(f->l, parent, to)))
					continue;
				if (pass && to == last)
					meet[x] = last;
				if (to != last && to != meet[x])
					return;
			}
}

uint32_t *
reconvergence_points(const Cfg *g, const Dom *d, const Loops *l, Bits exits, Arena *a)
{
	uint32_t *to = arena_array(a, g->nblocks, sizeof *to);
	Reconvergence_finder f = {
		.g = g, .d = d, .l = l, .exits = exits, .a = arena_new() };
	Bits one = bits_new(f.a, l->nloops + 1u);

	f.ipdom = arena_array(f.a, l->nloops + 1u, sizeof *f.ipdom);
	for (uint32_t i = 1; i < l->nloops; i++)
		if (exits_to_one_loop(&f, i))
			bits_set(one, i);
	for (uint32_t i = 1; i < g->nblocks; i++)
		if (g->blocks[i].nsucc > 1)
			to[i] = reconvergence_point(&f, i, &one);
	for (uint32_t i = 1; i < l->nloops; i++)
		if (!l->loops[i].parent || bits_has(one, l->loops[i].parent))
			wait_at_last_exit(&f, i, to);
	arena_free(f.a);
	return to;
}
