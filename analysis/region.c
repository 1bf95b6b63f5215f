/* SPDX-License-Identifier: MIT */
/* Sites and paths from markers. See region.h; docs/design.md 4.2 says how markers come to
 * stand where they do.
 *
 * Everything follows from one walk: flood from a begin marker, stop at its end markers. Each
 * region costs time linear in its size; regions of one function nest, so the whole is linear but
 * for the nesting depth.
 */
#include <stdlib.h>
#include <string.h>
#include "analysis/cost.h"
#include "analysis/partners.h"
#include "analysis/region.h"

enum { SMALL_PREFIX = 8 }; /* issue slots: four plain instructions */

/* The marker that a block starts with, if it is of an annotation still to be followed. */
static const Marker *
any_marker_at(const Fn *fn, uint32_t block)
{
	const Block *b = &fn->cfg->blocks[block];
	if (b->stmt == b->end || fn_stmt(fn, b->stmt)->kind != STMT_MARKER)
		return NULL;
	const Marker *k = &fn->m->markers[fn_stmt(fn, b->stmt)->sym];
	return k->done ? NULL : k;
}

/* Likewise, one that begins or ends a region. */
static const Marker *
marker_at(const Fn *fn, uint32_t block)
{
	const Marker *k = any_marker_at(fn, block);
	return k && k->annot.kind != ANNOT_ITERATION ? k : NULL;
}

static bool
ends(const Fn *fn, uint32_t block, const Marker *begin)
{
	const Marker *k = marker_at(fn, block);
	return k && k->end && k->id == begin->id;
}

static bool
unpaired(const Fn *fn, Diags *d, const Marker *k, const char *what)
{
	diag_cuda(d, D_UNPAIRED, k->cuda, fn_stmt(fn, k->stmt)->at.pos,
		"function left as it was: the markers of this annotation do not match: %s", what);
	diag_note(d, DIAG_NOWHERE,
		"the compiler moved or merged code across the annotation; "
		"build this file without -Ofc=max, or restructure the statement");
	return false;
}

/* May control leave a region at the end of block b, which no edge leaves? */
static bool
ends_thread(const Fn *fn, uint32_t b)
{
	uint32_t t = cfg_terminator(fn->cfg, b);
	Op op = t ? ptx_op(fn->m, fn_stmt(fn, t)) : OP_UNKNOWN;

	return op == OP_EXIT || op == OP_TRAP;
}

/* Floods the region of its begin marker; stack: room for all blocks. What is wrong with the
 * markers; NULL: nothing. */
static const char *
flood(const Fn *fn, Region *r, uint32_t *stack)
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
			} else if (ends(fn, s, k) || bits_has(r->blocks, s)) {
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

/* Does another way than by its begin marker lead into the region? What is wrong; NULL: nothing. */
static const char *
ways_in(const Fn *fn, const Region *r)
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

bool
region_block_empty(const Fn *fn, uint32_t block)
{
	if (fn->cfg->blocks[block].nsucc != 1)
		return false;
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN &&
			!(ptx_op(fn->m, fn_stmt(fn, s)) == OP_BRA && !fn_stmt(fn, s)->guard))
			return false;
	return true;
}

uint32_t
region_resolve(const Fn *fn, uint32_t loop, uint32_t b)
{
	uint32_t header = fn->loops->loops[loop].header;
	for (uint32_t steps = 0; steps < fn->cfg->nblocks; steps++) {
		if (b == 0 || b == header || !loop_contains(fn->loops, loop, b) ||
			!region_block_empty(fn, b))
			break;
		b = cfg_succ(fn->cfg, b)[0];
	}
	return b;
}

/* Finds where the owner of a task goes on when the path is done. */
void
region_find_next(const Fn *fn, uint32_t loop, Region *p)
{
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, s) {
			if (s == 0 || bits_has(p->blocks, s))
				continue;
			s = region_resolve(fn, loop, s);
			if (p->next && p->next != s) {
				p->other = s;
				p->next = 0;
				return;
			}
			p->next = s;
		}
}

static bool
all_pure(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_DECL ||
			(fn_stmt(fn, s)->kind == STMT_INSN &&
				!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE) &&
				ptx_op(fn->m, fn_stmt(fn, s)) != OP_BRA))
			return false;
	return true;
}

/* Work that only the path needs, put by the compiler between the branch to the path and its
 * marker, belongs to the path if it is pure: else each owner would do it alone. A few
 * instructions may stay: they are often what makes the context small. */
static void
extend_to_branch(const Fn *fn, uint32_t loop, Region *p)
{
	const Cfg *g = fn->cfg;
	uint64_t cost = 0;
	/* the entry has something in it: region_resolve finds it, too */
	uint32_t e = p->entry, at = e;
	while (g->blocks[at].npred == 1) {
		uint32_t u = cfg_pred(g, at)[0];
		if (g->blocks[u].nsucc != 1 || fn->loops->loop_of[u] != loop ||
			u == fn->loops->loops[loop].header || !all_pure(fn, u))
			break;
		cost += cost_block(fn, u);
		at = u;
		if (!region_block_empty(fn, u))
			e = u;
	}
	if (cost <= SMALL_PREFIX)
		return;
	for (uint32_t b = p->entry; b != e; b = p->entry) {
		p->entry = cfg_pred(g, b)[0];
		bits_set(p->blocks, p->entry);
	}
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

/* Is the whole loop in the region? An end marker could stand in the middle of it. */
static bool
loop_within(const Fn *fn, uint32_t loop, const Region *r)
{
	return bits_within(fn->loops->loops[loop].blocks, r->blocks);
}

/* The outermost loop inside the site's region that holds block b; 0 = none. */
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
	const Marker *k = any_marker_at(fn, b);
	return k && k->annot.kind == ANNOT_ITERATION && k->id == fn->m->markers[s->marker].id;
}

/* Is the path run once an iteration at most, that is: does an iteration begin on every way in the
 * loop from behind the path to the path? The loop could be one inside the annotated one, which the
 * compiler merged with it or left no loop of. PTX from elsewhere may have no markers of iterations:
 * there the loop is the one meant. */
static bool
once_an_iteration(const Fn *fn, const Region *s, uint32_t loop, const Region *p, Arena *a)
{
	const Cfg *g = fn->cfg;
	Arena_mark mark = arena_mark(a);
	Bits within = bits_new(a, g->nblocks), seen = bits_new(a, g->nblocks);
	bool marked = false;

	BITS_EACH(b, s->blocks) {
		marked = marked || region_iteration(fn, s, b);
		if (loop_contains(fn->loops, loop, b) && !region_iteration(fn, s, b))
			bits_set(within, b);
	}
	BITS_EACH(b, p->blocks)
		FN_SUCC(fn, b, to)
			if (!bits_has(p->blocks, to))
				cfg_flood(g, to, false, within, seen);
	bool once = !marked || !bits_has(seen, p->entry);
	arena_release(a, mark);
	return once;
}

/* The loop of a site without paths: the one whose iterations the annotation marks; where no marks
 * are, the only one. */
static uint32_t
loop_without_path(const Fn *fn, const Region *s)
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

/* Does the annotation stay without effect? report_idle says why. */
static bool
is_idle(const Marker *k)
{
	return !k->end && !k->done && (k->wrong || !annot_kinds[k->annot.kind].acts);
}

static void
path_refused(const Fn *fn, Diags *d, const Marker *k, const char *why, const char *advice)
{
	diag_cuda(d, D_PATH, k->cuda, fn_stmt(fn, k->stmt)->at.pos, "path left as it was: %s", why);
	diag_note(d, DIAG_NOWHERE, "%s", advice);
}

/* A path that is in no loop of its site runs once at most; one whose loop is not the outermost,
 * several times an iteration. */
static void
refuse_place(const Fn *fn, Diags *d, const Marker *k, uint32_t loop)
{
	if (loop)
		path_refused(fn, d, k, "it stands in a loop inside the annotated one",
			"annotate the inner loop with '#pragma ccc for'");
	else
		path_refused(fn, d, k, "it leaves the annotated loop",
			"move 'break', 'return' or 'goto' out of the path");
}

static void
add_path(const Fn *fn, Region *s, Region *p, Diags *d, Arena *a)
{
	const Marker *k = &fn->m->markers[p->marker];
	uint32_t loop = loop_in_site(fn, s, p->entry);

	if (!loop || loop != fn->loops->loop_of[p->entry] ||
		!once_an_iteration(fn, s, loop, p, a)) {
		refuse_place(fn, d, k, loop);
		s->refused_paths = true;
		return;
	}
	region_find_next(fn, loop, p);
	extend_to_branch(fn, loop, p);
	p->cost = cost_blocks(fn, p->blocks, p->entry);
	s->paths[s->npaths++] = p;
}

static void
rounds_refused(const Fn *fn, Diags *d, const Marker *k, const char *why, const char *advice)
{
	diag_cuda(d, D_LOOP, k->cuda, fn_stmt(fn, k->stmt)->at.pos, "loop left as it was: %s", why);
	diag_note(d, DIAG_NOWHERE, "%s", advice);
}

/* The outermost loop inside the region r of an annotated loop; 0: there is none, or several. */
static uint32_t
only_loop(const Fn *fn, const Region *r)
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

/* A loop inside the annotated one, whose trip count is the lane's own. */
static void
add_rounds(const Fn *fn, Region *s, Region *r, Diags *d, Arena *a)
{
	const Marker *k = &fn->m->markers[r->marker];
	uint32_t loop = loop_in_site(fn, s, r->entry);

	r->loop = only_loop(fn, r);
	if (!r->loop)
		rounds_refused(fn, d, k, "the compiler left no loop here, or made several of it",
			"it was unrolled completely or optimised away, or it has a test that could be taken out of it");
	else if (!loop || fn->loops->loops[r->loop].parent != loop ||
		!once_an_iteration(fn, s, loop, r, a))
		rounds_refused(fn, d, k,
			"it does not stand right inside the annotated loop around it",
			"annotate the loop that it stands in with '#pragma ccc for'");
	else {
		r->cost = cost_blocks(
			fn, fn->loops->loops[r->loop].blocks, fn->loops->loops[r->loop].header);
		r->in_order = k->annot.kind == ANNOT_WHILE;
		s->rounds[s->nrounds++] = r;
		return;
	}
	s->refused_paths = true;
}

/* The region behind r in site s, not looking into other sites; NULL: there is none. */
static Region *
next_in_site(const Region *s, Region *r)
{
	if (r->child && (r == s || !r->is_site))
		return r->child;
	while (r != s && !r->sibling)
		r = r->parent;
	return r == s ? NULL : r->sibling;
}

static void
find_paths(const Fn *fn, Region *s, Diags *d, Arena *a)
{
	for (Region *r = next_in_site(s, s); r; r = next_in_site(s, r)) {
		const Marker *k = &fn->m->markers[r->marker];
		if (is_idle(k))
			s->refused_paths = true;
		else if (r->kind == REGION_PATH)
			add_path(fn, s, r, d, a);
		else if (r->kind == REGION_ROUNDS)
			add_rounds(fn, s, r, d, a);
	}
	qsort(s->paths, s->npaths, sizeof *s->paths, costliest_first);
	qsort(s->rounds, s->nrounds, sizeof *s->rounds, costliest_first);
	if (s->npaths)
		s->loop = fn->loops->loop_of[s->paths[0]->entry];
	else if (s->nrounds)
		s->loop = fn->loops->loops[s->rounds[0]->loop].parent;
	else
		s->loop = loop_without_path(fn, s);
}

static bool
any_loop(const Fn *fn, const Region *s)
{
	const Loops *l = fn->loops;

	BITS_EACH(b, s->blocks)
		if (l->loop_of[b] && l->loops[l->loop_of[b]].header == b)
			return true;
	return false;
}

/* Does the annotation mark iterations in its region? Then it stands before a loop. */
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
	case ANNOT_FOR: case ANNOT_GRID: return REGION_LOOP;
	case ANNOT_FOR_VAR: case ANNOT_WHILE: return REGION_ROUNDS;
	case ANNOT_SWITCH: return REGION_CASES;
	case ANNOT_DISTRIBUTE: return REGION_ARM;
	case ANNOT_PREDICT: return has_iterations(fn, r) ? REGION_ROUNDS : REGION_PATH;
	case ANNOT_REMAP: case ANNOT_REMAP_ELSE: return REGION_REMAPPED;
	default: return REGION_PATH;
	}
}

/* The regions by their markers' numbers in the function. False: the markers of some annotation do
 * not match. */
static bool
find_regions(const Fn *fn, Region **all, Diags *d, Arena *a)
{
	uint32_t *stack = xmalloc(fn->cfg->nblocks * sizeof *stack);
	bool ok = true;

	for (uint32_t i = 0; i < fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[fn->f->marker + i];
		if (k->end || k->done || k->annot.kind == ANNOT_ITERATION || partners_wish(fn, k) ||
			fn->cfg->rpo_index[fn_block(fn, k->stmt)] == UINT32_MAX)
			continue;
		Region *r = all[i] = arena_zalloc(a, sizeof *r);
		r->marker = fn->f->marker + i;
		r->entry = fn_block(fn, k->stmt);
		r->blocks = bits_new(a, fn->cfg->nblocks);
		const char *wrong = flood(fn, r, stack);
		r->kind = kind_of(fn, r);
		if (wrong || (wrong = ways_in(fn, r)))
			ok = unpaired(fn, d, k, wrong);
	}
	xfree(stack);
	return ok;
}

/* Regions nest: the parent is the innermost one that holds the entry. An entry dominates its
 * region, so the regions around a block come in reverse post-order of their entries. */
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
nest(const Fn *fn, Region *kernel, Region **all)
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
region_site(const Region *r)
{
	Region *s = r->parent;

	while (s && !s->is_site)
		s = s->parent;
	return s;
}

Region *
region_switch(const Fn *fn, const Region *path)
{
	Region *r = path->parent;

	if (fn->m->markers[path->marker].annot.kind != ANNOT_CASE)
		return NULL;
	while (r && r->kind != REGION_CASES)
		r = r->parent;
	return r;
}

/* Is there a loop left in the annotated statement? */
static bool
find_loop(const Fn *fn, const Region *s, Diags *d)
{
	const Marker *k = &fn->m->markers[s->marker];

	if (any_loop(fn, s))
		return true;
	diag_cuda(d, D_LOOP, k->cuda, fn_stmt(fn, k->stmt)->at.pos,
		"loop left as it was: the compiler left no loop here");
	diag_note(d, DIAG_NOWHERE, "it was unrolled completely or optimised away");
	return false;
}

/* Every annotation of a path or an inner loop must stand in some annotated loop. */
static bool
is_stray(const Fn *fn, const Region *r)
{
	const Marker *k = &fn->m->markers[r->marker];

	if ((r->kind != REGION_PATH && r->kind != REGION_ROUNDS) || is_idle(k))
		return false;
	while (r && r->kind != REGION_LOOP)
		r = r->parent;
	return !r;
}

void
region_strays(const Fn *fn, const Regions *rs, Diags *d)
{
	for (uint32_t i = 0; i < rs->nstrays; i++) {
		const Marker *k = &fn->m->markers[rs->strays[i]->marker];
		if (rs->strays[i]->kind == REGION_PATH)
			path_refused(fn, d, k, "no annotated loop around it",
				"put '#pragma ccc for' over the loop; of a kernel with one task a thread, "
				"'#pragma ccc grid' before the kernel");
		else
			rounds_refused(fn, d, k, "no annotated loop around it",
				"put '#pragma ccc for' over the loop around it; of a kernel with one task a thread, "
				"'#pragma ccc grid' before the kernel");
	}
}

static void
report_idle(const Fn *fn, Diags *d)
{
	for (uint32_t i = fn->f->marker; i < fn->f->marker + fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[i];
		if (!is_idle(k) || fn->cfg->rpo_index[fn_block(fn, k->stmt)] == UINT32_MAX)
			continue;
		if (k->wrong)
			diag_cuda(d, D_CLAUSE, k->cuda, k->wrong_at, "%s left as it was: %s",
				annot_is_loop(k->annot.kind) ? "loop" :
				k->annot.kind == ANNOT_GRID ? "kernel" : "path", k->wrong);
		else
			diag_cuda(d, D_POLICY, k->cuda, fn_stmt(fn, k->stmt)->at.pos,
				"'#pragma ccc %s' is not in this version: left as it was",
				annot_words(&k->annot));
	}
}

Regions *
region_build(const Fn *fn, Diags *d, Arena *a)
{
	Regions *rs = arena_zalloc(a, sizeof *rs);
	Region **all = arena_array(a, fn->f->nmarkers + 1u, sizeof *all);

	rs->loops = arena_array(a, fn->f->nmarkers + 1u, sizeof *rs->loops);
	if (!partners_check(fn, d) || !find_regions(fn, all, d, a))
		return rs;
	nest(fn, &rs->kernel, all);
	report_idle(fn, d);
	for (uint32_t i = 0; i < fn->f->nmarkers; i++)
		if (all[i] && all[i]->kind == REGION_LOOP && find_loop(fn, all[i], d)) {
			all[i]->is_site = true;
			rs->loops[rs->nloops++] = all[i];
		}
	Region **paths = arena_array(a, fn->f->nmarkers + 1u, sizeof *paths);
	Region **rounds = arena_array(a, fn->f->nmarkers + 1u, sizeof *rounds);
	for (uint32_t i = 0; i < rs->nloops; i++) {
		rs->loops[i]->paths = paths;
		rs->loops[i]->rounds = rounds;
		find_paths(fn, rs->loops[i], d, a);
		paths += rs->loops[i]->npaths;
		rounds += rs->loops[i]->nrounds;
	}
	rs->strays = arena_array(a, fn->f->nmarkers + 1u, sizeof *rs->strays);
	for (uint32_t i = 0; i < fn->f->nmarkers; i++)
		if (all[i] && is_stray(fn, all[i]))
			rs->strays[rs->nstrays++] = all[i];
	return rs;
}
