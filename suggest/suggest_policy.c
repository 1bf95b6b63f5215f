/* SPDX-License-Identifier: MIT */
/* Whether the annotation of a suggestion must name its policy (suggest_plan.h). */
#include <string.h>
#include "suggest/suggest_plan.h"

/* Returns the policy that an option names; `queue` is `stack` with a number. */
static Annot_policy
option_policy(const char *text)
{
	Annot_policy policy = POLICY_AUTO;
	uint32_t n;

	annot_policy_read(text, &policy, &n);
	return policy == POLICY_QUEUE ? POLICY_STACK : policy;
}

/* Whether another policy is expected to gain about as much as the best one. The code with
 * annotations has other estimates, which may be in another order. */
static bool
another_is_near(const Suggestion *r)
{
	const double NEAR = 1.05;
	uint32_t best = 0;

	for (uint32_t i = 0; i < r->noptions; i++)
		best = r->options[i].worth > best ? r->options[i].worth : best;
	for (uint32_t i = 0; i < r->noptions; i++)
		if (option_policy(r->options[i].policy) != option_policy(r->policy) &&
			r->options[i].worth * NEAR >= best)
			return true;
	return false;
}

const char *
suggestion_policy_to_name(const Suggestion *r, const Suggestion *unmeasured)
{
	if (r->c->annot == ANNOT_PREDICT || r->c->annot == ANNOT_FOR)
		return NULL;
	bool other = unmeasured &&
		(!unmeasured->done || strcmp(unmeasured->policy, r->policy) != 0);
	return other || another_is_near(r) ? r->policy : NULL;
}
