/* SPDX-License-Identifier: MIT */
/* Builds regions and sites from markers; see region.h. docs/design.md 4.2 explains the positions of
 * markers.
 *
 * The core is one traversal: flood from a begin marker, stop at its end markers. Each region takes
 * time linear in its size, so a function takes time linear in its size times the nesting depth. */
#include <stdlib.h>
#include <string.h>
#include "analysis/region/marker_pairs.h"
#include "analysis/region/region.h"
#include "analysis/region/region_left.h"

/* Whether the marker is of a place or a function, not of a region. */
static bool
marker_has_no_region(const Marker *k)
{
	return k->annot.kind == ANNOT_ITERATION || k->annot.kind == ANNOT_RECURSION;
}

/* Returns the marker that a block starts with if it begins or ends a region. */
static const Marker *
marker_at(const Fn *fn, uint32_t block)
{
	const Marker *k = region_marker_at(fn, block);
	return k && !marker_has_no_region(k) ? k : NULL;
}

static bool
block_ends_region(const Fn *fn, uint32_t block, const Marker *begin)
{
	const Marker *k = marker_at(fn, block);
	return k && k->end && k->id == begin->id;
}

void
region_leave(Regions *rs, const Marker *k, const char *lead, Verdict why)
{
	Region_left *l = arena_zalloc(rs->arena, sizeof *l);

	verdict_report(&why, rs->diags, k->cuda, lead);
	*l = (Region_left){ k, why, NULL };
	*rs->left_end = l;
	rs->left_end = &l->next;
}

static bool
report_unpaired(const Fn *fn, Regions *rs, const Marker *k, const char *what)
{
	Verdict why = verdict(rs->arena, D_UNPAIRED, fn_stmt(fn, k->stmt)->at.pos,
		"the markers of this annotation do not match: %s", what);

	region_leave(rs, k, "function left unchanged: ",
		verdict_note(why, rs->arena, DIAG_NOWHERE,
			"the compiler moved or merged code across the annotation; "
			"build this file without -Ofc=max, or restructure the statement"));
	return false;
}

/* Whether control may leave a region by the end of the thread at the end of block b. */
static bool
ends_thread(const Fn *fn, uint32_t b)
{
	uint32_t t = cfg_terminator(fn->cfg, b);
	Op op = t ? ptx_op(fn->m, fn_stmt(fn, t)) : OP_UNKNOWN;

	return op == OP_EXIT || op == OP_TRAP;
}

/* Floods the region of its begin marker; stack: room for all blocks. Returns a description of the
 * error in the markers, or NULL. */
static const char *
flood_region(const Fn *fn, Region *r, uint32_t *stack)
{
	const Marker *k = &fn->m->markers[r->marker];
	uint32_t n = 0;

	bits_set(r->blocks, r->entry);
	stack[n++] = r->entry;
	while (n) {
		uint32_t b = stack[--n];
		FN_SUCC(fn, b, s) {
			const Marker *there = s ? marker_at(fn, s) : NULL;
			if (s == 0) {
				if (!ends_thread(fn, b))
					return "a way out has no end marker";
			} else if (block_ends_region(fn, s, k) || bits_has(r->blocks, s)) {
				continue;
			} else if (there && !there->end && there->id == k->id) {
				return "it begins again before it ends";
			} else {
				bits_set(r->blocks, s);
				stack[n++] = s;
			}
		}
	}
	return NULL;
}

/* Checks that the begin marker is the only entry of the region. Returns what is wrong, or NULL. */
static const char *
check_single_entry(const Fn *fn, const Region *r)
{
	BITS_EACH(b, r->blocks) {
		if (!dom_dominates(fn->dom, r->entry, b))
			return "a way leads into it past its begin marker";
		FN_PRED(fn, b, p)
			if (b != r->entry && !bits_has(r->blocks, p) &&
				fn->cfg->rpo_index[p] != UINT32_MAX)
				return "a way leads back into it from behind an end marker";
	}
	return NULL;
}

static bool
region_has_loop(const Fn *fn, const Region *s)
{
	const Loops *l = fn->loops;

	BITS_EACH(b, s->blocks)
		if (l->loop_of[b] && l->loops[l->loop_of[b]].header == b)
			return true;
	return false;
}

/* Whether the annotation has iteration markers in its region. If so, it is before a loop. */
static bool
has_iterations(const Fn *fn, const Region *r)
{
	BITS_EACH(b, r->blocks)
		if (region_iteration(fn, r, b))
			return true;
	return false;
}

static Region_kind
kind_of(const Fn *fn, const Region *r)
{
	switch (fn->m->markers[r->marker].annot.kind) {
	case ANNOT_FOR: case ANNOT_GRID: case ANNOT_ASSIGN: return REGION_LOOP;
	case ANNOT_FOR_VAR: case ANNOT_WHILE: return REGION_INNER_LOOP;
	case ANNOT_SWITCH: return REGION_CASES;
	case ANNOT_DISTRIBUTE: return REGION_ARM;
	case ANNOT_PREDICT: return has_iterations(fn, r) ? REGION_INNER_LOOP : REGION_PATH;
	case ANNOT_REMAP: case ANNOT_REMAP_ELSE: return REGION_REMAPPED;
	default: return REGION_PATH;
	}
}

/* Creates the regions, by number of their markers in the function. Returns false if the markers of
 * some annotation do not match. */
static bool
find_regions(const Fn *fn, Region **all, Regions *rs)
{
	Arena *tmp = arena_new();
	uint32_t *stack = arena_array(tmp, fn->cfg->nblocks, sizeof *stack);
	Bits blocks = bits_new(tmp, fn->cfg->nblocks);
	bool ok = true;

	for (uint32_t i = 0; i < fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[fn->f->marker + i];
		if (k->end || k->done || marker_has_no_region(k) ||
			marker_pair_advice(fn, k) ||
			fn->cfg->rpo_index[fn_block(fn, k->stmt)] == UINT32_MAX)
			continue;
		Region *r = all[i] = arena_zalloc(rs->arena, sizeof *r);
		r->marker = fn->f->marker + i;
		r->entry = fn_block(fn, k->stmt);
		r->blocks = blocks;
		bits_clear(blocks);
		const char *wrong = flood_region(fn, r, stack);
		r->kind = kind_of(fn, r);
		if (wrong || (wrong = check_single_entry(fn, r)))
			ok = report_unpaired(fn, rs, k, wrong);
		r->blocks = bits_freeze(rs->arena, blocks);
	}
	arena_free(tmp);
	return ok;
}

/* Regions nest: the parent is the innermost one that contains the entry. An entry dominates its
 * region, so the regions around a block occur in reverse post-order of their entries. */
static void
find_parents(const Fn *fn, Region *kernel, Region **all)
{
	const Cfg *g = fn->cfg;
	Arena *tmp = arena_new();
	Region **begins = arena_array(tmp, g->nblocks, sizeof *begins);
	Region **inner = arena_array(tmp, g->nblocks, sizeof *inner);

	for (uint32_t i = 0; i < fn->f->nmarkers; i++)
		if (all[i])
			begins[all[i]->entry] = all[i];
	for (uint32_t i = 0; i < g->nrpo; i++) {
		Region *r = begins[g->rpo[i]];
		if (!r)
			continue;
		r->parent = inner[r->entry] ? inner[r->entry] : kernel;
		BITS_EACH(b, r->blocks)
			inner[b] = r;
	}
	arena_free(tmp);
}

static void
set_nesting(const Fn *fn, Region *kernel, Region **all)
{
	find_parents(fn, kernel, all);
	for (uint32_t i = fn->f->nmarkers; i-- > 0;) {
		Region *r = all[i];
		if (!r)
			continue;
		r->sibling = r->parent->child;
		r->parent->child = r;
	}
}

Region *
region_enclosing_site(const Region *r)
{
	Region *s = r->parent;

	while (s && !s->is_site)
		s = s->parent;
	return s;
}

Region *
region_switch_of_case(const Fn *fn, const Region *path)
{
	Region *r = path->parent;

	if (fn->m->markers[path->marker].annot.kind != ANNOT_CASE)
		return NULL;
	while (r && r->kind != REGION_CASES)
		r = r->parent;
	return r;
}

/* Whether regions are nested too deep: the table of each contains those inside it, which would take
 * too much time and memory. If so, reports the first such region and drops all. */
static bool
too_deep(const Fn *fn, Regions *rs, Region **all)
{
	enum { MOST_DEPTH = 128 };

	for (uint32_t i = 0; i < fn->f->nmarkers; i++) {
		uint32_t depth = 0;
		for (const Region *r = all[i]; r && r != &rs->kernel; r = r->parent)
			if (++depth > MOST_DEPTH)
				break;
		if (depth <= MOST_DEPTH)
			continue;
		const Marker *k = &fn->m->markers[all[i]->marker];
		Verdict why = verdict(rs->arena, D_NESTED, fn_stmt(fn, k->stmt)->at.pos,
			"its annotated statements are nested more than %d deep", MOST_DEPTH);
		region_leave(rs, k, "function left unchanged: ",
			verdict_note(why, rs->arena, DIAG_NOWHERE,
				"annotate fewer of the loops and paths around this one"));
		rs->kernel.child = NULL;
		return true;
	}
	return false;
}

/* Whether a loop is left in the annotated statement. Reports it if not. */
static bool
find_site_loop(const Fn *fn, const Region *s, Regions *rs)
{
	const Marker *k = &fn->m->markers[s->marker];

	if (region_has_loop(fn, s))
		return true;
	Verdict why = verdict(rs->arena, D_LOOP, fn_stmt(fn, k->stmt)->at.pos,
		"the compiler left no loop here");
	region_leave(rs, k, "loop left unchanged: ",
		verdict_note(why, rs->arena, DIAG_NOWHERE,
			"it was unrolled completely or optimised away"));
	return false;
}

/* Whether the region is a path or inner loop outside of any annotated loop. */
static bool
is_stray(const Fn *fn, const Region *r)
{
	const Marker *k = &fn->m->markers[r->marker];

	if ((r->kind != REGION_PATH && r->kind != REGION_INNER_LOOP) || marker_has_no_effect(k))
		return false;
	while (r && r->kind != REGION_LOOP)
		r = r->parent;
	return !r;
}

/* Whether a step before planning reports that the annotation is switched off. */
static bool
is_off_before_planning(const Marker *k)
{
	Annot_kind kind = k->annot.kind;

	return annot_is_off(&k->annot) && (kind == ANNOT_GRID || kind == ANNOT_DISTRIBUTE ||
		kind == ANNOT_REMAP || kind == ANNOT_REMAP_ELSE);
}

/* Reports annotations with invalid clauses, and those that are switched off. */
static void
report_idle(const Fn *fn, Regions *rs)
{
	for (uint32_t i = fn->f->marker; i < fn->f->marker + fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[i];
		if (!marker_has_no_effect(k) || is_off_before_planning(k) ||
			fn->cfg->rpo_index[fn_block(fn, k->stmt)] == UINT32_MAX)
			continue;
		Diag_kind kind = annot_is_off(&k->annot) ? D_OFF : D_CLAUSE;
		Verdict why = verdict(rs->arena, kind, k->wrong_at ? k->wrong_at : DIAG_NOWHERE,
			"%s", k->wrong);
		region_leave(rs, k,
			annot_is_loop(k->annot.kind)        ? "loop left unchanged: " :
				k->annot.kind == ANNOT_GRID ? "kernel left unchanged: " :
							      "path left unchanged: ",
			why);
	}
}

Regions *
region_build(const Fn *fn, Diags *d, Arena *a)
{
	Regions *rs = arena_zalloc(a, sizeof *rs);
	Region **all = arena_array(a, fn->f->nmarkers + 1u, sizeof *all);

	*rs = (Regions){ .left_end = &rs->left, .diags = d, .arena = a };
	rs->loops = arena_array(a, fn->f->nmarkers + 1u, sizeof *rs->loops);
	if (!marker_pairs_check(fn, rs) || !find_regions(fn, all, rs))
		return rs;
	set_nesting(fn, &rs->kernel, all);
	if (too_deep(fn, rs, all))
		return rs;
	report_idle(fn, rs);
	for (uint32_t i = 0; i < fn->f->nmarkers; i++)
		if (all[i] && all[i]->kind == REGION_LOOP && find_site_loop(fn, all[i], rs)) {
			all[i]->is_site = true;
			rs->loops[rs->nloops++] = all[i];
		}
	Region **paths = arena_array(a, fn->f->nmarkers + 1u, sizeof *paths);
	Region **inner_loops = arena_array(a, fn->f->nmarkers + 1u, sizeof *inner_loops);
	Region **inner = arena_array(a, fn->f->nmarkers + 1u, sizeof *inner);
	for (uint32_t i = 0; i < rs->nloops; i++) {
		rs->loops[i]->paths = paths;
		rs->loops[i]->inner_loops = inner_loops;
		rs->loops[i]->inner = inner;
		region_find_paths(fn, rs->loops[i], d, a);
		paths += rs->loops[i]->npaths;
		inner_loops += rs->loops[i]->ninner_loops;
		inner += rs->loops[i]->ninner;
	}
	rs->strays = arena_array(a, fn->f->nmarkers + 1u, sizeof *rs->strays);
	for (uint32_t i = 0; i < fn->f->nmarkers; i++)
		if (all[i] && is_stray(fn, all[i])) {
			if (all[i]->kind == REGION_INNER_LOOP)
				all[i]->loop = region_only_loop(fn, all[i]);
			rs->strays[rs->nstrays++] = all[i];
		}
	return rs;
}
