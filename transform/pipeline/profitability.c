/* SPDX-License-Identifier: MIT */
/* Whether a plan is worth its cost, given the expected gain (speedup.h) and whether it was
 * requested. */
#include <stdio.h>
#include "analysis/cost/static_cost.h"
#include "analysis/loops/trip_count.h"
#include "transform/cost/speedup.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/describe_pragma.h"
#include "transform/plan/plan.h"

/* Required gain of a task loop, whose overhead is 8 % in the mean. */
static const double LEAST_OF_TASK_LOOP = 1.10;
/* Required gain of a loop that was not requested; the model may overestimate by this factor. It is
 * more accurate for flattening inner loops that do not access memory (FLATTENED), and for others
 * (COUNTED) if the profile has the longest lanes of whole executions: such loops tend to have the
 * same longest lanes in each iteration of the loop around them. */
static const double LEAST_OF_PROVEN = 1.5, LEAST_OF_FLATTENED = 1.1, LEAST_OF_COUNTED = 1.3;

/* With timed launches, what a profile expects to be worth this is tried: estimates by a profile are
 * within 25 % of the counted gain (tests/cost/run.sh), so it may gain. */
static const double LEAST_OF_TRIED = 0.8;

static double
required_to_flatten(const Plan *x)
{
	double least = LEAST_OF_FLATTENED;

	for (uint32_t i = 0; i < x->site->ninner_loops; i++) {
		const Region *r = x->site->inner_loops[i];
		const Loop *l = &x->fn->loops->loops[r->loop];
		const Execution_counts *f = pass_frequency(x->opt, x->fn, r);
		if (run_cost_of_blocks(x->fn, l->blocks, l->header).memory <= 0)
			continue;
		if (!f || !f->whole_trips)
			return LEAST_OF_PROVEN;
		least = LEAST_OF_COUNTED;
	}
	return least;
}

static double
required_gain(const Plan *x, Annot_policy policy)
{
	if (x->opt->launch.timed || !plan_has_proven_clause(x))
		return plan_marker(x)->annot.kind == ANNOT_GRID ? LEAST_OF_TASK_LOOP : 0;
	return policy == POLICY_FLATTEN ? required_to_flatten(x) : LEAST_OF_PROVEN;
}

/* Whether the program finds out if the plan gains, which the estimate does not exclude. */
static bool
is_tried(const Plan *x, const Speedup *g)
{
	return x->opt->launch.timed && plan_has_proven_clause(x) && g->measured &&
		!g->no_effect && speedup_ratio(g) >= LEAST_OF_TRIED;
}

static bool
is_profitable(const Plan *x, const Speedup *g, Annot_policy policy)
{
	return g->after <= 0 || is_tried(x, g) ||
		(speedup_suffices(g) && speedup_ratio(g) >= required_gain(x, policy));
}

bool
plan_assumes_trip_counts(const Plan *x)
{
	const Loops *l = x->fn->loops;
	Arena *tmp = arena_new();
	bool found = false;

	for (uint32_t i = 1; i < l->nloops && !found; i++)
		found = i != x->site->loop && bits_has(x->site->blocks, l->loops[i].header) &&
			!trip_count_constant(trip_count_analyse(x->fn, i, tmp));
	arena_free(tmp);
	return found;
}

/* Whether the model expects no loss however many lanes need the path, with nothing else assumed. */
static bool
gain_is_certain(const Plan *x, const Speedup *g)
{
	return g->least >= 1 && !plan_assumes_trip_counts(x);
}

/* Whether the plan may lose unnoticed: a task loop changes the whole launch, and cannot fall back.
 * Its overhead must be paid however many lanes need the path. */
static bool
task_loop_may_lose(const Plan *x, const Speedup *g)
{
	return plan_marker(x)->annot.kind == ANNOT_GRID && !x->opt->launch.timed &&
		!g->has_fallback && !g->measured && g->after > 0 && g->least < LEAST_OF_TASK_LOOP;
}

/* Adds how to have the site transformed all the same. */
static Verdict
note_how_to_force(Verdict v, const Plan *x, Annot_policy policy, const char *name)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE, "to transform it anyway, write %s",
		describe_pragma_of_site(x, policy, name));
}

/* Without a request, an uncertain estimate of the model does not justify a transformation. */
static Verdict
refuse_unprofiled(const Plan *x, const Speedup *g, const Auto_option *o)
{
	return note_how_to_force(
		verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"the gain is not certain without a profile: policy '%s' is expected to be worth %.2fx (%.2fx to %.2fx by how many lanes need it)",
			o->name, speedup_ratio(g), g->least, g->most),
		x, o->policy, o->name);
}

/* what: begins the text. */
static Verdict
estimate_verdict(const Plan *x, const Speedup *g, const char *name, const char *what)
{
	const char *limit = speedup_limit_text(g, x->arena);

	Verdict v = g->measured ?
		verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"%s: policy '%s' would take %.0f issue slots an iteration instead of %.0f (%.2fx, by the profile)",
			what, name, g->after, g->before, speedup_ratio(g)) :
		verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"%s: policy '%s' would take %.0f issue slots an iteration instead of %.0f (%.2fx; %.2fx to %.2fx by how many lanes need it)",
			what, name, g->after, g->before, speedup_ratio(g), g->least, g->most);
	return limit ? verdict_note(v, x->arena, DIAG_NOWHERE, "%s", limit) : v;
}

Verdict
plan_check_profitable(const Plan *x, const Speedup *g, const Auto_option *o)
{
	char queue[24];

	if (x->opt->auto_mode == AUTO_ALWAYS)
		return VERDICT_YES;
	if (plan_has_proven_clause(x) && !g->measured && !x->opt->launch.timed &&
		!gain_is_certain(x, g))
		return refuse_unprofiled(x, g, o);
	if (is_profitable(x, g, o->policy))
		return task_loop_may_lose(x, g) ? refuse_unprofiled(x, g, o) : VERDICT_YES;
	Verdict v = estimate_verdict(x, g, o->name, "the expected gain is too small");
	if (!o->joined)
		return note_how_to_force(v, x, o->policy, o->name);
	snprintf(queue, sizeof queue, "queue(%u)", o->joined);
	return verdict_note(v, x->arena, DIAG_NOWHERE, "to transform it anyway, write %s, and %s",
		describe_pragma(x, x->site->paths[0], queue),
		describe_pragma(x, x->site->inner_loops[0], "expand"));
}

bool
plan_needs_timing(const Plan *x)
{
	const Auto_option o = { annot_policies[x->policy].name, x->policy, 0 };
	Pass_options untimed = *x->opt;
	Plan y = *x;

	untimed.launch.timed = false;
	y.opt = &untimed;
	return x->opt->launch.timed &&
		verdict_is_no(plan_check_profitable(&y, &x->selection.gain, &o));
}

/* Warns of a prediction that is expected to lose. It is carried out: its annotation says what to
 * do. */
static void
hint_prediction_loses(Plan *x)
{
	const double LOSS = 0.98;
	const Speedup *g = &x->selection.gain;
	const Region *r = x->wait ? x->wait->region : NULL;

	if (!r || x->fn->m->markers[r->marker].annot.kind != ANNOT_PREDICT || g->after <= 0 ||
		speedup_ratio(g) >= LOSS)
		return;
	Verdict v = estimate_verdict(x, g, annot_policies[x->policy].name, "expected to be slower");
	v.at = x->fn->m->markers[r->marker].cuda;
	*vec_push(&x->hints) = verdict_note(v, x->arena, DIAG_NOWHERE,
		"a lower 'threshold(N)' waits for fewer lanes; 'policy(auto)' leaves the loop unchanged if that loses, too");
}

bool
accept_implied_policy(Plan *x)
{
	const Auto_option o = { annot_policies[x->policy].name, x->policy, 0 };

	if (x->opt->auto_mode == AUTO_FIRST)
		return true;
	if (!plan_leaves_policy_to_auto(x)) {
		hint_prediction_loses(x);
		return true;
	}
	Verdict no = plan_check_profitable(x, &x->selection.gain, &o);
	if (verdict_is_no(no))
		x->verdict = no;
	return !verdict_is_no(no);
}
