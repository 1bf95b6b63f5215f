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
number_of(const Plan *x, const Region *r)
{
	return x->fn->m->markers[r->marker].id;
}

/* Returns the region at which lanes wait: the one whose annotation asks for it, or the costliest
 * path or inner loop. */
static const Region *
subject(const Plan *x)
{
	if (x->asked.by && x->asked.by->kind == REGION_ROUNDS)
		return x->asked.by;
	return x->site->npaths ? x->site->paths[0] : x->site->rounds[0];
}

/* ---- arms ------------------------------------------------------------------------------------ */

/* Whether the paths may be arms of one branch. */
static bool
at_one_place(const Plan *x, const Region *a, const Region *b)
{
	const Marker *k = &x->fn->m->markers[a->marker], *o = &x->fn->m->markers[b->marker];

	return k->id != o->id && k->annot.kind == o->annot.kind && k->cuda.line == o->cuda.line &&
		k->cuda.file && o->cuda.file && strcmp(k->cuda.file, o->cuda.file) == 0 &&
		!bits_has(a->blocks, b->entry) && !bits_has(b->blocks, a->entry);
}

/* Returns the arm with that number, or NULL. If the compiler has duplicated it, returns the copy
 * nearest to `arm`. */
static const Region *
arm_of_number(const Plan *x, const Region *arm, uint32_t number)
{
	const Region *found = NULL;
	uint32_t nearest = 0;

	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Region *o = x->site->paths[i];
		if (number_of(x, o) != number || !at_one_place(x, arm, o))
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
is_stop(const Plan *x, const Region *r)
{
	for (uint32_t i = 0; i < x->bound.nstops; i++)
		if (x->bound.stops[i] == r)
			return true;
	return false;
}

static void
add_arm(Plan *x, const Region *r)
{
	Bound *b = &x->bound;
	uint32_t at = b->nstops++;

	for (; at > 0 && number_of(x, b->stops[at - 1]) > number_of(x, r); at--)
		b->stops[at] = b->stops[at - 1];
	b->stops[at] = r;
}

/* Lists the arms of the delayed branch that contains r, in order; for other annotations only r. */
static void
find_arms(Plan *x, const Region *r)
{
	x->bound.stops = arena_array(x->arena, x->site->npaths + 1, sizeof *x->bound.stops);
	add_arm(x, r);
	for (uint32_t i = 0; i < x->site->npaths && annot_of(x, r)->kind == ANNOT_DELAY; i++) {
		const Region *o = x->site->paths[i];
		if (at_one_place(x, r, o) && arm_of_number(x, r, number_of(x, o)) == o)
			add_arm(x, o);
	}
}

/* Makes wait points for a branch with more than two arms: lanes wait for the turn of their arm. */
static Verdict
places_of_arms(Plan *x)
{
	Bound *b = &x->bound;
	const Marker *k = &x->fn->m->markers[b->at->marker];

	if (b->nstops > MOST_ARMS)
		return verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"lanes wait at %u cases; %u is the most", b->nstops, MOST_ARMS);
	if (x->policy == POLICY_WAIT)
		return verdict_note(
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy 'wait' applies to one statement, and the switch of line %u has %u",
				k->cuda.line, b->nstops),
			x->arena, DIAG_NOWHERE, "'live', 'majority' and 'cycle' apply to all of them");
	if (x->asked.threshold)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'threshold' has no meaning for the cases of a switch: ignored");
	b->places = arena_array(x->arena, b->nstops, sizeof *b->places);
	for (; b->nplaces < b->nstops; b->nplaces++)
		b->places[b->nplaces].block = b->stops[b->nplaces]->entry;
	return VERDICT_YES;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static Bound_rule
rule_of(const Plan *x)
{
	bool many = x->bound.nstops > 2, delays = annot_of(x, x->bound.at)->kind == ANNOT_DELAY;

	switch (x->policy) {
	case POLICY_WAIT: return delays || x->bound.nstops == 1 ? RULE_N : RULE_INNERMOST;
	case POLICY_LIVE: return many ? RULE_MOST : RULE_SHARE;
	case POLICY_CYCLE: return many ? RULE_ROUND : RULE_TURNS;
	case POLICY_MAJORITY:
		if (delays)
			return many ? RULE_MOST : RULE_MAJORITY;
		return x->asked.threshold ? RULE_SHARE : RULE_HALF;
	default: return RULE_NONE;
	}
}

static bool
is_wait(const Plan *x, const Region *r)
{
	return annot_of(x, r)->kind == ANNOT_DELAY || annot_of(x, r)->kind == ANNOT_PREDICT;
}

/* Reports that lanes do not wait at region o, because they wait elsewhere. */
static void
tell_other(Plan *x, const Region *o)
{
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"left unchanged: the lanes of this loop wait for each other at the annotation of line %u",
		x->fn->m->markers[x->bound.at->marker].cuda.line);

	v.at = x->fn->m->markers[o->marker].cuda;
	*vec_push(&x->hints) = v;
}

static void
tell_others(Plan *x)
{
	const Region *const *all[] = { (const Region *const *)x->site->paths,
		(const Region *const *)x->site->rounds, (const Region *const *)x->site->inner };
	const uint32_t n[] = { x->site->npaths, x->site->nrounds, x->site->ninner };

	for (size_t k = 0; k < sizeof n / sizeof *n; k++)
		for (uint32_t i = 0; i < n[k]; i++)
			if (!is_stop(x, all[k][i]) && is_wait(x, all[k][i]))
				tell_other(x, all[k][i]);
}

/* ---- wait points ----------------------------------------------------------------------------- */

uint32_t
bound_behind(const Plan *x, uint32_t loop)
{
	const Fn *fn = x->fn;
	uint32_t found = 0, most = 0;
	uint32_t *ways = arena_array(x->scratch, fn->cfg->nblocks, sizeof *ways);

	FN_BLOCKS(fn, b)
		if (loop_contains(fn->loops, loop, b))
			FN_SUCC(fn, b, s)
				if (s && !loop_contains(fn->loops, loop, s) &&
					loop_contains(fn->loops, x->site->loop, s) &&
					++ways[s] > most) {
					most = ways[s];
					found = s;
				}
	return found;
}

/* Makes wait points at an inner loop's header, and after the loop. */
static Verdict
places_of_loop(Plan *x, const Region *r)
{
	Bound *b = &x->bound;

	b->cut = x->fn->loops->loops[r->loop].header;
	b->behind = r->loop;
	b->meet = bound_behind(x, r->loop);
	if (!b->meet)
		return verdict(x->arena, D_CONTROL,
			fn_stmt(x->fn, x->fn->cfg->blocks[b->cut].stmt)->at.pos,
			"the inner loop never continues to the rest of an iteration");
	return VERDICT_YES;
}

uint32_t
bound_least(const Plan *x, const Region *r)
{
	const Annot *a = annot_of(x, r);

	if (annot_has(a, CLAUSE_POLICY) && a->number[CLAUSE_POLICY])
		return a->number[CLAUSE_POLICY];
	if (annot_has(a, CLAUSE_THRESHOLD))
		return a->number[CLAUSE_THRESHOLD];
	return a->kind == ANNOT_PREDICT ? WARP : DEFAULT_WAIT;
}

static uint32_t
number_of_rule(const Plan *x)
{
	bool turns = x->bound.rule == RULE_TURNS || x->bound.rule == RULE_ROUND;

	if (x->asked.n)
		return x->asked.n;
	if (turns || x->asked.threshold)
		return turns ? 1 : x->asked.threshold;
	return annot_of(x, x->bound.at)->kind == ANNOT_PREDICT ? WARP : DEFAULT_WAIT;
}

/* Returns the block before which lanes wait for a path: the first of the blocks that lead to its
 * entry only. Compilers move code there that the path needs once, such as the test whether its loop
 * executes at all. If lanes waited after that code, each round would execute it separately. Each
 * lane still executes its own iterations in order. */
static uint32_t
in_front_of(const Plan *x, uint32_t entry)
{
	for (uint32_t b; (b = region_before(x->fn, x->site->loop, entry)) != 0;)
		entry = b;
	return entry;
}

Verdict
plan_places(Plan *x)
{
	Bound *b = &x->bound;
	const Region *r = b->at = subject(x);

	find_arms(x, r);
	if (x->policy == POLICY_WAIT && annot_of(x, r)->kind != ANNOT_DELAY)
		plan_stops(x);
	tell_others(x);
	b->rule = rule_of(x);
	b->second = x->asked.second ? x->asked.second : 1;
	b->n = number_of_rule(x);
	if (b->rule == RULE_INNERMOST)
		return plan_stop_places(x);
	if (r->kind == REGION_ROUNDS)
		return places_of_loop(x, r);
	b->cut = b->nstops > 1 ? b->stops[0]->entry : in_front_of(x, b->stops[0]->entry);
	b->meet = b->nstops > 1 ? b->stops[1]->entry : plan_header(x);
	return b->nstops > 2 ? places_of_arms(x) : VERDICT_YES;
}

/* ---- up to the first vote -------------------------------------------------------------------- */

bool
bound_stands(const Plan *x, uint32_t from, uint32_t to)
{
	const Bound *b = &x->bound;

	if (b->pool && (to == plan_header(x) || from == b->pool->last))
		return true;
	for (uint32_t i = 0; i < b->nplaces; i++)
		if (b->places[i].block == to)
			return true;
	if (b->nplaces || !to)
		return false;
	return to == b->cut || to == b->meet;
}

static bool
is_run(const Plan *x, uint32_t b)
{
	return bits_has(x->own, b) || plan_in_path(x, b);
}

/* Adds the blocks that a lane executes from the given block up to the next wait point. */
static void
run_from(const Plan *x, uint32_t block, Bits run)
{
	VEC(uint32_t) todo = { 0 };

	if (is_run(x, block) && !bits_has(run, block))
		bits_set(run, *vec_push(&todo) = block);
	while (todo.n) {
		uint32_t b = *vec_pop(&todo);
		FN_SUCC(x->fn, b, s)
			if (s && is_run(x, s) && !bits_has(run, s) &&
				!bound_stands(x, b, s))
				bits_set(run, *vec_push(&todo) = s);
	}
	vec_free(&todo);
}

void
plan_first(Plan *x)
{
	Bound *b = &x->bound;

	b->later = bits_new(x->arena, x->fn->cfg->nblocks);
	if (x->policy == POLICY_AHEAD) {
		bits_copy(b->later, x->own);
		for (uint32_t i = 0; i < x->nparts; i++)
			bits_or(b->later, x->parts[i].path->blocks);
		return;
	}
	b->first = bits_new(x->arena, x->fn->cfg->nblocks);
	if (!bound_stands(x, 0, x->site->entry))
		run_from(x, x->site->entry, b->first);
	for (uint32_t i = 0; i < b->nplaces; i++)
		run_from(x, b->places[i].block, b->later);
	if (!b->nplaces)
		run_from(x, b->meet, b->later);
	if (b->cut && !b->nplaces)
		run_from(x, b->cut, b->later);
	if (b->pool)
		run_from(x, plan_header(x), b->later);
}
