/* SPDX-License-Identifier: MIT */
/* Choices of a profile for sites (ccc-tune). See policy_choice.h. */
#include <stdio.h>
#include <string.h>
#include "transform/cost/cost.h"
#include "transform/cost/profile_lookup.h"
#include "transform/pipeline/policy_choice.h"
#include "transform/pipeline/select_policy.h"

/* Choices in a profile: leave the loop unchanged; suffix of a policy of paths in which inner loops
 * are expanded. */
static const char LEAVE[] = "leave", JOINS[] = "+expand";

const char *
choice_name(Arena *a, const Policy_choice *c)
{
	char text[48], number[16] = "";

	if (c->policy == POLICY_EXPAND && c->n)
		snprintf(number, sizeof number, "(choose)");
	else if (c->n)
		snprintf(number, sizeof number, "(%u)", c->n);
	int n = snprintf(text, sizeof text, "%s%s%s", annot_policies[c->policy].name, number,
		c->joins ? JOINS : "");
	return arena_strndup(a, text, (size_t)n);
}

static Verdict
warn_choice_unusable(const Plan *x, const char *choice, const char *why)
{
	return verdict(x->arena, D_PROFILE_STALE, DIAG_NOWHERE,
		"the profile's choice '%s' is not followed: %s", choice, why);
}

Verdict
choice_warn_code_changed(const Plan *x)
{
	return verdict_note(verdict(x->arena, D_PROFILE_STALE, DIAG_NOWHERE,
				    "the profile belongs to different code: its choice is not used here"),
		x->arena, DIAG_NOWHERE,
		"the source, the compiler or its options changed since: measure anew, by ccc-tune");
}

/* Parses the output of choice_name(). */
static bool
parse_choice(const char *text, Arena *a, Policy_choice *c)
{
	size_t n = strlen(text), end = sizeof JOINS - 1;

	c->joins = n > end && strcmp(text + n - end, JOINS) == 0;
	text = arena_strndup(a, text, c->joins ? n - end : n);
	return annot_policy_read(text, &c->policy, &c->n) &&
		c->policy != POLICY_AUTO && pass_supports_policy(c->policy);
}

const Pass *
plan_with_choice(Plan *x, const Shared_budget *budget, const char *choice, Verdict *why)
{
	const Pass *by;
	Policy_choice c;

	if (strcmp(choice, LEAVE) == 0) {
		x->selection.profile_choice = choice;
		x->verdict = verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"chosen by the profile: a measurement found no gain");
		return NULL;
	}
	if (!parse_choice(choice, x->scratch, &c)) {
		*why = warn_choice_unusable(x, choice, "this version has no such policy for loops");
		return NULL;
	}
	Plan fresh = *x;
	fresh.selection.profile_choice = choice;
	Plan y = plan_with_policy(&fresh, budget, &c, &by);
	bool other = y.policy != c.policy;
	bool is_batched = c.policy == POLICY_QUEUE && c.n > 1;
	bool joinless = c.joins && !y.nexpansions;
	if (verdict_is_no(y.verdict) || other || joinless ||
		(is_batched && plan_batch_size(&y) != c.n)) {
		*why = warn_choice_unusable(x, choice,
			verdict_is_no(y.verdict) ? y.verdict.text :
			other		  ? "the annotation has another policy" :
			joinless	  ? "no inner loop can be expanded in a path" :
					    "this loop cannot be batched");
		vec_free(&y.hints);
		return NULL;
	}
	y.selection.gain = site_model_speedup(site_model_new(&y), &y, c.policy, c.n);
	*x = y;
	return by;
}

/* ---- implied policies ------------------------------------------------------------------------ */

/* Lists thresholds for lanes that wait at one place. */
static void
list_thresholds(Plan *x, const Shared_budget *budget)
{
	static const Policy_choice all[] = { { POLICY_WAIT, 4, false }, { POLICY_WAIT, 8, false },
		{ POLICY_WAIT, 12, false }, { POLICY_WAIT, 16, false },
		{ POLICY_WAIT, 24, false } };
	enum { N = sizeof all / sizeof *all };
	const Pass *by;
	Plan y = plan_with_policy(x, budget, &all[0], &by);

	vec_free(&y.hints);
	if (verdict_is_no(y.verdict) || y.policy != POLICY_WAIT || y.wait->npredicted != 1)
		return;
	x->selection.options = arena_array(x->arena, N, sizeof *x->selection.options);
	for (x->selection.noptions = 0; x->selection.noptions < N; x->selection.noptions++) {
		const Policy_choice *c = &all[x->selection.noptions];
		x->selection.options[x->selection.noptions] =
			(Plan_option){ choice_name(x->arena, c),
				site_model_speedup(site_model_new(&y), &y, c->policy, c->n) };
	}
}

bool
plan_implied_choice(Plan *x, const Shared_budget *budget, const Pass **by, Verdict *why)
{
	bool stale;
	const char *choice = profile_lookup_choice(x->opt, x->fn, x->site, &stale);

	*by = NULL;
	*why = stale && !choice ? choice_warn_code_changed(x) : VERDICT_YES;
	list_thresholds(x, budget);
	if (choice && strcmp(choice, annot_policies[POLICY_AUTO].name) != 0)
		*by = plan_with_choice(x, budget, choice, why);
	return x->selection.profile_choice != NULL;
}
