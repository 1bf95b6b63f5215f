/* SPDX-License-Identifier: MIT */
/* Regions of branches; see branch_regions.h.
 *
 * A branch dominates its region if no edge leaves the region, other than to the post-dominator and
 * back to the branch. The targets of the edges that leave a subtree of the dominator tree are
 * collected from the leaves up. Those with the topmost immediate dominators leave the most subtrees
 * around. Three are enough: one of them is neither the post-dominator nor the branch. */
#include "analysis/cfg/branch_regions.h"

enum { MOST_TARGETS = 3 };

/* joins: edges to it come from more than one child of the root, or from a child and the root */
typedef struct { uint32_t to; bool joins; } Exit_target;
typedef struct { Exit_target at[MOST_TARGETS]; uint32_t n; } Exit_targets;

typedef struct {
	const Cfg *g;
	const Dom *d;
	Exit_targets *region;   /* by block: of its subtree without that of its post-dominator */
	Exit_targets *subtree;  /* by block: of its subtree */
} Exit_search;

bool
branch_dominates_meet(const Dom *d, uint32_t block)
{
	return d->idom[d->ipdom[block]] == block;
}

bool
branch_region_contains(const Dom *d, uint32_t branch, uint32_t block)
{
	return block != branch && dom_dominates(d, branch, block) &&
		!(branch_dominates_meet(d, branch) && dom_dominates(d, d->ipdom[branch], block));
}

/* Returns the position in pre-order of the immediate dominator. */
static uint32_t
idom_position(const Dom *d, uint32_t block)
{
	return block == 1 ? 0 : d->in[d->idom[block]];
}

/* Adds a target of edges from the root of a subtree or from one of its children. */
static void
add_target(const Exit_search *s, Exit_targets *e, uint32_t root, uint32_t to)
{
	uint32_t i = 0, above = idom_position(s->d, to);

	if (above >= s->d->in[root])
		return;
	while (i < e->n && e->at[i].to != to)
		i++;
	if (i < e->n) {
		e->at[i].joins = true;
		return;
	}
	if (e->n < MOST_TARGETS)
		e->n++;
	else if (idom_position(s->d, e->at[--i].to) <= above)
		return;
	for (; i > 0 && idom_position(s->d, e->at[i - 1].to) > above; i--)
		e->at[i] = e->at[i - 1];
	e->at[i] = (Exit_target){ .to = to };
}

static void
add_targets_of_child(const Exit_search *s, Exit_targets *e, uint32_t root, uint32_t child)
{
	for (uint32_t i = 0; i < s->subtree[child].n; i++)
		add_target(s, e, root, s->subtree[child].at[i].to);
}

static void
find_targets(const Exit_search *s, const Branch_regions *r)
{
	for (uint32_t i = s->d->out[1]; i > 0; i--) {
		uint32_t b = r->preorder[i];
		CFG_SUCC(s->g, b, to)
			add_target(s, &s->region[b], b, to);
		BRANCH_CHILDREN(r, b, x)
			if (x != s->d->ipdom[b])
				add_targets_of_child(s, &s->region[b], b, x);
		s->subtree[b] = s->region[b];
		if (branch_dominates_meet(s->d, b))
			add_targets_of_child(s, &s->subtree[b], b, s->d->ipdom[b]);
	}
}

/* Whether the dominator tree of the region differs from the function's, because an edge from the
 * subtree of the post-dominator leads back into the region. */
static bool
meet_returns(const Exit_search *s, const Branch_regions *r, uint32_t b)
{
	uint32_t meet = s->d->ipdom[b];

	if (!branch_dominates_meet(s->d, b))
		return dom_dominates(s->d, b, meet); /* in endless loops: not examined */
	BRANCH_CHILDREN(r, b, x)
		CFG_PRED(s->g, x, from)
			if (x != meet && dom_dominates(s->d, meet, from))
				return true;
	return false;
}

static void
classify_block(const Exit_search *s, const Branch_regions *r, uint32_t b)
{
	const Exit_targets *e = &s->region[b];
	bool joins = false;

	for (uint32_t i = 0; i < e->n; i++) {
		if (e->at[i].to != s->d->ipdom[b] && e->at[i].to != b)
			return;
		joins |= e->at[i].to != b && e->at[i].joins;
	}
	if (meet_returns(s, r, b))
		return;
	bits_set(r->dominated, b);
	if (joins)
		bits_set(r->joined, b);
}

Branch_regions
branch_regions_build(const Cfg *g, const Dom *d, Arena *a)
{
	Branch_regions r = { .d = d,
		.preorder = arena_array(a, g->nblocks + 1u, sizeof *r.preorder),
		.dominated = bits_new(a, g->nblocks),
		.joined = bits_new(a, g->nblocks) };
	Arena *tmp = arena_new();
	Exit_search s = { .g = g,
		.d = d,
		.region = arena_array(tmp, g->nblocks, sizeof *s.region),
		.subtree = arena_array(tmp, g->nblocks, sizeof *s.subtree) };

	for (uint32_t b = 0; b < g->nblocks; b++)
		r.preorder[d->in[b]] = b;
	find_targets(&s, &r);
	for (uint32_t i = 1; i <= d->out[1]; i++)
		classify_block(&s, &r, r.preorder[i]);
	arena_free(tmp);
	return r;
}
