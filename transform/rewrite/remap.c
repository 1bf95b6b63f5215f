/* SPDX-License-Identifier: MIT */
/* Selects the annotated branches to remap. See remap.h. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "transform/cost/profile_lookup.h"
#include "transform/output/report_plan.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/remap.h"
#include "transform/task/shared_layout.h"
#include "transform/text/unique_names.h"

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;           /* for reports */
	const Effects *effects;
	const Threads *threads;
	Shared shared;
	Remaps_told left;
	Remap_told done;
} Work;

/* The paths of one annotated branch. */
typedef struct { const Region *at[128]; uint32_t n; } Paths;

static const Marker *
marker_of(const Fn *fn, const Region *r)
{
	return &fn->m->markers[r->marker];
}

/* ---- paths that belong together -------------------------------------------------------------- */

/* Whether another annotation is between the two, by number. */
static bool
another_between(const Fn *fn, const Region *r, uint32_t id, uint32_t end)
{
	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *k = marker_of(fn, o);
		if (k->annot.kind == ANNOT_REMAP && k->id > id && k->id <= end)
			return true;
	}
	return false;
}

/* Adds a path. Among copies of it, keeps the one whose common dominator with the first path is
 * latest. */
static void
add_path(const Fn *fn, Paths *p, const Region *r)
{
	const Marker *k = marker_of(fn, r);
	const Region *first = p->at[0];

	for (uint32_t i = 1; i < p->n; i++) {
		if (marker_of(fn, p->at[i])->id != k->id)
			continue;
		uint32_t old = dom_common(fn->dom, first->entry, p->at[i]->entry);
		if (dom_dominates(fn->dom, old, dom_common(fn->dom, first->entry, r->entry)))
			p->at[i] = r;
		return;
	}
	if (p->n < sizeof p->at / sizeof *p->at)
		p->at[p->n++] = r;
}

/* Returns r, the first path of an `if`, with its other paths. */
static Paths
paths_of(const Fn *fn, const Region *r)
{
	const Marker *k = marker_of(fn, r);
	Paths p = { { r }, 1 };

	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = marker_of(fn, o);
		if (o->kind == REGION_REMAPPED && l->annot.kind == ANNOT_REMAP_ELSE &&
			l->id > k->id && l->cuda.line == k->cuda.line &&
			strcmp(l->cuda.file, k->cuda.file) == 0 &&
			!another_between(fn, r, k->id, l->id))
			add_path(fn, &p, o);
	}
	return p;
}

/* Whether r is the first remaining path of its branch; the compiler may have dropped earlier
 * ones. */
static bool
is_first(const Fn *fn, const Region *r)
{
	const Marker *k = marker_of(fn, r);

	if (k->annot.kind == ANNOT_REMAP)
		return true;
	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = marker_of(fn, o);
		if (o->kind == REGION_REMAPPED && l->id < k->id && l->cuda.line == k->cuda.line &&
			strcmp(l->cuda.file, k->cuda.file) == 0 &&
			!another_between(fn, r, l->id, k->id))
			return false;
	}
	return true;
}

/* ---- one branch ------------------------------------------------------------------------------ */

/* Whether the policy can exchange the work of that many paths. */
static bool
exchanges(Annot_policy p, uint32_t npaths)
{
	return p == POLICY_PARTITION || p == POLICY_DGI || (p == POLICY_HOT && npaths <= 2);
}

/* Returns the requested policy, or the default. */
static Annot_policy
policy_of(Plan *x)
{
	const Annot *a = &plan_marker(x)->annot;

	if (annot_has(a, CLAUSE_THREADS))
		x->says_threads = a->number[CLAUSE_THREADS];
	if (annot_has(a, CLAUSE_POLICY) && exchanges(a->policy, x->remap->npaths))
		return a->policy;
	bool named = annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO;
	if (!named && exchanges(x->opt->policy, x->remap->npaths))
		return x->opt->policy;
	x->remap->chooses = x->opt->choose != CHOOSE_FIRST;
	if (!named)
		return POLICY_PARTITION;
	*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		a->policy == POLICY_HOT ?
			"policy '%s' is for two paths: using 'auto'" :
			"policy '%s' does not exchange work between threads: using 'auto'",
		annot_policies[a->policy].name);
	return POLICY_PARTITION;
}

/* Refuses annotations that cannot be combined with this one. */
static Verdict
alone(const Plan *x, const Paths *p)
{
	const Fn *fn = x->fn;

	for (const Region *r = p->at[0]->parent; r; r = r->parent)
		if (r->kind == REGION_LOOP)
			return verdict_note(verdict(x->arena, D_NESTED, DIAG_NOWHERE,
						    "it is inside an annotated loop"),
				x->arena, DIAG_NOWHERE,
				"the threads of a block cannot synchronise while those of a warp are in different iterations");
		else if (r->kind == REGION_REMAPPED)
			return verdict(x->arena, D_NESTED, DIAG_NOWHERE,
				"it is inside another one, which only some threads reach");
	for (uint32_t i = 0; i < p->n; i++)
		for (const Region *c = p->at[i]->child; c; c = c->sibling)
			if (c->kind != REGION_REMAPPED)
				return verdict(x->arena, D_NESTED,
					fn_stmt(fn, marker_of(fn, c)->stmt)->at.pos,
					"it contains another annotation");
	return VERDICT_YES;
}

static void
tell(Work *w, const Plan *x, const Paths *p)
{
	Remap_told t = { .func = x->fn->func, .nmarkers = p->n };

	t.markers = arena_array(w->arena, p->n, sizeof *t.markers);
	for (uint32_t i = 0; i < p->n; i++)
		t.markers[i] = p->at[i]->marker;
	t.done = !verdict_no(x->why);
	if (t.done)
		t.report = report_remap(x, w->arena);
	else
		t.report = (Report_remap){ .func = x->fn->func, .paths = p->n };
	t.why = verdict_copy(&x->why, w->arena);
	if (x->hints.n)
		t.hint = verdict_copy(&x->hints.at[0], w->arena);
	if (t.done)
		w->done = t;
	else
		*vec_push(&w->left) = t;
}

/* Remaps the branch whose first path is r. Returns false if it cannot be remapped. */
static bool
remap_branch(Work *w, const Fn *fn, const Region *r)
{
	Arena *a = arena_new();
	Paths p = paths_of(fn, r);
	Region site = *p.at[0];
	Part part = { .path = &site };
	Remap remap = { .paths = p.at, .npaths = p.n };
	Plan x = { .fn = fn,
		.site = &site,
		.locals = local_build(w->m, w->threads, fn->func, a),
		.opt = w->opt,
		.arena = a,
		.scratch = a,
		.parts = &part,
		.nparts = 1,
		.remap = &remap };
	Room room = shared_room(&w->shared, fn, w->opt);

	part.policy = x.policy = policy_of(&x);
	if (!verdict_no(x.why = alone(&x, &p)))
		x.why = remap_plan(&x, &room);
	if (!verdict_no(x.why)) {
		x.number = names_first_number(w->m);
		remap_write(&x, w->edits);
	}
	tell(w, &x, &p);
	vec_free(&x.hints);
	arena_free(a);
	return w->done.done;
}

/* Tries nested branches first and reports them, since they are gone once the outer one is done. */
static bool
remap_regions(Work *w, const Fn *fn, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling)
		if (remap_regions(w, fn, c) ||
			(c->kind == REGION_REMAPPED && is_first(fn, c) && remap_branch(w, fn, c)))
			return true;
	return false;
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Whether the function has an annotation that is not done or excluded. */
static bool
is_asked(const Work *w, uint32_t func)
{
	const Func *f = &w->m->funcs[func];

	if (w->opt->leave && w->opt->leave[func])
		return false;
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++) {
		const Marker *k = &w->m->markers[i];
		if ((k->annot.kind == ANNOT_REMAP || k->annot.kind == ANNOT_REMAP_ELSE) &&
			!k->end && !k->done && !k->wrong)
			return true;
	}
	return false;
}

static bool
remap_function(Work *w, uint32_t func)
{
	Diags *quiet = diags_new(NULL); /* other passes report it */
	Arena *a = arena_new();
	const Fn *known = measured_tables(w->opt->measured, w->m, func);
	const Fn *fn = known ? known : fn_build(w->m, func, w->effects, a);
	bool any = remap_regions(w, fn, &region_build(fn, quiet, a)->kernel);

	arena_free(a);
	diags_free(quiet);
	return any;
}

/* Whether the branch is nested in the remapped one. */
static bool
is_gone(const Work *w, const Remap_told *left)
{
	uint32_t stmt = w->m->markers[left->markers[0]].stmt;

	for (uint32_t i = 0; i < w->done.nmarkers && left->func == w->done.func; i++) {
		const Marker *k = &w->m->markers[w->done.markers[i]];
		for (uint32_t e = w->done.markers[i] + 1; e < w->m->nmarkers && stmt > k->stmt; e++)
			if (w->m->markers[e].end && w->m->markers[e].id == k->id &&
				w->m->markers[e].stmt > stmt)
				return true;
	}
	return false;
}

bool
remap_run(const Module *m, const Pass_options *opt, Arena *a, Remaps_told *told, Edits *e)
{
	Work w = { .m = m, .opt = opt, .edits = e, .arena = a };
	Arena *tables = arena_new();
	bool any = false;

	for (uint32_t i = 1; i < m->nfuncs && !any; i++) {
		if (!is_asked(&w, i))
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, tables);
			w.threads = threads_build(m, w.effects, tables);
			w.shared = shared_of(m, tables);
		}
		any = remap_function(&w, i);
	}
	if (any)
		*vec_push(told) = w.done;
	for (uint32_t i = 0; i < w.left.n; i++)
		if (!any || is_gone(&w, &w.left.at[i]))
			*vec_push(told) = w.left.at[i];
	vec_free(&w.left);
	arena_free(tables);
	return any;
}
