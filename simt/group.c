/* SPDX-License-Identifier: MIT */
/* Groups of lanes, their meeting points, and the frames they run in.
 *
 * Under SCHED_IPDOM a branch that parts a group makes a node: where its lanes meet again, and which
 * are expected. Nodes form a tree; a group knows the innermost one. A lane that exits, or returns,
 * is no longer expected. When no group of a warp can go on but lanes are parked at nodes, these are
 * let go: independent thread scheduling promises progress.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/sim.h"

/* ---- groups ---------------------------------------------------------------------------------- */

uint32_t
group_add(Warp *w, Group g)
{
	w->groups[w->ngroups] = g;
	return w->ngroups++;
}

void
group_remove(Warp *w, uint32_t g)
{
	w->groups[g] = w->groups[--w->ngroups];
}

/* ---- nodes ----------------------------------------------------------------------------------- */

Node *
node_new(Warp *w, Node n)
{
	Node *x = w->nodes;
	if (x) {
		w->nodes = x->parent;
		n.made = x->made;
	} else {
		x = xmalloc(sizeof *x);
		n.made = w->made;
		w->made = x;
	}
	*x = n;
	return x;
}

void
node_free(Warp *w, Node *n)
{
	n->parent = w->nodes;
	w->nodes = n;
}

Node *
node_meet(Warp *w, const Group *g, uint32_t pc)
{
	if (!pc || w->sim->l->sched == SCHED_RANDOM)
		return g->node;
	for (Node *n = g->node; n && n->frame == g->frame; n = n->parent)
		if (n->pc == pc)
			return g->node;
	return node_new(
		w, (Node){ .parent = g->node, .frame = g->frame, .pc = pc, .expected = g->lanes });
}

static void
leave(Warp *w, Node *n, uint32_t lanes)
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
	node_free(w, n);
}

/* Lanes are no longer expected at n and outwards, up to the first node in another frame than `only`
 * (NULL: any). */
Node *
node_leave(Warp *w, Node *n, uint32_t lanes, const Frame *only)
{
	while (n && (!only || n->frame == only)) {
		Node *parent = n->parent;
		leave(w, n, lanes);
		n = parent;
	}
	return n;
}

bool
node_join(Warp *w, uint32_t gi)
{
	Group *g = &w->groups[gi];
	Node *n = g->node;
	while (n && (n->pc != g->pc || n->frame != g->frame))
		n = n->parent;
	if (!n) {
		g->pc++;
		return true;
	}
	uint32_t lanes = g->lanes;
	for (Node *x = g->node, *parent; x != n; x = parent) {
		parent = x->parent;
		leave(w, x, lanes);
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
	node_free(w, n);
	return true;
}

bool
node_release(Warp *w)
{
	bool any = false;
	for (uint32_t i = 0; i < w->ngroups; i++)
		for (Node *n = w->groups[i].node; n; n = n->parent)
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

/* ---- frames ---------------------------------------------------------------------------------- */

enum { SMEM_UNIT = 128 }; /* in which shared memory is allocated */

static uint64_t
special(const Warp *w, const Row *r, uint32_t lane)
{
	const Sim *s = w->sim;
	const Cta *b = w->block;
	const uint32_t *n = s->l->block;
	uint32_t t = w->index * LANES + lane, axis = r->sel ? (uint32_t)(r->sel - 'x') : 0;
	uint32_t at[3] = { t % n[0], t / n[0] % n[1], t / n[0] / n[1] }, bit = UINT32_C(1) << lane;
	switch ((Sreg)r->value) {
	case SREG_TID: return axis < 3 ? at[axis] : 0;
	case SREG_NTID: return axis < 3 ? n[axis] : 0;
	case SREG_CTAID: return axis < 3 ? b->id[axis] : 0;
	case SREG_NCTAID: return axis < 3 ? s->l->grid[axis] : 0;
	case SREG_CLUSTERID: return axis < 3 ? b->id[axis] : 0;
	case SREG_NCLUSTERID: return axis < 3 ? s->l->grid[axis] : 0;
	case SREG_CLUSTER_NCTAID: return axis < 3;
	case SREG_CLUSTER_NCTARANK: return 1;
	case SREG_LANEID: return lane;
	case SREG_WARPID: return w->index;
	case SREG_NWARPID: return 64;
	case SREG_NSMID: return 1;
	case SREG_LANEMASK_EQ: return bit;
	case SREG_LANEMASK_LT: return bit - 1;
	case SREG_LANEMASK_LE: return bit | (bit - 1);
	case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
	case SREG_LANEMASK_GE: return ~(bit - 1);
	case SREG_TOTAL_SMEM_SIZE: return (s->shared + SMEM_UNIT - 1) / SMEM_UNIT * SMEM_UNIT;
	case SREG_AGGR_SMEM_SIZE: return s->shared + RESERVED_CAP;
	case SREG_DYNAMIC_SMEM_SIZE: return s->l->shared;
	case SREG_RESERVED_SMEM_BEGIN: return s->reserved;
	case SREG_RESERVED_SMEM_END: return s->reserved + RESERVED;
	case SREG_RESERVED_SMEM_CAP: return RESERVED_CAP;
	case SREG_RESERVED_SMEM_0: return s->reserved;
	case SREG_RESERVED_SMEM_1: return s->reserved;
	case SREG_ENVREG1: return s->l->cooperative ? s->workspace >> 32 : 0;
	case SREG_ENVREG2: return s->l->cooperative ? (uint32_t)s->workspace : 0;
	default: return 0; /* of one grid, one multiprocessor, a cluster of one block: the first */
	}
}

static void
fill_row(Warp *w, const Frame *f, const Row *r)
{
	uint8_t *at = f->regs + r->off;
	for (uint32_t l = 0; l < LANES; l++) {
		uint64_t v = r->value;
		if (r->kind == ROW_LOCAL)
			v += f->base;
		else if (r->kind == ROW_DYNAMIC)
			v += launch_static(w->sim);
		else if (r->kind == ROW_SREG)
			v = special(w, r, l);
		if (r->width > 4)
			memcpy(at + 8 * l, &v, 8);
		else if (r->width)
			memcpy(at + 4 * l, &v, 4);
		else
			memset(at, v ? 0xff : 0, 4);
	}
}

static void
frame_fill(Warp *w, Frame *f)
{
	const Code *c = &w->sim->prog.codes.at[f->code];
	/* registers start with something that no program can want */
	uint64_t v = w->sim->l->sched == SCHED_RANDOM ? sim_random(w->sim) : 0;
	for (uint32_t k = 0; k < f->bytes; k += 8) {
		v = v * UINT64_C(6364136223846793005) + UINT64_C(0xcdcdcdcdcdcdcdcd);
		memcpy(f->regs + k, &v, 8);
	}
	memset(f->regs, 0, 256);
	memset(f->regs, 0xff, 4);
	for (uint32_t i = 0; i < c->rows.n; i++)
		fill_row(w, f, &c->rows.at[i]);
	memory_local(w, f->base + c->local);
}

Frame *
frame_new(Warp *w, uint32_t code, Frame *parent)
{
	const Code *c = &w->sim->prog.codes.at[code];
	Frame *f = xmalloc(sizeof *f);
	uint32_t bytes = (c->bytes + 7) & ~UINT32_C(7);
	*f = (Frame){ .parent = parent, .code = code, .bytes = bytes };
	if (parent) {
		f->base = (parent->base + w->sim->prog.codes.at[parent->code].local + 15) &
			~UINT32_C(15);
		f->next = parent->child;
		parent->child = f;
	}
	f->regs = xmalloc(bytes);
	frame_fill(w, f);
	return f;
}

void
frame_release(Warp *w, Frame *f)
{
	while (f) {
		Frame *next = f->next;
		frame_release(w, f->child);
		xfree(f->regs);
		xfree(f);
		f = next;
	}
}
