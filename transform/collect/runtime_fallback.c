/* SPDX-License-Identifier: MIT */
/* A warp whose lanes do not gain goes on in the loop as it was, which stands behind the text that
 * is put in front of it (docs/design.md 6.15).
 *
 * What collecting or looking ahead gains is up to the data: where lanes agree it loses, and nobody
 * can see that in the code. So each warp keeps an account while it runs, its *credit*, in quarters
 * of issue slots: what the rounds that it has behind it would have cost in the loop as it was, less
 * what they cost, by the figures of speedup.c. It begins with what a warp loses in R rounds; one
 * whose credit is used up retreats. Since nothing else is deducted, a warp never loses more than
 * that credit by what the model knows; and since it cannot have more than twice that, and what a
 * round may gain, one whose data change retreats soon after.
 *
 *	stack, queue    a round in which some lane wants the path would have cost a run of it
 *	                (gained), and each run costs one, with its tasks (spent); votes cost
 *	                something in every round (in gained, idle)
 *	queue(U)        by the last own part of a round, for all U
 *	ahead           of a batch: the iterations that some lane has noted would have cost a run
 *	                of the path each (saved), those of the lane that has noted most cost one
 *	                (noted)
 *
 * needs:    what the plan needs; speedup.c
 * refuses: tasks that are iterations of an inner loop, and rows, of which a round is no iteration;
 *          loops that nothing leads out of; ahead: sides of a branch (unify), targets below sm_80,
 *          which lack redux
 * correct because (names of labels and sections are collect.tpl's and wait.tpl's):
 *   - A retreat is one more way out, which all lanes take that are in, at once. The credit is
 *   changed by literals, under branches and predicates that depend on votes alone (in ahead: by
 *   what redux gives), so all of M have the same, and all see it used up at the same place.
 *   - That place is where an iteration begins: the loop's header, `round`, `batch`. A lane that is
 *   in stands at the header on its own registers, and its next iteration is what it would run next
 *   as well in the loop as it was; what is live there is, behind a path and so at the header, what
 *   it was in that loop (liveout.c, slice.c, reduction.c; lookahead_legality.c: what iterations
 * write before
 *   they read it, and counts, which the registers that look have there).
 *   - Behind it these lanes are parked like those that have left: what waits is drained, slots of
 *   reductions are folded, and `leave` has the barrier behind which owners see what helpers wrote.
 *   So an iteration of the loop as it was begins when all tasks of its lane are done, and the
 *   buffer is given back. Who was in when the credit was used up is noted once (`gone`): later
 *   nobody is. A lane that has left before goes its way.
 *   - In ahead nothing waits and nobody helps, so lanes go from `retreat` to the header at once.
 *   Behind `leave` no register says then that they shall, and lanes that are out need no counts
 *   for it: ptxas finds up to 16 registers a thread less live in the loop.
 *   - In lockstep parked lanes run along, and only what is live at ways out is kept there: so full
 *   warps go to the copy that is apart, where nobody runs along, at once.
 *   - Where a plan retreats is none of its business: any credit is right.
 * cost:     2 instructions a round, 1 for each path, 1 or 2 where it runs, a register, two
 *           predicates; ahead: 8 a batch, a register
 * before / after: docs/transformation.md
 */
#include "transform/collect/collect.h"
#include "transform/cost/cost.h"
#include "transform/plan/plan.h"

/* SHORT: a loop that is known to have fewer iterations is over before what is spared pays for the
 * account. */
enum { ROUNDS = 16, QUARTERS = 4, MOST = 1 << 20, SHORT = 512 };

static int32_t
quarters(double slots)
{
	double q = slots * QUARTERS;

	q = q > MOST ? MOST : q < -MOST ? -MOST : q;
	return (int32_t)(q + (q < 0 ? -0.5 : 0.5));
}

/* ---- is there to be one? --------------------------------------------------------------------- */

/* Are its paths without loops? How long one runs is not known else, and so not what it would cost
 * to run it with few lanes: eight times is the model's guess, and it may be a hundred. */
static bool
length_known(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (plan_has_loops(x, &x->parts[i]))
			return false;
	return true;
}

static bool
is_short(const Plan *x)
{
	uint32_t trips = x->fn->loops->loops[x->site->loop].trips;

	return trips && trips < SHORT;
}

/* Has a profile counted how many lanes need a path? */
static bool
is_counted(const Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths && x->opt->frequency; i++)
		if (x->opt->frequency(x->opt->measured, x->fn, x->site->paths[i]))
			return true;
	return false;
}

/* So many rounds; 0: none. */
static uint32_t
asked_for(const Plan *x)
{
	const Pass_options *o = x->opt;
	uint32_t rounds = o->retreat_rounds ? o->retreat_rounds : ROUNDS;

	if (x->asked.says_retreat && o->retreat != RETREAT_NEVER)
		return x->asked.retreat == ANNOT_AUTO ? rounds : x->asked.retreat;
	if (o->retreat == RETREAT_AUTO)
		return x->open && !is_counted(x) && length_known(x) && !is_short(x) ? rounds : 0;
	return o->retreat == RETREAT_ALWAYS ? rounds : 0;
}

/* Why it cannot have one; NULL: it can. */
static const char *
no_retreat(const Plan *x)
{
	if (!x->nways)
		return "nothing leads out of the loop";
	if (x->bound.meet && x->policy != POLICY_AHEAD)
		return "what meeting and waiting gain is not known";
	if (x->bound.meet && x->bound.unified)
		return "lanes run the iterations of one side of a branch first";
	if (x->bound.meet && x->fn->m->target < 80)
		return "looking ahead needs sm_80 for it";
	if (x->grouped)
		return "its paths share a vote";
	if (plan_steps(x))
		return "a task is an iteration of an inner loop";
	return x->nrows ? "an inner loop is expanded in a path" : NULL;
}

/* ---- the account ----------------------------------------------------------------------------- */

/* As many lanes of 32, all in the same rounds, as tasks cost as much as they spare. */
static uint32_t
even_lanes(const Expected_part *p)
{
	double n = WARP * (p->path - p->round) / (p->path + p->task);

	return n > 0 ? (uint32_t)n : 0;
}

/* Fills those of its figures that are the part's. Gives what a round loses in which all lanes want
 * the path. */
static double
account(const Plan *x, Part *k)
{
	const Expected_part p = expect_part(x, k);
	bool turns = x->turns > 1, stack = k->policy == POLICY_STACK;

	/* in a stack the round that runs it is one in which it is wanted */
	k->spent = quarters(stack ? -p.task - p.round : -p.path - p.task);
	k->gained = quarters(turns ? x->turns * p.path : p.path - p.round);
	k->unwanted = quarters(turns ? -p.round * x->turns : -p.round);
	return (p.task + p.round) * (turns ? x->turns : 1);
}

static double
account_of_parts(Plan *x)
{
	double loss = 0;

	for (uint32_t i = 0; i < x->nparts; i++)
		if (!x->parts[i].outer)
			loss += account(x, &x->parts[i]);
	const Expected_part first = expect_part(x, &x->parts[0]);
	x->retreat.even = even_lanes(&first);
	return loss;
}

/* Gives what an iteration loses that all lanes want. */
static double
account_of_looks(Plan *x)
{
	const Expected_looks l = expect_looks(x);
	Retreat *r = &x->retreat;
	double loss = l.noted + l.look;

	r->saved = quarters(l.path);
	r->noted = quarters(-l.path - l.noted);
	r->batch = quarters(-l.look * x->bound.n);
	r->even = (uint32_t)(100 * l.path / (l.path + l.noted));
	return loss > 1 ? loss : 1;
}

/* What the credit of a queue goes up by at most, with a round of own parts in which lanes want a
 * path, before the tasks are run for which it did. Less room would cut off what long paths gain. */
static int32_t
swing(const Plan *x)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].policy == POLICY_QUEUE && x->parts[i].gained > 0)
			sum += x->parts[i].gained;
	return sum < MOST ? (int32_t)sum : MOST;
}

void
plan_retreat(Plan *x)
{
	uint32_t rounds = asked_for(x);
	const char *why = rounds ? no_retreat(x) : NULL;

	if (why && x->asked.says_retreat)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'retreat' says nothing here: ignored: %s", why);
	if (!rounds || why)
		return;
	Retreat *r = &x->retreat;
	r->on = true;
	r->asked = x->asked.says_retreat || x->opt->retreat == RETREAT_ALWAYS;
	r->start = quarters(rounds * (x->bound.meet ? account_of_looks(x) : account_of_parts(x)));
	r->most = 2 * r->start + swing(x);
}
