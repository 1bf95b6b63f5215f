/* SPDX-License-Identifier: MIT */
/* Live registers at block boundaries; see liveness.h.
 *
 * One register at a time instead of one block at a time: from every block that reads a register
 * before writing it, walk backwards until the blocks that write it. The time is proportional to the
 * result (the bits that get set), whatever the order of the blocks, and no set is ever copied.
 * Source: A. Appel, J. Palsberg, "Modern Compiler Implementation", liveness by path exploration.
 *
 * Blocks with equal sets share one, so that memory does not grow with blocks times registers in
 * code such as a long series of branches. A first walk computes a hash and the size of each set;
 * the second fills one set for each pair of hash and size. If a shared set then has a different
 * size, there was a hash collision, and each block gets a set of its own. The sets are sparse: a
 * function of many loops has many registers, but each is live in only one loop. */
#include <string.h>
#include "analysis/dataflow/liveness.h"
#include "base/vec.h"

/* A block that reads a register before writing it, or one that writes it on all lanes. */
typedef struct { uint32_t reg, block; bool read; } Register_event;
typedef VEC(Register_event) Register_events;

typedef struct {
	const Cfg *g;
	Live *l;
	Register_events events;
	uint32_t *killed;   /* by register: last visited block that kills it */
	uint32_t *exposed;  /* by register: last visited block that reads it first */
	uint32_t *kills;    /* by block: 1 + last processed register that it kills */
	uint32_t *found;    /* by block: 1 + last processed register that is live-in */
	uint64_t *hash;     /* by block: hash of the set */
	uint32_t *size;     /* by block: registers in the set */
	bool fills;         /* this is the second walk */
	uint32_t *owner;    /* by block: the first block with its set */
	/* by owner: 1 + last register of its set, number of its registers */
	uint32_t *last, *filled;
	bool collides;      /* a shared set has more registers than its blocks */
	uint32_t *stack;
} Live_solver;

static void
note_read(Live_solver *s, uint32_t block, uint32_t reg)
{
	if (s->killed[reg] == block || s->exposed[reg] == block)
		return;
	s->exposed[reg] = block;
	*vec_push(&s->events) = (Register_event){ reg, block, true };
}

static void
note_kill(Live_solver *s, uint32_t block, uint32_t reg)
{
	if (s->killed[reg] == block)
		return;
	s->killed[reg] = block;
	*vec_push(&s->events) = (Register_event){ reg, block, false };
}

static void
find_events(Live_solver *s, const Refs *refs)
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
	/* A register return parameter is read at the function's exit. */
	for (uint32_t sym = f->ret; sym < f->ret + f->nret; sym++)
		if (ptx_is_reg_of(m, f, sym))
			*vec_push(&s->events) = (Register_event){ ptx_local_sym(f, sym), 0, true };
}

/* Counting sort by register. */
static Register_event *
by_register(const Register_events *v, uint32_t nregs, uint32_t *first, Arena *tmp)
{
	Register_event *out = arena_array(tmp, v->n, sizeof *out);
	for (uint32_t i = 0; i < v->n; i++)
		first[v->at[i].reg + 2]++;
	for (uint32_t i = 2; i < nregs + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < v->n; i++)
		out[first[v->at[i].reg + 1]++] = v->at[i];
	return out;
}

/* Adds a register to a set, unless a block with the same set did. */
static void
add_to_set(Live_solver *s, uint32_t b, uint32_t reg)
{
	uint32_t k = s->owner[b];

	if (s->last[k] == reg + 1)
		return;
	s->last[k] = reg + 1;
	s->collides |= s->filled[k] == s->size[k];
	if (s->filled[k] < s->size[k])
		bits_append(s->l->in[k], reg);
	s->filled[k]++;
}

/* Records that register reg is live into block b. */
static void
add_live_in(Live_solver *s, uint32_t b, uint32_t reg)
{
	uint64_t x = (reg + 1) * UINT64_C(0x9e3779b97f4a7c15);

	s->found[b] = reg + 1;
	if (s->fills) {
		add_to_set(s, b, reg);
		return;
	}
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	s->hash[b] += x ^ x >> 32;
	s->size[b]++;
}

/* Records that register reg is live into block b and, unless killed, into its predecessors. */
static void
walk_back(Live_solver *s, uint32_t b, uint32_t reg)
{
	uint32_t n = 0;
	add_live_in(s, b, reg);
	s->stack[n++] = b;
	while (n) {
		b = s->stack[--n];
		CFG_PRED(s->g, b, p) {
			if (s->kills[p] == reg + 1 || s->found[p] == reg + 1)
				continue;
			add_live_in(s, p, reg);
			s->stack[n++] = p;
		}
	}
}

static void
solve_register(Live_solver *s, const Register_event *e, const uint32_t *first)
{
	memset(s->kills, 0, s->g->nblocks * sizeof *s->kills);
	memset(s->found, 0, s->g->nblocks * sizeof *s->found);
	for (uint32_t r = 0; r < s->l->nsyms; r++) {
		for (uint32_t i = first[r]; i < first[r + 1]; i++)
			if (!e[i].read)
				s->kills[e[i].block] = r + 1;
		for (uint32_t i = first[r]; i < first[r + 1]; i++)
			if (e[i].read && s->found[e[i].block] != r + 1)
				walk_back(s, e[i].block, r);
	}
}

/* Gives each block a set; with `share`, one for all blocks with equal hash and size. */
static void
make_sets(Live_solver *s, bool share, Arena *a, Arena *tmp)
{
	const uint32_t n = s->g->nblocks;
	/* hash table with chaining: 1 + the last block of a bucket; by block, 1 + the one before
	 * it */
	uint32_t *last = arena_array(tmp, n, sizeof *last),
		 *before = arena_array(tmp, n, sizeof *before);

	memset(s->last, 0, n * sizeof *s->last);
	memset(s->filled, 0, n * sizeof *s->filled);
	for (uint32_t b = 0; b < n; b++) {
		uint32_t *bucket = &last[s->hash[b] % n], k = share ? *bucket : 0;
		while (k && (s->hash[k - 1] != s->hash[b] || s->size[k - 1] != s->size[b]))
			k = before[k - 1];
		s->owner[b] = k ? k - 1 : b;
		s->l->in[b] = k ? s->l->in[k - 1] : bits_sparse(a, s->l->nsyms, s->size[b]);
		if (k)
			continue;
		before[b] = *bucket;
		*bucket = b + 1;
	}
}

static void
solve_twice(Live_solver *s, Arena *a, Arena *tmp)
{
	uint32_t *first = arena_array(tmp, s->l->nsyms + 2u, sizeof *first);
	const Register_event *e = by_register(&s->events, s->l->nsyms, first, tmp);

	solve_register(s, e, first);
	s->fills = true;
	make_sets(s, true, a, tmp);
	solve_register(s, e, first);
	if (!s->collides)
		return;
	make_sets(s, false, a, tmp);
	solve_register(s, e, first);
}

Live *
live_build(const Cfg *g, const Refs *refs, Arena *a)
{
	Live *l = arena_zalloc(a, sizeof *l);
	Arena *tmp = arena_new();
	Live_solver s = { .g = g, .l = l };
	l->nsyms = g->m->funcs[g->func].nsym;
	l->in = arena_array(a, g->nblocks, sizeof *l->in);
	s.killed = arena_array(tmp, l->nsyms, sizeof *s.killed);
	s.exposed = arena_array(tmp, l->nsyms, sizeof *s.exposed);
	s.kills = arena_array(tmp, g->nblocks, sizeof *s.kills);
	s.stack = arena_array(tmp, g->nblocks, sizeof *s.stack);
	s.found = arena_array(tmp, g->nblocks, sizeof *s.found);
	s.hash = arena_array(tmp, g->nblocks, sizeof *s.hash);
	s.size = arena_array(tmp, g->nblocks, sizeof *s.size);
	s.owner = arena_array(tmp, g->nblocks, sizeof *s.owner);
	s.last = arena_array(tmp, g->nblocks, sizeof *s.last);
	s.filled = arena_array(tmp, g->nblocks, sizeof *s.filled);
	find_events(&s, refs);
	solve_twice(&s, a, tmp);
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
