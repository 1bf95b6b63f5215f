/* SPDX-License-Identifier: MIT */
/* Waiting policies: no work moves between lanes. Each lane executes its own iterations, in
 * order, on its own registers. The plan adds wait points, so that lanes which are about to
 * execute the same code execute it together (docs/design.md 6.12). A wait point precedes a path,
 * an iteration or an inner loop (wait_points.c, predicted_wait_points.c), or lanes look ahead
 * for iterations that take a path (lookahead_legality.c, lookahead_copies.c, unify.c). With
 * `assign` lanes draw iterations from a pool (dynamic_assignment.c).
 *
 *   needs:    cfg dom loop live defuse effects local region
 *   refuses:  what legal.c, motion_legality.c and alias_warnings.c refuse for waiting
 *             policies, and lookahead_legality.c for look-ahead; targets without independent
 *             thread scheduling. Only `assign` and `unify` need independent iterations.
 *   correct:  docs/proofs/wait.md, invariants W1 to W23; lines of wait.tpl cite them
 *   cost:     instructions: a draw 30, and 3 for each word of an iteration's values; of the
 *             block 40, and four barriers a loop; converge 2 an iteration; flatten(N) 3, and 2
 *             each N-th; wait 8 a round; votes 12;
 *             ahead 2 to 4 for each look-ahead iteration, 5 for each selected one (10 if
 *             whole), 10 a batch, and the common code once more. Registers: 3 to 10; ahead:
 *             twice those that the common code writes, more for outstanding loads
 *   before / after: docs/transformation.md */
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/legality/legality.h"
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

enum { DEFAULT_AHEAD = 32, DEFAULT_WAIT = 16 };

/* Makes a task region of each path of the loop, costliest first, except nested ones. Look-ahead
 * iterations skip them. */
static void
collect_paths(Plan *x)
{
	Bits seen = bits_new(x->scratch, x->fn->cfg->nblocks);

	x->regions = arena_array(x->arena, x->site->npaths, sizeof *x->regions);
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		if (bits_has(seen, x->site->paths[i]->entry))
			continue;
		bits_or(seen, x->site->paths[i]->blocks);
		x->regions[x->nregions++] = (Task_region){ .path = x->site->paths[i],
			.task_blocks = x->site->paths[i]->blocks,
			.blocks = x->site->paths[i]->blocks, .policy = x->policy };
	}
}

/* Returns the first region, from 1, that is an arm of a branch to unify; 0 if there is none, or no
 * other arm. */
static uint32_t
unified_side(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions && x->nregions > 1; i++)
		if (task_region_marker(x, &x->regions[i])->annot.kind == ANNOT_UNIFY)
			return i + 1;
	return 0;
}

/* ---- entry point ----------------------------------------------------------------------------- */

static Cost
set_cost(const Plan *x)
{
	Cost c = { .collecting = 2 };
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);

	BITS_EACH(b, x->common.blocks)
		if (loop_contains(x->fn->loops, x->site->loop, b))
			bits_set(own, b);
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		bits_and_not(own, x->site->paths[i]->blocks);
		c.path += x->site->paths[i]->cost;
	}
	for (uint32_t i = 0; i < x->wait->npredicted; i++)
		if (x->wait->predicted[i]->kind == REGION_INNER_LOOP) {
			bits_and_not(own, x->wait->predicted[i]->blocks);
			c.path += x->wait->predicted[i]->cost;
		}
	c.common = cost_blocks(x->fn, own, plan_header(x));
	return c;
}

/* Reports paths whose annotation names another policy; they remain unchanged. */
static void
hint_ignored_policies(Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (!annot_has(&k->annot, CLAUSE_POLICY) ||
			policy_requested_by(&k->annot) == POLICY_AUTO ||
			policy_requested_by(&k->annot) == x->policy)
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"path left unchanged: policy '%s' cannot be combined with '%s', which the loop has",
			annot_policies[policy_requested_by(&k->annot)].name,
			annot_policies[x->policy].name);
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
}

/* Returns the policy's default number. */
static uint32_t
default_number(const Plan *x)
{
	switch (x->policy) {
	case POLICY_AHEAD: return DEFAULT_AHEAD;
	case POLICY_FLATTEN:
		return plan_marker(x)->annot.kind == ANNOT_ASSIGN ? wait_inner_steps(x) : 1;
	default: return DEFAULT_WAIT;
	}
}

Verdict
wait_plan(Plan *x, const Shared_budget *budget)
{
	Wait_plan *b;
	bool ahead = x->policy == POLICY_AHEAD;
	Verdict v;

	if (verdict_is_no(v = plan_check_target(x)))
		return v;
	if (ahead)
		collect_paths(x);
	b = x->wait = arena_zalloc(x->arena, sizeof *b);
	x->lookahead = ahead ? arena_zalloc(x->arena, sizeof *x->lookahead) : NULL;
	b->meeting = x->policy == POLICY_FLATTEN ? x->fn->loops->loops[wait_inner_loop(x)].header :
						plan_header(x);
	b->n = x->request.n ? x->request.n : default_number(x);
	if (!ahead && x->policy != POLICY_FLATTEN && x->policy != POLICY_CONVERGE &&
		verdict_is_no(v = plan_wait_points(x)))
		return v;
	if (verdict_is_no(v = plan_check_waiting(x)) ||
		verdict_is_no(v = plan_check_exit_in_time(x)))
		return v;
	if (ahead)
		x->lookahead->unified = unified_side(x);
	if (ahead && verdict_is_no(v = plan_check_lookahead(x)))
		return v;
	if (ahead && x->lookahead->unified && verdict_is_no(v = plan_check_unify(x)))
		return v;
	if (plan_marker(x)->annot.kind == ANNOT_ASSIGN &&
		verdict_is_no(v = plan_iteration_pool(x, budget)))
		return v;
	if (ahead)
		plan_lookahead_copies(x);
	plan_first_blocks(x);
	plan_wait_loop_copies(x);
	plan_fallback(x);
	plan_warn_spin_loops(x);
	hint_ignored_policies(x);
	x->cost = set_cost(x);
	return VERDICT_YES;
}
