/* SPDX-License-Identifier: MIT */
/* Selects the copy of a home that is counted: among those in the innermost loops, which are
 * executed most, the copy of medium length represents all. */
#include <limits.h>
#include <stdlib.h>
#include "simt/sass/duplicate_blocks.h"

/* n: number of instructions. */
typedef struct {
	Home home;
	uint32_t depth, n;
	bool chosen;
} Copy;

typedef struct {
	const Sass_flow *f;
	Copy *at;
	uint32_t n;
	uint32_t *of; /* by block of machine code: 1 + index in `at` */
} Copies;

static Copy *
copy_of(Copies *to, Home h)
{
	for (uint32_t k = to->n; k-- > 0;)
		if (to->at[k].home.copy == h.copy && home_same(to->at[k].home, h))
			return &to->at[k];
	to->at[to->n] = (Copy){ .home = h, .depth = to->f->blocks[h.copy].depth };
	return &to->at[to->n++];
}

static void
gather(Copies *to, const Homes *homes, const Unrolled *u)
{
	for (uint32_t n = 0; n < to->f->norder; n++) {
		uint32_t s = to->f->order[n];
		if (!homes->home[s].kind || u->home[s].kind)
			continue;
		Copy *c = copy_of(to, homes->home[s]);
		c->n += to->f->blocks[s].end - to->f->blocks[s].first;
		to->of[s] = (uint32_t)(c - to->at) + 1;
	}
}

/* Whether copy c may represent the home of copy k. A copy that is only a BSYNC may do so only if
 * all are. */
static bool
stands_for(const Copies *to, uint32_t c, uint32_t k, uint32_t depth, uint32_t most)
{
	return home_same(to->at[c].home, to->at[k].home) && to->at[c].depth == depth &&
		(to->at[c].n > 1 || most == 1);
}

/* Selects among the copies of the home of copy k: of those with the greatest loop depth, the one
 * whose length is closest to their mean; in case of a tie the longer one. */
static void
choose(Copies *to, uint32_t k)
{
	uint32_t depth = 0, n = 0, best = k, sum = 0, most = 0;
	for (uint32_t c = 0; c < to->n; c++)
		if (home_same(to->at[c].home, to->at[k].home)) {
			if (c < k)
				return; /* already done */
			depth = to->at[c].depth > depth ? to->at[c].depth : depth;
		}
	for (uint32_t c = k; c < to->n; c++)
		if (stands_for(to, c, k, depth, 1) && to->at[c].n > most)
			most = to->at[c].n;
	for (uint32_t c = k; c < to->n; c++)
		if (stands_for(to, c, k, depth, most))
			sum += to->at[c].n, n++;
	long nearest = LONG_MAX;
	for (uint32_t c = k; c < to->n; c++) {
		long off = labs((long)to->at[c].n * n - (long)sum);
		if (stands_for(to, c, k, depth, most) &&
			(off < nearest || (off == nearest && to->at[c].n > to->at[best].n)))
			best = c, nearest = off;
	}
	to->at[best].chosen = true;
}

Bits
copies_choose(const Sass_flow *f, const Homes *homes, const Unrolled *u, Arena *a)
{
	Bits chosen = bits_new(a, f->nblocks);
	Copies to = { .f = f,
		.at = arena_array(a, f->norder, sizeof *to.at),
		.of = arena_array(a, f->nblocks, sizeof *to.of) };
	gather(&to, homes, u);
	for (uint32_t k = 0; k < to.n; k++)
		choose(&to, k);
	for (uint32_t s = 0; s < f->nblocks; s++)
		if (to.of[s] && to.at[to.of[s] - 1].chosen)
			bits_set(chosen, s);
	return chosen;
}
