/* SPDX-License-Identifier: MIT */
/* Converts accepted plans to report entries. */
#include <stdio.h>
#include <string.h>
#include "transform/cost/profile_lookup.h"
#include "transform/output/report_plan.h"
#include "transform/plan/plan.h"

/* Returns where a register of the context is computed: the last known location before the path. */
static Cuda_pos
computed_at(const Plan *x, const Part *k, uint32_t sym)
{
	uint32_t path = part_marker(x, k)->stmt, best = 0;
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
value_of(const Module *m, const Slot *s)
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
follow_marker(Report_site *r, const Plan *x, uint32_t marker, Arena *a)
{
	r->followed[r->nfollowed++] = report_annotation(a, &x->fn->m->markers[marker], true);
}

/* A case marker has no meaning without its switch. */
static void
follow_path(Report_site *r, const Plan *x, const Region *path, Arena *a)
{
	const Region *of = region_switch(x->fn, path);

	follow_marker(r, x, path->marker, a);
	if (of)
		follow_marker(r, x, of->marker, a);
}

/* Records the annotations on which the plan depends: the loop's, and those of its task regions. */
static void
followed(Report_site *r, const Plan *x, Arena *a)
{
	uint32_t paths = x->bound.meet ? x->site->npaths : 0;
	const Bound *b = &x->bound;

	r->followed = arena_array(
		a, 2 * (x->nparts + x->nrows + paths) + 2 + b->nstops, sizeof *r->followed);
	follow_marker(r, x, x->site->marker, a);
	for (uint32_t i = 0; i < paths; i++)
		follow_path(r, x, x->site->paths[i], a);
	for (uint32_t i = 0; i < b->nstops; i++)
		if (b->stops[i]->kind == REGION_ROUNDS ||
			x->fn->loops->loop_of[b->stops[i]->entry] != x->site->loop)
			follow_marker(r, x, b->stops[i]->marker, a);
	if (x->policy == POLICY_FLATTEN)
		follow_marker(r, x, (b->at ? b->at : x->site->rounds[0])->marker, a);
	for (uint32_t i = 0; i < x->nparts + x->nrows && !paths; i++)
		follow_path(r, x, x->parts[i].path, a);
}

/* Returns "stack", "queue(4)", "queue(4) with expand". */
static const char *
policy_of(const Plan *x, const Part *k, Arena *a)
{
	const Part *rows = plan_rows_in(x, (uint32_t)(k - x->parts) + 1);
	char text[48], turns[16] = "";

	if (k->policy == POLICY_QUEUE && x->turns > 1)
		snprintf(turns, sizeof turns, "(%u)", x->turns);
	int n = snprintf(text, sizeof text, "%s%s%s", annot_policies[k->policy].name, turns,
		!rows                         ? "" :
			rows->rounds->chooses ? " with expand(choose)" :
						" with expand");
	return arena_strndup(a, text, (size_t)n);
}

/* Returns "converge", "ahead(32)", "wait(8)": for the last two, the number is part of the
 * selection. */
static const char *
policy_of_bound(const Plan *x, Arena *a)
{
	const char *name = annot_policies[x->policy].name;
	bool waits = x->policy == POLICY_WAIT && x->bound.rule == RULE_N;
	bool several = x->policy == POLICY_FLATTEN && x->bound.n > 1;
	Buf b = { 0 };

	if (x->policy != POLICY_AHEAD && !waits && !several)
		return name;
	buf_printf(&b, "%s(%u)", name, x->bound.n);
	name = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return name;
}

static Report_value
placed(const Plan *x, const Part *k, const Slot *s, Arena *a)
{
	Report_value v = value_of(x->fn->m, s);

	if (s->sym)
		v.at = report_place(a, computed_at(x, k, s->sym));
	return v;
}

static uint32_t
warpwide(const Task *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nsums; i++)
		n += t->sums[i].warpwide;
	return n;
}

static Report_part
part_of(const Plan *x, const Part *k, Arena *a)
{
	const Task *t = &k->task;
	Report_part r = { .path = report_place(a, part_marker(x, k)->cuda),
		.policy = policy_of(x, k, a),
		.context = arena_array(a, t->nslots, sizeof *r.context),
		.ncontext = t->nslots,
		.kept = arena_array(a, t->nkept, sizeof *r.kept),
		.nkept = t->nkept,
		.context_bytes = (t->npreds + 31) / 32 * 4,
		.owner_slice = t->nslice,
		.jump = k->join != 0,
		.stay = k->path->stay,
		.reductions = t->nsums,
		.warpwide = warpwide(t),
		.steps = k->steps };

	r.measured = measured_note(x->opt, x->fn, k->path, a);
	if (k->outer)
		r.inside = report_place(a, part_marker(x, &x->parts[k->outer - 1])->cuda);
	for (uint32_t i = 0; i < t->nslots; i++) {
		r.context[i] = placed(x, k, &t->slots[i], a);
		r.context_bytes += r.context[i].bytes;
	}
	for (uint32_t i = 0; i < t->nkept; i++)
		r.kept[i] = placed(x, k, &t->kept[i], a);
	if (t->ncomputed || t->nkept)
		r.uncompressed = without_computing(x->fn, t);
	return r;
}

/* Returns a label of the site's text, given the label of its template. prefix: "w", for an expanded
 * loop's copy for full warps; "p1", for the first of several regions. */
static const char *
label(const Plan *x, const char *prefix, const char *word, Arena *a)
{
	char text[48];
	int n = snprintf(text, sizeof text, "$ccc%u%s_%s", x->number, prefix, word);

	return arena_strndup(a, text, (size_t)n);
}

/* Reports the labels at which lanes meet in each round. */
static void
tell_meets(Report_site *r, const Plan *x, Arena *a)
{
	if (x->policy == POLICY_EXPAND)
		r->meets_full = label(x, "w", "meet", a);
	if (r->bound || x->policy == POLICY_EXPAND) {
		r->meets = label(x, "", "meet", a);
		if (x->two_copies)
			r->meets_full = r->meets;
		return;
	}
	r->meets = label(x, x->nparts + x->nrows > 1 ? "p1" : "", "vote", a);
	r->meets_full = x->two_copies ? r->meets : NULL;
}

Report_remap
report_remap(const Plan *x, Arena *a)
{
	static const char *const come[] = { /* ORDER Come */
		"all threads of the block come", "threads that leave before it take part",
		"threads that leave its loop take part until all have"
	};
	const Remap *k = x->remap;
	const Report_part part = part_of(x, &x->parts[0], a);
	Report_remap r = { .func = x->fn->func,
		.done = true,
		.policy = annot_policies[x->policy].name,
		.meets = label(x, "", x->policy == POLICY_DGI ? "near" : "exchange", a),
		.paths = k->npaths,
		.come = come[k->come],
		.context = part.context,
		.ncontext = part.ncontext,
		.context_bytes = part.context_bytes,
		.results = arena_array(a, k->nresults, sizeof *r.results),
		.nresults = k->nresults,
		.shared = x->frame.warp_bytes,
		.threads = x->frame.threads };

	for (uint32_t i = 0; i < k->nresults; i++) {
		uint32_t type = x->fn->m->syms[k->results[i].sym].type;
		Slot s = { .sym = k->results[i].sym,
			.size = type == TYPE_PRED ? 0 : (uint8_t)ptx_type_size((Type)type) };
		r.results[i] = value_of(x->fn->m, &s);
	}
	return r;
}

static const char *
keep(const char *text, Arena *a)
{
	return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

static uint32_t
hundredths(double x)
{
	return x > 0 ? x < 4e7 ? (uint32_t)(100 * x + 0.5) : UINT32_MAX : 0;
}

void
report_choice(Report_site *r, const Plan *x, Arena *a)
{
	const Region *by = measured_by(x->site);

	r->key = by ? keep(measured_key(x->opt, x->fn, by), a) : NULL;
	r->choice = keep(x->chosen, a);
	r->options = arena_array(a, x->noptions + 1u, sizeof *r->options);
	for (r->noptions = 0; r->noptions < x->noptions; r->noptions++) {
		const Plan_option *o = &x->options[r->noptions];
		r->options[r->noptions] = (Report_option){ .policy = keep(o->policy, a),
			.before = hundredths(o->gain.before),
			.after = hundredths(o->gain.after),
			.worth = hundredths(gain_ratio(&o->gain)),
			.least = hundredths(o->gain.least),
			.most = hundredths(o->gain.most),
			.measured = o->gain.measured };
	}
}

/* Describes when warps fall back to the original loop. */
static const char *
retreat_of(const Plan *x, Arena *a)
{
	const Retreat *r = &x->retreat;
	Buf b = { 0 };

	if (!r->on)
		return NULL;
	if (!r->even)
		buf_puts(&b, "early: collecting costs more than it saves, however many lanes need the path");
	else if (x->bound.meet)
		buf_printf(&b,
			"where the lane that needs the path most often needs it in more than %u %% of the iterations in which any does",
			r->even);
	else
		buf_printf(&b,
			"where more than %u of 32 lanes need the path in the iterations in which any does",
			r->even);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

void
report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a)
{
	r->done = true;
	followed(r, x, a);
	r->bound = x->bound.meet != 0;
	tell_meets(r, x, a);
	r->instead = keep(x->instead.text, a);
	r->reorders = x->instead.reorders;
	r->retreat = retreat_of(x, a);
	if (r->bound) {
		r->stops = x->bound.rule == RULE_INNERMOST ? x->bound.nstops : 0;
		r->threads = MAX_BLOCK;
		r->parts = arena_zalloc(a, sizeof *r->parts);
		r->parts[r->nparts++] = (Report_part){
			.path = r->path,
			.policy = policy_of_bound(x, a),
			.waits = x->policy == POLICY_WAIT,
			.unified = x->bound.unified != 0,
			.drawn = x->bound.pool != NULL,
			.measured = r->measured };
		return;
	}
	r->lockstep = x->lockstep.on;
	r->shares_vote = x->grouped;
	r->shared = shared;
	r->threads = x->frame.threads;
	r->recomputed = x->nagain;
	r->parts = arena_array(a, x->nparts, sizeof *r->parts);
	for (r->nparts = 0; r->nparts < x->nparts; r->nparts++)
		r->parts[r->nparts] = part_of(x, &x->parts[r->nparts], a);
}
