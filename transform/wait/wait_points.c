/* SPDX-License-Identifier: MIT */
/* Selects the wait points of a waiting policy and its release rule (wait_plan.c): a path and the
 * loop's next iteration, the arms of a branch, or an inner loop and the code after it.
 *
 * A branch has two arms, or as many as a `switch` has cases (Han, Abdelrahman, 3.1, consider an
 * `if` or a `switch`). The annotations of its arms have the same source line and consecutive
 * numbers. */
#include <string.h>
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

enum { DEFAULT_WAIT = 16, MOST_ARMS = WARP }; /* a word has one bit for each arm */

static const Annot *
annot_of(const Plan *x, const Region *r)
{
	return &x->fn->m->markers[r->marker].annot;
}

static uint32_t
annotation_number(const Plan *x, const Region *r)
{
	return x->fn->m->markers[r->marker].id;
}

/* Returns the region at which lanes wait: the one whose annotation requests it, or the costliest
 * path or inner loop. */
static const Region *
wait_region(const Plan *x)
{
	if (x->request.region && x->request.region->kind == REGION_INNER_LOOP)
		return x->request.region;
	return x->site->npaths ? x->site->paths[0] : x->site->inner_loops[0];
}

/* ---- arms ------------------------------------------------------------------------------------ */

/* Whether the paths may be arms of one branch. */
static bool
paths_share_branch(const Plan *x, const Region *a, const Region *b)
{
	const Marker *k = &x->fn->m->markers[a->marker], *o = &x->fn->m->markers[b->marker];

	return k->id != o->id && k->annot.kind == o->annot.kind && k->cuda.line == o->cuda.line &&
		k->cuda.file && o->cuda.file && strcmp(k->cuda.file, o->cuda.file) == 0 &&
		!bits_has(a->blocks, b->entry) && !bits_has(b->blocks, a->entry);
}

/* Returns the arm with that number, or NULL. If the compiler has duplicated it, returns the copy
 * nearest to `arm`. */
static const Region *
find_numbered_arm(const Plan *x, const Region *arm, uint32_t number)
{
	const Region *found = NULL;
	uint32_t nearest = 0;

	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Region *o = x->site->paths[i];
		if (annotation_number(x, o) != number || !paths_share_branch(x, arm, o))
			continue;
		uint32_t at = x->fn->cfg->rpo_index[dom_common(x->fn->dom, arm->entry, o->entry)];
		if (!found || at > nearest) {
			found = o;
			nearest = at;
		}
	}
	return found;
}

static bool
region_is_wait_point(const Plan *x, const Region *r)
{
	for (uint32_t i = 0; i < x->wait->npredicted; i++)
		if (x->wait->predicted[i] == r)
			return true;
	return false;
}

static void
add_arm(Plan *x, const Region *r)
{
	Wait_plan *b = x->wait;
	uint32_t at = b->npredicted++;

	for (; at > 0 && annotation_number(x, b->predicted[at - 1]) > annotation_number(x, r); at--)
		b->predicted[at] = b->predicted[at - 1];
	b->predicted[at] = r;
}

/* Lists the arms of the delayed branch that contains r, in order; for other annotations only r. */
static void
find_arms(Plan *x, const Region *r)
{
	x->wait->predicted = arena_array(x->arena, x->site->npaths + 1, sizeof *x->wait->predicted);
	add_arm(x, r);
	for (uint32_t i = 0; i < x->site->npaths && annot_of(x, r)->kind == ANNOT_DELAY; i++) {
		const Region *o = x->site->paths[i];
		if (paths_share_branch(x, r, o) &&
			find_numbered_arm(x, r, annotation_number(x, o)) == o)
			add_arm(x, o);
	}
}

/* Makes wait points for a branch with more than two arms: lanes wait for the turn of their arm. */
static Verdict
add_arm_wait_points(Plan *x)
{
	Wait_plan *b = x->wait;
	const Marker *k = &x->fn->m->markers[b->region->marker];

	if (b->npredicted > MOST_ARMS)
		return verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"lanes wait at %u cases; %u is the most", b->npredicted, MOST_ARMS);
	if (x->policy == POLICY_WAIT)
		return verdict_note(
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy 'wait' applies to one statement, and the switch of line %u has %u",
				k->cuda.line, b->npredicted),
			x->arena, DIAG_NOWHERE, "'live', 'majority' and 'cycle' apply to all of them");
	if (x->request.threshold)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'threshold' has no meaning for the cases of a switch: ignored");
	b->points = arena_array(x->arena, b->npredicted, sizeof *b->points);
	for (; b->npoints < b->npredicted; b->npoints++)
		b->points[b->npoints].block = b->predicted[b->npoints]->entry;
	return VERDICT_YES;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static Release_rule
release_rule(const Plan *x)
{
	bool many = x->wait->npredicted > 2,
	     delays = annot_of(x, x->wait->region)->kind == ANNOT_DELAY;

	switch (x->policy) {
	case POLICY_WAIT: return delays || x->wait->npredicted == 1 ? RULE_N : RULE_INNERMOST;
	case POLICY_LIVE: return many ? RULE_LARGEST : RULE_SHARE;
	case POLICY_CYCLE: return many ? RULE_ROTATE : RULE_ALTERNATE;
	case POLICY_MAJORITY:
		if (delays)
			return many ? RULE_LARGEST : RULE_MAJORITY;
		return x->request.threshold ? RULE_SHARE : RULE_HALF;
	default: return RULE_NONE;
	}
}

static bool
region_asks_for_waiting(const Plan *x, const Region *r)
{
	return annot_of(x, r)->kind == ANNOT_DELAY || annot_of(x, r)->kind == ANNOT_PREDICT;
}

/* Reports that lanes do not wait at region o, because they wait elsewhere. */
static void
hint_not_waiting(Plan *x, const Region *o)
{
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"left unchanged: the lanes of this loop wait for each other at the annotation of line %u",
		x->fn->m->markers[x->wait->region->marker].cuda.line);

	v.at = x->fn->m->markers[o->marker].cuda;
	*vec_push(&x->hints) = v;
}

static void
hint_all_not_waiting(Plan *x)
{
	const Region *const *all[] = { (const Region *const *)x->site->paths,
		(const Region *const *)x->site->inner_loops,
		(const Region *const *)x->site->inner };
	const uint32_t n[] = { x->site->npaths, x->site->ninner_loops, x->site->ninner };

	for (size_t k = 0; k < sizeof n / sizeof *n; k++)
		for (uint32_t i = 0; i < n[k]; i++)
			if (!region_is_wait_point(x, all[k][i]) &&
				region_asks_for_waiting(x, all[k][i]))
				hint_not_waiting(x, all[k][i]);
}

/* ---- wait points ----------------------------------------------------------------------------- */

uint32_t
wait_inner_loop_exit(const Plan *x, uint32_t loop)
{
	const Fn *fn = x->fn;
	uint32_t found = 0, most = 0;
	uint32_t *entries = arena_array(x->scratch, fn->cfg->nblocks, sizeof *entries);

	FN_BLOCKS(fn, b)
		if (loop_contains(fn->loops, loop, b))
			FN_SUCC(fn, b, s)
				if (s && !loop_contains(fn->loops, loop, s) &&
					loop_contains(fn->loops, x->site->loop, s) &&
					++entries[s] > most) {
					most = entries[s];
					found = s;
				}
	return found;
}

/* Makes wait points at an inner loop's header, and after the loop. */
static Verdict
set_loop_wait_point(Plan *x, const Region *r)
{
	Wait_plan *b = x->wait;

	b->wait_block = x->fn->loops->loops[r->loop].header;
	b->wait_loop = r->loop;
	b->meeting = wait_inner_loop_exit(x, r->loop);
	if (!b->meeting)
		return verdict(x->arena, D_CONTROL,
			fn_stmt(x->fn, x->fn->cfg->blocks[b->wait_block].stmt)->at.pos,
			"the inner loop never continues to the rest of an iteration");
	return VERDICT_YES;
}

uint32_t
wait_region_threshold(const Plan *x, const Region *r)
{
	const Annot *a = annot_of(x, r);

	if (annot_has(a, CLAUSE_POLICY) && a->number[CLAUSE_POLICY])
		return a->number[CLAUSE_POLICY];
	if (annot_has(a, CLAUSE_THRESHOLD))
		return a->number[CLAUSE_THRESHOLD];
	return a->kind == ANNOT_PREDICT ? WARP : DEFAULT_WAIT;
}

static uint32_t
release_threshold(const Plan *x)
{
	bool rotates = x->wait->rule == RULE_ALTERNATE || x->wait->rule == RULE_ROTATE;

	if (x->request.n)
		return x->request.n;
	if (rotates || x->request.threshold)
		return rotates ? 1 : x->request.threshold;
	return annot_of(x, x->wait->region)->kind == ANNOT_PREDICT ? WARP : DEFAULT_WAIT;
}

/* Returns the block before which lanes wait for a path: the first of the blocks that lead to its
 * entry only. Compilers move code there that the path needs once, such as the test whether its loop
 * executes at all. If lanes waited after that code, each round would execute it separately. Each
 * lane still executes its own iterations in order. */
static uint32_t
dominating_prefix(const Plan *x, uint32_t entry)
{
	for (uint32_t b; (b = region_nonempty_before(x->fn, x->site->loop, entry)) != 0;)
		entry = b;
	return entry;
}

/* Whether the only prediction is a statement that each iteration executes: no lane is ahead of the
 * others there. */
static bool
prediction_is_in_vain(const Plan *x, const Region *r)
{
	return annot_of(x, r)->kind == ANNOT_PREDICT && r->kind == REGION_PATH &&
		x->wait->npredicted == 1 && fn_in_every_iteration(x->fn, x->site->loop, r->entry);
}

Verdict
plan_wait_points(Plan *x)
{
	Wait_plan *b = x->wait;
	const Region *r = b->region = wait_region(x);

	find_arms(x, r);
	if (x->policy == POLICY_WAIT && annot_of(x, r)->kind != ANNOT_DELAY)
		plan_predicted_regions(x);
	if (prediction_is_in_vain(x, r))
		return verdict_note(verdict(x->arena, D_POLICY, DIAG_NOWHERE,
					    "each iteration executes the predicted statement, so no lane is ahead there"),
			x->arena, DIAG_NOWHERE,
			"put the annotation inside the 'if', before its first statement");
	hint_all_not_waiting(x);
	b->rule = release_rule(x);
	b->second = x->request.second ? x->request.second : 1;
	b->n = release_threshold(x);
	if (b->rule == RULE_INNERMOST)
		return plan_predicted_wait_points(x);
	if (r->kind == REGION_INNER_LOOP)
		return set_loop_wait_point(x, r);
	b->wait_block = b->npredicted > 1 ? b->predicted[0]->entry :
					    dominating_prefix(x, b->predicted[0]->entry);
	b->meeting = b->npredicted > 1 ? b->predicted[1]->entry : plan_header(x);
	return b->npredicted > 2 ? add_arm_wait_points(x) : VERDICT_YES;
}

/* ---- up to the first vote -------------------------------------------------------------------- */

bool
edge_reaches_wait_point(const Plan *x, uint32_t from, uint32_t to)
{
	const Wait_plan *b = x->wait;

	if (b->pool && (to == plan_header(x) || from == b->pool->test_block))
		return true;
	for (uint32_t i = 0; i < b->npoints; i++)
		if (b->points[i].block == to)
			return true;
	if (b->npoints || !to)
		return false;
	return to == b->wait_block || to == b->meeting;
}

static bool
block_is_executed(const Plan *x, uint32_t b)
{
	return bits_has(x->common.blocks, b) || plan_block_in_region(x, b);
}

/* Adds the blocks that a lane executes from the given block up to the next wait point. */
static void
add_executed_from(const Plan *x, uint32_t block, Bits run)
{
	VEC(uint32_t) todo = { 0 };

	if (block_is_executed(x, block) && !bits_has(run, block))
		bits_set(run, *vec_push(&todo) = block);
	while (todo.n) {
		uint32_t b = *vec_pop(&todo);
		FN_SUCC(x->fn, b, s)
			if (s && block_is_executed(x, s) && !bits_has(run, s) &&
				!edge_reaches_wait_point(x, b, s))
				bits_set(run, *vec_push(&todo) = s);
	}
	vec_free(&todo);
}

void
plan_first_blocks(Plan *x)
{
	Wait_plan *b = x->wait;

	b->round_blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	if (x->policy == POLICY_AHEAD) {
		bits_copy(b->round_blocks, x->common.blocks);
		for (uint32_t i = 0; i < x->nregions; i++)
			bits_or(b->round_blocks, x->regions[i].path->blocks);
		return;
	}
	b->first_blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	if (!edge_reaches_wait_point(x, 0, x->site->entry))
		add_executed_from(x, x->site->entry, b->first_blocks);
	for (uint32_t i = 0; i < b->npoints; i++)
		add_executed_from(x, b->points[i].block, b->round_blocks);
	if (!b->npoints)
		add_executed_from(x, b->meeting, b->round_blocks);
	if (b->wait_block && !b->npoints)
		add_executed_from(x, b->wait_block, b->round_blocks);
	if (b->pool)
		add_executed_from(x, plan_header(x), b->round_blocks);
}
