/* SPDX-License-Identifier: MIT */
/* How near memory is. See near.h.
 *
 * Loads: a multiprocessor's first cache has 192 KB (of 256, of which shared memory has the rest),
 * in lines of 128 bytes, of which sectors of 32 are filled, four lines in a set, of which the one
 * goes that was asked for least recently. Here blocks run one after the other, there as many beside
 * each other as have room. So of what it alone has read a block finds what is in that part of the
 * cache which its threads are of 2048; of what other blocks of the launch have read, too, what is
 * in all of it. Loads that must see what others write (volatile, relaxed, acquire) find nothing.
 * Stores and atomic operations fill nothing.
 *
 * Atomic operations: the second cache does those of one line one after the other, whoever asks, so
 * it counts in how few lines they are. Of two that have nothing to do with each other one in k
 * meets the other in a line, if it is as if all went to k lines. But lanes of a warp or of a block
 * have much to do with each other: neighbours have neighbouring places. So each is compared with
 * the last line at the same statement of another block: of those whose number is the same by 16,
 * but for the last bit, the lane that came first in its group. Instrumented code does the same
 * of one in 32 of a lane's (transform/instrument/profile.tpl).
 */
#include <string.h>
#include "simt/memory/cache_model.h"

enum {
	LINE = 128, SECTOR = 32, WAYS = 4,
	LINES = 192 * 1024 / LINE, THREADS = 2048
};

typedef struct {
	uint64_t line, asked;   /* asked 0: there is none */
	uint32_t sectors;
	uint32_t block;         /* that asked last */
	bool common;            /* others did */
} Way;

struct Cache { Way *ways; uint32_t nsets; uint64_t now; bool whole; };

/* ---- the cache ------------------------------------------------------------------------------- */

Cache *
cache_new(uint32_t threads, bool whole)
{
	Cache *c = xmalloc(sizeof *c);
	uint32_t sets = LINES * threads / THREADS / WAYS;

	c->nsets = sets ? sets : 1;
	c->whole = whole;
	c->ways = xmalloc(c->nsets * WAYS * sizeof *c->ways);
	cache_clear(c);
	return c;
}

void
cache_clear(Cache *c)
{
	memset(c->ways, 0, c->nsets * WAYS * sizeof *c->ways);
	c->now = 0;
}

void
cache_free(Cache *c)
{
	if (c)
		xfree(c->ways);
	xfree(c);
}

/* The line, which takes the place of another one if it is not there. */
static Way *
find(Cache *c, uint64_t line)
{
	Way *set = c->ways + line % c->nsets * WAYS, *oldest = set;

	for (Way *w = set; w < set + WAYS; w++) {
		if (w->asked && w->line == line)
			return w;
		if (w->asked < oldest->asked)
			oldest = w;
	}
	*oldest = (Way){ .line = line };
	return oldest;
}

/* Sectors of a line are asked for; those that are not there. In the whole cache those are that
 * other blocks have read, too. */
static uint32_t
ask(Cache *c, uint64_t line, uint32_t sectors, uint32_t block)
{
	Way *w = find(c, line);

	w->common |= w->block != block && w->asked;
	uint32_t missed = w->common || !c->whole ? sectors & ~w->sectors : sectors;
	w->asked = ++c->now;
	w->sectors |= sectors;
	w->block = block;
	return missed;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Where a lane's access lies in global memory; 0: it does not. */
static uint64_t
global_at(const Access *x, uint32_t lane)
{
	uint64_t at = x->at[lane];

	return memory_space(x->space, &at) == SPACE_GLOBAL ? at : 0;
}

/* Of sectors that a warp asks for so many are not there. */
static uint32_t
missed(const Warp *w, uint64_t line, uint32_t sectors)
{
	uint32_t number = w->block->number;

	return count_bits(ask(w->block->cache, line, sectors, number) &
		ask(w->sim->cache, line, sectors, number));
}

/* Lanes ask for each sector once; those of a line together. */
static void
load(Warp *w, const Access *x, Near *to)
{
	uint64_t lines[LANES];

	for EACH_LANE(l, x->lanes)
		lines[l] = global_at(x, l) / LINE;
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
		to->missed += x->reach == REACH_NONE ? missed(w, line, sectors) :
						       count_bits(sectors);
	}
}

static void
atomic(const Warp *w, const Access *x, Near *to)
{
	const uint32_t *id = w->block->id;
	uint32_t copy = (id[0] + id[1] + id[2]) % NEAR_COPIES;
	uint64_t other = to->last[copy ^ 1];
	uint64_t first = 0;

	for EACH_LANE(l, x->lanes) {
		uint64_t line = global_at(x, l) / LINE;
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
near_access(Warp *w, const Access *x)
{
	Near *to = &w->sim->near[x->i->stmt];

	if (x->kind == ACCESS_LOAD)
		load(w, x, to);
	else if (x->kind == ACCESS_ATOMIC)
		atomic(w, x, to);
}

/* ---- counts ---------------------------------------------------------------------------------- */

void
near_begin(Sim *s)
{
	size_t n = (s->m->nstmts + 1) * sizeof *s->near;

	if (s->near)
		return;
	s->near = memset(xmalloc(n), 0, n);
	s->cache = cache_new(THREADS, true);
}

void
near_add(const Sim *s, const Fn *fn, uint32_t block, Near *to)
{
	FN_BLOCK_STMTS(fn, block, i) {
		const Near *n = &s->near[i];
		to->sectors += n->sectors;
		to->missed += n->missed;
		to->atomics += n->atomics;
		to->compared += n->compared;
		to->same += n->same;
	}
}

void
near_free(Sim *s)
{
	xfree(s->near);
	cache_free(s->cache);
}
