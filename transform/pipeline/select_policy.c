/* SPDX-License-Identifier: MIT */
/* Selection of a plan. See select_policy.h.
 *
 * A requested policy is taken if it is legal. `auto` tries collecting, expansion, flattening,
 * look-ahead and waiting before a path, and takes the one with the largest expected gain
 * (speedup.h). The other policies must be requested: the benefit of reconvergence depends on the
 * branches that ptxas generates, which cannot be predicted here.
 *
 * A loop is left unchanged if the best policy is not expected to gain. That costs nothing, since
 * cccnvcc compiles it as if it had no annotation.
 *
 * A choice that a profile recorded for the site (ccc-tune) has precedence, because it was
 * measured. */
#include <string.h>
#include "transform/cost/cost.h"
#include "transform/cost/profile_lookup.h"
#include "transform/legality/legality.h"
#include "transform/legality/rounding.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"
#include "transform/task/shared_layout.h"

/* joins: inner loops in paths are expanded in the runs of the collected paths (nested_expand.c). */
typedef struct { Annot_policy policy; uint32_t n; bool joins; } Choice;

/* CHOOSE_FIRST takes the first of these that is legal; `auto` reports why these are not. */
static const Choice preferred[] = { { POLICY_EXPAND, 1, false }, { POLICY_STACK, 0, false } };
/* The same for loops that promise nothing. */
static const Choice in_order[] = { { POLICY_FLATTEN, 0, false }, { POLICY_AHEAD, 8, false } };

/* The plans that `auto` makes, and the options that it evaluates with each: they are legal if that
 * plan is. */
typedef enum { BY_EXPAND, BY_STACK, BY_JOINED, BY_FLATTEN, BY_AHEAD, BY_WAIT, NPLANS } By;
static const Choice planned[NPLANS] = {
	[BY_EXPAND] = { POLICY_EXPAND, 1, false },
	[BY_STACK] = { POLICY_STACK, 0, false },
	[BY_JOINED] = { POLICY_QUEUE, 1, true },
	[BY_FLATTEN] = { POLICY_FLATTEN, 0, false },
	[BY_AHEAD] = { POLICY_AHEAD, 8, false },
	[BY_WAIT] = { POLICY_WAIT, 8, false },
};
static const struct { Choice take; By by; } all[] = {
	{ { POLICY_EXPAND, 1, false }, BY_EXPAND },
	{ { POLICY_AHEAD, 32, false }, BY_AHEAD },
	{ { POLICY_AHEAD, 8, false }, BY_AHEAD },
	{ { POLICY_STACK, 0, false }, BY_STACK },
	{ { POLICY_QUEUE, 1, false }, BY_STACK },
	{ { POLICY_QUEUE, 2, false }, BY_STACK },
	{ { POLICY_QUEUE, 4, false }, BY_STACK },
	{ { POLICY_QUEUE, 4, true }, BY_JOINED }, /* with overlapping loads */
	{ { POLICY_QUEUE, 1, true }, BY_JOINED },
	{ { POLICY_QUEUE, 8, false }, BY_STACK },
	{ { POLICY_FLATTEN, 0, false }, BY_FLATTEN },
	{ { POLICY_WAIT, 8, false }, BY_WAIT },
	{ { POLICY_WAIT, 16, false }, BY_WAIT },
	{ { POLICY_WAIT, 24, false }, BY_WAIT },
};
enum { NALL = sizeof all / sizeof *all };

/* Choices in a profile: leave the loop unchanged; suffix of a policy of paths in which inner loops
 * are expanded. */
static const char LEAVE[] = "leave", JOINS[] = "+expand";

/* ---- requested policies ---------------------------------------------------------------------- */

/* Plans the site by its clauses, with policy `c` if they leave it open. */
static Plan
plan_by(const Plan *fresh, const Room *room, const Choice *c, const Pass **by)
{
	Plan x = *fresh;

	x.joins = c->joins;
	plan_clauses(&x);
	if (x.policy == POLICY_AUTO) {
		x.open = x.opt->choose != CHOOSE_FIRST && !x.chosen;
		x.policy = c->policy;
		x.asked.n = c->n;
	}
	if (x.otherwise == POLICY_AUTO) {
		x.otherwise = c->policy;
		x.otherwise_n = c->n;
	}
	plan_clauses_ignored(&x);
	*by = pass_of(x.policy);
	x.why = plan_not_assigned(&x);
	if (!verdict_no(x.why))
		x.why = plan_has_subject(&x, x.policy) ? (*by)->plan(&x, room) :
							 plan_without_subject(&x);
	if (!verdict_no(x.why) && plan_promises_nothing(&x))
		x.why = plan_proven(&x, pass_of(x.policy)->needs);
	if (!verdict_no(x.why))
		x.why = plan_rounding(&x);
	return x;
}

/* Adds a hint about an inner loop that is not expanded although its site has another plan. */
static void
tell_first(const Plan *first, Plan *x)
{
	Verdict v = first->why;

	if (first->policy != POLICY_EXPAND)
		return;
	if (plan_steps(x)) { /* it has another plan itself */
		x->instead = first->why;
		return;
	}
	v.text = verdict(x->arena, v.kind, v.pos, "loop left unchanged: %s", first->why.text).text;
	if (first->nparts)
		v.at = part_marker(first, &first->parts[0])->cuda;
	*vec_push(&x->hints) = v;
}

/* Returns the policy that the clauses request. */
static Annot_policy
asked_for(const Plan *fresh)
{
	Plan x = *fresh;

	plan_clauses(&x);
	vec_free(&x.hints);
	return x.policy;
}

/* Makes the plan of the requested policy, or of the first legal one. If none is legal, *x is the
 * first plan that was tried, with its reason. */
static const Pass *
take_first(Plan *x, const Room *room, Annot_policy asked)
{
	enum { N = sizeof preferred / sizeof *preferred }; /* also of in_order */
	const bool threads = plan_marker(x)->annot.kind == ANNOT_GRID;
	const Choice *first = plan_promises_nothing(x) && !threads ? in_order : preferred;
	const Plan fresh = *x;
	const Pass *chosen = NULL;
	bool tried = false;

	for (size_t i = 0; i < N && !chosen; i++) {
		const Pass *by;
		bool last = asked != POLICY_AUTO || (!tried && i + 1 == N);
		if (!last && !plan_has_subject(&fresh, first[i].policy))
			continue;
		Plan y = plan_by(&fresh, room, &first[i], &by);
		if (!verdict_no(y.why))
			chosen = by;
		if (!tried || chosen) {
			if (tried)
				tell_first(x, &y);
			if (tried && x->policy != POLICY_EXPAND)
				y.instead = x->why;
			vec_free(&x->hints);
			*x = y;
		} else {
			if (plan_steps(&y) && x->why.nnotes < VERDICT_NOTES)
				x->why = verdict_note(x->why, x->arena, y.why.pos,
					"nor are its iterations collected one by one: %s",
					y.why.text);
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
	const Room *room;
	Plan plan[NPLANS];
	const Pass *pass[NPLANS]; /* NULL: refused */
	bool tried[NPLANS];
	const Expected *expected;
	Gain gain[NALL];
	bool out[NALL];         /* the option is not possible */
} Contest;

/* Whether several iterations of common code may precede the votes. Must agree with plan_turns(). */
static bool
may_turn(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].outer || x->parts[i].steps)
			return false;
	return x->two_copies && x->lockstep.on;
}

/* Makes the plan of a choice; it may be refused. */
static void
try(Contest *c, By by)
{
	const Choice *as = &planned[by];
	Plan *x = &c->plan[by];

	c->tried[by] = true;
	*x = plan_by(c->fresh, c->room, as, &c->pass[by]);
	if (verdict_no(x->why) || (as->joins && !x->nrows))
		c->pass[by] = NULL;
}

static void
consider(Contest *c, uint32_t i)
{
	By by = all[i].by;
	bool may_join = c->fresh->site->npaths && c->fresh->site->nrounds;

	if (!c->tried[by] && plan_has_subject(c->fresh, planned[by].policy) &&
		(!planned[by].joins || may_join))
		try(c, by);
	const Plan *x = &c->plan[by];
	c->out[i] = !c->pass[by] ||
		(all[i].take.policy == POLICY_QUEUE && all[i].take.n > 1 && !may_turn(x));
	if (!c->out[i])
		c->gain[i] = expect_gain(c->expected, x, all[i].take.policy, all[i].take.n);
}

/* Whether one option is about as good as another. If the critical lane bounds both, the remaining
 * time decides. */
static bool
as_good(const Gain *a, const Gain *as)
{
	const double SAME = 1.02;

	return gain_ratio(a) * SAME >= gain_ratio(as) && a->shared <= as->shared * SAME;
}

/* Returns the best remaining option; NALL if none. Among options that are about as good, the first
 * one needs least memory. */
static uint32_t
best(const Contest *c)
{
	uint32_t most = NALL, i = 0;

	for (uint32_t k = 0; k < NALL; k++)
		if (!c->out[k] && (most == NALL ||
			gain_ratio(&c->gain[k]) > gain_ratio(&c->gain[most])))
			most = k;
	while (i < most && (c->out[i] || !as_good(&c->gain[i], &c->gain[most])))
		i++;
	return most == NALL ? NALL : i;
}

/* Takes the plan of option i from the compared ones. */
static Plan
plan_compared(Contest *c, uint32_t i)
{
	Plan *of = &c->plan[all[i].by], x = *of;

	memset(&of->hints, 0, sizeof of->hints);
	return x;
}

/* Makes the option's own plan, with hints about plans that were refused. */
static Plan
plan_of(Contest *c, uint32_t i)
{
	By by = all[i].by;
	const Choice *take = &all[i].take, *as = &planned[by];
	const Pass *pass;
	bool same = take->policy == as->policy && take->n == as->n;
	Plan x = same ? plan_compared(c, i) : plan_by(c->fresh, c->room, take, &pass);

	x.gain = c->gain[i];
	if (c->tried[BY_EXPAND] && !c->pass[BY_EXPAND] && by != BY_FLATTEN && by != BY_JOINED)
		tell_first(&c->plan[BY_EXPAND], &x);
	if ((by == BY_AHEAD || by == BY_WAIT) && c->tried[BY_STACK] && !c->pass[BY_STACK])
		x.instead = c->plan[BY_STACK].why;
	return x;
}

/* ---- reasons against it ---------------------------------------------------------------------- */

static const char *
option_name(Arena *a, uint32_t i)
{
	const Choice *c = &all[i].take;
	Buf b = { 0 };

	buf_puts(&b, annot_policies[c->policy].name);
	if (c->policy == POLICY_EXPAND)
		buf_puts(&b, "(choose)");
	else if (c->n)
		buf_printf(&b, "(%u)", c->n);
	if (c->joins)
		buf_puts(&b, JOINS);
	const char *name = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return name;
}

/* Returns the legal options, for reports. */
static Plan_option *
legal_options(const Contest *c, uint32_t *n)
{
	Arena *a = c->fresh->arena;
	Plan_option *list = arena_array(a, NALL, sizeof *list);

	*n = 0;
	for (uint32_t i = 0; i < NALL; i++)
		if (!c->out[i])
			list[(*n)++] = (Plan_option){ option_name(a, i), c->gain[i] };
	return list;
}

/* Adds a note why an inner loop cannot be expanded. */
static Verdict
nor_expand(const Contest *c, Verdict v)
{
	const Verdict *why = &c->plan[BY_EXPAND].why;

	if (!c->tried[BY_EXPAND] || c->pass[BY_EXPAND] || !why->text)
		return v;
	v = verdict_note(v, c->fresh->arena, why->pos, "'expand' cannot be: %s", why->text);
	v.reorders |= why->reorders;
	return why->nnotes && why->note[0].pos == DIAG_NOWHERE ?
		verdict_note(v, c->fresh->arena, DIAG_NOWHERE, "%s", why->note[0].text) : v;
}

/* Takes the best option that is acceptable, or sets the reason why the site is left unchanged. */
static const Pass *
take(Contest *c, Plan *x)
{
	Verdict crowded = VERDICT_YES;
	uint32_t i;

	while ((i = best(c)) < NALL) {
		const Worth_of o = { option_name(c->fresh->arena, i), all[i].take.policy,
			all[i].take.joins ? all[i].take.n : 0 };
		Verdict no = plan_worth(c->fresh, &c->gain[i], &o);
		/* the option's own plan is legal if the compared one is */
		bool known = verdict_no(no) && all[i].take.policy == planned[all[i].by].policy;
		*x = known ? plan_compared(c, i) : plan_of(c, i);
		x->gain = c->gain[i];
		x->retreat.on &= x->gain.retreats || x->retreat.asked;
		if (!verdict_no(x->why) && !verdict_no(x->why = no) &&
			!verdict_no(x->why = frame_crowds(x, c->room)))
			return pass_of(x->policy);
		c->out[i] = true;
		if (x->why.kind == D_SHARED)
			crowded = x->why;
		if (x->why.kind == D_NO_GAIN) { /* the remaining options gain even less */
			x->why = nor_expand(c, x->why);
			break;
		}
		vec_free(&x->hints);
	}
	if (verdict_no(crowded))
		x->why = crowded;
	vec_free(&x->hints);
	return NULL;
}

/* ---- choices of a profile -------------------------------------------------------------------- */

static Verdict
cannot_follow(const Plan *x, const char *choice, const char *why)
{
	return verdict(x->arena, D_PROFILE_STALE, DIAG_NOWHERE,
		"the profile's choice '%s' is not followed: %s", choice, why);
}

static Verdict
other_code(const Plan *x)
{
	return verdict_note(verdict(x->arena, D_PROFILE_STALE, DIAG_NOWHERE,
				    "the profile belongs to different code: its choice is not used here"),
		x->arena, DIAG_NOWHERE,
		"the source, the compiler or its options changed since: measure anew, by ccc-tune");
}

/* Parses the output of option_name(). */
static bool
read_choice(const char *text, Arena *a, Choice *c)
{
	size_t n = strlen(text), end = sizeof JOINS - 1;

	c->joins = n > end && strcmp(text + n - end, JOINS) == 0;
	text = arena_strndup(a, text, c->joins ? n - end : n);
	return annot_policy_read(text, &c->policy, &c->n) &&
		c->policy != POLICY_AUTO && pass_does(c->policy);
}

/* Plans the site as the profile chose. NULL: it is left unchanged; or the choice cannot be
 * followed: *why is the reason, and *x is unchanged. */
static const Pass *
follow(Plan *x, const Room *room, const char *choice, Verdict *why)
{
	const Pass *by;
	Choice c;

	if (strcmp(choice, LEAVE) == 0) {
		x->chosen = choice;
		x->why = verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"chosen by the profile: a measurement found no gain");
		return NULL;
	}
	if (!read_choice(choice, x->scratch, &c)) {
		*why = cannot_follow(x, choice, "this version has no such policy for loops");
		return NULL;
	}
	Plan fresh = *x;
	fresh.chosen = choice;
	Plan y = plan_by(&fresh, room, &c, &by);
	bool turns = c.policy == POLICY_QUEUE && c.n > 1;
	bool joinless = c.joins && !y.nrows;
	if (verdict_no(y.why) || joinless || (turns && y.turns != c.n)) {
		*why = cannot_follow(x, choice,
			verdict_no(y.why) ? y.why.text :
			joinless	  ? "no inner loop can be expanded in a path" :
					    "a round has one own part here");
		vec_free(&y.hints);
		return NULL;
	}
	y.gain = expect_gain(expect_site(&y), &y, c.policy, c.n);
	*x = y;
	return by;
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Whether waiting is the only possibility. If it does not gain, the reasons against the others are
 * reported. */
static bool
only_waits(const Contest *c)
{
	for (uint32_t by = 0; by < NPLANS; by++)
		if (by != BY_WAIT && c->pass[by])
			return false;
	return true;
}

static const Pass *
take_best(Plan *x, const Room *room)
{
	const Plan fresh = *x;
	Contest *c = arena_zalloc(x->scratch, sizeof *c);
	bool stale;
	const char *choice = measured_choice(x->opt, x->fn, x->site, &stale);
	const Pass *chosen = NULL;
	Verdict why_not = stale && !choice ? other_code(x) : VERDICT_YES;
	uint32_t noptions;

	c->fresh = &fresh;
	c->expected = expect_site(&fresh);
	c->room = room;
	for (uint32_t i = 0; i < NALL; i++)
		consider(c, i);
	Plan_option *options = legal_options(c, &noptions);
	if (choice && strcmp(choice, annot_policies[POLICY_AUTO].name) != 0)
		chosen = follow(x, room, choice, &why_not);
	bool any = best(c) < NALL, known = any && gain_ratio(&c->gain[best(c)]) > 0;
	if (known && !x->chosen)
		chosen = take(c, x);
	for (uint32_t p = 0; p < NPLANS; p++)
		if (c->tried[p])
			vec_free(&c->plan[p].hints);
	if (!chosen && !x->chosen && (!known || only_waits(c))) {
		*x = fresh;
		chosen = take_first(x, room, POLICY_AUTO);
	}
	if (verdict_no(why_not))
		*vec_push(&x->hints) = why_not;
	x->options = options;
	x->noptions = noptions;
	return chosen;
}

const Pass *
choose_plan(Plan *x, const Room *room)
{
	Annot_policy asked = asked_for(x);

	if (asked == POLICY_AUTO && x->opt->choose != CHOOSE_FIRST)
		return take_best(x, room);
	const Pass *chosen = take_first(x, room, asked);
	if (chosen)
		x->gain = plan_gain(x);
	return chosen;
}
