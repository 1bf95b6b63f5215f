/* SPDX-License-Identifier: MIT */
/* Represents an inner loop as a region, so that a region can refer to it. */
#include "transform/expand/expand.h"
#include "transform/plan/plan.h"

Region *
inner_loop_region(const Plan *x, const Region *inner)
{
	const Loop *l = &x->fn->loops->loops[inner->loop];
	Region *p = arena_zalloc(x->arena, sizeof *p);

	*p = (Region){ .kind = REGION_INNER_LOOP,
		.marker = inner->marker,
		.entry = l->header,
		.blocks = l->blocks,
		.parent = inner->parent,
		.loop = inner->loop,
		.cost = inner->cost };
	region_find_next(x->fn, x->site->loop, p);
	return p;
}

Region *
inner_loop_region_whole(const Plan *x, const Region *inner)
{
	Region *p = inner_loop_region(x, inner);

	if (p->next)
		return p;
	p->blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	BITS_EACH(b, inner->blocks)
		if (dom_dominates(x->fn->dom, p->entry, b))
			bits_set(p->blocks, b);
	p->other = 0;
	region_find_next(x->fn, x->site->loop, p);
	return p;
}
