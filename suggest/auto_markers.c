/* SPDX-License-Identifier: MIT */
/* Markers for functions without annotations. See auto_markers.h.
 *
 * Each candidate is planned alone (suggest_plan.c). Candidates exclude each other if the loop
 * around one is, or contains, the loop around the other, so the selection is by loop: the best
 * candidate of a loop, or the best ones of the loops in it (loop_choice.h). */
#include <string.h>
#include "analysis/analyse.h"
#include "suggest/auto_markers.h"
#include "suggest/loop_choice.h"
#include "suggest/suggest_plan.h"
#include "suggest/suggest_why.h"
#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

/* A selected candidate. why: why it was dropped; the default is yes. */
typedef struct { Candidate c; bool dropped; Verdict why; } Auto_site;

struct Auto_markers {
	const Module *m;
	Suggestions planned[PROVEN + 1]; /* by Suggestion_sort */
	/* replaces planned[PROVEN] for the functions in `settled`: machine code shows which of
	 * their products ptxas fuses, so output_make() can write these as explicit instructions
	 * (settle_rounding.c) */
	Suggestions relaxed;
	Bits settled;
	VEC(Auto_site) sites;   /* by function */
	uint32_t first_id;      /* number of the first annotation */
};

/* ---- selection ------------------------------------------------------------------------------- */

/* Weight of a plan that is not expected to gain, which --choose=always selects. */
static const double LITTLE = 1e-6;

/* Returns the issue slots that the plan saves: in the runs of the profile or, without one, as a
 * share of the kernel's. */
static double
weight_of(const Suggestion *s)
{
	double share = s->expected > 1 ? 1 - 1 / s->expected : 0;

	return s->saved > 0 ? s->saved : share > LITTLE ? share : LITTLE;
}

/* Whether plan a is better than b for the loop around both. Their speedups are compared, because
 * the model's estimates of the loop's issue slots differ with the candidate; arms to be melded have
 * no speedup. */
static bool
is_better(const Suggestion *a, const Suggestion *b)
{
	if (a->expected > 0 && b->expected > 0 && a->gain.measured == b->gain.measured)
		return a->expected > b->expected;
	return weight_of(a) > weight_of(b);
}

/* Sets the best candidate of each loop of a function, by the loop around the candidate. */
static void
find_best(const Suggestions *w, uint32_t func, const Suggestion **best)
{
	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++) {
		const Suggestion *s = &w->of[i], **own = &best[s->c->loop];
		if (s->done && (!*own || is_better(s, *own)))
			*own = s;
	}
}

static const Suggestions *
proven_suggestions(const Auto_markers *w, uint32_t func)
{
	return w->settled.word && bits_has(w->settled, func) ? &w->relaxed : &w->planned[PROVEN];
}

/* Whether the plan is expected to lose, and is made so that the program measures it. */
static bool
is_trial(const Suggestion *s, const Pass_options *opt)
{
	return opt->launch.timed && opt->auto_mode != AUTO_ALWAYS && s->gain.measured &&
		s->expected <= 1;
}

/* Leaves out plans that are expected to lose, except the best one of a function in which no other
 * is made: a program measures a kernel as a whole. */
static void
leave_out_trials(const Pass_options *opt, const Suggestion **best, uint32_t n)
{
	const Suggestion *only = NULL;
	bool gains = false;

	for (uint32_t i = 0; i < n; i++) {
		if (best[i] && !is_trial(best[i], opt))
			gains = true;
		else if (best[i] && (!only || best[i]->expected > only->expected))
			only = best[i];
	}
	for (uint32_t i = 0; i < n; i++)
		if (best[i] && is_trial(best[i], opt) && (gains || best[i] != only))
			best[i] = NULL;
}

static void
select_sites(Auto_markers *w, uint32_t func)
{
	const Suggestions *p = proven_suggestions(w, func);
	Arena *tmp = arena_new();

	if (p->first[func] < p->first[func + 1]) {
		const Loops *l = p->all.at[p->first[func]].fn->loops;
		const Suggestion **best = arena_array(tmp, l->nloops, sizeof *best);
		double *weight = arena_array(tmp, l->nloops, sizeof *weight);
		for (uint32_t i = 0; i < PROVEN; i++)
			find_best(&w->planned[i], func, best);
		find_best(p, func, best);
		leave_out_trials(&p->opt, best, l->nloops);
		for (uint32_t i = 0; i < l->nloops; i++)
			weight[i] = best[i] ? weight_of(best[i]) : 0;
		Bits chosen = loop_choice(l, weight, tmp);
		BITS_EACH(i, chosen)
			*vec_push(&w->sites) = (Auto_site){ .c = *best[i]->c };
	}
	arena_free(tmp);
}

/* Whether it may be asked what ptxas contracts: plans that are measured, by a profile or by the
 * program, and must be bit-identical. */
static bool
asks_prover(const Pass_options *opt)
{
	const Profile *p = opt->measured.profile;

	return (opt->launch.timed || (p && profile_counts(p))) && opt->prover.prove &&
		opt->fp != FP_RELAXED;
}

/* Finds the functions in which more would be saved if results need not be bit-identical, and for
 * which it is proved what ptxas contracts. `relaxed` receives the candidates without that need. */
static void
find_settled(const Suggestions *exact, const Module *m, const Pass_options *opt,
	Suggestions *relaxed, Bits settled)
{
	Pass_options any = *opt;

	any.fp = FP_RELAXED;
	suggestions_make_like(relaxed, exact, &any, PROVEN);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		bool more = false;
		for (uint32_t i = exact->first[f]; i < exact->first[f + 1]; i++)
			more |= relaxed->of[i].done &&
				(!exact->of[i].done || relaxed->of[i].saved > exact->of[i].saved);
		if (more && opt->prover.prove(opt->prover.user, m, f))
			bits_set(settled, f);
	}
}

Auto_markers *
auto_markers_select(const Module *m, const Pass_options *opt)
{
	Auto_markers *w = xmalloc(sizeof *w);

	*w = (Auto_markers){ .m = m, .first_id = candidates_first_id(m) };
	suggestions_make(&w->planned[MELDED], m, opt, MELDED);
	suggestions_make_like(&w->planned[PROVEN], &w->planned[MELDED], opt, PROVEN);
	if (asks_prover(opt)) {
		w->settled = bits_new(w->planned[PROVEN].arena, m->nfuncs);
		find_settled(&w->planned[PROVEN], m, opt, &w->relaxed, w->settled);
	}
	for (uint32_t f = 1; f < m->nfuncs; f++)
		select_sites(w, f);
	for (uint32_t i = 0; i < w->sites.n; i++)
		w->sites.at[i].c.id = w->first_id + 2 * i;
	return w;
}

uint32_t
auto_markers_first(const Auto_markers *w)
{
	return w->first_id;
}

void
auto_markers_free(Auto_markers *w)
{
	for (uint32_t i = 0; i <= PROVEN; i++)
		suggestions_release(&w->planned[i]);
	if (w->relaxed.arena)
		suggestions_release(&w->relaxed);
	vec_free(&w->sites);
	xfree(w);
}

/* ---- text ------------------------------------------------------------------------------------ */

bool
auto_markers_insert(const Auto_markers *w, Edits *e)
{
	Candidates of = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < w->sites.n; i++) {
		const Auto_site *s = &w->sites.at[i];
		if (!s->dropped)
			*vec_push(&of) = s->c;
		bool last = i + 1 == w->sites.n || w->sites.at[i + 1].c.fn != s->c.fn;
		if (last && of.n)
			any |= candidates_annotate(of.at, of.n, e);
		if (last)
			of.n = 0;
	}
	vec_free(&of);
	return any;
}

void
auto_markers_functions(const Auto_markers *w, Bits to)
{
	for (uint32_t i = 0; i < w->sites.n; i++)
		if (!w->sites.at[i].dropped)
			bits_set(to, w->sites.at[i].c.fn->func);
}

/* ---- outcome --------------------------------------------------------------------------------- */

static bool
is_branch_of(const Report_branch *b, const Candidate *c)
{
	return b->func == c->fn->func && b->at.line == c->at.at.line && b->at.col == c->first;
}

/* Whether the site with the candidate's markers was transformed. why: if not. */
static bool
is_transformed(const Candidate *c, const Report *r, Verdict *why)
{
	for (uint32_t i = 0; i < r->sites.n && c->annot != ANNOT_DISTRIBUTE; i++)
		if (r->sites.at[i].number == c->id + 1) {
			*why = r->sites.at[i].why;
			return r->sites.at[i].done;
		}
	for (uint32_t i = 0; i < r->branches.n && c->annot == ANNOT_DISTRIBUTE; i++)
		if (is_branch_of(&r->branches.at[i], c)) {
			*why = r->branches.at[i].why;
			return r->branches.at[i].done;
		}
	return false;
}

bool
auto_markers_drop_refused(Auto_markers *w, const Report *r)
{
	Arena *a = w->planned[PROVEN].arena;
	bool any = false;

	for (uint32_t i = 0; i < w->sites.n; i++) {
		Auto_site *s = &w->sites.at[i];
		Verdict why = VERDICT_YES;
		if (s->dropped || is_transformed(&s->c, r, &why))
			continue;
		any = s->dropped = true;
		s->why = verdict_copy(&why, a);
	}
	return any;
}

/* Returns the selected site for the candidate's code; NULL if there is none. */
static const Auto_site *
site_of_code(const Auto_markers *w, const Candidate *c)
{
	for (uint32_t i = 0; i < w->sites.n; i++)
		if (w->sites.at[i].c.fn->func == c->fn->func &&
			w->sites.at[i].c.first == c->first && w->sites.at[i].c.kind == c->kind)
			return &w->sites.at[i];
	return NULL;
}

/* Whether one loop is or contains the other. Loop 0, the function, contains all. */
static bool
loops_overlap(const Loops *l, uint32_t a, uint32_t b)
{
	return !a || !b || loop_contains(l, a, l->loops[b].header) ||
		loop_contains(l, b, l->loops[a].header);
}

/* Returns the selected site that excludes the candidate, preferably a transformed one; NULL if
 * there is none. */
static const Auto_site *
excluding_site(const Auto_markers *w, const Candidate *c)
{
	const Auto_site *found = NULL;

	for (uint32_t i = 0; i < w->sites.n; i++) {
		const Auto_site *s = &w->sites.at[i];
		if (s->c.fn->func == c->fn->func && (!found || found->dropped) &&
			loops_overlap(c->fn->loops, s->c.loop, c->loop))
			found = s;
	}
	return found;
}

static Verdict
why_excluded(const Auto_site *by, Arena *a)
{
	if (!by)
		return verdict(a, D_NO_GAIN, DIAG_NOWHERE,
			"another site in the same loops is expected to save more");
	if (!by->dropped)
		return verdict(a, D_NO_GAIN, DIAG_NOWHERE,
			"another site in the same loops, line %u, is expected to save more",
			by->c.at.at.line);
	return verdict(a, D_NO_GAIN, DIAG_NOWHERE,
		"another site in the same loops, line %u, was expected to save more, and is left unchanged: %s",
		by->c.at.at.line, by->why.text ? by->why.text : "its plan was refused");
}

static Verdict
why_left(const Auto_markers *w, const Suggestion *s, Arena *a)
{
	const Auto_site *site = site_of_code(w, s->c);

	if (site)
		return site->why;
	if (s->done && is_trial(s, &w->planned[PROVEN].opt))
		return verdict(a, D_NO_GAIN, DIAG_NOWHERE,
			"it is expected to lose (%.2fx), and another site of the kernel is transformed: a program measures both as one",
			speedup_ratio(&s->gain));
	if (s->done)
		return why_excluded(excluding_site(w, s->c), a);
	return s->why;
}

/* Adds what a site needs for which a promise would replace the proof. */
static Verdict
add_promise(Verdict v, const Suggestion *promised, Arena *a)
{
	const Candidate *c = promised->c;
	const char *words = annot_kinds[c->annot].words;

	if (c->in.tests_more)
		return verdict_note(v, a, DIAG_NOWHERE, "none: %s", c->in.missing);
	if (!promised->done || !advice_worth(promised->expected))
		return verdict_note(v, a, DIAG_NOWHERE,
			"none: it has no plan that gains even if its iterations are independent");
	if (c->annot == ANNOT_FOR)
		return verdict_note(v, a, DIAG_NOWHERE,
			"it needs the promise that no lane waits in it for another one: annotate it with '#pragma ccc for policy(converge)' (%.2fx expected)",
			promised->expected);
	if (promised->waits)
		return verdict_note(v, a, DIAG_NOWHERE,
			"lanes could wait for each other, which needs no promise: annotate it with '#pragma ccc predict threshold(%u)' (%.2fx expected)",
			promised->waits, promised->expected);
	v = verdict_note(v, a, DIAG_NOWHERE, "it needs the promise that %s",
		advice_promise(c->kind, c->annot == ANNOT_WHILE, !c->loop));
	if (c->loop)
		return verdict_note(v, a, DIAG_NOWHERE,
			"annotate it with '#pragma ccc %s%s', and the loop around it, line %u, with '#pragma ccc for' (%.2fx expected)",
			words, c->reorders ? " reassociate" : "", suggest_loop_line(c),
			promised->expected);
	return verdict_note(v, a, DIAG_NOWHERE,
		"annotate it with '#pragma ccc %s%s', and the kernel with '#pragma ccc grid' (%.2fx expected)",
		words, c->reorders ? " reassociate" : "", promised->expected);
}

/* Replaces the notes of a refusal, which are for annotations, by what it takes to have the site
 * transformed. promised: the plan with a promise. dropped: it was selected, and refused in the
 * text with all selected sites; an annotation gets the plan that it was selected for. */
static Verdict
with_remedy(Verdict why, const Suggestion *s, const Suggestion *promised, const Suggestions *w,
	bool dropped)
{
	Arena *a = w->arena;

	if (suggestion_is_unproven(s) ||
		(dropped && why.kind != D_NO_GAIN && why.kind != D_BUG &&
			why.kind != D_ROUNDING)) {
		why.nnotes = 0;
		return add_promise(why, promised->known ? promised : s, a);
	}
	if ((s->done && !dropped) || why.kind != D_NO_GAIN)
		return why;
	why.nnotes = 0;
	const char *limit = speedup_limit_text(&s->gain, a);
	if (limit)
		why = verdict_note(why, a, DIAG_NOWHERE, "%s", limit);
	if (s->gain.measured && speedup_ratio(&s->gain) > 1)
		return verdict_note(why, a, DIAG_NOWHERE,
			"none: the estimate may be wrong by as much; '--ccc-timed' measures it in the program, '--choose=always' transforms it");
	if (suggestions_have_other_lines(w, s->c->fn->func))
		return verdict_note(why, a, DIAG_NOWHERE,
			"the profile's counts of this function are for other lines, and none is used: make the profile anew");
	if (s->gain.measured || s->gain.most <= 1)
		return verdict_note(why, a, DIAG_NOWHERE,
			"none: it is expected to lose; '--choose=always' transforms it anyway");
	return verdict_note(why, a, DIAG_NOWHERE,
		"unclear without a profile: count it by 'ptxrun --profile=FILE -- PROGRAM' or 'ptxccc-run --profile'");
}

void
auto_markers_report(const Auto_markers *w, Report *r, Diags *d)
{
	const Suggestions *p = &w->planned[PROVEN];
	Suggestions promised;

	for (uint32_t i = 0; i < r->sites.n; i++)
		r->sites.at[i].found = r->sites.at[i].number >= w->first_id;
	if (p->opt.remedies)
		suggestions_make_promised(&promised, p);
	for (uint32_t i = 0; i < w->sites.n; i++) {
		const Auto_site *s = &w->sites.at[i];
		if (s->dropped && s->why.kind == D_BUG)
			verdict_report(&s->why, d, s->c.at.at, "left unchanged: ");
	}
	for (uint32_t i = 0; i < p->all.n; i++) {
		const Suggestions *planned = proven_suggestions(w, p->all.at[i].fn->func);
		const Suggestion *s = &planned->of[i];
		Verdict why = why_left(w, s, r->arena);
		if (!verdict_is_no(why))
			continue;
		if (p->opt.remedies)
			why = with_remedy(why, s, &promised.of[i], planned,
				site_of_code(w, s->c) != NULL);
		Speedup gain = s->gain;
		gain.question = report_copy_text(gain.question, r->arena);
		*vec_push(&r->sites) = (Report_site){ .func = s->c->fn->func,
			.loop = report_copy_place(r->arena, s->c->at.at),
			.path = report_copy_place(r->arena, s->c->at.at),
			.profile = { .key = report_copy_text(s->profile.key, r->arena),
				.choice = report_copy_text(s->profile.choice, r->arena) },
			.options = report_copy_options(s->options, s->noptions, r->arena),
			.noptions = s->noptions,
			.gain = gain,
			.found = true,
			.why = verdict_copy(&why, r->arena) };
	}
	if (p->opt.remedies)
		suggestions_release(&promised);
}
