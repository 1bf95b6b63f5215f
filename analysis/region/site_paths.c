/* SPDX-License-Identifier: MIT */
/* The paths and inner loops of a site, and where they begin and continue. See region.h. */
#include <stdlib.h>
#include "analysis/cost/static_cost.h"
#include "analysis/region/common_calls.h"
#include "analysis/region/region.h"
#include "analysis/region/region_left.h"

enum { SMALL_PREFIX = 8 }; /* issue slots: four plain instructions */

const Marker *
region_marker_at(const Fn *fn, uint32_t block)
{
	const Block *b = &fn->cfg->blocks[block];
	if (b->stmt == b->end || fn_stmt(fn, b->stmt)->kind != STMT_MARKER)
		return NULL;
	const Marker *k = &fn->m->markers[fn_stmt(fn, b->stmt)->sym];
	return k->done ? NULL : k;
}

bool
region_is_empty(const Fn *fn, const Region *path)
{
	BITS_EACH(b, path->blocks)
		if (!cfg_block_empty(fn->cfg, b))
			return false;
	return true;
}

uint32_t
region_first_nonempty(const Fn *fn, uint32_t loop, uint32_t b)
{
	uint32_t header = fn->loops->loops[loop].header;
	for (uint32_t steps = 0; steps < fn->cfg->nblocks; steps++) {
		if (b == 0 || b == header || !loop_contains(fn->loops, loop, b) ||
			!cfg_block_empty(fn->cfg, b))
			break;
		b = cfg_succ(fn->cfg, b)[0];
	}
	return b;
}

/* Finds where the owner of a task continues after the path. */
void
region_find_next(const Fn *fn, uint32_t loop, Region *p)
{
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, s) {
			if (s == 0 || bits_has(p->blocks, s))
				continue;
			s = region_first_nonempty(fn, loop, s);
			if (p->next && p->next != s) {
				p->other = s;
				p->next = 0;
				return;
			}
			p->next = s;
		}
}

static bool
block_is_pure(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_DECL ||
			(fn_stmt(fn, s)->kind == STMT_INSN &&
				!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE) &&
				ptx_op(fn->m, fn_stmt(fn, s)) != OP_BRA))
			return false;
	return true;
}

uint32_t
region_nonempty_before(const Fn *fn, uint32_t loop, uint32_t block)
{
	const Cfg *g = fn->cfg;
	uint32_t b = g->blocks[block].npred == 1 ? cfg_pred(g, block)[0] : 0;

	if (g->blocks[b].nsucc != 1 || fn->loops->loop_of[b] != loop ||
		b == fn->loops->loops[loop].header)
		return 0;
	return b;
}

/* The compiler may place code that only the path needs between the branch and the path's marker.
 * Pure code there becomes a part of the path, since each owner would otherwise execute it alone. A
 * few instructions may stay outside: they often make the context small. */
static void
extend_to_branch(const Fn *fn, uint32_t loop, Region *p, Arena *a)
{
	uint64_t cost = 0;
	/* e is a block that is not empty, so that region_first_nonempty finds it too */
	uint32_t e = p->entry, at = e;
	for (uint32_t u; (u = region_nonempty_before(fn, loop, at)) != 0 && block_is_pure(fn, u);) {
		cost += cost_block(fn, u);
		at = u;
		if (!cfg_block_empty(fn->cfg, u))
			e = u;
	}
	if (cost <= SMALL_PREFIX || p->entry == e)
		return;
	Arena *tmp = arena_new();
	Bits blocks = bits_new(tmp, fn->cfg->nblocks);
	bits_copy(blocks, p->blocks);
	for (uint32_t b = p->entry; b != e; b = p->entry) {
		p->entry = cfg_pred(fn->cfg, b)[0];
		bits_set(blocks, p->entry);
	}
	p->blocks = bits_freeze(a, blocks);
	arena_free(tmp);
}

static int
costliest_first(const void *a, const void *b)
{
	const Region *x = *(Region *const *)a, *y = *(Region *const *)b;

	if (x->in_order != y->in_order)
		return x->in_order - y->in_order;
	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Whether the whole loop is in the region. An end marker may be in the middle of the loop. */
static bool
loop_within(const Fn *fn, uint32_t loop, const Region *r)
{
	return bits_within(fn->loops->loops[loop].blocks, r->blocks);
}

/* Returns the outermost loop inside the site's region that contains block b; 0 if there is none. */
static uint32_t
loop_in_site(const Fn *fn, const Region *s, uint32_t b)
{
	const Loops *l = fn->loops;
	uint32_t found = 0;
	for (uint32_t i = l->loop_of[b]; i && loop_within(fn, i, s); i = l->loops[i].parent)
		found = i;
	return found;
}

bool
region_iteration(const Fn *fn, const Region *s, uint32_t b)
{
	const Marker *k = region_marker_at(fn, b);
	return k && k->annot.kind == ANNOT_ITERATION && k->id == fn->m->markers[s->marker].id;
}

/* Returns the blocks with which an iteration of the site's loop begins, according to its
 * markers. */
static Bits
iteration_starts(const Fn *fn, const Region *s, Arena *a)
{
	Bits begins = bits_new(a, fn->cfg->nblocks);

	BITS_EACH(b, s->blocks)
		if (region_iteration(fn, s, b))
			bits_set(begins, b);
	return begins;
}

/* Whether an iteration begins on every path from the loop's header to the block, whose innermost
 * loop it is. If so, one begins on every path in the loop from the block back to it. */
static bool
begins_before(const Fn *fn, uint32_t loop, Bits begins, uint32_t block)
{
	if (bits_has(fn->loops->irreducible, block))
		return false;
	BITS_EACH(b, begins)
		if (loop_contains(fn->loops, loop, b) && dom_dominates(fn->dom, b, block))
			return true;
	return false;
}

/* Whether the path is executed at most once per iteration, that is, whether an iteration begins on
 * every way in the loop from after the path to the path. The loop may be an inner loop of the
 * annotated one: the compiler may have merged the two, or removed the annotated one. PTX from other
 * sources may have no iteration markers; then the loop is taken for the annotated one. */
static bool
path_executes_once(const Fn *fn, const Region *s, uint32_t loop, Bits begins, const Region *p,
	Arena *a)
{
	const Cfg *g = fn->cfg;

	if (!bits_any(begins) || (fn->loops->loop_of[p->entry] == loop &&
		begins_before(fn, loop, begins, p->entry)))
		return true;
	Arena_mark mark = arena_mark(a);
	Bits within = bits_new(a, g->nblocks), seen = bits_new(a, g->nblocks);
	bits_copy(within, s->blocks);
	bits_and(within, fn->loops->loops[loop].blocks);
	bits_and_not(within, begins);
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, to)
			if (!bits_has(p->blocks, to))
				cfg_flood(g, to, false, within, seen);
	bool once = !bits_has(seen, p->entry);
	arena_release(a, mark);
	return once;
}

/* Returns the loop of a site without paths: the one with the annotation's iteration markers;
 * without such markers the only loop, or 0. */
static uint32_t
marked_loop_of_site(const Fn *fn, const Region *s)
{
	uint32_t only = 0, n = 0;

	BITS_EACH(b, s->blocks) {
		uint32_t loop = loop_in_site(fn, s, b);
		if (loop && region_iteration(fn, s, b))
			return loop;
		n += loop && loop != only;
		only = loop ? loop : only;
	}
	return n == 1 ? only : 0;
}

bool
marker_has_no_effect(const Marker *k)
{
	return !k->end && !k->done && k->wrong;
}

static void
refuse_path(const Fn *fn, Diags *d, const Marker *k, const char *why, const char *advice)
{
	diag_cuda(d, D_PATH, k->cuda, fn_stmt(fn, k->stmt)->at.pos, "path left unchanged: %s", why);
	if (advice)
		diag_note(d, DIAG_NOWHERE, "%s", advice);
}

/* Whether the compiler has duplicated the path in its function. */
static bool
has_copies(const Fn *fn, const Marker *k)
{
	uint32_t n = 0;

	for (uint32_t i = fn->f->marker; i < fn->f->marker + fn->f->nmarkers; i++)
		n += !fn->m->markers[i].end && fn->m->markers[i].id == k->id;
	return n > 1;
}

static bool
is_in_while(const Fn *fn, const Region *r)
{
	while (r && (r->kind != REGION_INNER_LOOP ||
			    fn->m->markers[r->marker].annot.kind != ANNOT_WHILE))
		r = r->parent;
	return r != NULL;
}

/* Notes that the loop around the region needs an annotation `for`, in place of another one that it
 * may have. */
static void
note_loop_needs_for(const Fn *fn, Diags *d, const Region *site, const Region *r, const char *where)
{
	const Region *o = r->parent;

	while (o && o != site && o->kind != REGION_INNER_LOOP)
		o = o->parent;
	if (!o || o == site) {
		diag_note(d, DIAG_NOWHERE, "annotate %s with '#pragma ccc for'", where);
		return;
	}
	const Marker *k = &fn->m->markers[o->marker], *outer = &fn->m->markers[site->marker];
	diag_note(d, DIAG_NOWHERE, "write '#pragma ccc for' in place of '#pragma ccc %s' in line %u",
		annot_kinds[k->annot.kind].words, k->cuda.line);
	if (outer->annot.kind == ANNOT_GRID && site->child == o && !o->sibling)
		diag_note(d, DIAG_NOWHERE,
			"and remove '#pragma ccc grid' in line %u, which only that loop needed",
			outer->cuda.line);
}

/* Reports a path that cannot be used: outside of any loop of the site it runs once at most; in an
 * inner loop it runs several times per iteration. */
static void
refuse_path_loop(const Fn *fn, Diags *d, const Region *s, const Region *p, uint32_t loop)
{
	const Marker *k = &fn->m->markers[p->marker];
	const bool collected = is_in_while(fn, p);

	if (loop && collected)
		refuse_path(fn, d, k, "it is in a loop whose iterations are collected",
			"remove one of the two: with '#pragma ccc for' in place of the inner loop's annotation, the report has the gain of this one");
	else if (loop) {
		refuse_path(fn, d, k, "it is in a loop nested in the annotated one", NULL);
		note_loop_needs_for(fn, d, s, p, "the inner loop");
	} else
		refuse_path(fn, d, k, "it leaves the annotated loop",
			"move 'break', 'return' or 'goto' out of the path");
	if (!loop && has_copies(fn, k))
		diag_note(d, DIAG_NOWHERE,
			"or the loop was unrolled, and this copy is for the iterations left over: it runs once");
}

static bool
is_predicted(const Fn *fn, const Region *r)
{
	return fn->m->markers[r->marker].annot.kind == ANNOT_PREDICT;
}

/* Adds the region to inner if it is predicted and inside a predicted loop of the site. Returns
 * whether it did. */
static bool
add_inner(const Fn *fn, Region *s, Region *r)
{
	if (!is_predicted(fn, r))
		return false;
	for (const Region *o = r->parent; o && o != s; o = o->parent)
		if (o->kind == REGION_INNER_LOOP && is_predicted(fn, o) && o->loop &&
			loop_contains(fn->loops, o->loop, r->entry)) {
			s->inner[s->ninner++] = r;
			return true;
		}
	return false;
}

static void
add_path(const Fn *fn, Region *s, Region *p, Bits begins, Diags *d, Arena *a)
{
	const Marker *k = &fn->m->markers[p->marker];
	uint32_t loop = loop_in_site(fn, s, p->entry);

	if (add_inner(fn, s, p))
		return;
	if (!loop || loop != fn->loops->loop_of[p->entry] ||
		!path_executes_once(fn, s, loop, begins, p, a)) {
		refuse_path_loop(fn, d, s, p, loop);
		s->refused_paths = true;
		return;
	}
	region_find_next(fn, loop, p);
	if (annot_has(&k->annot, CLAUSE_COALESCED))
		region_exclude_leading_loads(fn, p);
	else
		extend_to_branch(fn, loop, p, a);
	p->cost = cost_blocks(fn, p->blocks, p->entry);
	s->paths[s->npaths++] = p;
}

static void
refuse_inner_loop(const Fn *fn, Diags *d, const Marker *k, const char *why, const char *advice)
{
	diag_cuda(d, D_LOOP, k->cuda, fn_stmt(fn, k->stmt)->at.pos, "loop left unchanged: %s", why);
	if (advice)
		diag_note(d, DIAG_NOWHERE, "%s", advice);
}

uint32_t
region_only_loop(const Fn *fn, const Region *r)
{
	const Loops *l = fn->loops;
	uint32_t found = 0;

	BITS_EACH(b, r->blocks) {
		uint32_t i = l->loop_of[b];
		if (!i || l->loops[i].header != b || loop_in_site(fn, r, b) != i)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/* Adds an annotated inner loop to the site, or reports why not. */
static void
add_inner_loop(const Fn *fn, Region *s, Region *r, Bits begins, Diags *d, Arena *a)
{
	const Marker *k = &fn->m->markers[r->marker];
	uint32_t loop = loop_in_site(fn, s, r->entry);

	r->loop = region_only_loop(fn, r);
	if (!r->loop)
		refuse_inner_loop(fn, d, k, "the compiler left no loop here, or made several of it",
			"it was unrolled completely or optimised away, or it has a test that could be taken out of it");
	else if (add_inner(fn, s, r))
		return;
	else if (!loop || fn->loops->loops[r->loop].parent != loop ||
		!path_executes_once(fn, s, loop, begins, r, a)) {
		refuse_inner_loop(fn, d, k,
			"it is not directly inside the annotated loop around it", NULL);
		note_loop_needs_for(fn, d, s, r, "the loop that contains it");
	} else {
		r->cost = cost_blocks(
			fn, fn->loops->loops[r->loop].blocks, fn->loops->loops[r->loop].header);
		r->in_order = k->annot.kind == ANNOT_WHILE;
		s->inner_loops[s->ninner_loops++] = r;
		return;
	}
	s->refused_paths = true;
}

/* Returns the region after r in a pre-order traversal of site s without nested sites; NULL at the
 * end. */
static Region *
next_in_site(const Region *s, Region *r)
{
	if (r->child && (r == s || !r->is_site))
		return r->child;
	while (r != s && !r->sibling)
		r = r->parent;
	return r == s ? NULL : r->sibling;
}

void
region_find_paths(const Fn *fn, Region *s, Diags *d, Arena *a)
{
	Arena *tmp = arena_new();
	Bits begins = iteration_starts(fn, s, tmp);

	for (Region *r = next_in_site(s, s); r; r = next_in_site(s, r)) {
		const Marker *k = &fn->m->markers[r->marker];
		if (marker_has_no_effect(k)) {
			s->refused_paths = true;
			s->off_paths |= annot_is_off(&k->annot);
		} else if (r->kind == REGION_PATH)
			add_path(fn, s, r, begins, d, a);
		else if (r->kind == REGION_INNER_LOOP)
			add_inner_loop(fn, s, r, begins, d, a);
	}
	arena_free(tmp);
	qsort(s->paths, s->npaths, sizeof *s->paths, costliest_first);
	qsort(s->inner_loops, s->ninner_loops, sizeof *s->inner_loops, costliest_first);
	if (s->npaths)
		s->loop = fn->loops->loop_of[s->paths[0]->entry];
	else if (s->ninner_loops)
		s->loop = fn->loops->loops[s->inner_loops[0]->loop].parent;
	else
		s->loop = marked_loop_of_site(fn, s);
}

/* Whether the region is in a loop of the function. The loop of an inner-loop region itself does not
 * count. */
static bool
region_is_in_loop(const Fn *fn, const Region *r)
{
	uint32_t l = fn->loops->loop_of[r->entry];

	while (l && r->kind == REGION_INNER_LOOP && bits_has(r->blocks, fn->loops->loops[l].header))
		l = fn->loops->loops[l].parent;
	return l != 0;
}

static bool
has_grid_annotation(const Module *m, const Func *f)
{
	bool has = false;

	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++)
		has |= m->markers[i].annot.kind == ANNOT_GRID;
	return has;
}

/* Returns what to do about a path or an inner loop outside of any annotated loop. */
static const char *
stray_remedy(bool predicted, bool loop, bool grid)
{
	if (predicted)
		return "'#pragma ccc predict' needs '#pragma ccc for' over the loop around it, or calls of one function on all sides of a branch, each annotated";
	if (loop && grid)
		return "put '#pragma ccc for' over the loop around it: the task loop of '#pragma ccc grid' serves code outside of the kernel's own loops";
	if (loop)
		return "put '#pragma ccc for' over the loop around it";
	return "'#pragma ccc grid' before the kernel makes a loop of its blocks; or write a grid-stride loop with "
	       "'#pragma ccc for' over it (docs/annotations.md)";
}

void
region_report_strays(const Fn *fn, Regions *rs)
{
	const bool grid = has_grid_annotation(fn->m, &fn->m->funcs[fn->func]);

	for (uint32_t i = 0; i < rs->nstrays; i++) {
		const Region *r = rs->strays[i];
		const Marker *k = &fn->m->markers[r->marker];
		bool loop = region_is_in_loop(fn, r) || !fn->m->funcs[fn->func].entry;
		bool path = r->kind == REGION_PATH, predicted = path && is_predicted(fn, r);
		Verdict why = verdict(rs->arena, path ? D_PATH : D_LOOP,
			fn_stmt(fn, k->stmt)->at.pos, "%s",
			loop ? "no annotated loop around it" : "there is no loop around it");
		region_leave(rs, k, path ? "path left unchanged: " : "loop left unchanged: ",
			verdict_note(why, rs->arena, DIAG_NOWHERE, "%s",
				stray_remedy(predicted, loop, grid)));
		if (predicted)
			common_call_note(fn, r, rs->diags);
	}
}
