/* SPDX-License-Identifier: MIT */
/* Groups of lanes and their reconvergence points.
 *
 * Under SCHED_IPDOM, a branch at which a group diverges creates a node, which records where the
 * lanes reconverge and which lanes are expected there. The nodes form a tree; a group refers to the
 * innermost one. A lane that exits or returns is no longer expected. If no group of a warp can run
 * but lanes are waiting at nodes, these resume: independent thread scheduling guarantees forward
 * progress.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/sched/scheduler.h"

/* ---- groups ---------------------------------------------------------------------------------- */

uint32_t
group_add(Warp *w, Group g)
{
	w->groups[w->ngroups] = g;
	w->ready |= (uint64_t)(g.state == READY) << w->ngroups;
	return w->ngroups++;
}

void
group_remove(Warp *w, uint32_t g)
{
	uint32_t last = --w->ngroups;
	uint64_t moves = w->ready >> last & 1;
	w->groups[g] = w->groups[last];
	w->ready &= ~(UINT64_C(1) << g) & ~(UINT64_C(1) << last);
	w->ready |= (g < last ? moves : 0) << g;
}

void
group_wait(Warp *w, uint32_t g, Group_state where)
{
	w->groups[g].state = (uint8_t)where;
	w->ready &= ~(UINT64_C(1) << g);
}

void
group_resume(Warp *w, uint32_t g)
{
	w->groups[g].state = READY;
	w->groups[g].pc++;
	w->ready |= UINT64_C(1) << g;
}

void
group_swap(Warp *w, uint32_t a, uint32_t b)
{
	uint64_t differ = (w->ready >> a ^ w->ready >> b) & 1;
	Group g = w->groups[a];
	w->groups[a] = w->groups[b];
	w->groups[b] = g;
	if (a != b)
		w->ready ^= differ << a | differ << b;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static Reconvergence *
reconvergence_new(Warp *w, Reconvergence n)
{
	Reconvergence *x = w->nodes.free;
	if (x) {
		w->nodes.free = x->parent;
		n.made = x->made;
	} else {
		x = xmalloc(sizeof *x);
		n.made = w->nodes.made;
		w->nodes.made = x;
	}
	*x = n;
	return x;
}

static void
reconvergence_free(Warp *w, Reconvergence *n)
{
	n->parent = w->nodes.free;
	w->nodes.free = n;
}

Reconvergence *
reconvergence_find(Warp *w, const Group *g, uint32_t pc)
{
	if (!pc || w->sim->l->sched == SCHED_RANDOM)
		return g->node;
	for (Reconvergence *n = g->node; n && n->frame == g->frame; n = n->parent)
		if (n->pc == pc)
			return g->node;
	return reconvergence_new(w,
		(Reconvergence){
			.parent = g->node, .frame = g->frame, .pc = pc, .expected = g->lanes });
}

Reconvergence *
reconvergence_open(Warp *w, const Group *g, uint32_t pc)
{
	Reconvergence *n = reconvergence_find(w, g, pc);
	if (n != g->node)
		n->opened = true;
	return n;
}

/* Replaces all references to node b by references to a. */
static void
redirect_references(Warp *w, Reconvergence *b, Reconvergence *a)
{
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->groups[k].node == b)
			w->groups[k].node = a;
	for (Reconvergence *n = w->nodes.made; n; n = n->made)
		if (n->parent == b)
			n->parent = a;
	reconvergence_free(w, b);
}

bool
reconvergence_merge(Warp *w, Reconvergence *a, Reconvergence *b)
{
	Reconvergence *x = a, *y = b;
	for (; x != y; x = x->parent, y = y->parent)
		if (!x || !y || x->pc != y->pc || x->frame != y->frame || !x->opened || !y->opened)
			return false;
	for (; a != b; a = x, b = y) {
		x = a->parent;
		y = b->parent;
		a->expected |= b->expected;
		a->arrived |= b->arrived;
		redirect_references(w, b, a);
	}
	return true;
}

static void
remove_lanes(Warp *w, Reconvergence *n, uint32_t lanes)
{
	n->expected &= ~lanes;
	if (n->expected != n->arrived)
		return;
	if (n->expected)
		group_add(w,
			(Group){ .lanes = n->arrived,
				.pc = n->pc + 1,
				.frame = n->frame,
				.node = n->parent });
	reconvergence_free(w, n);
}

Reconvergence *
reconvergence_leave(Warp *w, Reconvergence *n, uint32_t lanes, const Frame *only)
{
	while (n && (!only || n->frame == only)) {
		Reconvergence *parent = n->parent;
		remove_lanes(w, n, lanes);
		n = parent;
	}
	return n;
}

bool
reconvergence_join(Warp *w, uint32_t gi)
{
	Group *g = &w->groups[gi];
	Reconvergence *n = g->node;
	while (n && (n->pc != g->pc || n->frame != g->frame))
		n = n->parent;
	if (!n) {
		g->pc++;
		return true;
	}
	uint32_t lanes = g->lanes;
	for (Reconvergence *x = g->node, *parent; x != n; x = parent) {
		parent = x->parent;
		remove_lanes(w, x, lanes);
	}
	g = &w->groups[gi];
	n->arrived |= lanes;
	if (n->arrived != n->expected) {
		group_remove(w, gi);
		return false;
	}
	g->lanes = n->arrived;
	g->node = n->parent;
	g->pc++;
	reconvergence_free(w, n);
	return true;
}

bool
reconvergence_release(Warp *w)
{
	bool any = false;
	for (uint32_t i = 0; i < w->ngroups; i++)
		for (Reconvergence *n = w->groups[i].node; n; n = n->parent)
			if (n->arrived) {
				uint32_t lanes = n->arrived;
				n->arrived = 0;
				n->expected &= ~lanes;
				group_add(w,
					(Group){ .lanes = lanes,
						.pc = n->pc + 1,
						.frame = n->frame,
						.node = n->parent });
				any = true;
			}
	return any;
}
