/* SPDX-License-Identifier: MIT */
/* The flow graph of a function's machine code, with dominators (iterated bit sets) and loops.
 *
 * A BSYNC continues at the target of its BSSY, which is determined by following the open barriers
 * from the entry.
 */
#include <string.h>
#include "simt/sass/listing.h"

enum { BARRIERS = 16, MOST_BLOCKS = 8192 /* limits the size of the dominator sets */ };

/* Open barriers, outer ones first; by barrier, 1 + the target instruction of its BSSY. */
typedef struct {
	uint8_t order[BARRIERS];
	uint32_t n, meet[BARRIERS];
} Open_barriers;

typedef struct {
	const Sass *s;
	const Sass_func *f;
	Arena *a;
	Sass_flow *to;
	uint32_t *block_of; /* by instruction from f->first: 1 + the block that begins there */
	VEC(uint32_t) succ;
	uint32_t *post, npost;
	bool *seen;
} Flow_builder;

static const Sass_inst *
inst_at(const Flow_builder *b, uint32_t i)
{
	return &b->s->insts.at[i];
}

static bool
ends_block(const Sass_inst *i)
{
	return i->kind == SASS_BRA || i->kind == SASS_BRX || i->kind == SASS_EXIT ||
		i->kind == SASS_RET || i->kind == SASS_BSYNC;
}

static bool
inst_is_inside(const Flow_builder *b, uint32_t i)
{
	return i >= b->f->first && i < b->f->end;
}

static void
find_blocks(Flow_builder *b)
{
	uint32_t n = b->f->end - b->f->first, blocks = 0;
	b->block_of = arena_array(b->a, n + 1, sizeof *b->block_of);
	b->block_of[0] = 1;
	for (uint32_t i = b->f->first; i < b->f->end; i++) {
		const Sass_inst *x = inst_at(b, i);
		if (ends_block(x))
			b->block_of[i + 1 - b->f->first] = 1;
		for (uint32_t t = x->to; t < x->to + x->nto; t++)
			if (inst_is_inside(b, b->s->targets.at[t]))
				b->block_of[b->s->targets.at[t] - b->f->first] = 1;
	}
	for (uint32_t i = 0; i < n; i++)
		blocks += b->block_of[i];
	b->to->blocks = arena_array(b->a, blocks + 1, sizeof *b->to->blocks);
	for (uint32_t i = 0; i < n; i++) {
		Sass_block *k = b->to->blocks + b->to->nblocks - 1;
		if (b->block_of[i]) {
			*++k = (Sass_block){ .first = b->f->first + i };
			b->block_of[i] = ++b->to->nblocks;
		}
		k->end = b->f->first + i + 1;
	}
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void
add_edge(Flow_builder *b, Sass_block *k, uint32_t to)
{
	for (uint32_t e = k->succ; e < b->succ.n; e++)
		if (b->succ.at[e] == to)
			return;
	*vec_push(&b->succ) = to;
	k->nsucc++;
}

static void
add_edges(Flow_builder *b, uint32_t block, const Open_barriers *open)
{
	Sass_block *k = &b->to->blocks[block];
	const Sass_inst *last = inst_at(b, k->end - 1);
	uint32_t back = last->kind == SASS_BSYNC ? open->meet[last->barrier % BARRIERS] : 0;
	k->succ = b->succ.n;
	if (last->kind == SASS_BRA || last->kind == SASS_BRX)
		for (uint32_t t = last->to; t < last->to + last->nto; t++)
			if (inst_is_inside(b, b->s->targets.at[t]))
				add_edge(b, k, b->block_of[b->s->targets.at[t] - b->f->first] - 1);
	if (back && inst_is_inside(b, back - 1)) {
		add_edge(b, k, b->block_of[back - 1 - b->f->first] - 1);
	} else if ((!ends_block(last) || last->kind == SASS_BSYNC || last->guarded) &&
		block + 1 < b->to->nblocks) {
		add_edge(b, k, block + 1);
	}
}

static void
close_barrier(Open_barriers *open, uint8_t barrier)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < open->n; k++)
		if (open->order[k] != barrier)
			open->order[n++] = open->order[k];
	open->n = n;
}

static void
open_barrier(const Flow_builder *b, Open_barriers *open, const Sass_inst *i)
{
	uint8_t barrier = i->barrier % BARRIERS;
	close_barrier(open, barrier);
	open->order[open->n++] = barrier;
	open->meet[barrier] = b->s->targets.at[i->to] + 1;
}

static void
visit_block(Flow_builder *b, uint32_t block, Open_barriers open)
{
	Sass_block *k = &b->to->blocks[block];
	if (b->seen[block])
		return;
	b->seen[block] = true;
	for (uint32_t i = k->first; i < k->end; i++)
		if (inst_at(b, i)->kind == SASS_BSSY && inst_at(b, i)->nto)
			open_barrier(b, &open, inst_at(b, i));
	add_edges(b, block, &open);
	uint32_t meet = open.n ? open.meet[open.order[open.n - 1]] : 0;
	k->meet = meet && inst_is_inside(b, meet - 1) ? b->block_of[meet - 1 - b->f->first] : 0;
	if (inst_at(b, k->end - 1)->kind == SASS_BSYNC)
		close_barrier(&open, inst_at(b, k->end - 1)->barrier % BARRIERS);
	for (uint32_t e = k->nsucc; e-- > 0;)
		visit_block(b, b->succ.at[k->succ + e], open);
	b->post[b->npost++] = block;
}

static void
find_preds(Flow_builder *b)
{
	Sass_flow *f = b->to;
	uint32_t n = 0;
	f->succ = arena_array(b->a, b->succ.n + 1, sizeof *f->succ);
	f->pred = arena_array(b->a, b->succ.n + 1, sizeof *f->pred);
	if (b->succ.n)
		memcpy(f->succ, b->succ.at, b->succ.n * sizeof *f->succ);
	for (uint32_t k = 0; k < b->succ.n; k++)
		f->blocks[f->succ[k]].npred++;
	for (uint32_t k = 0; k < f->nblocks; k++) {
		f->blocks[k].pred = n;
		n += f->blocks[k].npred;
		f->blocks[k].npred = 0;
	}
	for (uint32_t k = 0; k < f->nblocks; k++)
		for (uint32_t e = 0; e < f->blocks[k].nsucc; e++) {
			Sass_block *to = &f->blocks[f->succ[f->blocks[k].succ + e]];
			f->pred[to->pred + to->npred++] = k;
		}
}

/* ---- dominators, loops ----------------------------------------------------------------------- */

static void
find_dominators(Flow_builder *b)
{
	Sass_flow *f = b->to;
	Bits now = bits_new(b->a, f->nblocks);
	f->dominators = arena_array(b->a, f->nblocks, sizeof *f->dominators);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		f->dominators[k] = bits_new(b->a, f->nblocks);
		if (k)
			bits_fill(f->dominators[k], 0, f->nblocks);
	}
	bits_set(f->dominators[0], 0);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t k = 1; k < f->norder; k++) {
			const Sass_block *x = &f->blocks[f->order[k]];
			bits_fill(now, 0, f->nblocks);
			for (uint32_t e = 0; e < x->npred; e++)
				bits_and(now, f->dominators[f->pred[x->pred + e]]);
			bits_set(now, f->order[k]);
			more = !bits_within(f->dominators[f->order[k]], now) || more;
			bits_copy(f->dominators[f->order[k]], now);
		}
	}
}

/* Whether a back edge leads to a block that does not dominate its source. */
static bool
is_irreducible(const Flow_builder *b)
{
	const Sass_flow *f = b->to;
	Bits before = bits_new(b->a, f->nblocks);
	for (uint32_t k = 0; k < f->norder; k++) {
		const Sass_block *x = &f->blocks[f->order[k]];
		bits_set(before, f->order[k]);
		for (uint32_t e = 0; e < x->nsucc; e++)
			if (bits_has(before, f->succ[x->succ + e]) &&
				!sass_dominates(f, f->succ[x->succ + e], f->order[k]))
				return true;
	}
	return false;
}

/* Adds the blocks of the loop with this header and back edge. */
static void
flood_loop(const Sass_flow *f, uint32_t header, uint32_t from, Bits in)
{
	if (bits_has(in, from))
		return;
	bits_set(in, from);
	for (uint32_t e = 0; from != header && e < f->blocks[from].npred; e++)
		flood_loop(f, header, f->pred[f->blocks[from].pred + e], in);
}

static void
find_loops(Flow_builder *b)
{
	Sass_flow *f = b->to;
	for (uint32_t k = 0; k < f->norder; k++) { /* outer headers come first */
		uint32_t header = f->order[k];
		const Sass_block *x = &f->blocks[header];
		Bits in = { 0 };
		for (uint32_t e = 0; e < x->npred; e++)
			if (sass_dominates(f, header, f->pred[x->pred + e])) {
				in = in.nwords ? in : bits_new(b->a, f->nblocks);
				flood_loop(f, header, f->pred[x->pred + e], in);
			}
		BITS_EACH (i, in) {
			f->blocks[i].depth++;
		}
	}
}

Sass_flow *
sass_flow(const Sass *s, const Sass_func *f, Arena *a)
{
	Sass_flow *to = arena_zalloc(a, sizeof *to);
	Flow_builder b = { .s = s, .f = f, .a = a, .to = to };
	to->sass = s;
	find_blocks(&b);
	if (to->nblocks > MOST_BLOCKS)
		return NULL;
	b.seen = arena_array(a, to->nblocks + 1, sizeof *b.seen);
	b.post = arena_array(a, to->nblocks + 1, sizeof *b.post);
	visit_block(&b, 0, (Open_barriers){ .n = 0 });
	find_preds(&b);
	to->norder = b.npost;
	to->order = arena_array(a, b.npost + 1, sizeof *to->order);
	for (uint32_t k = 0; k < b.npost; k++)
		to->order[k] = b.post[b.npost - 1 - k];
	find_dominators(&b);
	find_loops(&b);
	to->irreducible = is_irreducible(&b);
	vec_free(&b.succ);
	return to;
}
