/* SPDX-License-Identifier: MIT */
/* Live registers at block boundaries; see live.h.
 *
 * Register by register, not block by block: from every block that reads a register before writing
 * it, walk backwards until the blocks that write it. The time is that of the answer (the bits that
 * get set), whatever the order of the blocks, and no set is ever copied. Source: A. Appel, J.
 * Palsberg, "Modern Compiler Implementation", liveness by path exploration.
 */
#include "analysis/live.h"
#include "base/vec.h"

/* A block that reads a register before writing it, or one that writes it on all lanes. */
typedef struct { uint32_t reg, block; bool read; } Event;
typedef VEC(Event) Events;

typedef struct {
	const Cfg *g;
	Live *l;
	Events events;
	uint32_t *killed;   /* by register: the block seen last that kills it */
	uint32_t *exposed;  /* and the block seen last that reads it first */
	uint32_t *kills;    /* by block: 1 + the register last processed that it kills */
	uint32_t *stack;
} Solve;

static void
note_read(Solve *s, uint32_t block, uint32_t reg)
{
	if (s->killed[reg] == block || s->exposed[reg] == block)
		return;
	s->exposed[reg] = block;
	*vec_push(&s->events) = (Event){ reg, block, true };
}

static void
note_kill(Solve *s, uint32_t block, uint32_t reg)
{
	if (s->killed[reg] == block)
		return;
	s->killed[reg] = block;
	*vec_push(&s->events) = (Event){ reg, block, false };
}

static void
find_events(Solve *s, const Refs *refs)
{
	const Module *m = s->g->m;
	const Func *f = &m->funcs[s->g->func];

	PTX_STMTS(f, stmt) {
		uint32_t block = cfg_block_of(s->g, stmt);
		REFS_EACH(refs, stmt, r)
			if (!r->written && ptx_is_reg_of(m, f, r->sym))
				note_read(s, block, ptx_local_sym(f, r->sym));
		REFS_EACH(refs, stmt, r)
			if (refs_kills(m, stmt, r) && ptx_is_reg_of(m, f, r->sym))
				note_kill(s, block, ptx_local_sym(f, r->sym));
	}
	/* What a function returns in a register parameter is read at its exit. */
	for (uint32_t sym = f->ret; sym < f->ret + f->nret; sym++)
		if (ptx_is_reg_of(m, f, sym))
			*vec_push(&s->events) = (Event){ ptx_local_sym(f, sym), 0, true };
}

/* Counting sort by register. */
static Event *
by_register(const Events *v, uint32_t nregs, uint32_t *first, Arena *tmp)
{
	Event *out = arena_array(tmp, v->n, sizeof *out);
	for (uint32_t i = 0; i < v->n; i++)
		first[v->at[i].reg + 2]++;
	for (uint32_t i = 2; i < nregs + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < v->n; i++)
		out[first[v->at[i].reg + 1]++] = v->at[i];
	return out;
}

/* Register reg is live into block b: so it is where control comes from. */
static void
walk_back(Solve *s, uint32_t b, uint32_t reg)
{
	uint32_t n = 0;
	bits_set(s->l->in[b], reg);
	s->stack[n++] = b;
	while (n) {
		b = s->stack[--n];
		CFG_PRED(s->g, b, p) {
			if (s->kills[p] == reg + 1 || bits_has(s->l->in[p], reg))
				continue;
			bits_set(s->l->in[p], reg);
			s->stack[n++] = p;
		}
	}
}

static void
solve(Solve *s, Arena *tmp)
{
	uint32_t nregs = s->l->nsyms;
	uint32_t *first = arena_array(tmp, nregs + 2u, sizeof *first);
	Event *e = by_register(&s->events, nregs, first, tmp);
	for (uint32_t r = 0; r < nregs; r++) {
		for (uint32_t i = first[r]; i < first[r + 1]; i++)
			if (!e[i].read)
				s->kills[e[i].block] = r + 1;
		for (uint32_t i = first[r]; i < first[r + 1]; i++)
			if (e[i].read && !bits_has(s->l->in[e[i].block], r))
				walk_back(s, e[i].block, r);
	}
}

Live *
live_build(const Cfg *g, const Refs *refs, Arena *a)
{
	Live *l = arena_zalloc(a, sizeof *l);
	Arena *tmp = arena_new();
	Solve s = { .g = g, .l = l };
	l->nsyms = g->m->funcs[g->func].nsym;
	l->in = arena_array(a, g->nblocks, sizeof *l->in);
	for (uint32_t b = 0; b < g->nblocks; b++)
		l->in[b] = bits_new(a, l->nsyms);
	s.killed = arena_array(tmp, l->nsyms, sizeof *s.killed);
	s.exposed = arena_array(tmp, l->nsyms, sizeof *s.exposed);
	s.kills = arena_array(tmp, g->nblocks, sizeof *s.kills);
	s.stack = arena_array(tmp, g->nblocks, sizeof *s.stack);
	find_events(&s, refs);
	solve(&s, tmp);
	vec_free(&s.events);
	arena_free(tmp);
	return l;
}

bool
live_is_out(const Live *l, const Cfg *g, uint32_t block, uint32_t reg)
{
	CFG_SUCC(g, block, to)
		if (bits_has(l->in[to], reg))
			return true;
	return false;
}

Bits
live_out_of(const Live *l, const Cfg *g, uint32_t block, Arena *a)
{
	Bits out = bits_new(a, l->nsyms);

	CFG_SUCC(g, block, to)
		bits_or(out, l->in[to]);
	return out;
}
