/* SPDX-License-Identifier: MIT */
/* Suggestions. See suggest.h; docs/choosing.md explains the method. */
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "suggest/candidate_stmts.h"
#include "suggest/suggest.h"
#include "suggest/suggest_plan.h"
#include "suggest/suggest_why.h"
#include "transform/cost/launch_tasks.h"
#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

enum { TOLD = 10 };             /* suggestions for a function */
/* Minimal share of the issue slots to report that a candidate gains nothing or is refused. */
static const double LARGE = 0.05;

/* ---- merging of copies ----------------------------------------------------------------------- */

static bool
same_line(const Candidate *a, const Candidate *b)
{
	return a->at.at.line == b->at.at.line && strcmp(a->at.at.file, b->at.at.file) == 0 &&
		a->at.caller.line == b->at.caller.line;
}

static bool
same_place(const Candidate *a, const Candidate *b)
{
	return a->kind == b->kind && same_line(a, b) && a->in.site == b->in.site &&
		a->in.part == b->in.part;
}

/* Whether the candidate is not reported: an arm that an annotation of its statement does not mark;
 * a loop alone that gains nothing is left to candidates in the same line. */
static bool
is_dropped(const Suggestion *r)
{
	if (r->c->in.tests_more && r->c->kind != ADVICE_UNIFORM)
		return true;
	return r->c->annot == ANNOT_FOR && !(r->done && advice_worth(r->expected));
}

/* Whether a is reported instead of b. An inner loop whose iterations run in order needs less of a
 * promise. */
static bool
is_told_instead(const Suggestion *a, const Suggestion *b)
{
	if (!a->done && !b->done)
		return a->share > b->share;
	if (a->done && a->c->annot == ANNOT_WHILE && b->c->annot != ANNOT_WHILE)
		return !suggestion_is_better(b, a);
	return suggestion_is_better(a, b);
}

/* The shares of copies of a statement are added. Others share code, as the branches of a condition
 * do, and that of functions inlined in one line. */
static uint32_t
merge_same_place(const Suggestions *w, Suggestion *r, uint32_t n)
{
	Bits *blocks = arena_array(w->arena, n + 1u, sizeof *blocks); /* of those merged so far */
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		if (is_dropped(&r[i]))
			continue;
		while (k < kept && !same_place(r[k].c, r[i].c))
			k++;
		if (k == kept) {
			blocks[k] = bits_new(w->arena, r[i].c->fn->cfg->nblocks);
			bits_or(blocks[k], r[i].c->blocks);
			r[kept++] = r[i];
			continue;
		}
		double both = r[k].share;
		if (r[k].c->annot == r[i].c->annot && !bits_meet(blocks[k], r[i].c->blocks)) {
			both += r[i].share;
			bits_or(blocks[k], r[i].c->blocks);
		}
		if (is_told_instead(&r[i], &r[k]))
			r[k] = r[i];
		r[k].share = both;
	}
	return kept;
}

static bool
suggestion_gains(const Suggestion *r)
{
	return r->done && advice_worth(r->expected);
}

/* Whether a plan may gain, or lose, because nothing was counted. */
static bool
suggestion_is_unclear(const Suggestion *r)
{
	if (!r->known || r->gain.measured || r->gain.after <= 0)
		return false;
	return r->done ? r->gain.question != NULL :
			 r->gain.assumes_trips || advice_worth(r->gain.most);
}

static bool
suggestion_applies(const Suggestion *r)
{
	return suggestion_gains(r) && !candidate_cannot_insert(r->c);
}

static int
most_first(const void *a, const void *b)
{
	const Suggestion *x = a, *y = b;
	double p = suggestion_applies(x) ? 1 + x->expected : x->share,
	       q = suggestion_applies(y) ? 1 + y->expected : y->share;

	return (p < q) - (p > q);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Whether the row would only say that no statement belongs to code in which nothing gains, such as
 * that of an inlined library function. */
static bool
has_nothing_to_annotate(const Suggestion *r)
{
	return !suggestion_gains(r) && !r->c->in.site && r->c->in.missing &&
		r->c->kind != ADVICE_UNIFORM && r->share >= LARGE;
}

static bool
suggestion_is_listed(const Suggestion *r)
{
	if (has_nothing_to_annotate(r))
		return false;
	if ((r->c->kind == ADVICE_UNIFORM && r->share > 0) || suggestion_gains(r))
		return true;
	return r->known || r->refused ? r->share >= LARGE : false;
}

/* Whether the candidate is the test before a loop that is reported, or a uniform branch in the line
 * of another one that is reported. */
static bool
is_covered(const Suggestion *x, const Suggestion *r, uint32_t n)
{
	for (uint32_t i = 0; x->c->kind != ADVICE_LOOP && i < n; i++)
		if ((r[i].c->kind == ADVICE_LOOP ||
			    (x->c->kind == ADVICE_UNIFORM && r[i].c->kind == ADVICE_BRANCH)) &&
			same_line(x->c, r[i].c) && suggestion_is_listed(&r[i]))
			return true;
	return false;
}

/* Returns why no plan gains, and what to change, if one reason decides. */
static const char *
what_limits(const Suggestion *r, Arena *a)
{
	Buf b = { 0 };

	if (r->done || r->gain.needed_tasks <= 0)
		return speedup_limit_text(&r->gain, a);
	buf_printf(&b,
		"no annotation is expected to gain in launches of this size: count one of %.0f tasks or more",
		r->gain.needed_tasks);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

static void
write_suggestion(const Suggestions *w, const Suggestion *r, Buf *out)
{
	const Candidate *c = r->c;
	const Fn *fn = c->fn;
	size_t len;
	const char *name = ptx_name(fn->m, fn->f->sym, &len);
	Advice a = { .kind = c->kind,
		.share = r->share < 1 ? r->share : 1,
		.lanes = -1,
		.efficiency = -1,
		.gain = r->done ? r->expected : 0,
		.range = { r->least, r->most },
		.at = c->at,
		.function = demangle(w->arena, name, len),
		.refused = c->kind == ADVICE_UNIFORM ? NULL : candidate_cannot_insert(c),
		.pragma = candidate_annotation_words(c),
		.reorders = c->reorders,
		.in_order = c->annot == ANNOT_WHILE,
		.grid = !c->loop,
		.exits = c->annot == ANNOT_FOR,
		.waits = c->annot == ANNOT_PREDICT ? c->threshold : 0 };

	if (!a.refused)
		a.refused = r->refused;
	if (suggestion_is_unclear(r) && !(a.refused && r->done))
		a.unclear = r->gain.question ? r->gain.question : "";
	if (!suggestion_gains(r))
		a.limit = what_limits(r, w->arena);
	if (w->executed.of) {
		a.lanes = executed_lanes(&w->executed, fn, c->first);
		a.efficiency = c->kind == ADVICE_LOOP ?
			executed_loop_efficiency(&w->executed, fn, fn->loops->loop_of[c->first]) :
			executed_branch_efficiency(&w->executed, fn, c->from);
	}
	if (w->stmts.known && a.at.at.file == w->m->src->name)
		a.at.at.file = NULL;
	a.why = r->measured             ? r->measured :
		a.exits ? "lanes of a warp may leave it in different iterations, and then execute the code of an exit apart" :
		c->kind == ADVICE_LOOP ? "trip counts may differ between lanes" :
					  "this branch may diverge";
	if (suggestion_gains(r) && !a.refused) {
		a.plan = r->plan;
		a.but = suggest_note_waiting(c, w->arena);
		a.confirm = a.waits || a.exits ? NULL : suggest_arrays_to_confirm(c, w->arena);
	}
	if (a.exits)
		a.rewrite = "without ptxccc: keep the condition of 'break' in a variable, leave the loop by one 'break', and test the variable after the loop";
	else if (c->kind == ADVICE_LOOP && c->annot != ANNOT_FOR_VAR)
		a.rewrite = suggest_note_extreme(c, w->arena);
	a.site = candidate_site_text(c, w->opt.style, w->arena);
	a.outer = candidate_outer_text(c, w->arena);
	if (c->loop)
		a.around = suggest_loop_line(c);
	advice_write(&a, out);
}

static uint32_t
write_function(const Suggestions *w, uint32_t f, bool head, Buf *out)
{
	Suggestion *r = &w->of[w->first[f]];
	uint32_t n = merge_same_place(w, r, w->first[f + 1] - w->first[f]), told = 0;

	if (n)
		qsort(r, n, sizeof *r, most_first);
	for (uint32_t i = 0; i < n && told < TOLD; i++) {
		if (!suggestion_is_listed(&r[i]) || is_covered(&r[i], r, n))
			continue;
		if (!head && !told)
			advice_write_head(out);
		write_suggestion(w, &r[i], out);
		told++;
	}
	return told;
}

/* Names the functions that were not examined, if they were executed or it is unknown whether. */
static void
tell_unexamined(const Suggestions *w, Buf *out)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		const Func *k = &w->m->funcs[f];
		if ((!w->deep[f] && !k->nmarkers) || (w->slots && !(w->slots[f] > 0)))
			continue;
		buf_printf(out, "function '%.*s' was not examined: %s\n", PTX_NAME(w->m, k->sym),
			w->deep[f] ? "its loops are nested too deep" :
				     "it has annotations; build the program without them, and without '--ccc-markers-only'");
	}
}

/* Names the functions whose counts in the profile match none of their branches and loops. */
static void
tell_edited(const Suggestions *w, Buf *out)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		size_t n;
		const char *name = ptx_name(w->m, w->m->funcs[f].sym, &n);
		if (suggestions_have_other_lines(w, f))
			buf_printf(out,
				"the profile's counts of %s are for other lines, and none is used: make the profile anew\n",
				demangle(w->arena, name, n));
	}
}

/* ---- order of functions ---------------------------------------------------------------------- */

typedef struct { uint32_t func; double slots; } Function_order;

static int
most_executed_first(const void *a, const void *b)
{
	const Function_order *x = a, *y = b;

	if (x->slots != y->slots)
		return x->slots > y->slots ? -1 : 1;
	return x->func < y->func ? -1 : 1;
}

/* Returns the functions, from element 1 on: those that executed most first or, if that is unknown,
 * as in the module. */
static Function_order *
functions_in_order(const Suggestions *w)
{
	Function_order *to = arena_array(w->arena, w->m->nfuncs + 1u, sizeof *to);

	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		to[f] = (Function_order){ f, w->slots ? w->slots[f] : 0 };
	if (w->m->nfuncs > 1)
		qsort(to + 1, w->m->nfuncs - 1, sizeof *to, most_executed_first);
	return to;
}

/* ---- fixes ----------------------------------------------------------------------------------- */

/* Whether the source can have the candidate's annotation and that of its loop or kernel. */
static bool
candidate_is_fixable(const Candidate *c)
{
	return !candidate_cannot_insert(c) && c->in.site && (c->loop ? c->in.around : c->in.kernel);
}

static void
write_fix(const Suggestion *r, const char *policy, Buf *out)
{
	const Candidate *c = r->c;

	buf_printf(out, "fix %.2f %u %s %u %u\t%s", r->expected, c->in.site->number,
		source_part_names[candidate_annotated_part(c)], c->loop ? c->in.around->number : 0,
		c->loop ? 0 : c->in.kernel->number, candidate_annotation_words(c));
	if (c->annot == ANNOT_PREDICT)
		buf_printf(out, " threshold(%u)", c->threshold);
	else if (c->reorders)
		buf_puts(out, " reassociate");
	if (policy)
		buf_printf(out, "\t%s", policy);
	buf_putc(out, '\n');
}

/* The loops that cannot be annotated any more. */
typedef struct { Bits loops; bool kernel; } Excluded;

/* Whether both are in loops of one statement, which inlining and templates may copy. */
static bool
same_loop_stmt(const Candidate *a, const Candidate *b)
{
	return a == b || (a->loop && b->loop && a->in.around && a->in.around == b->in.around);
}

/* Whether a loop of the candidate's statement is excluded. A kernel's task loop contains all. */
static bool
is_excluded(const Suggestions *w, uint32_t f, const Candidate *c, const Excluded *x)
{
	if (!c->loop || x->kernel)
		return x->kernel || bits_any(x->loops);
	for (uint32_t i = w->first[f]; i < w->first[f + 1]; i++)
		if (same_loop_stmt(c, &w->all.at[i]) && bits_has(x->loops, w->all.at[i].loop))
			return true;
	return false;
}

/* Excludes the loops of the candidate's statement, those in them and those around them. */
static void
exclude(const Suggestions *w, uint32_t f, const Candidate *c, Excluded *x)
{
	const Loops *l = c->fn->loops;

	x->kernel |= !c->loop;
	for (uint32_t i = w->first[f]; i < w->first[f + 1]; i++)
		for (uint32_t k = 1; k < l->nloops && same_loop_stmt(c, &w->all.at[i]); k++) {
			uint32_t loop = w->all.at[i].loop;
			if (loop && (loop_contains(l, loop, l->loops[k].header) ||
				loop_contains(l, k, l->loops[loop].header)))
				bits_set(x->loops, k);
		}
}

static void
write_function_fixes(const Suggestions *w, const Suggestion *unmeasured, uint32_t f, Buf *out)
{
	Suggestion *r = &w->of[w->first[f]];
	uint32_t n = merge_same_place(w, r, w->first[f + 1] - w->first[f]);

	if (!n)
		return;
	Excluded x = { .loops = bits_new(w->arena, r->c->fn->loops->nloops) };
	qsort(r, n, sizeof *r, most_first);
	for (uint32_t i = 0; i < n; i++) {
		const Candidate *c = r[i].c;
		if (!suggestion_gains(&r[i]) || is_excluded(w, f, c, &x) ||
			is_covered(&r[i], r, n))
			continue;
		if (candidate_is_fixable(c)) {
			write_fix(&r[i], suggestion_policy_to_name(&r[i], unmeasured ?
				&unmeasured[c - w->all.at] : NULL), out);
			exclude(w, f, c, &x);
		} else
			buf_puts(out, "none\n");
		write_suggestion(w, &r[i], out);
	}
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Says why the table is empty. */
static void
write_none(const Suggestions *w, Buf *out)
{
	bool omitted = false;

	for (uint32_t i = 0; i < w->all.n; i++)
		omitted |= w->of[i].c && has_nothing_to_annotate(&w->of[i]);
	if (omitted)
		buf_puts(out, "no branch or loop of the source has a significant share of the issue slots\n");
	else
		advice_write_none(out);
}

/* Says for what launches the gains of task loops are expected. */
static void
write_launch_size(const Suggestions *w, Buf *out)
{
	const Profile *p = w->opt.measured.profile;
	bool listed = false;

	for (uint32_t i = 0; i < w->all.n; i++)
		listed |= !w->all.at[i].loop && suggestion_is_listed(&w->of[i]);
	if (!p || !listed || launch_scale(w->m, &w->opt, profile_multiprocessors(p)) <= 1)
		return;
	launch_put_scale(w->m, &w->opt, profile_multiprocessors(p), out);
	buf_putc(out, '\n');
}

void
suggest_write_table(const Module *m, const Pass_options *opt, Buf *out)
{
	Suggestions w;
	uint32_t told = 0;

	suggestions_make(&w, m, opt, PROMISED);
	suggestions_plan_predictions(&w);
	const Function_order *order = functions_in_order(&w);
	for (uint32_t i = 1; i < m->nfuncs; i++)
		told += write_function(&w, order[i].func, told > 0, out);
	if (!told)
		write_none(&w, out);
	write_launch_size(&w, out);
	tell_unexamined(&w, out);
	tell_edited(&w, out);
	suggestions_release(&w);
}

void
suggest_write_fixes(const Module *m, const Pass_options *opt, Buf *out)
{
	const bool measured = opt->measured.profile != NULL;
	Suggestions w, unmeasured;
	Pass_options plain = *opt;

	plain.measured.profile = NULL;
	suggestions_make(&w, m, opt, PROMISED);
	if (measured)
		suggestions_make(&unmeasured, m, &plain, PROMISED);
	suggestions_plan_predictions(&w);
	for (uint32_t f = 1; f < m->nfuncs && w.stmts.known; f++)
		write_function_fixes(&w, measured ? unmeasured.of : NULL, f, out);
	if (measured)
		suggestions_release(&unmeasured);
	suggestions_release(&w);
}

/* Drops what was not measured, gains nothing, or needs no promise. */
static void
drop_others(Suggestions *w, const Suggestions *shown)
{
	for (uint32_t i = 0; i < w->all.n; i++) {
		Suggestion *r = &w->of[i];
		if (!suggestion_gains(r) || !r->gain.measured || (suggestion_gains(&shown->of[i]) &&
			!suggestion_is_better(r, &shown->of[i]))) {
			*r = (Suggestion){ .c = r->c };
		}
	}
}

void
suggest_write_promises(const Module *m, const Pass_options *opt, Buf *out)
{
	Suggestions w, shown;
	uint32_t told = 0;

	suggestions_make(&shown, m, opt, PROVEN);
	suggestions_make_like(&w, &shown, opt, PROMISED);
	drop_others(&w, &shown);
	for (uint32_t f = 1; f < m->nfuncs; f++)
		told += write_function(&w, f, told > 0, out);
	suggestions_release(&w);
	suggestions_release(&shown);
}
