/* SPDX-License-Identifier: MIT */
/* Plans candidates. See suggest_plan.h.
 *
 * Each candidate is annotated in a text, which is planned as if the programmer had written it, and
 * dropped: so the report is what would be done. A text has one candidate of each function, and the
 * bodies of only those parts of the module that have one (module_parts.h). The gain
 * of a plan is that of an iteration of the annotated loop; the gain of the kernel follows from the
 * loop's share of its issue slots. */
#include <string.h>
#include "suggest/suggest_plan.h"
#include "transform/pipeline/pipeline.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/task_loop.h"

/* ---- plans ----------------------------------------------------------------------------------- */

/* Returns the speedup of the kernel, given the speedup of the loop. */
static double
kernel_speedup(const Candidate *c, double ratio)
{
	return ratio > 0 ? 1 / (1 - c->around * (1 - 1 / ratio)) : 1;
}

static const char *
plan_text(const Report_site *s, Arena *a)
{
	Buf b = { 0 };

	for (uint32_t i = 0; i < s->nregions; i++) {
		const Report_region *k = &s->regions[i];
		buf_printf(&b, "%spolicy(%s)", i ? ", " : "", k->policy);
		if (k->context_bytes)
			buf_printf(&b, ", %u bytes a task", k->context_bytes);
	}
	if (s->code.shared)
		buf_printf(&b, ", %u bytes of shared memory a block of %u", s->code.shared,
			s->code.threads);
	if (s->code.fallback)
		buf_puts(&b, ", with retreat");
	const char *text = arena_strndup(a, b.at ? b.at : "", b.n);
	buf_free(&b);
	return text;
}

static const char *
refusal_text(const Verdict *v, Arena *a)
{
	Buf b = { 0 };

	buf_puts(&b, v->text);
	for (uint32_t i = 0; i < v->nnotes; i++)
		if (v->note[i].pos == DIAG_NOWHERE)
			buf_printf(&b, "; %s", v->note[i].text);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Derives the kernel's speedup from the gain of an iteration. */
static void
suggestion_estimate(Suggestion *r)
{
	r->expected = kernel_speedup(r->c, speedup_ratio(&r->gain));
	r->least = r->gain.measured ? r->expected : kernel_speedup(r->c, r->gain.least);
	r->most = r->gain.measured ? r->expected : kernel_speedup(r->c, r->gain.most);
}

bool
suggestions_find_counts(
	const Suggestions *w, const Candidate *c, Cuda_pos at, Execution_counts *f)
{
	size_t len;
	const char *name = ptx_name(w->m, c->fn->f->sym, &len);

	at.col = c->first;
	return w->opt.measured.profile &&
		profile_find_candidate(w->opt.measured.profile, annot_kinds[c->annot].marker, at,
			arena_strndup(w->arena, name, len), f);
}

bool
suggestions_have_other_lines(const Suggestions *w, uint32_t func)
{
	const Profile *p = w->opt.measured.profile;
	const uint32_t first = w->first[func], end = w->first[func + 1];
	Execution_counts counts;
	size_t n;
	const char *name = ptx_name(w->m, w->m->funcs[func].sym, &n);

	if (!p || first == end || !profile_has_function(p, name, n, NULL))
		return false;
	for (uint32_t i = first; i < end; i++)
		if (w->of[i].measured ||
			suggestions_find_counts(w, w->of[i].c, w->of[i].c->marked, &counts))
			return false;
	return true;
}

/* An iteration of the loop, by the lanes of a warp that execute one together, saves the difference
 * of its issue slots. */
static void
record_savings(const Suggestions *w, Suggestion *r, const Report_site *s)
{
	const Candidate *c = r->c;
	Execution_counts f;

	if (!s->gain.measured || !suggestions_find_counts(w, c, c->marked, &f))
		return;
	r->saved = (double)f.warp_iterations * s->gain.before *
		(1 - 1 / speedup_ratio(&s->gain));
}

/* Keeps what ccc-tune needs to choose another policy. */
static void
record_options(const Suggestions *w, Suggestion *r, const Report_site *s)
{
	r->profile.key = report_copy_text(s->profile.key, w->arena);
	r->profile.choice = report_copy_text(s->profile.choice, w->arena);
	r->options = report_copy_options(s->options, s->noptions, w->arena);
	r->noptions = s->noptions;
}

/* Whether a plan is left that is expected to gain, because that is not certain. */
static bool
gain_is_uncertain(const Report_site *s)
{
	return !s->gain.measured && s->gain.after > 0 && advice_worth(speedup_ratio(&s->gain));
}

/* Returns the N of "wait(N)"; without one all lanes wait. */
static uint32_t
policy_number(const char *text)
{
	Annot_policy policy;
	uint32_t n;

	return annot_policy_read(text, &policy, &n) && n ? n : WARP;
}

static void
record_plan(const Suggestions *w, Suggestion *r, const Report_site *s)
{
	r->gain = s->gain;
	r->gain.question = report_copy_text(s->gain.question, w->arena);
	r->done = s->done;
	r->waits = s->done && s->regions[0].is_waiting ? policy_number(s->regions[0].policy) : 0;
	r->known = true;
	r->ordered = s->why.reorders || s->reorders;
	if (s->profile.measured)
		r->measured = report_copy_text(s->profile.measured, w->arena);
	r->why = verdict_copy(&s->why, w->arena);
	record_options(w, r, s);
	if (s->done) {
		r->plan = plan_text(s, w->arena);
		r->policy = report_copy_text(s->regions[0].policy, w->arena);
		record_savings(w, r, s);
	} else if (s->why.text && (s->why.kind != D_NO_GAIN || gain_is_uncertain(s)))
		r->refused = refusal_text(&s->why, w->arena);
	suggestion_estimate(r);
}

/* Records which branches of the candidates were melded. */
static void
record_melds(const Suggestions *w, uint32_t round, const Report *from)
{
	for (uint32_t i = 0; i < from->branches.n; i++) {
		const Report_branch *b = &from->branches.at[i];
		uint32_t k = w->first[b->func] + round;
		if (w->sort != MELDED || k >= w->first[b->func + 1])
			continue;
		w->of[k].known = true;
		w->of[k].done |= b->done;
		w->of[k].saved += b->done ? b->saved : 0;
	}
}

/* Collects the reasons why a candidate was not planned. */
typedef struct { const Suggestions *w; uint32_t round; } Diagnostic_sink;

static void
receive_diagnostic(void *user, const Diag *g)
{
	const Diagnostic_sink *said = user;
	const Suggestions *w = said->w;

	for (uint32_t f = 1; f < w->m->nfuncs && g->cuda.file; f++) {
		uint32_t i = w->first[f] + said->round;
		Suggestion *r = &w->of[i];
		if (i >= w->first[f + 1] || r->known || r->refused ||
			r->c->marked.line != g->cuda.line ||
			strcmp(r->c->marked.file, g->cuda.file) != 0)
			continue;
		const char *text = strstr(g->text, "left unchanged: ");
		text = text ? strchr(text, ':') + 2 : g->text;
		r->refused = arena_strndup(w->arena, text, strlen(text));
	}
}

static void
plan_module(const Suggestions *w, uint32_t round, Source *src)
{
	Diags *d = diags_new(src);
	Module *m = ptx_parse(src, d);
	Pass_options opt = w->opt;
	Output out;

	opt.debug.stop_after = STEP_PLAN + 1u;
	memset(opt.debug.show, 0, sizeof opt.debug.show);
	opt.debug.dump = NULL;
	opt.grid = w->sort == PROMISED; /* otherwise such a candidate has a marker for it */
	opt.validate = false;
	opt.measured.keyless = true;
	if (m) {
		output_make(m, &opt, NULL, NULL, d, &out);
		for (uint32_t i = 0; i < out.report.sites.n; i++) {
			const Report_site *s = &out.report.sites.at[i];
			uint32_t k = w->first[s->func] + round;
			if (k < w->first[s->func + 1] && !w->of[k].known && !s->unplanned)
				record_plan(w, &w->of[k], s);
		}
		record_melds(w, round, &out.report);
		diags_each(d, receive_diagnostic, &(Diagnostic_sink){ w, round });
		output_release(&out);
	}
	ptx_free(m);
	diags_free(d);
}

/* Whether the candidate is to be planned now. */
static bool
candidate_is_open(const Suggestions *w, uint32_t i)
{
	if (w->all.at[i].kind == ADVICE_UNIFORM || w->of[i].known ||
		(w->unproven && !suggestion_is_unproven(&w->unproven[i])))
		return false;
	if (w->sort == PROMISED && w->all.at[i].in.tests_more)
		return false;
	if (w->predicts)
		return w->all.at[i].annot == ANNOT_PREDICT;
	return w->all.at[i].reorders == w->reorders;
}

/* Annotates and plans the round-th candidate of each function. False if there are no more. */
static bool
plan_round(Suggestions *w, uint32_t round)
{
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	Bits parts = bits_new(a, w->parts.n);
	bool any = false, more = false;
	Buf text = { 0 };
	Source src;

	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		uint32_t i = w->first[f] + round;
		if (i >= w->first[f + 1])
			continue;
		more = true;
		if (!candidate_is_open(w, i) || !candidates_annotate(&w->all.at[i], 1, e))
			continue;
		any = true;
		bits_set(parts, w->parts.of[f]);
	}
	if (any) {
		module_parts_keep(&w->parts, w->m, parts, e);
		edit_apply(e, w->m->src, &text);
		source_from(&src, w->m->src->name, text.at, text.n);
		plan_module(w, round, &src);
		source_release(&src);
		buf_free(&text);
	}
	edit_release(e);
	arena_free(a);
	return more;
}

void
suggestions_plan(Suggestions *w)
{
	uint32_t round = 0;

	while (plan_round(w, round))
		round++;
}

bool
suggestion_is_better(const Suggestion *a, const Suggestion *b)
{
	const double SAME = 1.02;

	return a->done && (!b->done || a->expected > b->expected * SAME);
}

/* Plans candidates whose plan needs reordered sums, or would be better with them, once more with
 * the clause. */
static void
plan_reordered(Suggestions *w)
{
	Suggestion *before = arena_array(w->arena, w->all.n + 1u, sizeof *before);
	bool any = false;

	for (uint32_t i = 0; i < w->all.n; i++) {
		Suggestion *r = &w->of[i];
		before[i] = *r;
		if (!r->ordered)
			continue;
		any = w->all.at[i].reorders = true;
		*r = (Suggestion){ .c = r->c, .share = r->share };
	}
	w->reorders = true;
	if (any)
		suggestions_plan(w);
	for (uint32_t i = 0; i < w->all.n; i++)
		if (w->all.at[i].reorders && !suggestion_is_better(&w->of[i], &before[i])) {
			w->all.at[i].reorders = false;
			w->of[i] = before[i];
		}
}

/* Refuses the candidates outside of loops of kernels that cannot have a task loop, as the
 * transformation would. */
static void
refuse_task_loops(Suggestions *w)
{
	const Task_loop_calls *calls = task_loop_calls_build(w->m, w->effects, w->arena);
	Verdict why = VERDICT_YES;

	for (uint32_t i = 0, func = 0; i < w->all.n; i++) {
		const Candidate *c = &w->all.at[i];
		if (c->loop || c->annot == ANNOT_DISTRIBUTE || c->kind == ADVICE_UNIFORM ||
			!c->fn->f->entry)
			continue;
		if (func != c->fn->func)
			why = task_loop_check_kernel(calls, c->fn->func, w->arena);
		func = c->fn->func;
		if (verdict_is_no(why))
			record_plan(w, &w->of[i], &(Report_site){ .why = why });
	}
}

/* Whether the model assumes a trip count for the site: then no estimate of a gain is certain (must
 * agree with plan_assumes_trip_counts(), for the site with markers). */
static bool
candidate_assumes_trips(const Candidate *c)
{
	const Loops *l = c->fn->loops;

	for (uint32_t i = 1; i < l->nloops; i++)
		if (i != c->loop && !l->loops[i].trips &&
			(!c->loop || loop_contains(l, c->loop, l->loops[i].header)))
			return true;
	return false;
}

/* Leaves the candidates for which plan_check_profitable() would refuse each plan without a profile,
 * unless the report is to say more about them. */
static void
leave_uncertain(Suggestions *w)
{
	const Pass_options *opt = &w->opt;
	const Verdict why = verdict(w->arena, D_NO_GAIN, DIAG_NOWHERE,
		"the gain is not certain without a profile");

	if (w->sort != PROVEN || opt->remedies || opt->auto_mode != AUTO_BEST ||
		opt->launch.timed || opt->measured.profile)
		return;
	for (uint32_t i = 0; i < w->all.n; i++)
		if (!w->of[i].known && candidate_assumes_trips(&w->all.at[i])) {
			w->of[i].known = true;
			w->of[i].why = why;
		}
}

bool
suggestion_is_unproven(const Suggestion *s)
{
	return s->known && !s->done && s->why.text && s->why.kind != D_NO_GAIN;
}

static void
make(Suggestions *w)
{
	const Module *m = w->m;

	w->arena = arena_new();
	w->first = arena_array(w->arena, m->nfuncs + 1u, sizeof *w->first);
	suggestions_collect(w);
	w->of = arena_array(w->arena, w->all.n + 1u, sizeof *w->of);
	for (uint32_t i = 0; i < w->all.n; i++)
		w->of[i] = (Suggestion){ .c = &w->all.at[i], .share = w->all.at[i].share };
	refuse_task_loops(w);
	leave_uncertain(w);
	suggestions_plan(w);
	if (w->sort == PROMISED)
		plan_reordered(w);
}

static void
make_like(Suggestions *w, const Suggestions *like)
{
	w->like = like->like ? like->like : like;
	make(w);
}

void
suggestions_make(Suggestions *w, const Module *m, const Pass_options *opt, Suggestion_sort sort)
{
	*w = (Suggestions){ .m = m, .opt = *opt, .sort = sort };
	make(w);
}

void
suggestions_make_like(
	Suggestions *w, const Suggestions *like, const Pass_options *opt, Suggestion_sort sort)
{
	*w = (Suggestions){ .m = like->m, .opt = *opt, .sort = sort };
	make_like(w, like);
}

void
suggestions_make_unmeasured(
	Suggestions *w, uint32_t n, const Module *m, const Pass_options *opt)
{
	Pass_options plain = *opt;

	plain.measured.profile = NULL;
	plain.auto_mode = AUTO_ALWAYS;
	suggestions_make(&w[0], m, &plain, (Suggestion_sort)0);
	for (uint32_t i = 1; i < n; i++)
		suggestions_make_like(&w[i], &w[0], &plain, (Suggestion_sort)i);
}

void
suggestions_make_promised(Suggestions *w, const Suggestions *proven)
{
	*w = (Suggestions){
		.m = proven->m, .opt = proven->opt, .sort = PROMISED, .unproven = proven->of
	};
	make_like(w, proven);
}

void
suggestions_release(Suggestions *w)
{
	vec_free(&w->all);
	if (!w->like) {
		vec_free(&w->found);
		vec_free(&w->stmts.all);
		vec_free(&w->stmts.newer);
	}
	arena_free(w->arena);
	arena_free(w->tables);
}
