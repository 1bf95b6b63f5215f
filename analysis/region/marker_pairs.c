/* SPDX-License-Identifier: MIT */
/* Matches begin and end markers of a function; see marker_pairs.h. */
#include <stdlib.h>
#include "analysis/region/marker_pairs.h"
#include "analysis/region/region_left.h"

/* The role of a marker for others of the same annotation. */
enum { BEGINS, ENDS, DONE };

typedef struct {
	uint64_t *at;           /* a number for each marker of the function, ascending */
	uint32_t n;
} Marker_sorts;

static uint64_t
marker_sort_key(const Marker *k, unsigned what)
{
	return (uint64_t)k->id << 32 | (uint64_t)k->annot.kind << 8 | what;
}

static int
smaller_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static Marker_sorts
sort_markers(const Fn *fn, Arena *a)
{
	Marker_sorts all = { arena_array(a, fn->f->nmarkers, sizeof *all.at), fn->f->nmarkers };

	for (uint32_t i = 0; i < all.n; i++) {
		const Marker *k = &fn->m->markers[fn->f->marker + i];
		all.at[i] = marker_sort_key(k, k->done ? DONE : k->end ? ENDS : BEGINS);
	}
	qsort(all.at, all.n, sizeof *all.at, smaller_first);
	return all;
}

/* Whether the marker has a partner of the other role in its function, or had one. */
static bool
has_partner(const Marker_sorts *all, const Marker *k)
{
	uint64_t other = marker_sort_key(k, k->end ? BEGINS : ENDS),
		 done = marker_sort_key(k, DONE);

	return bsearch(&other, all->at, all->n, sizeof other, smaller_first) ||
		bsearch(&done, all->at, all->n, sizeof done, smaller_first);
}

bool
marker_pair_advice(const Fn *fn, const Marker *k)
{
	if (k->annot.kind != ANNOT_GRID || k->end)
		return false;
	for (uint32_t i = fn->f->marker; i < fn->f->marker + fn->f->nmarkers; i++) {
		const Marker *o = &fn->m->markers[i];
		if (o->id == k->id && o->annot.kind == k->annot.kind && (o->done || o->end))
			return false;
	}
	return true;
}

/* Whether control may reach a return from block b. */
static bool
may_return(const Fn *fn, uint32_t b, Arena *a)
{
	Bits seen = bits_new(a, fn->cfg->nblocks), all = bits_new(a, fn->cfg->nblocks);
	bits_fill(all, 1, fn->cfg->nblocks);
	cfg_flood(fn->cfg, b, false, all, seen);
	BITS_EACH(k, seen) {
		uint32_t t = cfg_terminator(fn->cfg, k);
		if (t && ptx_op(fn->m, fn_stmt(fn, t)) == OP_RET)
			return true;
	}
	return false;
}

bool
marker_pairs_check(const Fn *fn, Regions *rs)
{
	Arena *tmp = arena_new();
	Marker_sorts all = sort_markers(fn, tmp);
	bool ok = true;

	for (uint32_t i = fn->f->marker; i < fn->f->marker + fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[i];
		if (k->done || k->annot.kind == ANNOT_ITERATION || has_partner(&all, k) ||
			marker_pair_advice(fn, k))
			continue;
		if (fn->cfg->rpo_index[fn_block(fn, k->stmt)] == UINT32_MAX)
			continue;
		if (!k->end && !may_return(fn, fn_block(fn, k->stmt), tmp))
			continue;
		ok = false;
		if (k->end)
			diag(rs->diags, D_MARKER, fn_stmt(fn, k->stmt)->at.pos,
				"end marker without a begin marker");
		else
			region_leave(rs, k, "",
				verdict(rs->arena, D_MARKER, fn_stmt(fn, k->stmt)->at.pos,
					"begin marker without an end marker"));
	}
	arena_free(tmp);
	return ok;
}
