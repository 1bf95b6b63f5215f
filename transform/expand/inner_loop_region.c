/* SPDX-License-Identifier: MIT */
/* Represents an inner loop as a region, so that a part can refer to it. */
#include "transform/expand/expand.h"
#include "transform/plan/plan.h"

Region *
inner_loop_region(const Plan *x, const Region *rounds)
{
	const Loop *l = &x->fn->loops->loops[rounds->loop];
	Region *p = arena_zalloc(x->arena, sizeof *p);

	*p = (Region){ .kind = REGION_INNER_LOOP,
		.marker = rounds->marker,
		.entry = l->header,
		.blocks = l->blocks,
		.parent = rounds->parent,
		.loop = rounds->loop,
		.cost = rounds->cost };
	region_find_next(x->fn, x->site->loop, p);
	return p;
}

Region *
inner_loop_region_whole(const Plan *x, const Region *rounds)
{
	Region *p = inner_loop_region(x, rounds);

	if (p->next)
		return p;
	p->blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	BITS_EACH(b, rounds->blocks)
		if (dom_dominates(x->fn->dom, p->entry, b))
			bits_set(p->blocks, b);
	p->other = 0;
	region_find_next(x->fn, x->site->loop, p);
	return p;
}
