/* SPDX-License-Identifier: MIT */
/* Definitions and the uses that they reach; see def_use.h.
 *
 * Reaching definitions are computed one register at a time: first its live region, backwards from
 * the blocks that read it; then sets of its definitions (usually one, so a machine word) are
 * propagated forwards inside that region to a fixed point. A definition that is the only one and
 * dominates the region needs no propagation. If very many definitions meet in very many blocks,
 * the register is *crowded*: each is assumed to reach every use. Edges from unreachable blocks
 * carry no definitions. */
#include <stdlib.h>
#include <string.h>
#include "analysis/dataflow/function.h"
#include "base/bits.h"
#include "base/vec.h"

enum {
	FEW = 8,                /* definitions up to which a work queue is used */
	MOST_SETS = 1 << 26,    /* bits in the sets of a register */
	MOST_REACH = 1 << 22    /* pairs of definition and list of a register */
};

typedef VEC(uint32_t) Ids;

/* Effect of one block on the current register; its definitions are numbered from 0. */
typedef struct {
	/* 1 + the register of this entry; the entry is stale if it is another one */
	uint32_t reg;
	bool live;              /* live-in: the block is in the region */
	bool read;              /* read before any killing definition */
	bool kill;
	bool queued;
	/* definitions that reach the end of the block: gen to gen + ngen - 1 */
	uint32_t gen, ngen;
	Bits in;                /* definitions that reach the start */
	uint64_t few[2];        /* storage of `in` if a word is enough, which is the usual case */
} Block_state;

typedef struct {
	const Cfg *g;
	const Func *f;
	Defuse *du;
	Arena *tmp;
	Block_state *part;      /* by block */
	Ids region, queue;      /* blocks */
	Ids reach;
	/* by index in reach: the uses that find the definition through this list */
	VEC(Users) users;
	VEC(Merge) merges;
	/* current register; its definitions, the pseudo-definition last */
	uint32_t reg, ndefs;
	const uint32_t *defs;
} Defuse_builder;

/* ---- one register ---------------------------------------------------------------------------- */

static Block_state *
block_state(Defuse_builder *b, uint32_t block)
{
	Block_state *p = &b->part[block];

	if (p->reg != b->reg + 1)
		*p = (Block_state){ .reg = b->reg + 1 };
	return p;
}

static void
note_def(Defuse_builder *b, uint32_t k)
{
	const Def *d = &b->du->defs[b->defs[k]];
	Block_state *p = block_state(b, cfg_block_of(b->g, d->stmt));

	if (d->kills) {
		p->kill = true;
		p->ngen = 0;
	}
	if (!p->ngen)
		p->gen = k;
	p->ngen++;
}

/* Records what the blocks do in text order, a statement's use before its definition. */
static void
note_events(Defuse_builder *b)
{
	uint32_t k = 0, end = b->ndefs - 1;     /* the pseudo-definition is in no block */

	for (uint32_t i = b->du->uses_of_sym[b->reg]; i < b->du->uses_of_sym[b->reg + 1]; i++) {
		uint32_t stmt = b->du->uses[b->du->by_reg[i]].stmt;
		for (; k < end && b->du->defs[b->defs[k]].stmt < stmt; k++)
			note_def(b, k);
		Block_state *p = block_state(b, cfg_block_of(b->g, stmt));
		if (!p->kill)
			p->read = true;
	}
	for (; k < end; k++)
		note_def(b, k);
}

static void
enter_region(Defuse_builder *b, uint32_t block)
{
	Block_state *p = block_state(b, block);

	if (p->live)
		return;
	p->live = true;
	*vec_push(&b->region) = block;
}

static void
find_region(Defuse_builder *b)
{
	b->region.n = 0;
	for (uint32_t i = b->du->uses_of_sym[b->reg]; i < b->du->uses_of_sym[b->reg + 1]; i++) {
		uint32_t block = cfg_block_of(b->g, b->du->uses[b->du->by_reg[i]].stmt);
		if (block_state(b, block)->read)
			enter_region(b, block);
	}
	for (uint32_t i = 0; i < b->region.n; i++) {
		CFG_PRED(b->g, b->region.at[i], p)
			if (!block_state(b, p)->kill)
				enter_region(b, p);
	}
}

static void
add_range(Bits set, uint32_t first, uint32_t n)
{
	for (uint32_t k = first; k < first + n; k++)
		bits_set(set, k);
}

/* Returns an empty set of definitions of the current register. */
static Bits
set_new(Defuse_builder *b, Block_state *p)
{
	return b->ndefs <= 64 ? bits_small(p->few) : bits_new(b->tmp, b->ndefs);
}

/* Initialises the region's sets with the definitions in predecessors. */
static void
seed_block_inputs(Defuse_builder *b)
{
	b->queue.n = 0;
	for (uint32_t i = 0; i < b->region.n; i++) {
		uint32_t block = b->region.at[i];
		Block_state *p = block_state(b, block);
		p->in = set_new(b, p);
		CFG_PRED(b->g, block, from)
			if (defuse_carries(b->g, from, block))
				add_range(p->in, block_state(b, from)->gen,
					block_state(b, from)->ngen);
		if (block == 1)
			add_range(p->in, b->ndefs - 1, 1);
		p->queued = true;
		*vec_push(&b->queue) = block;
	}
}

static int
smaller_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Queues the region's blocks in reverse post-order, unreachable ones last. */
static void
put_in_order(Defuse_builder *b)
{
	b->queue.n = 0;
	for (uint32_t i = 0; i < b->region.n; i++)
		if (b->g->rpo_index[b->region.at[i]] != UINT32_MAX)
			*vec_push(&b->queue) = b->g->rpo_index[b->region.at[i]];
	if (b->queue.n)
		qsort(b->queue.at, b->queue.n, sizeof *b->queue.at, smaller_first);
	for (uint32_t i = 0; i < b->queue.n; i++)
		b->queue.at[i] = b->g->rpo[b->queue.at[i]];
	for (uint32_t i = 0; i < b->region.n; i++)
		if (b->g->rpo_index[b->region.at[i]] == UINT32_MAX)
			*vec_push(&b->queue) = b->region.at[i];
}

/* Propagates the sets through blocks that do not kill, in rounds over all blocks. For registers
 * with too many definitions for a work queue, which would visit a block once for each. */
static void
propagate_rounds(Defuse_builder *b)
{
	bool changed = true;

	put_in_order(b);
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < b->queue.n; i++) {
			uint32_t block = b->queue.at[i];
			Block_state *p = block_state(b, block);
			if (p->kill)
				continue;
			CFG_SUCC(b->g, block, to) {
				Block_state *t = block_state(b, to);
				if (t->live && defuse_carries(b->g, block, to))
					changed |= bits_or(t->in, p->in);
			}
		}
	}
}

/* The same with a work queue of changed blocks. */
static void
propagate_sets(Defuse_builder *b)
{
	while (b->queue.n) {
		uint32_t block = *vec_pop(&b->queue);
		Block_state *p = block_state(b, block);
		p->queued = false;
		if (p->kill)
			continue;
		CFG_SUCC(b->g, block, to) {
			Block_state *t = block_state(b, to);
			if (!t->live || !defuse_carries(b->g, block, to) ||
				!bits_or(t->in, p->in) || t->queued)
				continue;
			t->queued = true;
			*vec_push(&b->queue) = to;
		}
	}
}

/* Appends definition k to the current list; i: the first use that it reaches, in by_reg. */
static void
append_def(Defuse_builder *b, uint32_t k, uint32_t i)
{
	*vec_push(&b->reach) = b->defs[k];
	*vec_push(&b->users) = (Users){ i, i };
}

/* A list of definitions that grows from use to use. */
typedef struct {
	uint32_t block;
	uint32_t next;          /* next definition to examine */
	uint32_t from;          /* first definition of the block that is not killed */
	uint32_t added;         /* definitions of the block before it are in the list */
	uint32_t list;          /* start of the list in reach, */
	bool open;              /* valid if this is set */
} Reaching_list;

/* Ends the list: the uses from i on do not have it. */
static void
close_list(Defuse_builder *b, Reaching_list *l, uint32_t i)
{
	for (uint32_t k = l->list; l->open && k < b->reach.n; k++)
		b->users.at[k].end = i;
	l->open = false;
}

/* Advances to use i, past the definitions before it. A kill or the end of the block ends the
 * list. */
static void
advance_to_use(Defuse_builder *b, Reaching_list *l, uint32_t i)
{
	uint32_t stmt = b->du->uses[b->du->by_reg[i]].stmt, block = cfg_block_of(b->g, stmt);
	uint32_t end = b->ndefs - 1;

	if (block != l->block) {
		close_list(b, l, i);
		l->block = block;
		while (l->next < end &&
			cfg_block_of(b->g, b->du->defs[b->defs[l->next]].stmt) < block)
			l->next++;
		l->from = l->next;
	}
	for (; l->next < end && b->du->defs[b->defs[l->next]].stmt < stmt; l->next++)
		if (b->du->defs[b->defs[l->next]].kills) {
			close_list(b, l, i);
			l->from = l->next;
		}
}

/* Whether the lists since `first` are too long. */
static bool
lists_are_too_long(const Defuse_builder *b, uint32_t first)
{
	return b->reach.n - first > MOST_REACH;
}

/* Gives every use its definitions: live-in ones, unless killed, and those before it in the
 * block. */
static void
link_uses(Defuse_builder *b)
{
	Reaching_list l = { 0 };
	uint32_t end = b->du->uses_of_sym[b->reg + 1], first = b->reach.n;

	for (uint32_t i = b->du->uses_of_sym[b->reg]; i < end && !lists_are_too_long(b, first);
		i++) {
		Use *u = &b->du->uses[b->du->by_reg[i]];
		advance_to_use(b, &l, i);
		bool killed = l.from < l.next && b->du->defs[b->defs[l.from]].kills;
		Bits in = block_state(b, l.block)->in;
		if (!l.open) {
			l.list = b->reach.n;
			l.added = l.from;
			l.open = true;
			if (!killed)
				BITS_EACH(k, in)
					append_def(b, k, i);
		}
		for (; l.added < l.next; l.added++)
			if (killed || !bits_has(in, l.added))
				append_def(b, l.added, i);
		u->def = l.list;
		u->ndef = b->reach.n - l.list;
	}
	close_list(b, &l, end);
}

static void
find_merges(Defuse_builder *b)
{
	uint32_t before = b->reach.n;

	for (uint32_t i = 0; i < b->region.n && !lists_are_too_long(b, before); i++) {
		uint32_t block = b->region.at[i], first = b->reach.n;
		if (b->g->blocks[block].npred + (block == 1) < 2)
			continue;
		Bits in = block_state(b, block)->in;
		BITS_EACH(k, in)
			append_def(b, k, 0);
		uint32_t n = b->reach.n - first;
		if (n < 2)
			b->reach.n = b->users.n = first;
		else
			*vec_push(&b->merges) =
				(Merge){ block, ptx_sym_at(b->f, b->reg), first, n };
	}
}

/* Whether a single, killing definition is on every path from the entry to the region. */
static bool
defined_once(const Defuse_builder *b)
{
	if (b->ndefs != 2 || !b->du->defs[b->defs[0]].kills)
		return false;
	for (uint32_t i = 0; i < b->region.n; i++)
		if (b->region.at[i] == 1 || b->g->rpo_index[b->region.at[i]] == UINT32_MAX)
			return false;
	return true;
}

/* Handles that case, the most common: the region's blocks share the set of the definition. */
static void
enter_single_def(Defuse_builder *b)
{
	Bits only = bits_new(b->tmp, b->ndefs);

	bits_set(only, 0);
	for (uint32_t i = 0; i < b->region.n; i++)
		block_state(b, b->region.at[i])->in = only;
}

/* Computes what reaches the uses of the current register. Returns false if that exceeds the
 * limits. */
static bool
solve_exactly(Defuse_builder *b)
{
	uint32_t reach = b->reach.n, merges = b->merges.n;

	find_region(b);
	if ((uint64_t)b->region.n * b->ndefs > MOST_SETS)
		return false;
	bool once = defined_once(b);
	if (once) {
		enter_single_def(b);
	} else {
		seed_block_inputs(b);
		if (b->ndefs > FEW)
			propagate_rounds(b);
		else
			propagate_sets(b);
	}
	link_uses(b);
	if (!once)
		find_merges(b);
	if (!lists_are_too_long(b, reach))
		return true;
	b->reach.n = b->users.n = reach;
	b->merges.n = merges;
	return false;
}

/* Gives all uses one list of all definitions. */
static void
solve_crowded(Defuse_builder *b)
{
	uint32_t first = b->du->uses_of_sym[b->reg], end = b->du->uses_of_sym[b->reg + 1],
		 list = b->reach.n;

	for (uint32_t k = 0; k < b->ndefs; k++) {
		append_def(b, k, first);
		b->users.at[b->users.n - 1].end = end;
		b->du->defs[b->defs[k]].crowded = true;
	}
	for (uint32_t i = first; i < end; i++) {
		b->du->uses[b->du->by_reg[i]].def = list;
		b->du->uses[b->du->by_reg[i]].ndef = b->ndefs;
	}
}

static void
solve_reaching(Defuse_builder *b)
{
	const uint32_t *first = b->du->defs_of_sym;

	for (b->reg = 0; b->reg < b->f->nsym; b->reg++) {
		Arena_mark mark = arena_mark(b->tmp);
		b->ndefs = first[b->reg + 1] - first[b->reg];
		if (!b->ndefs)
			continue;
		b->defs = b->du->by_sym + first[b->reg];
		note_events(b);
		if (!solve_exactly(b))
			solve_crowded(b);
		arena_release(b->tmp, mark);
	}
}

/* ---- results --------------------------------------------------------------------------------- */

/* Inverts the lists of reaching definitions. */
static void
find_users(Defuse_builder *b, Arena *a)
{
	Defuse *du = b->du;
	uint32_t *first = du->users_of = arena_array(a, du->ndefs + 2u, sizeof *first);
	const Users *u = b->users.at;

	for (uint32_t i = 0; i < b->reach.n; i++)
		first[du->reach[i] + 2] += u[i].first < u[i].end;
	for (uint32_t d = 2; d < du->ndefs + 2; d++)
		first[d] += first[d - 1];
	du->users = arena_array(a, first[du->ndefs + 1], sizeof *du->users);
	for (uint32_t i = 0; i < b->reach.n; i++)
		if (u[i].first < u[i].end)
			du->users[first[du->reach[i] + 1]++] = u[i];
}

/* Returns the largest number of definitions of a register. */
static uint32_t
most_defs(const Defuse_builder *b)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < b->f->nsym; i++) {
		uint32_t n = b->du->defs_of_sym[i + 1] - b->du->defs_of_sym[i];
		most = n > most ? n : most;
	}
	return most;
}

static void
store_tables(Defuse_builder *b, Arena *a)
{
	Defuse *du = b->du;
	uint32_t nblocks = b->g->nblocks, *first = arena_array(a, nblocks + 2u, sizeof *first);

	du->reach = arena_array(a, b->reach.n, sizeof *du->reach);
	if (b->reach.n)
		memcpy(du->reach, b->reach.at, b->reach.n * sizeof *du->reach);
	du->merge_of_block = first;
	du->merges = arena_array(a, b->merges.n, sizeof *du->merges);
	for (uint32_t i = 0; i < b->merges.n; i++)
		first[b->merges.at[i].block + 2]++;
	for (uint32_t i = 2; i < nblocks + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < b->merges.n; i++)
		du->merges[first[b->merges.at[i].block + 1]++] = b->merges.at[i];
	find_users(b, a);
	du->walk = defuse_walk_new(nblocks, b->f->nsym, most_defs(b), a);
}

Defuse *
defuse_build(const Cfg *g, const Refs *refs, Arena *a)
{
	Defuse_builder b = { .g = g, .f = &g->m->funcs[g->func], .tmp = arena_new() };

	b.du = arena_zalloc(a, sizeof *b.du);
	b.du->refs = refs;
	b.part = arena_array(b.tmp, g->nblocks, sizeof *b.part);
	defuse_number(b.du, g->m, b.f, a);
	solve_reaching(&b);
	store_tables(&b, a);
	vec_free(&b.region);
	vec_free(&b.queue);
	vec_free(&b.reach);
	vec_free(&b.users);
	vec_free(&b.merges);
	arena_free(b.tmp);
	return b.du;
}
