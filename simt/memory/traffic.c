/* SPDX-License-Identifier: MIT */
/* Counts the memory traffic of one instruction of a group of lanes, as the hardware's profiler
 * does.
 *
 * Global: the 32-byte sectors and 128-byte lines that the lanes touch. Local: the same; the words
 * with one local address are adjacent in memory for the 32 lanes of a warp, and each word of a lane
 * is a request. Shared: 32 banks of 4 bytes; a wavefront serves one word per bank, to all lanes
 * that access it. Accesses of 16 bytes are served half a warp at a time; an atomic operation
 * serializes the lanes of one word. bench/simt-numbers.sh compares the counts with a GPU. (CUDA C++
 * Programming Guide, compute capability 5.x and later; Nsight Compute's "sectors/req" and
 * "wavefronts".)
 */
#include "simt/memory/traffic.h"

enum { BANKS = 32 };

typedef struct {
	uint32_t lanes;
	uint64_t at[LANES];
} Lane_addresses;

/* ---- sectors and lines ----------------------------------------------------------------------- */

typedef struct { uint64_t line[LANES]; uint8_t sectors[LANES]; uint32_t n; } Touched_lines;

static void
touch_sector(Touched_lines *t, uint64_t at)
{
	uint32_t k = t->n;
	while (k > 0 && t->line[k - 1] != at / 128) /* usually the last one */
		k--;
	if (!k) {
		t->line[t->n] = at / 128;
		t->sectors[t->n] = 0;
		k = ++t->n;
	}
	t->sectors[k - 1] |= (uint8_t)(1u << (at / 32 & 3));
}

static uint32_t
count_sectors(const Touched_lines *t)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < t->n; k++)
		n += count_bits(t->sectors[k]);
	return n;
}

/* Returns the lowest lane of each distinct address. */
static uint32_t
lowest_of_each_address(const Lane_addresses *a, uint32_t lanes)
{
	uint32_t first = 0;
	for EACH_LANE(l, lanes) {
		bool seen = false;
		for EACH_LANE(k, first)
			seen = seen || a->at[k] == a->at[l];
		first |= (uint32_t)!seen << l;
	}
	return first;
}

/* An access lies within one sector, since it is aligned to its size, which is at most 32. Atomic
 * operations on one word are serialized. */
static void
count_global(Sim_counts *c, const Lane_addresses *a, bool atomic)
{
	c->global_requests++;
	for (uint32_t left = a->lanes, now; left; left &= ~now) {
		Touched_lines t;
		t.n = 0;
		now = atomic ? lowest_of_each_address(a, left) : left;
		for EACH_LANE(l, now)
			touch_sector(&t, a->at[l]);
		c->global_sectors += count_sectors(&t);
		c->global_lines += t.n;
	}
}

static void
count_local(Sim_counts *c, const Lane_addresses *a, uint32_t size)
{
	for (uint32_t k = 0; k < size; k += 4) {
		Touched_lines t;
		t.n = 0;
		for EACH_LANE(l, a->lanes)
			touch_sector(&t, (a->at[l] + k) / 4 * 128 + 4 * l);
		c->local_requests++;
		c->local_sectors += count_sectors(&t);
	}
}

/* ---- banks ----------------------------------------------------------------------------------- */

enum { WORDS = 2 * LANES }; /* maximum number accessed at once */

/* Counts the wavefronts that serve some lanes. With `each`, a word is served once per lane that
 * accesses it. The ideal is one wavefront per BANKS words. */
static void
count_wavefronts(Sim_counts *c, const Lane_addresses *a, uint32_t lanes, uint32_t size, bool each)
{
	/* the distinct words so far; for each, the next one of its bank as an index from 1 */
	uint64_t word[WORDS];
	uint8_t next[WORDS], first[BANKS] = {0}, count[BANKS] = {0}, most = 0, n = 0;
	for EACH_LANE(l, lanes)
		for (uint64_t x = a->at[l] / 4; x <= (a->at[l] + size - 1) / 4; x++) {
			uint32_t bank = x % BANKS, k = each ? 0 : first[bank];
			while (k && word[k - 1] != x)
				k = next[k - 1];
			if (k)
				continue;
			word[n] = x;
			next[n] = first[bank];
			first[bank] = ++n;
			if (++count[bank] > most)
				most = count[bank];
		}
	c->shared_wavefronts += most;
	c->shared_ideal += (n + BANKS - 1u) / BANKS;
}

static void
count_shared(Sim_counts *c, const Lane_addresses *a, uint32_t size, bool atomic)
{
	uint32_t at_once = size <= 8 ? LANES : 4 * WORDS / size;
	c->shared_requests++;
	for (uint32_t from = 0; from < LANES; from += at_once)
		count_wavefronts(c, a,
			a->lanes &
				((at_once == LANES ? UINT32_MAX : (UINT32_C(1) << at_once) - 1)
					<< from),
			size, atomic);
}

/* ---- an instruction -------------------------------------------------------------------------- */

void
count_access(Sim *s, const Access *x)
{
	Lane_addresses global = { 0 }, shared = { 0 }, local = { 0 },
		  *const of[] = {
			  [SPACE_GLOBAL] = &global, [SPACE_SHARED] = &shared, [SPACE_LOCAL] = &local
		  };
	const bool atomic = x->kind == ACCESS_ATOMIC;
	for EACH_LANE(l, x->lanes) {
		uint64_t at = x->at[l];
		if (at & (x->size - 1)) /* misaligned: a fault follows */
			continue;
		Space space = memory_space(x->space, &at);
		Lane_addresses *a = space < sizeof of / sizeof *of ? of[space] : NULL;
		if (a) {
			a->lanes |= UINT32_C(1) << l;
			a->at[l] = at;
		}
	}
	Sim_counts *c = stmt_counts(s, x->i);
	if (global.lanes)
		count_global(c, &global, atomic);
	if (shared.lanes)
		count_shared(c, &shared, x->size, atomic);
	if (local.lanes)
		count_local(c, &local, x->size);
}
