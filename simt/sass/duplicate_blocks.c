/* SPDX-License-Identifier: MIT */
/* Selects the copy of a PTX location that is counted: among those in the innermost loops, which are
 * executed most, the copy of medium length represents all. */
#include <limits.h>
#include <stdlib.h>
#include "simt/sass/duplicate_blocks.h"

/* n: number of instructions. */
typedef struct {
	Ptx_location location;
	uint32_t depth, n;
	bool chosen;
} Sass_duplicate;

typedef struct {
	const Sass_flow *f;
	Sass_duplicate *at;
	uint32_t n;
	uint32_t *of; /* by block of machine code: 1 + index in `at` */
} Sass_duplicates;

static Sass_duplicate *
find_duplicate(Sass_duplicates *to, Ptx_location h)
{
	for (uint32_t k = to->n; k-- > 0;)
		if (to->at[k].location.copy == h.copy && locations_equal(to->at[k].location, h))
			return &to->at[k];
	to->at[to->n] = (Sass_duplicate){ .location = h, .depth = to->f->blocks[h.copy].depth };
	return &to->at[to->n++];
}

static void
collect_duplicates(Sass_duplicates *to, const Sass_block_map *block_map, const Unrolled_loops *u)
{
	for (uint32_t n = 0; n < to->f->norder; n++) {
		uint32_t s = to->f->order[n];
		if (!block_map->location[s].kind || u->location[s].kind)
			continue;
		Sass_duplicate *c = find_duplicate(to, block_map->location[s]);
		c->n += to->f->blocks[s].end - to->f->blocks[s].first;
		to->of[s] = (uint32_t)(c - to->at) + 1;
	}
}

/* Whether copy c may represent the location of copy k. A copy that is only a BSYNC may do so only
 * if all are. */
static bool
duplicate_represents(
	const Sass_duplicates *to, uint32_t c, uint32_t k, uint32_t depth, uint32_t most)
{
	return locations_equal(to->at[c].location, to->at[k].location) &&
		to->at[c].depth == depth && (to->at[c].n > 1 || most == 1);
}

/* Selects among the copies of the location of copy k: of those with the greatest loop depth, the
 * one whose length is closest to their mean; in case of a tie the longer one. */
static void
choose_representative(Sass_duplicates *to, uint32_t k)
{
	uint32_t depth = 0, n = 0, best = k, sum = 0, most = 0;
	for (uint32_t c = 0; c < to->n; c++)
		if (locations_equal(to->at[c].location, to->at[k].location)) {
			if (c < k)
				return; /* already done */
			depth = to->at[c].depth > depth ? to->at[c].depth : depth;
		}
	for (uint32_t c = k; c < to->n; c++)
		if (duplicate_represents(to, c, k, depth, 1) && to->at[c].n > most)
			most = to->at[c].n;
	for (uint32_t c = k; c < to->n; c++)
		if (duplicate_represents(to, c, k, depth, most))
			sum += to->at[c].n, n++;
	long nearest = LONG_MAX;
	for (uint32_t c = k; c < to->n; c++) {
		long off = labs((long)to->at[c].n * n - (long)sum);
		if (duplicate_represents(to, c, k, depth, most) &&
			(off < nearest || (off == nearest && to->at[c].n > to->at[best].n)))
			best = c, nearest = off;
	}
	to->at[best].chosen = true;
}

Bits
sass_duplicates_choose(
	const Sass_flow *f, const Sass_block_map *block_map, const Unrolled_loops *u, Arena *a)
{
	Bits chosen = bits_new(a, f->nblocks);
	Sass_duplicates to = { .f = f,
		.at = arena_array(a, f->norder, sizeof *to.at),
		.of = arena_array(a, f->nblocks, sizeof *to.of) };
	collect_duplicates(&to, block_map, u);
	for (uint32_t k = 0; k < to.n; k++)
		choose_representative(&to, k);
	for (uint32_t s = 0; s < f->nblocks; s++)
		if (to.of[s] && to.at[to.of[s] - 1].chosen)
			bits_set(chosen, s);
	return chosen;
}
