/* SPDX-License-Identifier: MIT */
/* Where the lanes of a function reconverge if markers were inserted into its text.
 *
 * A marker at the end of a region stands on several edges, which the inserted code joins and
 * separates again. Lanes would reconverge there, and run together what they run apart in the
 * program. So the reconvergence points are those of the original text: each branch that it has
 * reconverges at the block with the first statement of the original's reconvergence point.
 * Inserted branches have none; the lanes of a group have reached the marker by one edge, and take
 * one way. */
#include <string.h>
#include "simt/decode/original_text.h"

void
sim_reconverge_as(Sim *s, const Module *of, const uint32_t *origin)
{
	s->original.m = of;
	s->original.origin = origin;
}

/* A function and its original. */
typedef struct {
	const Cfg *now, *then;
	const Func *f;          /* the original */
	uint32_t *stmt;         /* by ptx_local_stmt of the original: the statement; 0: none */
} Text_pair;

/* Returns the block with the first statement of a block of the original; 0: there is none. */
static uint32_t
block_now(const Text_pair *t, uint32_t then)
{
	const Block *b = &t->then->blocks[then];

	for (uint32_t s = b->stmt; then && s < b->end; s++)
		if (t->stmt[ptx_local_stmt(t->f, s)])
			return cfg_block_of(t->now, t->stmt[ptx_local_stmt(t->f, s)]);
	return 0;
}

/* Returns the block that ends as a block of the original. */
static uint32_t
last_block_now(const Text_pair *t, uint32_t then)
{
	const Block *b = &t->then->blocks[then];

	for (uint32_t s = b->end; s-- > b->stmt;)
		if (t->stmt[ptx_local_stmt(t->f, s)])
			return cfg_block_of(t->now, t->stmt[ptx_local_stmt(t->f, s)]);
	return 0;
}

static void
set_meetings(const Text_pair *t, const Issue_slots *then, Issue_slots *to, Arena *a)
{
	Open_reconvergence *open = arena_array(a, then->nopen + 1, sizeof *open);
	uint32_t n = 0;

	to->meet = arena_array(a, t->now->nblocks, sizeof *to->meet);
	for (uint32_t b = 1; b < t->then->nblocks; b++)
		if (t->then->blocks[b].nsucc > 1)
			to->meet[last_block_now(t, b)] = block_now(t, then->meet[b]);
	for (uint32_t k = 0; k < then->nopen; k++) {
		Open_reconvergence o = then->open[k];
		o.at.index = last_block_now(t, o.at.index);
		o.meet = block_now(t, o.meet);
		if (o.at.index && o.meet)
			open[n++] = o;
	}
	issue_slots_set_open(to, open, n, a);
}

/* Returns the function of the original with the same name; 0: there is none. */
static uint32_t
original_function(const Opcode *h)
{
	const Module *m = h->sim->original.m;
	size_t n, k;
	const char *name = ptx_name(h->m, h->f->sym, &n);

	for (uint32_t i = 1; m && i < m->nfuncs; i++) {
		const char *other = ptx_name(m, m->funcs[i].sym, &k);
		if (m->funcs[i].body && k == n && memcmp(name, other, n) == 0)
			return i;
	}
	return 0;
}

static void
reconverge_as_original(const Opcode *h, uint32_t func, Issue_slots *to)
{
	Arena *a = h->sim->arena;
	const Module *m = h->sim->original.m;
	const uint32_t *origin = h->sim->original.origin;
	Text_pair t = { h->cfg, cfg_build(m, func, a), &m->funcs[func], NULL };
	const Dom *d = dom_build(t.then, a);

	t.stmt = arena_array(a, t.f->nstmt + 1, sizeof *t.stmt);
	for (uint32_t s = h->f->stmt; s < h->f->stmt + h->f->nstmt; s++)
		if (origin[s] && ptx_has_stmt(t.f, origin[s]))
			t.stmt[ptx_local_stmt(t.f, origin[s])] = s;
	set_meetings(&t, issue_slots_build(t.then, d, refs_build(m, t.f, a), a), to, a);
}

Issue_slots *
machine_code_of(const Opcode *h, const Dom *d, const Refs *refs)
{
	Arena *a = h->sim->arena;
	Issue_slots *x = h->sim->sass ?
		issue_slots_from_listing(h->sim->sass, h->cfg, d, a) : NULL;
	uint32_t func = original_function(h);

	if (x)
		return x;
	x = issue_slots_build(h->cfg, d, refs, a);
	if (func)
		reconverge_as_original(h, func, x);
	return x;
}
