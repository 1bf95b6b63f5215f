/* SPDX-License-Identifier: MIT */
/* Converts accepted plans to report entries. */
#include <stdio.h>
#include <string.h>
#include "transform/cost/launch_tasks.h"
#include "transform/cost/profile_lookup.h"
#include "transform/output/report_plan.h"
#include "transform/plan/plan.h"

/* Returns where a register of the context is computed: the last known location before the path. */
static Cuda_pos
computing_place(const Plan *x, const Task_region *k, uint32_t sym)
{
	uint32_t path = task_region_marker(x, k)->stmt, best = 0;
	Cuda_pos at = { 0 };

	if (!fn_is_reg(x->fn, sym))
		return at;
	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t stmt = fn_def(x->fn, d)->stmt;
		Cuda_pos here = stmt && stmt < path && stmt > best ? ptx_place(x->fn->m, stmt).at :
								     (Cuda_pos){ 0 };
		if (here.file)
			at = here, best = stmt;
	}
	return at;
}

static Report_value
report_slot(const Module *m, const Context_slot *s)
{
	const Sym *y = &m->syms[s->sym];

	if (!s->sym)
		return (Report_value){ .name = "the owner's lane", .type = "u8", .bytes = s->size };
	int n = ptx_name_len(m, s->sym);
	Report_value v = { .bytes = s->size };

	snprintf(v.name, sizeof v.name, s->sel ? "%.*s.%c" : "%.*s", n < 32 ? n : 32,
		ptx_name_text(m, s->sym), s->sel);
	v.type = y->kind == SYM_SPECIAL ? "u32" : ptx_type_name((Type)y->type);
	return v;
}

/* Returns the bytes of the context if nothing were recomputed or kept by owners. */
static uint32_t
without_computing(const Fn *fn, const Task *t)
{
	uint32_t bytes = t->uncompressed + (t->uncompressed_preds + 31) / 32 * 4;

	for (uint32_t i = 0; i < t->nslots; i++)
		if (!t->slots[i].sym || !fn_is_reg(fn, t->slots[i].sym))
			bytes += t->slots[i].size;
	return bytes;
}

static void
add_followed_marker(Report_site *r, const Plan *x, uint32_t marker, Arena *a)
{
	r->followed[r->nfollowed++] = report_annotation(a, &x->fn->m->markers[marker], true);
}

/* A case marker has no meaning without its switch. */
static void
add_followed_path(Report_site *r, const Plan *x, const Region *path, Arena *a)
{
	const Region *of = region_switch_of_case(x->fn, path);

	add_followed_marker(r, x, path->marker, a);
	if (of)
		add_followed_marker(r, x, of->marker, a);
}

/* Records the annotations on which the plan depends: the loop's, and those of its task regions. */
static void
add_followed(Report_site *r, const Plan *x, Arena *a)
{
	const Wait_plan *b = x->wait;
	uint32_t paths = b ? x->site->npaths : 0, npredicted = b ? b->npredicted : 0;

	r->followed = arena_array(a, 2 * (x->nregions + x->nexpansions + paths) + 2 + npredicted,
		sizeof *r->followed);
	add_followed_marker(r, x, x->site->marker, a);
	for (uint32_t i = 0; i < paths; i++)
		add_followed_path(r, x, x->site->paths[i], a);
	for (uint32_t i = 0; i < npredicted; i++)
		if (b->predicted[i]->kind == REGION_INNER_LOOP ||
			x->fn->loops->loop_of[b->predicted[i]->entry] != x->site->loop)
			add_followed_marker(r, x, b->predicted[i]->marker, a);
	if (x->policy == POLICY_FLATTEN)
		add_followed_marker(
			r, x, (b->region ? b->region : x->site->inner_loops[0])->marker, a);
	for (uint32_t i = 0; i < x->nregions + x->nexpansions && !paths; i++)
		add_followed_path(r, x, x->regions[i].path, a);
}

/* Returns "stack", "queue(4)", "queue(4) with expand". */
static const char *
describe_policy(const Plan *x, const Task_region *k, Arena *a)
{
	const Task_region *rows = plan_expansion_in(x, (uint32_t)(k - x->regions) + 1);
	char text[48], batch[16] = "";

	if (k->policy == POLICY_QUEUE && plan_batch_size(x) > 1)
		snprintf(batch, sizeof batch, "(%u)", plan_batch_size(x));
	int n = snprintf(text, sizeof text, "%s%s%s", annot_policies[k->policy].name, batch,
		!rows                                ? "" :
			rows->lane_loop->most_uneven ? " with expand(choose)" :
						       " with expand");
	return arena_strndup(a, text, (size_t)n);
}

/* Returns "converge", "ahead(32)", "wait(8)": for the last two, the number is part of the
 * selection. */
static const char *
describe_waiting_policy(const Plan *x, Arena *a)
{
	const char *name = annot_policies[x->policy].name;
	bool waits = x->policy == POLICY_WAIT && x->wait->rule == RULE_N;
	bool several = x->policy == POLICY_FLATTEN && x->wait->n > 1;
	Buf b = { 0 };

	if (x->policy != POLICY_AHEAD && !waits && !several)
		return name;
	buf_printf(&b, "%s(%u)", name, x->wait->n);
	name = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return name;
}

static Report_value
report_placed_slot(const Plan *x, const Task_region *k, const Context_slot *s, Arena *a)
{
	Report_value v = report_slot(x->fn->m, s);

	if (s->sym)
		v.at = report_copy_place(a, computing_place(x, k, s->sym));
	return v;
}

static uint32_t
count_warpwide(const Task *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nreductions; i++)
		n += t->reductions[i].warpwide;
	return n;
}

static Report_region
report_region(const Plan *x, const Task_region *k, Arena *a)
{
	const Task *t = &k->task;
	Report_region r = { .path = report_copy_place(a, task_region_marker(x, k)->cuda),
		.policy = describe_policy(x, k, a),
		.context = arena_array(a, t->nslots, sizeof *r.context),
		.ncontext = t->nslots,
		.invariants = arena_array(a, t->ninvariants, sizeof *r.invariants),
		.ninvariants = t->ninvariants,
		.context_bytes = (t->npreds + 31) / 32 * 4,
		.owner_slice = t->nslice,
		.jump = k->tail_end != 0,
		.stay = k->path->stay,
		.reductions = t->nreductions,
		.warpwide = count_warpwide(t),
		.by_iteration = k->by_iteration };

	r.measured = report_measured(x, k->path, true, a);
	if (k->outer)
		r.inside = report_copy_place(
			a, task_region_marker(x, &x->regions[k->outer - 1])->cuda);
	for (uint32_t i = 0; i < t->nslots; i++) {
		r.context[i] = report_placed_slot(x, k, &t->slots[i], a);
		r.context_bytes += r.context[i].bytes;
	}
	for (uint32_t i = 0; i < t->ninvariants; i++)
		r.invariants[i] = report_placed_slot(x, k, &t->invariants[i], a);
	if (t->nderived || t->ninvariants)
		r.uncompressed = without_computing(x->fn, t);
	return r;
}

/* Returns a label of the site's text, given the label of its template. prefix: "w", for an expanded
 * loop's copy for full warps; "p1", for the first of several regions. */
static const char *
site_label(const Plan *x, const char *prefix, const char *word, Arena *a)
{
	char text[48];
	int n = snprintf(text, sizeof text, "$ccc%u%s_%s", x->number, prefix, word);

	return arena_strndup(a, text, (size_t)n);
}

/* Reports the labels at which lanes meet in each round. */
static void
report_meeting_labels(Report_site *r, const Plan *x, Arena *a)
{
	if (x->policy == POLICY_EXPAND)
		r->code.meeting_label_full = site_label(x, "w", "meet", a);
	if (r->code.waits || x->policy == POLICY_EXPAND) {
		r->code.meeting_label = site_label(x, "", "meet", a);
		if (x->copies.two)
			r->code.meeting_label_full = r->code.meeting_label;
		return;
	}
	r->code.meeting_label = site_label(x, x->nregions + x->nexpansions > 1 ? "p1" : "", "vote", a);
	r->code.meeting_label_full = x->copies.two ? r->code.meeting_label : NULL;
}

Report_remap
report_remap(const Plan *x, Arena *a)
{
	static const char *const come[] = { /* ORDER Come */
		"all threads of the block come", "threads that leave before it take part",
		"threads that leave its loop take part until all have"
	};
	const Remap *k = x->remap;
	const Report_region region = report_region(x, &x->regions[0], a);
	Report_remap r = { .func = x->fn->func,
		.done = true,
		.policy = annot_policies[x->policy].name,
		.meeting_label = site_label(x, "", x->policy == POLICY_DGI ? "near" : "exchange", a),
		.paths = k->npaths,
		.keys = k->key.buckets,
		.arrival = come[k->arrival],
		.context = region.context,
		.ncontext = region.ncontext,
		.context_bytes = region.context_bytes,
		.results = arena_array(a, k->nresults, sizeof *r.results),
		.nresults = k->nresults,
		.shared = x->tasks.frame.warp_bytes,
		.threads = x->tasks.frame.threads };

	for (uint32_t i = 0; i < k->nresults; i++) {
		uint32_t type = x->fn->m->syms[k->results[i].sym].type;
		Context_slot s = { .sym = k->results[i].sym,
			.size = type == TYPE_PRED ? 0 : (uint8_t)ptx_type_size((Type)type) };
		r.results[i] = report_slot(x->fn->m, &s);
	}
	return r;
}

static uint32_t
to_hundredths(double x)
{
	return x > 0 ? x < 4e7 ? (uint32_t)(100 * x + 0.5) : UINT32_MAX : 0;
}

const char *
report_measured(const Plan *x, const Region *of, bool done, Arena *a)
{
	const char *text = profile_lookup_note(x->opt, x->fn, of, a), *size = NULL;
	Buf b = { 0 };

	if (text && plan_marker(x)->annot.kind == ANNOT_GRID && !x->opt->measured.keyless)
		size = launch_note(x, pass_frequency(x->opt, x->fn, of), done, a);
	if (!size)
		return text;
	buf_printf(&b, "%s%s", text, size);
	text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

void
report_policy_choice(Report_site *r, const Plan *x, Arena *a)
{
	const Region *by = profile_point_of_site(x->site);

	r->profile.key = report_copy_text(profile_lookup_key(x->opt, x->fn, by), a);
	r->profile.choice = report_copy_text(x->selection.profile_choice, a);
	r->options = arena_array(a, x->selection.noptions + 1u, sizeof *r->options);
	for (r->noptions = 0; r->noptions < x->selection.noptions; r->noptions++) {
		const Plan_option *o = &x->selection.options[r->noptions];
		r->options[r->noptions] = (Report_option){ .policy = report_copy_text(o->policy, a),
			.before = to_hundredths(o->gain.before),
			.after = to_hundredths(o->gain.after),
			.worth = to_hundredths(speedup_ratio(&o->gain)),
			.least = to_hundredths(o->gain.least),
			.most = to_hundredths(o->gain.most),
			.measured = o->gain.measured };
	}
}

/* Describes when warps fall back to the original loop. */
static const char *
describe_fallback(const Plan *x, Arena *a)
{
	const Fallback *r = &x->fallback;
	Buf b = { 0 };

	if (!r->enabled)
		return NULL;
	if (!r->break_even)
		buf_puts(&b, "early: collecting costs more than it saves, however many lanes need the path");
	else if (x->wait)
		buf_printf(&b,
			"where the lane that needs the path most often needs it in more than %u %% of the iterations in which any does",
			r->break_even);
	else
		buf_printf(&b,
			"where more than %u of 32 lanes need the path in the iterations in which any does",
			r->break_even);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Describes why no better policy was selected, with a remedy if it is a floating-point sum. */
static const char *
describe_why_not_better(const Verdict *why, Arena *a)
{
	Buf b = { 0 };

	if (!why->text || !why->reorders)
		return report_copy_text(why->text, a);
	buf_printf(&b,
		"%s; if the order of its floating-point sum may change, say 'reassociate' or 'reduction(+: ...)'",
		why->text);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

void
report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a)
{
	r->done = true;
	r->unsure = !x->selection.profile_choice &&
		(!x->selection.gain.measured || plan_has_proven_clause(x)) &&
		(x->selection.is_auto || plan_policy_is_implied(x) ||
			plan_leaves_policy_to_auto(x));
	add_followed(r, x, a);
	r->code.waits = x->wait != NULL;
	report_meeting_labels(r, x, a);
	r->instead = describe_why_not_better(&x->selection.why_not_better, a);
	r->reorders = x->selection.why_not_better.reorders;
	r->code.fallback = describe_fallback(x, a);
	if (r->code.waits) {
		r->code.stops = x->wait->rule == RULE_INNERMOST ? x->wait->npredicted : 0;
		r->code.threads = x->wait->pool && x->wait->pool->of_block ?
			x->tasks.frame.threads : MAX_BLOCK;
		r->code.shared = x->tasks.frame.warp_bytes ? shared : 0;
		r->regions = arena_zalloc(a, sizeof *r->regions);
		r->regions[r->nregions++] = (Report_region){
			.path = r->path,
			.policy = describe_waiting_policy(x, a),
			.is_waiting = x->policy == POLICY_WAIT,
			.unified = x->lookahead && x->lookahead->unified,
			.is_drawn = x->wait->pool != NULL,
			.measured = r->profile.measured };
		return;
	}
	r->code.lockstep = plan_is_lockstep(x);
	r->code.shares_vote = plan_shares_vote(x);
	r->code.shared = shared;
	r->code.threads = x->tasks.frame.threads;
	r->code.chosen_threads = x->selection.threads && x->tasks.frame.check_threads &&
		x->tasks.frame.warp_bytes;
	r->code.profiled_threads = x->selection.profiled_threads;
	r->code.recomputed = x->tasks.nrecomputed;
	r->regions = arena_array(a, x->nregions, sizeof *r->regions);
	for (r->nregions = 0; r->nregions < x->nregions; r->nregions++)
		r->regions[r->nregions] = report_region(x, &x->regions[r->nregions], a);
}
