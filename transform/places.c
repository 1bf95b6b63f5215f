/* SPDX-License-Identifier: MIT */
/* Where lanes of a bound plan wait for each other, and by which rule they go on (p_bound.c): at a
 * path and in front of the loop's next iteration, at the arms of a branch, at an inner loop and
 * behind it.
 *
 * A branch has two arms, or as many as a `switch` has cases (Han, Abdelrahman, 3.1, have an `if`
 * or a `switch`). Annotations of its arms stand at one line, and their numbers are in a row.
 */
#include <string.h>
#include "transform/bound.h"
#include "transform/passes.h"

enum { DEFAULT_WAIT = 16, MOST_ARMS = WARP }; /* a bit of a word for each arm */

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

/* What lanes wait at: whose annotation asks for it, or the costliest path, or inner loop. */
static const Region *
subject(const Plan *x)
{
	if (x->asked.by && x->asked.by->kind == REGION_ROUNDS)
		return x->asked.by;
	return x->site->npaths ? x->site->paths[0] : x->site->rounds[0];
}

/* ---- arms ------------------------------------------------------------------------------------ */

/* May the paths be arms of one branch? */
static bool
at_one_place(const Plan *x, const Region *a, const Region *b)
{
	const Marker *k = &x->fn->m->markers[a->marker], *o = &x->fn->m->markers[b->marker];

	return k->id != o->id && k->annot.kind == o->annot.kind && k->cuda.line == o->cuda.line &&
		k->cuda.file && o->cuda.file && strcmp(k->cuda.file, o->cuda.file) == 0 &&
		!bits_has(a->blocks, b->entry) && !bits_has(b->blocks, a->entry);
}

/* The arm with that number; of several copies of it the one nearest to `arm`. NULL: there is
 * none. */
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
is_arm(const Plan *x, const Region *r)
{
	for (uint32_t i = 0; i < x->bound.narms; i++)
		if (x->bound.arms[i] == r)
			return true;
	return false;
}

static void
add_arm(Plan *x, const Region *r)
{
	Bound *b = &x->bound;
	uint32_t at = b->narms++;

	for (; at > 0 && number_of(x, b->arms[at - 1]) > number_of(x, r); at--)
		b->arms[at] = b->arms[at - 1];
	b->arms[at] = r;
}

/* The arms of a delayed branch in their order, of which r is one; or that alone. */
static void
find_arms(Plan *x, const Region *r)
{
	x->bound.arms = arena_array(x->arena, x->site->npaths + 1, sizeof *x->bound.arms);
	add_arm(x, r);
	for (uint32_t i = 0; i < x->site->npaths && annot_of(x, r)->kind == ANNOT_DELAY; i++) {
		const Region *o = x->site->paths[i];
		if (at_one_place(x, r, o) && arm_of_number(x, r, number_of(x, o)) == o)
			add_arm(x, o);
	}
}

/* Of a branch of more than two arms lanes that want one of them wait for its turn. */
static Verdict
rule_of_arms(Plan *x)
{
	const Marker *k = &x->fn->m->markers[x->bound.at->marker];

	if (x->bound.narms > MOST_ARMS)
		return verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"lanes wait at %u cases; %u is the most", x->bound.narms, MOST_ARMS);
	if (x->policy == POLICY_WAIT)
		return verdict_note(
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy 'wait' is about one statement, and the switch of line %u has %u",
				k->cuda.line, x->bound.narms),
			x->arena, DIAG_NOWHERE, "'live', 'majority' and 'cycle' are about all of them");
	if (x->asked.threshold)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'threshold' says nothing to the cases of a switch: ignored");
	return VERDICT_YES;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static Bound_rule
rule_of(const Plan *x)
{
	bool many = x->bound.narms > 2, delays = annot_of(x, x->bound.at)->kind == ANNOT_DELAY;

	switch (x->policy) {
	case POLICY_WAIT: return RULE_N;
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

/* Says that lanes do not wait at region o, since they do elsewhere. */
static void
tell_other(Plan *x, const Region *o)
{
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"left as it was: the lanes of this loop wait for each other at the annotation of line %u",
		x->fn->m->markers[x->bound.at->marker].cuda.line);

	v.at = x->fn->m->markers[o->marker].cuda;
	*vec_push(&x->hints) = v;
}

static void
tell_others(Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++)
		if (!is_arm(x, x->site->paths[i]) && is_wait(x, x->site->paths[i]))
			tell_other(x, x->site->paths[i]);
	for (uint32_t i = 0; i < x->site->nrounds; i++)
		if (x->site->rounds[i] != x->bound.at && is_wait(x, x->site->rounds[i]))
			tell_other(x, x->site->rounds[i]);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Lanes wait at an inner loop's header, or behind the loop: at the block where most ways out of it
 * lead. */
static Verdict
places_of_loop(Plan *x, const Region *r)
{
	const Fn *fn = x->fn;
	uint32_t most = 0, *ways = arena_array(x->scratch, fn->cfg->nblocks, sizeof *ways);

	x->bound.cut = fn->loops->loops[r->loop].header;
	x->bound.behind = r->loop;
	x->bound.meet = 0;
	FN_BLOCKS(fn, b)
		if (loop_contains(fn->loops, r->loop, b))
			FN_SUCC(fn, b, s)
				if (s && !loop_contains(fn->loops, r->loop, s) &&
					loop_contains(fn->loops, x->site->loop, s) &&
					++ways[s] > most) {
					most = ways[s];
					x->bound.meet = s;
				}
	if (!most)
		return verdict(x->arena, D_CONTROL,
			fn_stmt(fn, fn->cfg->blocks[x->bound.cut].stmt)->at.pos,
			"the inner loop never goes on to the rest of an iteration");
	return VERDICT_YES;
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

Verdict
plan_places(Plan *x)
{
	Bound *b = &x->bound;
	const Region *r = b->at = subject(x);

	find_arms(x, r);
	tell_others(x);
	b->rule = rule_of(x);
	b->second = x->asked.second ? x->asked.second : 1;
	b->n = number_of_rule(x);
	if (r->kind == REGION_ROUNDS)
		return places_of_loop(x, r);
	b->cut = b->arms[0]->entry;
	b->meet = b->narms > 1 ? b->arms[1]->entry : plan_header(x);
	return b->narms > 2 ? rule_of_arms(x) : VERDICT_YES;
}

/* ---- up to the first meeting ----------------------------------------------------------------- */

bool
bound_stands(const Plan *x, uint32_t from, uint32_t to)
{
	const Bound *b = &x->bound;

	if (b->pool && (to == plan_header(x) || from == b->pool->last))
		return true;
	for (uint32_t i = 0; i < b->narms && b->narms > 2; i++)
		if (b->arms[i]->entry == to)
			return true;
	if (b->narms > 2 || !to)
		return false;
	return to == b->cut || to == b->meet;
}

static bool
is_run(const Plan *x, uint32_t b)
{
	return bits_has(x->own, b) || plan_in_path(x, b);
}

/* Adds what a lane runs that comes to a block, up to where it stands. */
static void
run_from(const Plan *x, uint32_t block, Bits run)
{
	uint32_t *todo = arena_array(x->scratch, x->fn->cfg->nblocks, sizeof *todo), n = 0;

	if (is_run(x, block) && !bits_has(run, block))
		bits_set(run, todo[n++] = block);
	while (n) {
		uint32_t b = todo[--n];
		FN_SUCC(x->fn, b, s)
			if (s && is_run(x, s) && !bits_has(run, s) &&
				!bound_stands(x, b, s))
				bits_set(run, todo[n++] = s);
	}
}

void
plan_first(Plan *x)
{
	Bound *b = &x->bound;

	b->later = bits_new(x->arena, x->fn->cfg->nblocks);
	if (x->policy == POLICY_AHEAD) {
		FN_BLOCKS(x->fn, i)
			if (is_run(x, i))
				bits_set(b->later, i);
		return;
	}
	b->first = bits_new(x->arena, x->fn->cfg->nblocks);
	if (!bound_stands(x, 0, x->site->entry))
		run_from(x, x->site->entry, b->first);
	for (uint32_t i = 0; i < b->narms && b->narms > 2; i++)
		run_from(x, b->arms[i]->entry, b->later);
	if (b->narms <= 2)
		run_from(x, b->meet, b->later);
	if (b->cut && b->narms <= 2)
		run_from(x, b->cut, b->later);
	if (b->pool)
		run_from(x, plan_header(x), b->later);
}
