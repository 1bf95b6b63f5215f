/* SPDX-License-Identifier: MIT */
/* Selects the kind of kernel for a seed. */
#include "tests/gen/inner.h"

/* one in this many kernels */
enum {
	TASKS = 9, EXCHANGES = 7, ASSIGNS = 11, UNIFIES = 11, RETREATS = 8, SHARES = 12,
	HEADS = 12, PADS = 12, WORDY = 6, TOGETHER = 6,
	LONG = 6, ENDS = 4, LITERALS = 2
};
/* Kernels of seeds from this one on may use the newest features; those of smaller seeds do not
 * change. */
#define LATER_SEEDS UINT64_C(7000000000)
#define COMMON_SEEDS UINT64_C(7100000000)

/* Select kernels with assigned iterations and unified branches; few of mutants.seeds are among
 * them. */
enum {
	ASSIGNED = 104, UNIFIED = 451, WAITING = 6924, SHARING = 77, NESTING = 31, HEADING = 52,
	PADDING = 5, SAYING = 261592, FOLDING = 118983, CALLING = 17,
	LENGTHENING = 171119, ENDING = 3, BOUNDING = 11
};

static void
choose_size(Gen *g, Gen_info *info)
{
	static const uint32_t blocks[][3] = { { 32, 1, 1 }, { 45, 1, 1 }, { 10, 7, 1 }, { 4, 5, 3 },
		{ 96, 1, 1 } };
	uint32_t block = below(g, 40);
	bool many = chance(g, 50);
	info->in_seed = 1 + below(g, 1000000);
	info->n = 1 + below(g, many ? 2000 : 300);
	info->x = below(g, 1000000);
	g->pair = chance(g, 15);
	info->nsites = g->pair || chance(g, 20) ? 2 : 1;
	for (int k = 0; k < 3; k++)
		info->block[k] = block < sizeof blocks / sizeof *blocks ? blocks[block][k] : 0;
	g->nleaves = below(g, MAX_LEAVES + 1);
	info->task = info->asks = g->task;
	if (!g->task)
		return;
	g->pair = false;
	info->asks = chance(g, 75);
	info->nsites = 0;
	info->n = 150 + info->n % 150;
}

/* Uses a separate random number, so that other kernels do not change. */
static void
choose_assigned(Gen *g, uint64_t seed, Gen_info *info)
{
	uint64_t other = seed + ASSIGNED;

	if (g->task || gen_random(&other) % ASSIGNS != 0)
		return;
	other = gen_random(&other);
	g->assigns = info->assigns = true;
	g->ordered = info->ordered = g->looks = info->looks = g->turns = false;
	g->cases = g->grown = g->joins = false;
	g->flat = info->flat = other % 2 == 0;
	g->merges = g->flat && other / 2 % 2 == 0;
	g->delays = !g->flat && other / 2 % 2 == 0;
	g->steps = !g->flat && other / 4 % 4 == 0;
}

/* Likewise. */
static void
choose_unified(Gen *g, uint64_t seed, Gen_info *info)
{
	uint64_t other = seed + UNIFIED;

	if (g->task || g->assigns || gen_random(&other) % UNIFIES != 0)
		return;
	g->unifies = g->ordered = info->ordered = g->looks = info->looks = true;
	g->turns = g->flat = info->flat = g->merges = g->cases = g->delays = false;
	g->grown = g->steps = g->joins = false;
}

/* Likewise, among kernels that have arms of a branch. */
static void
choose_waits(Gen *g, uint64_t seed)
{
	uint64_t other = seed + WAITING;

	g->waits = g->delays && !g->turns && gen_random(&other) % 2 == 0;
	g->delays &= !g->waits;
	g->cases |= g->waits;
}

/* Likewise, among kernels whose iterations may execute in any order. */
static void
choose_shares(Gen *g, uint64_t seed)
{
	uint64_t other = seed + SHARING;

	if (g->task || g->ordered || g->assigns || g->unifies || gen_random(&other) % SHARES != 0)
		return;
	g->shares = g->cases = true;
	g->alike = gen_random(&other) % 2 == 0;
	g->flat = g->merges = g->steps = g->joins = false;
}

/* Likewise, for every other kernel whose lanes wait for each other at loops. */
static void
choose_places(Gen *g, uint64_t seed)
{
	uint64_t nests = seed + NESTING, heads = seed + HEADING, pads = seed + PADDING;

	g->nests = g->merges && gen_random(&nests) % 2 == 0;
	g->heads = gen_random(&heads) % HEADS == 0;
	g->pads = gen_random(&pads) % PADS == 0;
	g->said = g->pads && !g->shares && !g->joins && gen_random(&pads) % 3 == 0;
	g->stale = !g->said && gen_random(&pads) % 2 == 0;
}

/* Likewise. */
static void
choose_words(Gen *g, uint64_t seed, const Gen_info *info)
{
	uint64_t words = seed + SAYING, together = seed + FOLDING, calls = seed + CALLING,
		 rows = seed + LENGTHENING;
	bool free = !g->task && !g->ordered && !g->assigns && !g->flat && !info->exchanges;

	g->wordy = gen_random(&words) % WORDY == 0;
	g->wording = words;
	g->together = free && gen_random(&together) % TOGETHER == 0;
	g->rows = free && !g->steps && gen_random(&rows) % LONG == 0;
	g->calls = g->task && gen_random(&calls) % 2 == 0;
	g->nleaves += g->calls && g->nleaves == 0;
}

/* Likewise, for seeds that no earlier test uses. */
static void
choose_ends(Gen *g, uint64_t seed, const Gen_info *info)
{
	uint64_t ends = seed + ENDING, literal = seed + BOUNDING;

	if (seed < LATER_SEEDS)
		return;
	g->ends = gen_random(&ends) % ENDS == 0;
	g->exits = g->ends && g->ordered;
	g->literal = gen_random(&literal) % LITERALS == 0;
	g->commons = seed >= COMMON_SEEDS && !g->task && !info->exchanges;
	g->nleaves += g->commons && g->nleaves == 0;
}

/* One kernel in eight, and one in four of those with look-ahead; half of them by a clause. */
static void
choose_retreat(Gen *g, uint64_t seed, Gen_info *info)
{
	bool retreats = seed % RETREATS == 6 || (g->looks && seed % RETREATS == 2);

	info->retreats = retreats ? 1 + (uint32_t)(seed / RETREATS % 3) : 0;
	info->says_retreat = info->retreats && seed / RETREATS % 2;
	g->retreats = info->says_retreat ? info->retreats : 0;
}

static void
choose_order(Gen *g, uint64_t seed, Gen_info *info)
{
	uint64_t other = ~seed;

	info->exchanges = !g->task && seed % EXCHANGES == 0;
	if (info->exchanges) {
		g->pair = false;
		g->more = gen_random(&other);
		info->nsites = 0;
		return;
	}
	g->ordered = info->ordered = gen_random(&other) % 5 == 0 && !g->task;
	g->flat = info->flat = !g->ordered && !g->task && gen_random(&other) % 8 == 0;
	g->looks = info->looks = g->ordered && gen_random(&other) % 4 != 0;
	g->cases = !g->flat && !g->task && gen_random(&other) % 6 == 0;
	g->delays = g->ordered && !g->cases && gen_random(&other) % 3 == 0;
	g->merges = g->flat && gen_random(&other) % 2 == 0;
	g->grown = gen_random(&other) % 3 == 0 && !g->task && !g->ordered;
	g->more = gen_random(&other);
	g->steps = !g->flat && !g->task && !g->looks && gen_random(&other) % 6 == 0;
	g->joins = !g->flat && !g->task && !g->ordered && !g->steps &&
		gen_random(&other) % 4 == 0;
	g->turns = g->looks && gen_random(&other) % 2 == 0;
	if (g->turns)
		info->n = 600 + info->n % 1400;
	info->old = gen_random(&other) % 8 == 0;
	choose_assigned(g, seed, info);
	choose_unified(g, seed, info);
	choose_waits(g, seed);
	choose_shares(g, seed);
	choose_places(g, seed);
	info->flat = g->flat;
	choose_retreat(g, seed, info);
}

Gen
choose(uint64_t seed, Gen_info *info)
{
	Gen g = { .state = seed, .task = seed % TASKS == 0, .salt = (uint32_t)seed };

	*info = (Gen_info){ 0 };
	choose_size(&g, info);
	choose_order(&g, seed, info);
	choose_words(&g, seed, info);
	choose_ends(&g, seed, info);
	return g;
}
