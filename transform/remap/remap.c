/* SPDX-License-Identifier: MIT */
/* Selects the annotated branches to remap. See remap.h. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "transform/cost/profile_lookup.h"
#include "transform/output/report_plan.h"
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"
#include "transform/task/shared_layout.h"
#include "transform/text/unique_names.h"

typedef struct {
	const Remap_input *in;
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;           /* for reports */
	const Effects *effects;
	const Threads *threads;
	Shared_usage shared;
	Remap_outcomes left;
	Remap_outcome done;
} Remap_pass;

static const Marker *
region_marker(const Fn *fn, const Region *r)
{
	return &fn->m->markers[r->marker];
}

/* ---- statements that belong together --------------------------------------------------------- */

/* Whether another annotation is between the two, by number. */
static bool
has_annotation_between(const Fn *fn, const Region *r, uint32_t id, uint32_t end)
{
	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *k = region_marker(fn, o);
		if (k->annot.kind == ANNOT_REMAP && k->id > id && k->id <= end)
			return true;
	}
	return false;
}

/* Adds a statement. Among copies of it, keeps the one whose common dominator with the first one is
 * latest. */
static void
add_statement(const Fn *fn, Remap_statements *p, const Region *r)
{
	const Marker *k = region_marker(fn, r);
	const Region *first = p->at[0];

	for (uint32_t i = 1; i < p->n; i++) {
		if (region_marker(fn, p->at[i])->id != k->id)
			continue;
		uint32_t old = dom_common(fn->dom, first->entry, p->at[i]->entry);
		if (dom_dominates(fn->dom, old, dom_common(fn->dom, first->entry, r->entry)))
			p->at[i] = r;
		return;
	}
	if (p->n < sizeof p->at / sizeof *p->at)
		p->at[p->n++] = r;
}

Remap_statements
remap_statements(const Fn *fn, const Region *r)
{
	const Marker *k = region_marker(fn, r);
	Remap_statements p = { { r }, 1 };

	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = region_marker(fn, o);
		if (o->kind == REGION_REMAPPED && l->annot.kind == ANNOT_REMAP_ELSE &&
			l->id > k->id && l->cuda.line == k->cuda.line &&
			strcmp(l->cuda.file, k->cuda.file) == 0 &&
			!has_annotation_between(fn, r, k->id, l->id))
			add_statement(fn, &p, o);
	}
	return p;
}

bool
remap_is_first(const Fn *fn, const Region *r)
{
	const Marker *k = region_marker(fn, r);

	if (k->annot.kind == ANNOT_REMAP)
		return true;
	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = region_marker(fn, o);
		if (o->kind == REGION_REMAPPED && l->id < k->id && l->cuda.line == k->cuda.line &&
			strcmp(l->cuda.file, k->cuda.file) == 0 &&
			!has_annotation_between(fn, r, l->id, k->id))
			return false;
	}
	return true;
}

/* ---- one branch ------------------------------------------------------------------------------ */

/* Whether the policy can exchange the work of that many paths. */
static bool
policy_exchanges(Annot_policy p, uint32_t npaths)
{
	return p == POLICY_PARTITION || p == POLICY_DGI || (p == POLICY_HOT && npaths <= 2);
}

/* Returns the requested policy, or the default. */
static Annot_policy
requested_policy(Plan *x)
{
	const Annot *a = &plan_marker(x)->annot;

	if (annot_has(a, CLAUSE_THREADS))
		x->clauses.max_threads = a->number[CLAUSE_THREADS];
	uint32_t paths = x->remap->key.buckets ? x->remap->key.buckets : x->remap->narms;
	if (annot_has(a, CLAUSE_POLICY) && policy_exchanges(a->policy, paths))
		return a->policy;
	bool named = annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO && !annot_is_off(a);
	if (!named && policy_exchanges(x->opt->policy, paths))
		return x->opt->policy;
	/* what a key gains cannot be estimated: code that it orders may be a call */
	x->remap->selects_policy = x->opt->auto_mode != AUTO_FIRST && !x->remap->key.buckets;
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
check_no_conflict(const Plan *x, const Remap_statements *p)
{
	const Fn *fn = x->fn;

	for (const Region *r = p->at[0]->parent; r; r = r->parent)
		if (r->kind == REGION_LOOP)
			return verdict_note(verdict(x->arena, D_NESTED, DIAG_NOWHERE,
						    "it is inside an annotated loop"),
				x->arena, DIAG_NOWHERE,
				"the threads of a block cannot synchronise while those of a warp are in different iterations");
		else if (r->kind == REGION_REMAPPED)
			return verdict_note(verdict(x->arena, D_NESTED, DIAG_NOWHERE,
						    "it is inside another one, which only some threads reach"),
				x->arena, DIAG_NOWHERE,
				"its statements become paths of the outer one if that is remapped, but not with policy 'hot', in a loop, or after a call or another branch with 'remap'");
	for (uint32_t i = 0; i < p->n; i++)
		for (const Region *c = p->at[i]->child; c; c = c->sibling)
			if (c->kind != REGION_REMAPPED)
				return verdict(x->arena, D_NESTED,
					fn_stmt(fn, region_marker(fn, c)->stmt)->at.pos,
					"it contains another annotation");
	return VERDICT_YES;
}

static void
record_outcome(Remap_pass *w, const Plan *x, const Remap_statements *p)
{
	bool done = !verdict_is_no(x->verdict);
	Remap_outcome t = { .func = x->fn->func,
		.done = done,
		.nmarkers = p->n + (done ? x->remap->nest.nmerged : 0) };

	t.markers = arena_array(w->arena, t.nmarkers, sizeof *t.markers);
	for (uint32_t i = 0; i < t.nmarkers; i++)
		t.markers[i] = i < p->n ? p->at[i]->marker : x->remap->nest.merged[i - p->n];
	if (t.done)
		t.report = report_remap(x, w->arena);
	else
		t.report = (Report_remap){ .func = x->fn->func, .paths = p->n,
			.keys = x->remap->key.buckets };
	t.why = verdict_copy(&x->verdict, w->arena);
	if (x->hints.n)
		t.hint = verdict_copy(&x->hints.at[0], w->arena);
	if (t.done)
		w->done = t;
	else
		*vec_push(&w->left) = t;
}

/* Remaps the branch whose first statement is r. takes_leaves: leaves of nested branches are paths,
 * if that is possible. Returns false if there are some, and it cannot be remapped with them. */
static bool
try_branch(Remap_pass *w, const Fn *fn, const Region *r, bool takes_leaves)
{
	Arena *a = arena_new();
	Remap_statements p = remap_statements(fn, r);
	Region site = *p.at[0];
	Task_region region = { .path = &site };
	Remap remap = { .arms = p.at,
		.narms = p.n,
		.is_emitted = w->in->is_emitted,
		.texts = w->in->texts };
	Plan x = { .fn = fn,
		.site = &site,
		.locals = local_build(w->m, w->threads, fn->func, a),
		.opt = w->opt,
		.arena = a,
		.scratch = a,
		.regions = &region,
		.nregions = 1,
		.remap = &remap };
	Shared_budget budget = shared_budget(&w->shared, fn, w->opt);

	remap_count_buckets(&x, w->threads);
	region.policy = x.policy = requested_policy(&x);
	remap.nest.try = takes_leaves && x.policy != POLICY_HOT && !remap.key.buckets;
	x.verdict = annot_is_off(&plan_marker(&x)->annot) ? verdict_off(a) :
							   check_no_conflict(&x, &p);
	if (!verdict_is_no(x.verdict))
		x.verdict = remap_plan(&x, &budget);
	bool tried = !verdict_is_no(x.verdict) || !remap.nest.found;
	if (!verdict_is_no(x.verdict)) {
		x.number = unique_first_number(w->m);
		remap_write(&x, w->edits);
	}
	if (tried)
		record_outcome(w, &x, &p);
	vec_free(&x.hints);
	arena_free(a);
	return tried;
}

/* Returns false if the branch cannot be remapped. */
static bool
remap_branch(Remap_pass *w, const Fn *fn, const Region *r)
{
	if (!try_branch(w, fn, r, true))
		try_branch(w, fn, r, false);
	return w->done.done;
}

/* Tries nested branches first and reports them, since they are gone once the outer one is done. */
static bool
remap_regions(Remap_pass *w, const Fn *fn, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling)
		if (remap_regions(w, fn, c) ||
			(c->kind == REGION_REMAPPED && remap_is_first(fn, c) &&
				remap_branch(w, fn, c)))
			return true;
	return false;
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Whether the function has an annotation that is not done or excluded. */
static bool
function_is_annotated(const Remap_pass *w, uint32_t func)
{
	const Func *f = &w->m->funcs[func];

	if (w->opt->funcs.refused && w->opt->funcs.refused[func])
		return false;
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++) {
		const Marker *k = &w->m->markers[i];
		if ((k->annot.kind == ANNOT_REMAP || k->annot.kind == ANNOT_REMAP_ELSE) &&
			!k->end && !k->done && (!k->wrong || annot_is_off(&k->annot)))
			return true;
	}
	return false;
}

static bool
remap_function(Remap_pass *w, uint32_t func)
{
	Diags *quiet = diags_new(NULL); /* other passes report it */
	Arena *a = arena_new();
	const Fn *known = profile_lookup_tables(w->opt->measured.lookup, w->m, func);
	const Fn *fn = known ? known : fn_build(w->m, func, w->effects, a);
	bool any = remap_regions(w, fn, &region_build(fn, quiet, a)->kernel);

	arena_free(a);
	diags_free(quiet);
	return any;
}

/* Whether the branch is nested in the remapped one, and not a part of it. */
static bool
was_removed(const Remap_pass *w, const Remap_outcome *left)
{
	uint32_t stmt = w->m->markers[left->markers[0]].stmt;

	for (uint32_t i = 0; i < w->done.nmarkers; i++)
		if (w->done.markers[i] == left->markers[0])
			return false;
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
remap_run(const Remap_input *in, const Pass_options *opt, Arena *a, Remap_outcomes *told, Edits *e)
{
	const Module *m = in->m;
	Remap_pass w = { .in = in, .m = m, .opt = opt, .edits = e, .arena = a };
	Arena *tables = arena_new();
	bool any = false;

	for (uint32_t i = 1; i < m->nfuncs && !any; i++) {
		if (!function_is_annotated(&w, i))
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, tables);
			w.threads = threads_build(m, w.effects, tables);
			w.shared = shared_usage_build(m, tables);
		}
		any = remap_function(&w, i);
	}
	if (any)
		*vec_push(told) = w.done;
	for (uint32_t i = 0; i < w.left.n; i++)
		if (!any || was_removed(&w, &w.left.at[i]))
			*vec_push(told) = w.left.at[i];
	vec_free(&w.left);
	arena_free(tables);
	return any;
}
