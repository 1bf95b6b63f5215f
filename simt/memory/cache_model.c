/* SPDX-License-Identifier: MIT */
/* Cache model: L1 hits of loads, and collisions of atomic operations.
 *
 * Loads: the L1 cache of a multiprocessor has 192 KB (of 256 KB, the rest being shared memory) in
 * lines of 128 bytes with four sectors of 32 bytes each, which are filled separately. It is
 * four-way set-associative with LRU replacement. The emulator runs blocks one after the other,
 * whereas a GPU runs as many side by side as fit. Therefore a block's own data hits in the share of
 * the cache that its threads have of 2048; data that other blocks of the launch have also read hits
 * in the whole cache. Loads that must observe other threads' writes (volatile, relaxed, acquire)
 * miss. Stores and atomic operations fill nothing.
 *
 * Atomic operations: the L2 cache serializes those to the same line, whichever lane issues them, so
 * the number of distinct lines matters. It is estimated by pairs: if unrelated operations collide
 * with probability 1/k, they behave as if they were spread over k lines. Lanes of a warp or of a
 * block are related, because neighbours access neighbouring addresses. So each operation is
 * compared with the last line accessed by the same statement in another block: one with the same
 * number modulo 16 except for the lowest bit. Of each group of lanes, the first lane's line is
 * remembered. Instrumented code does the same for one in 32 of a lane's operations
 * (transform/instrument/profile.tpl).
 */
#include <string.h>
#include "simt/memory/cache_model.h"

enum {
	LINE = 128, SECTOR = 32, CACHE_WAYS = 4,
	LINES = 192 * 1024 / LINE, THREADS = 2048
};

typedef struct {
	uint64_t line, asked;   /* asked: time of the last access; 0: empty */
	uint32_t sectors;
	uint32_t block;         /* that accessed it last */
	bool common;            /* several blocks accessed it */
} Cache_way;

struct Cache { Cache_way *ways; uint32_t nsets; uint64_t now; bool whole; };

/* ---- the cache ------------------------------------------------------------------------------- */

Cache *
cache_new(uint32_t threads, bool whole)
{
	Cache *c = xmalloc(sizeof *c);
	uint32_t sets = LINES * threads / THREADS / CACHE_WAYS;

	c->nsets = sets ? sets : 1;
	c->whole = whole;
	c->ways = xmalloc(c->nsets * CACHE_WAYS * sizeof *c->ways);
	cache_clear(c);
	return c;
}

void
cache_clear(Cache *c)
{
	memset(c->ways, 0, c->nsets * CACHE_WAYS * sizeof *c->ways);
	c->now = 0;
}

void
cache_free(Cache *c)
{
	if (c)
		xfree(c->ways);
	xfree(c);
}

/* Returns the way of a line, replacing the oldest one of the set on a miss. */
static Cache_way *
find_line(Cache *c, uint64_t line)
{
	Cache_way *set = c->ways + line % c->nsets * CACHE_WAYS, *oldest = set;

	for (Cache_way *w = set; w < set + CACHE_WAYS; w++) {
		if (w->asked && w->line == line)
			return w;
		if (w->asked < oldest->asked)
			oldest = w;
	}
	*oldest = (Cache_way){ .line = line };
	return oldest;
}

/* Accesses sectors of a line; returns those that miss. In the whole cache, only lines that other
 * blocks have also read can hit. */
static uint32_t
request_sectors(Cache *c, uint64_t line, uint32_t sectors, uint32_t block)
{
	Cache_way *w = find_line(c, line);

	w->common |= w->block != block && w->asked;
	uint32_t missed = w->common || !c->whole ? sectors & ~w->sectors : sectors;
	w->asked = ++c->now;
	w->sectors |= sectors;
	w->block = block;
	return missed;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The global address of a lane's access; 0 if it is not to global memory. */
static uint64_t
global_address(const Access *x, uint32_t lane)
{
	uint64_t at = x->at[lane];

	return memory_space(x->space, &at) == SPACE_GLOBAL ? at : 0;
}

/* Counts the sectors of a warp's request that miss. */
static uint32_t
count_missed(const Warp *w, uint64_t line, uint32_t sectors)
{
	uint32_t number = w->block->number;

	return count_bits(request_sectors(w->block->cache, line, sectors, number) &
		request_sectors(w->sim->stats.cache, line, sectors, number));
}

/* Counts each sector that the lanes request once, line by line. */
static void
count_load(Warp *w, const Access *x, Cache_counts *to)
{
	uint64_t lines[LANES];

	for EACH_LANE(l, x->lanes)
		lines[l] = global_address(x, l) / LINE;
	for (uint32_t left = x->lanes, now; left; left &= ~now) {
		uint64_t line = lines[low_bit(left)];
		uint32_t sectors = 0;
		now = 0;
		for EACH_LANE(l, left) {
			uint32_t same = lines[l] == line;
			now |= same << l;
			sectors |= same << (x->at[l] / SECTOR % (LINE / SECTOR));
		}
		if (!line)
			continue;
		to->sectors += count_bits(sectors);
		to->missed += x->reach == REACH_NONE ? count_missed(w, line, sectors) :
						       count_bits(sectors);
	}
}

static void
count_atomic(const Warp *w, const Access *x, Cache_counts *to)
{
	const uint32_t *id = w->block->id;
	uint32_t copy = (id[0] + id[1] + id[2]) % NEAR_COPIES;
	uint64_t other = to->last[copy ^ 1];
	uint64_t first = 0;

	for EACH_LANE(l, x->lanes) {
		uint64_t line = global_address(x, l) / LINE;
		if (!line)
			continue;
		to->atomics++;
		to->compared += other != 0;
		to->same += other == line;
		first = first ? first : line;
	}
	to->last[copy] = first ? first : to->last[copy];
}

void
cache_access(Warp *w, const Access *x)
{
	Cache_counts *to = &w->sim->stats.near[x->i->stmt];

	if (x->kind == ACCESS_LOAD)
		count_load(w, x, to);
	else if (x->kind == ACCESS_ATOMIC)
		count_atomic(w, x, to);
}

/* ---- counts ---------------------------------------------------------------------------------- */

void
cache_begin_launch(Sim *s)
{
	size_t n = (s->m->nstmts + 1) * sizeof *s->stats.near;

	if (s->stats.near)
		return;
	s->stats.near = memset(xmalloc(n), 0, n);
	s->stats.cache = cache_new(THREADS, true);
}

void
cache_add_counts(const Sim *s, const Fn *fn, uint32_t block, Cache_counts *to)
{
	FN_BLOCK_STMTS(fn, block, i) {
		const Cache_counts *n = &s->stats.near[i];
		to->sectors += n->sectors;
		to->missed += n->missed;
		to->atomics += n->atomics;
		to->compared += n->compared;
		to->same += n->same;
	}
}

void
cache_free_counts(Sim *s)
{
	xfree(s->stats.near);
	cache_free(s->stats.cache);
}
