/* SPDX-License-Identifier: MIT */
/* Fallback: a warp that does not gain continues in the original loop, which follows the
 * transformed one (docs/design.md 6.15).
 *
 * Whether collecting or looking ahead gains depends on the data. Each warp therefore keeps a
 * fallback credit at run time, in quarters of issue slots: the cost that its rounds would have
 * had in the original loop, minus their cost, both by the cost model (speedup.c). It starts with
 * the loss of R rounds, and the warp falls back when it is used up. By the model's figures a
 * warp never loses more than the initial credit. The credit is capped at twice that, plus what
 * one round can gain, so a warp whose data change falls back soon after the change.
 *
 *	stack, queue    a round in which some lane has a pending task would have cost one
 *	                execution of the path (gained); each execution costs one, with its tasks
 *	                (spent); votes cost something in every round (in gained, unwanted)
 *	queue(U)        the same, counted once per batch
 *	ahead           per batch: each iteration that some lane selects would have cost one
 *	                execution of the path (saved); the lane with the most selected
 *	                iterations determines the cost (noted)
 *
 *   needs:    what the plan needs; speedup.c
 *   refuses:  tasks that are iterations of an inner loop, and expanded inner loops, as a round
 *             is no iteration then; loops without an exit; shared votes; with ahead: unify, and
 *             targets below sm_80, which lack redux
 *   correct:  docs/proofs/collect.md, C25, and docs/proofs/wait.md, W18
 *
 * - The fallback is one more exit, which all lanes take that are still in the loop. The credit
 *   changes by literals (with ahead, by results of redux), under predicates that depend on votes
 *   alone, so it is the same in all lanes of M, which leave at the same place.
 * - That place is the start of an iteration: the loop's header, `round` or `batch`. Each lane is
 *   there with its own registers. Those that are live at the header have the values of the
 *   original loop (liveout.c, slice.c, reduction.c; for ahead lookahead_legality.c).
 * - The lanes are parked like those that have left: queued tasks are drained, reductions are
 *   combined, and the barrier at `leave` makes the helpers' writes visible. All tasks of a lane
 *   are thus complete before it executes an original iteration. %~gone records once which lanes
 *   were in.
 * - With ahead there are no tasks to wait for, so lanes go from `retreat` to the header
 *   directly. A register that survives until `leave` would keep the counts of parked lanes live
 *   in the loop.
 * - In lockstep parked lanes execute the chain and preserve only what is live at an exit. Full
 *   warps therefore continue in the copy that votes at the back edge.
 * - The choice of the credit affects performance alone.
 *
 *   cost:     2 instructions a round, 1 for each path, 1 or 2 for each execution, a register, two
 *             predicates; ahead: 8 instructions a batch, a register */
#include "transform/collect/collect.h"
#include "transform/cost/cost.h"
#include "transform/plan/plan.h"

/* ROUNDS: default initial credit in rounds. SHORT: a loop with a known trip count below this
 * ends before the savings pay for the counter. */
enum { ROUNDS = 16, QUARTERS = 4, MOST = 1 << 20, SHORT = 512 };

static int32_t
to_quarters(double slots)
{
	double q = slots * QUARTERS;

	q = q > MOST ? MOST : q < -MOST ? -MOST : q;
	return (int32_t)(q + (q < 0 ? -0.5 : 0.5));
}

/* ---- applicability --------------------------------------------------------------------------- */

/* Whether no path contains a loop. The length of a path with a loop is unknown, and the model's
 * guess may be off by more than ten times. */
static bool
path_cost_is_known(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (task_region_has_loops(x, &x->regions[i]))
			return false;
	return true;
}

static bool
is_short(const Plan *x)
{
	uint32_t trips = x->fn->loops->loops[x->site->loop].trips;

	return trips && trips < SHORT;
}

/* Whether a profile has the execution counts of a path. */
static bool
path_is_profiled(const Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++)
		if (pass_frequency(x->opt, x->fn, x->site->paths[i]))
			return true;
	return false;
}

/* Returns the number of rounds in the initial credit; 0: no fallback. */
static uint32_t
requested_rounds(const Plan *x)
{
	const Pass_options *o = x->opt;
	uint32_t rounds = o->fallback_rounds ? o->fallback_rounds : ROUNDS;

	if (x->request.has_retreat && o->fallback != FALLBACK_NEVER)
		return x->request.retreat == ANNOT_AUTO ? rounds : x->request.retreat;
	if (o->fallback == FALLBACK_AUTO)
		return x->selection.is_auto && !path_is_profiled(x) && path_cost_is_known(x) &&
				!is_short(x) ?
			rounds :
			0;
	return o->fallback == FALLBACK_ALWAYS ? rounds : 0;
}

/* Returns why the plan cannot have a fallback; NULL if it can. */
static const char *
why_no_fallback(const Plan *x)
{
	if (!x->common.nexits)
		return "nothing leads out of the loop";
	if (x->wait && !x->lookahead)
		return "what meeting and waiting gain is not known";
	if (x->lookahead && x->lookahead->unified)
		return "lanes run the iterations of one side of a branch first";
	if (x->lookahead && x->fn->m->target < 80)
		return "looking ahead needs sm_80 for it";
	if (plan_shares_vote(x))
		return "its paths share a vote";
	if (plan_has_iteration_tasks(x))
		return "a task is an iteration of an inner loop";
	return x->nexpansions ? "an inner loop is expanded in a path" : NULL;
}

/* ---- credit ---------------------------------------------------------------------------------- */

/* Returns the number of lanes, of 32, at which tasks cost as much as they save, if these lanes
 * take the path in the same rounds. */
static uint32_t
break_even_lanes(const Region_cost *p)
{
	double n = WARP * (p->path - p->round) / (p->path + p->task);

	return n > 0 ? (uint32_t)n : 0;
}

/* Fills in the region's figures. Returns the loss of a round in which all lanes take the path. */
static double
set_region_credit(const Plan *x, Task_region *k)
{
	const Region_cost p = model_region_cost(x, k);
	const uint32_t batch = plan_batch_size(x);
	bool stack = k->policy == POLICY_STACK;

	/* a stack executes the path in a round in which some lane has a pending task */
	k->credit_run = to_quarters(stack ? -p.task - p.round : -p.path - p.task);
	k->credit_wanted = to_quarters(batch > 1 ? batch * p.path : p.path - p.round);
	k->credit_idle = to_quarters(-p.round * batch);
	return (p.task + p.round) * batch;
}

static double
set_credit(Plan *x)
{
	double loss = 0;

	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].outer)
			loss += set_region_credit(x, &x->regions[i]);
	const Region_cost first = model_region_cost(x, &x->regions[0]);
	x->fallback.break_even = break_even_lanes(&first);
	return loss;
}

/* Returns the loss of an iteration that all lanes select. */
static double
set_lookahead_credit(Plan *x)
{
	const Lookahead_cost l = model_lookahead_cost(x);
	Fallback *r = &x->fallback;
	double loss = l.selected + l.lookahead;

	r->credit_saved = to_quarters(l.path);
	r->credit_selected = to_quarters(-l.path - l.selected);
	r->batch = to_quarters(-l.lookahead * x->wait->n);
	r->break_even = (uint32_t)(100 * l.path / (l.path + l.selected));
	return loss > 1 ? loss : 1;
}

/* Returns the maximum by which a queue's credit rises in one batch before the tasks that caused
 * it are executed. A lower cap would cut off gains of long paths. */
static int32_t
queue_credit_swing(const Plan *x)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].policy == POLICY_QUEUE && x->regions[i].credit_wanted > 0)
			sum += x->regions[i].credit_wanted;
	return sum < MOST ? (int32_t)sum : MOST;
}

void
plan_fallback(Plan *x)
{
	uint32_t rounds = requested_rounds(x);
	const char *why = rounds ? why_no_fallback(x) : NULL;

	if (why && x->request.has_retreat)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'retreat' says nothing here: ignored: %s", why);
	if (!rounds || why)
		return;
	Fallback *r = &x->fallback;
	r->enabled = true;
	r->requested = x->request.has_retreat || x->opt->fallback == FALLBACK_ALWAYS;
	r->start =
		to_quarters(rounds * (x->lookahead ? set_lookahead_credit(x) : set_credit(x)));
	r->max = 2 * r->start + queue_credit_swing(x);
}
