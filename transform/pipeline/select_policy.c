/* SPDX-License-Identifier: MIT */
/* Selection of a plan. See select_policy.h.
 * A requested policy is taken if it is legal. `auto` tries collecting, expansion, flattening,
 * look-ahead, waiting before a path, and leaving the loop together, and takes the one with the
 * largest expected gain (speedup.h). The other policies must be requested.
 *
 * A loop is left unchanged if the best policy is not expected to gain; cccnvcc then compiles it as
 * without annotation. A choice that a profile has for the site (ccc-tune) has precedence. */
#include <string.h>
#include "transform/cost/cost.h"
#include "transform/cost/profile_lookup.h"
#include "transform/cost/speedup.h"
#include "transform/legality/legality.h"
#include "transform/legality/rounding.h"
#include "transform/pipeline/policy_choice.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"
#include "transform/task/shared_layout.h"

/* AUTO_FIRST takes the first of these that is legal; `auto` reports why these are not. */
static const Policy_choice preferred[] = { { POLICY_EXPAND, 1, false },
	{ POLICY_STACK, 0, false } };
/* The same for loops that promise nothing. */
static const Policy_choice in_order[] = { { POLICY_FLATTEN, 0, false },
	{ POLICY_AHEAD, 8, false } };

/* The plans that `auto` makes, and the options that it evaluates with each: they are legal if that
 * plan is. */
typedef enum {
	PLAN_EXPAND,
	PLAN_STACK,
	PLAN_NESTED,
	PLAN_FLATTEN,
	PLAN_AHEAD,
	PLAN_WAIT,
	PLAN_CONVERGE,
	NPLANS
} Plan_kind;
static const Policy_choice planned[NPLANS] = {
	[PLAN_EXPAND] = { POLICY_EXPAND, 1, false },
	[PLAN_STACK] = { POLICY_STACK, 0, false },
	[PLAN_NESTED] = { POLICY_QUEUE, 1, true },
	[PLAN_FLATTEN] = { POLICY_FLATTEN, 0, false },
	[PLAN_AHEAD] = { POLICY_AHEAD, 8, false },
	[PLAN_WAIT] = { POLICY_WAIT, 8, false },
	[PLAN_CONVERGE] = { POLICY_CONVERGE, 0, false },
};
static const struct { Policy_choice take; Plan_kind by; } auto_options[] = {
	{ { POLICY_EXPAND, 1, false }, PLAN_EXPAND },
	{ { POLICY_EXPAND, 0, false }, PLAN_EXPAND }, /* by a profile */
	{ { POLICY_AHEAD, 32, false }, PLAN_AHEAD },
	{ { POLICY_AHEAD, 8, false }, PLAN_AHEAD },
	{ { POLICY_STACK, 0, false }, PLAN_STACK },
	{ { POLICY_QUEUE, 1, false }, PLAN_STACK },
	{ { POLICY_QUEUE, 2, false }, PLAN_STACK },
	{ { POLICY_QUEUE, 4, false }, PLAN_STACK },
	{ { POLICY_QUEUE, 4, true }, PLAN_NESTED }, /* with overlapping loads */
	{ { POLICY_QUEUE, 1, true }, PLAN_NESTED },
	{ { POLICY_QUEUE, 8, false }, PLAN_STACK },
	{ { POLICY_FLATTEN, 0, false }, PLAN_FLATTEN },
	{ { POLICY_WAIT, 8, false }, PLAN_WAIT },
	{ { POLICY_WAIT, 16, false }, PLAN_WAIT },
	{ { POLICY_WAIT, 24, false }, PLAN_WAIT },
	{ { POLICY_CONVERGE, 0, false }, PLAN_CONVERGE },
};
enum { NOPTIONS = sizeof auto_options / sizeof *auto_options };

/* ---- requested policies ---------------------------------------------------------------------- */

Plan
plan_with_policy(
	const Plan *fresh, const Shared_budget *budget, const Policy_choice *c, const Pass **by)
{
	Plan x = *fresh;

	x.selection.nests = c->joins;
	plan_read_clauses(&x);
	if (x.policy == POLICY_AUTO) {
		x.selection.is_auto = x.opt->auto_mode != AUTO_FIRST && !x.selection.profile_choice;
		x.policy = c->policy;
		x.request.n = c->n;
	} else if (x.selection.profile_choice && x.policy == c->policy) {
		x.request.n = c->n;
	}
	if (x.selection.default_policy == POLICY_AUTO) {
		x.selection.default_policy = c->policy;
		x.selection.default_n = c->n;
	}
	plan_hint_ignored_clauses(&x);
	*by = pass_for_policy(x.policy);
	x.verdict = plan_check_not_drawn(&x);
	if (!verdict_is_no(x.verdict))
		x.verdict = plan_policy_applies(&x, x.policy) ? (*by)->plan(&x, budget) :
							 plan_why_inapplicable(&x);
	if (!verdict_is_no(x.verdict) && plan_has_proven_clause(&x))
		x.verdict = plan_check_proven(&x, pass_for_policy(x.policy)->needs);
	if (!verdict_is_no(x.verdict) && !verdict_is_no(x.verdict = plan_check_groups(&x)))
		x.verdict = plan_rounding(&x);
	return x;
}

/* Adds a hint about an inner loop that is not expanded although its site has another plan. */
static void
hint_unexpanded_loop(const Plan *first, Plan *x)
{
	Verdict v = first->verdict;

	if (first->policy != POLICY_EXPAND)
		return;
	if (plan_has_iteration_tasks(x)) { /* it has another plan itself */
		x->selection.why_not_better = first->verdict;
		return;
	}
	v.text = verdict(x->arena, v.kind, v.pos, "loop left unchanged: %s", first->verdict.text).text;
	if (first->nregions)
		v.at = task_region_marker(first, &first->regions[0])->cuda;
	*vec_push(&x->hints) = v;
}

/* Returns the policy that the clauses request. implied: by the kind of an annotation. */
static Annot_policy
requested_policy(const Plan *fresh, bool *implied)
{
	Plan x = *fresh;

	plan_read_clauses(&x);
	vec_free(&x.hints);
	*implied = plan_policy_is_implied(&x) || plan_leaves_policy_to_auto(&x);
	return x.policy;
}

/* Makes the plan of the requested policy, or of the first legal one. If none is legal, *x is the
 * first plan that was tried, with its reason. */
static const Pass *
select_first_legal(Plan *x, const Shared_budget *budget, Annot_policy asked)
{
	enum { N = sizeof preferred / sizeof *preferred }; /* also of in_order */
	const bool threads = plan_marker(x)->annot.kind == ANNOT_GRID;
	const Policy_choice *first = plan_has_proven_clause(x) && !threads ? in_order : preferred;
	const Plan fresh = *x;
	const Pass *chosen = NULL;
	bool tried = false;

	for (size_t i = 0; i < N && !chosen; i++) {
		const Pass *by;
		bool last = asked != POLICY_AUTO || (!tried && i + 1 == N);
		if (!last && !plan_policy_applies(&fresh, first[i].policy))
			continue;
		Plan y = plan_with_policy(&fresh, budget, &first[i], &by);
		if (!verdict_is_no(y.verdict))
			chosen = by;
		if (!tried || chosen) {
			if (tried)
				hint_unexpanded_loop(x, &y);
			if (tried && x->policy != POLICY_EXPAND)
				y.selection.why_not_better = x->verdict;
			vec_free(&x->hints);
			*x = y;
		} else {
			if (plan_has_iteration_tasks(&y) && x->verdict.nnotes < VERDICT_NOTES)
				x->verdict = verdict_note(x->verdict, x->arena, y.verdict.pos,
					"nor are its iterations collected one by one: %s",
					y.verdict.text);
			vec_free(&y.hints);
		}
		tried = true;
		if (asked != POLICY_AUTO)
			break;
	}
	return chosen;
}

/* ---- the best policy ------------------------------------------------------------------------- */

/* The options of a site, with the plans that they share. */
typedef struct {
	const Plan *fresh;
	const Shared_budget *budget;
	Plan plan[NPLANS];
	const Pass *pass[NPLANS]; /* NULL: refused */
	bool tried[NPLANS];
	const Site_model *expected;
	Speedup gain[NOPTIONS];
	bool out[NOPTIONS];     /* the option is not possible */
	bool short_of_memory;   /* some plan lacks shared memory, or reduces occupancy by it */
} Option_comparison;

/* Whether several iterations of common code may precede the votes. Must agree with plan_batch(). */
static bool
can_batch(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].outer || x->regions[i].by_iteration)
			return false;
	return x->copies.two && plan_is_lockstep(x);
}

/* Makes the plan of a choice; it may be refused. */
static void
try_plan(Option_comparison *c, Plan_kind by)
{
	const Policy_choice *as = &planned[by];
	Plan *x = &c->plan[by];

	c->tried[by] = true;
	*x = plan_with_policy(c->fresh, c->budget, as, &c->pass[by]);
	if (verdict_is_no(x->verdict) || (as->joins && !x->nexpansions))
		c->pass[by] = NULL;
	c->short_of_memory |= plan_lacks_memory(x);
}

static void
evaluate_option(Option_comparison *c, uint32_t i)
{
	const Policy_choice *take = &auto_options[i].take;
	Plan_kind by = auto_options[i].by;
	bool fits = by == PLAN_NESTED   ? c->fresh->site->npaths && c->fresh->site->ninner_loops :
		    by == PLAN_CONVERGE ? site_model_has_exit_code(c->expected) : true;

	if (!c->tried[by] && fits && plan_policy_applies(c->fresh, planned[by].policy))
		try_plan(c, by);
	bool batched = take->policy == POLICY_QUEUE && take->n > 1;
	c->out[i] = !c->pass[by] || (batched && !can_batch(&c->plan[by]));
	if (!c->out[i])
		c->gain[i] = site_model_speedup(c->expected, &c->plan[by], take->policy, take->n);
	c->out[i] |= take->policy == POLICY_EXPAND && !take->n && !c->gain[i].measured;
}

/* Returns the best remaining option; NOPTIONS if none. Among options that are about as good, the
 * first one needs least memory, or has fewest lanes wait. */
static uint32_t
select_best_option(const Option_comparison *c)
{
	uint32_t most = NOPTIONS, i = 0;

	for (uint32_t k = 0; k < NOPTIONS; k++)
		if (!c->out[k] &&
			(most == NOPTIONS || speedup_is_better(&c->gain[k], &c->gain[most])))
			most = k;
	while (i < most && (c->out[i] || !speedup_is_near(&c->gain[i], &c->gain[most])))
		i++;
	return most == NOPTIONS ? NOPTIONS : i;
}

/* Takes the plan of option i from the compared ones. */
static Plan
plan_from_comparison(Option_comparison *c, uint32_t i)
{
	Plan *of = &c->plan[auto_options[i].by], x = *of;

	memset(&of->hints, 0, sizeof of->hints);
	return x;
}

/* Makes the option's own plan, with hints about plans that were refused. */
static Plan
plan_for_option(Option_comparison *c, uint32_t i)
{
	Plan_kind by = auto_options[i].by;
	const Policy_choice *take = &auto_options[i].take, *as = &planned[by];
	const Pass *pass;
	bool same = take->policy == as->policy && take->n == as->n;
	Plan x = same ? plan_from_comparison(c, i) :
			plan_with_policy(c->fresh, c->budget, take, &pass);

	x.selection.gain = c->gain[i];
	if (c->tried[PLAN_EXPAND] && !c->pass[PLAN_EXPAND] && by != PLAN_FLATTEN &&
		by != PLAN_NESTED)
		hint_unexpanded_loop(&c->plan[PLAN_EXPAND], &x);
	if ((by == PLAN_AHEAD || by == PLAN_WAIT) && c->tried[PLAN_STACK] && !c->pass[PLAN_STACK])
		x.selection.why_not_better = c->plan[PLAN_STACK].verdict;
	return x;
}

/* ---- reasons against it ---------------------------------------------------------------------- */

/* Returns the legal options, for reports. */
static Plan_option *
legal_options(const Option_comparison *c, uint32_t *n)
{
	Arena *a = c->fresh->arena;
	Plan_option *list = arena_array(a, NOPTIONS, sizeof *list);

	*n = 0;
	for (uint32_t i = 0; i < NOPTIONS; i++)
		if (!c->out[i])
			list[(*n)++] = (Plan_option){ choice_name(a, &auto_options[i].take),
				c->gain[i] };
	return list;
}

/* Adds a note why an inner loop cannot be expanded. */
static Verdict
note_expand_refused(const Option_comparison *c, Verdict v)
{
	const Verdict *why = &c->plan[PLAN_EXPAND].verdict;

	if (!c->tried[PLAN_EXPAND] || c->pass[PLAN_EXPAND] || !why->text)
		return v;
	v = verdict_note(v, c->fresh->arena, why->pos, "'expand' cannot be: %s", why->text);
	v.reorders |= why->reorders;
	return why->nnotes && why->note[0].pos == DIAG_NOWHERE ?
		verdict_note(v, c->fresh->arena, DIAG_NOWHERE, "%s", why->note[0].text) : v;
}

/* Takes the best option that is acceptable, or sets the reason why the site is left unchanged. */
static const Pass *
select_fitting_option(Option_comparison *c, Plan *x)
{
	Verdict crowded = VERDICT_YES;
	uint32_t i;

	while ((i = select_best_option(c)) < NOPTIONS) {
		const Auto_option o = { choice_name(c->fresh->arena, &auto_options[i].take),
			auto_options[i].take.policy,
			auto_options[i].take.joins ? auto_options[i].take.n : 0 };
		Verdict no = plan_check_profitable(c->fresh, &c->gain[i], &o);
		/* the option's own plan is legal if the compared one is */
		bool known = verdict_is_no(no) &&
			auto_options[i].take.policy == planned[auto_options[i].by].policy;
		*x = known ? plan_from_comparison(c, i) : plan_for_option(c, i);
		x->selection.gain = c->gain[i];
		x->fallback.enabled &= x->selection.gain.has_fallback || x->fallback.requested;
		if (!verdict_is_no(x->verdict) && !verdict_is_no(x->verdict = no) &&
			!verdict_is_no(x->verdict = frame_check_occupancy(x, c->budget)))
			return pass_for_policy(x->policy);
		c->out[i] = true;
		if (x->verdict.kind == D_SHARED)
			crowded = x->verdict;
		c->short_of_memory |= verdict_is_no(crowded);
		if (x->verdict.kind == D_NO_GAIN) { /* the remaining options gain even less */
			x->verdict = note_expand_refused(c, x->verdict);
			break;
		}
		vec_free(&x->hints);
	}
	if (verdict_is_no(crowded))
		x->verdict = crowded;
	vec_free(&x->hints);
	return NULL;
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Whether only waiting is legal, with a path or an inner loop. Without a gain, the reasons against
 * the others are reported. */
static bool
only_waiting_is_legal(const Option_comparison *c)
{
	uint32_t by = 0;

	while (by < PLAN_WAIT && !c->pass[by]) /* PLAN_CONVERGE, behind it, waits, too */
		by++;
	return by == PLAN_WAIT && profile_point_of_site(c->fresh->site) != c->fresh->site;
}

static const Pass *
select_best(Plan *x, const Shared_budget *budget)
{
	const Plan fresh = *x;
	Option_comparison *c = arena_zalloc(x->scratch, sizeof *c);
	bool stale;
	const char *choice = profile_lookup_choice(x->opt, x->fn, x->site, &stale);
	const Pass *chosen = NULL;
	Verdict why_not = stale && !choice ? choice_warn_code_changed(x) : VERDICT_YES;
	uint32_t noptions;

	c->fresh = &fresh;
	c->expected = site_model_new(&fresh);
	c->budget = budget;
	for (uint32_t i = 0; i < NOPTIONS; i++)
		evaluate_option(c, i);
	Plan_option *options = legal_options(c, &noptions);
	if (choice && strcmp(choice, annot_policies[POLICY_AUTO].name) != 0)
		chosen = plan_with_choice(x, budget, choice, &why_not);
	bool any = select_best_option(c) < NOPTIONS,
	     known = any && speedup_ratio(&c->gain[select_best_option(c)]) > 0;
	if (known && !x->selection.profile_choice)
		chosen = select_fitting_option(c, x);
	for (uint32_t p = 0; p < NPLANS; p++)
		if (c->tried[p])
			vec_free(&c->plan[p].hints);
	if (!chosen && !x->selection.profile_choice && (!known || only_waiting_is_legal(c))) {
		*x = fresh;
		chosen = select_first_legal(x, budget, POLICY_AUTO);
	}
	if (verdict_is_no(why_not))
		*vec_push(&x->hints) = why_not;
	x->selection.options = options;
	x->selection.noptions = noptions;
	x->selection.short_of_memory = c->short_of_memory;
	return chosen;
}

const Pass *
select_plan(Plan *x, const Shared_budget *budget)
{
	bool implied, compares = x->opt->auto_mode != AUTO_FIRST;
	Annot_policy asked = requested_policy(x, &implied);
	Verdict why = VERDICT_YES;
	const Pass *chosen;

	if (asked == POLICY_AUTO && compares) {
		if (!x->selection.threads) {
			x->selection.threads = plan_profiled_block_size(x);
			x->selection.profiled_threads = x->selection.threads != 0;
		}
		return select_best(x, budget);
	}
	if (implied && compares && plan_implied_choice(x, budget, &chosen, &why))
		return chosen;
	chosen = select_first_legal(x, budget, asked);
	if (verdict_is_no(why))
		*vec_push(&x->hints) = why;
	if (chosen)
		x->selection.gain = plan_expected_speedup(x);
	return chosen && accept_implied_policy(x) ? chosen : NULL;
}
