/* SPDX-License-Identifier: MIT */
/* Bound plans: nothing moves between lanes. Every lane runs its own iterations, in its own order,
 * on its own registers; what the plan adds is where lanes wait for each other, so that those that
 * have the same code in front of them run it together (docs/design.md 6.12).
 *
 *	converge        lanes meet at the end of each iteration
 *	wait(N)         a lane that comes to the path waits until N do, or nobody else can come
 *	                (Han, Abdelrahman: Reducing
 *	                Branch Divergence in GPU Programs, GPGPU-4 2011, iteration delaying; Damani
 *	                et al.: Speculative
 *	                Reconvergence for Improved SIMT Efficiency, CGO 2020)
 *	majority        the same, until at least half of the lanes that are in want it
 *	live, cycle, majority of a `delay`
 *	                lanes stand at the path or at a second place (the branch's other arm, or the
 *	                loop's header), and a vote, or a turn,
 *	                says which of them go on: iteration delaying with both sides of a branch
 *	                (Han, Abdelrahman, 3.1); at as many as a switch has cases (wait_points.c)
 *	wait of an inner loop
 *	                the two places are the inner loop's header and where it is left to: loop
 *	                merge (Damani et al.)
 *	wait of several statements and inner loops, beside and inside each other
 *	                a place for each of them, and those where lanes wait for nobody
 *	                (predicted_wait_points.c)
 *	flatten         lanes meet at the begin of each iteration of an inner loop: one whose inner
 *	                loop has ended goes on with its
 *	                next iteration until it comes there again (loop flattening: von Hanxleden,
 *	                Kennedy, PLDI 1992); flatten(N): at the begin of each N-th
 *	ahead of a branch with `unify`
 *	                then it runs those that want one side of the branch, then the others
 *	                (unify.c)
 *	ahead(N)        a lane looks N iterations ahead, then runs those that want the path
 *	                (lookahead_legality.c)
 *
 * Of a loop with `assign` lanes run what they draw from a pool of iterations, with any of these but
 * ahead (dynamic_assignment.c).
 *
 * needs:    cfg dom loop live defuse effects local region
 * refuses: what legal.c, motion_legality.c and alias_warnings.c say of bound plans; ahead: what
 * lookahead_legality.c says; targets without independent thread
 *           scheduling. No independence of iterations is needed: the loop's code is run as it
 *           stands.
 * correct because (names of labels and sections are wait.tpl's):
 *   - M, the lanes that arrive together at the begin marker, all stay until all leave. Each vote
 *   names M, and every lane of M comes
 *     to each: between two votes a lane runs its own code, which leads nowhere but to `meet` (from
 *     the loop's end, and by `exit`
 *     from every way out; in `wait` and `votes` from `cut` too; in `ahead` to `look` from the code
 *     that looks; in flatten(N) through `step`, which leads to the inner loop's header N - 1 times
 *     at most, as it counts what `round` has set), or waits; and all
 *     branches between votes that lead to different votes depend on what votes give alone, so all
 *     of M go the same way. Any group may run the loop, since nothing is shared. Where M is the
 *     whole warp a copy of all this names it by a literal; both copies end at `leave`.
 *   - What lanes run up to the first votes (plan_first) is a copy of the same code: it leads to
 *   `ready` instead of `meet`, where the same is asked (section `ask`) before all go on at `round`.
 *   - A lane runs what it ran: `converge`, `flatten`, `wait` and `votes` change no instruction, no
 *   register and no order within a lane; lanes
 *     that left run nothing. A lane waits only for lanes of M, each of which runs, waits too, or
 *     has left; in
 *     `wait` at least one goes on in every round: those at the cut if all that are in are there.
 *     Likewise in `votes`, where each
 *     rule takes a place where somebody stands. live: N of 32 hold where all are at the cut, and
 *     not where none is; majority:
 *     its number is M's size at most, so it holds where all are there, and it is asked only while
 *     all are in; turns:
 *     both places come to their turn, so a round without anybody is followed by others. Of more
 *     than two places `places` takes the one where most stand, or each in turn; who has left stands
 *     at none of them. Of predictions (predicted_wait_points.c) it takes one where somebody
 * stands, N of them or
 *     the most, or else the places without a number, which it takes only if somebody who is in
 *     stands at none of the others (`held` and `there` differ); all of those go on at once.
 *   - Which blocks the two places are in front of does not matter for that: a lane that comes by
 *   neither goes on until it does,
 *     or leaves.
 *   - With a pool, `draw` stands in front of the votes, or of that by which lanes go on of whom
 *   fewer wait than should (`wait`, `stops`), where all of M come: its branches depend on votes
 *   alone, but the one by which who has drawn an iteration goes to its begin, from where the way
 *   leads to `cut` or `meet` as ever. It is repeated until all are in or nobody has anything to
 *   give (`drawn`), or those that are in go first, which uses up what idle lanes may lose
 *   (`patience`); then what is said above holds of those that are in. It ends: owners give in
 *   turn, and those that have nothing lose theirs, so each draw gives the first idle lane an
 *   iteration, as long as there is one. An owner gives at most one at a time, to the
 *   only idle lane with its number, and then goes on to the next one; so each iteration is run
 *   once. A lane's own registers are its part of the pool, and hold behind the loop what they
 *   would; what it runs has others. The first draw's barrier stands between what owners wrote and
 *   who reads it, that at `leave` between what others wrote and the owners.
 *   - Where noted iterations are run straight (lookahead_copies.c), nobody meets between two
 * batches but at
 *   `batch`, where all of M come: a lane that has nothing noted, or has run all of it, goes there.
 *   - The registers that look begin at `meet` where the lane is, and go on from batch to batch: who
 *   goes on has looked at all of its batch. The lane's own are computed from where the batch began
 *   (`from`), for each iteration that is run, the last one too; so they need not follow.
 *   - In `ahead` an iteration that is noted is run on the lane's registers, whole or from its begin
 *   to the end of its path
 *     (lookahead_copies.c). One that is not noted has no effect and changes counts alone, and a
 * multiplication
 *     gives these (lookahead_legality.c); so at each
 *     run the lane's registers are what they were
 *     there in the loop as it was, but for those that the own part writes before it reads them.
 *     What is looked at would have been
 *     run: the path does not leave the loop, and the own part does not depend on what the path
 *     does. Behind the way out, what is
 *     looked at in a row touches no memory and notes nothing. The iteration that leaves the loop is
 *     run as well, for its way out and
 *     the values that it brings there.
 * cost:     a draw: 30 instructions, and 3 for each word of an iteration's values;
 *           converge: 2 instructions an iteration; flatten(N): 3, and 2 each N-th; wait: 8 a
 *           round; votes: 12; ahead: 2 to 4 for
 *           each iteration that is looked at, 5
 *           for each that is run (10 if whole), 10 a batch, and the own part once more, of which a
 *           run to the path alone
 *           has what the path reads. Registers: 3 to 10; ahead: those that the own part writes
 *           twice, more for loads under way
 * before / after: docs/transformation.md
 */
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/legality/legality.h"
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

enum { DEFAULT_AHEAD = 32, DEFAULT_WAIT = 16 };

/* All paths of the loop, costliest first, but those inside another: looking ahead passes over
 * each. */
static void
take_paths(Plan *x)
{
	x->parts = arena_array(x->arena, x->site->npaths, sizeof *x->parts);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		if (!plan_in_path(x, x->site->paths[i]->entry))
			x->parts[x->nparts++] = (Part){ .path = x->site->paths[i],
				.span = x->site->paths[i]->blocks,
				.blocks = x->site->paths[i]->blocks, .policy = x->policy };
}

/* The first part, from 1, that is a side of a branch whose sides are to be run one behind the
 * other; 0: there is none, or no other side. */
static uint32_t
unified(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts && x->nparts > 1; i++)
		if (part_marker(x, &x->parts[i])->annot.kind == ANNOT_UNIFY)
			return i + 1;
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static Cost
cost(const Plan *x)
{
	Cost c = { .collecting = 2 };
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);

	BITS_EACH(b, x->own)
		if (loop_contains(x->fn->loops, x->site->loop, b))
			bits_set(own, b);
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		bits_and_not(own, x->site->paths[i]->blocks);
		c.path += x->site->paths[i]->cost;
	}
	for (uint32_t i = 0; i < x->bound.nstops; i++)
		if (x->bound.stops[i]->kind == REGION_ROUNDS) {
			bits_and_not(own, x->bound.stops[i]->blocks);
			c.path += x->bound.stops[i]->cost;
		}
	c.own = cost_blocks(x->fn, own, plan_header(x));
	return c;
}

/* Paths that ask for another policy are run as they stand. */
static void
tell_policies(Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (!annot_has(&k->annot, CLAUSE_POLICY) ||
			plan_asked(&k->annot) == POLICY_AUTO ||
			plan_asked(&k->annot) == x->policy)
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"path left unchanged: policy '%s' cannot be combined with '%s', which the loop has",
			annot_policies[plan_asked(&k->annot)].name, annot_policies[x->policy].name);
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
}

/* The policy's, where none is given. */
static uint32_t
number(const Plan *x)
{
	switch (x->policy) {
	case POLICY_AHEAD: return DEFAULT_AHEAD;
	case POLICY_FLATTEN: return plan_marker(x)->annot.kind == ANNOT_ASSIGN ? bound_steps(x) : 1;
	default: return DEFAULT_WAIT;
	}
}

Verdict
bound_plan(Plan *x, const Room *room)
{
	Bound *b = &x->bound;
	bool ahead = x->policy == POLICY_AHEAD;
	Verdict v;

	(void)room;
	if (verdict_no(v = plan_target(x)))
		return v;
	if (ahead)
		take_paths(x);
	b->meet = x->policy == POLICY_FLATTEN ? x->fn->loops->loops[bound_inner(x)].header :
						plan_header(x);
	b->n = x->asked.n ? x->asked.n : number(x);
	if (!ahead && x->policy != POLICY_FLATTEN && x->policy != POLICY_CONVERGE &&
		verdict_no(v = plan_places(x)))
		return v;
	if (verdict_no(v = plan_legal_bound(x)) || verdict_no(v = plan_ends(x)))
		return v;
	b->unified = ahead ? unified(x) : 0;
	if (ahead && verdict_no(v = plan_ahead(x)))
		return v;
	if (b->unified && verdict_no(v = plan_unify(x)))
		return v;
	if (plan_marker(x)->annot.kind == ANNOT_ASSIGN && verdict_no(v = plan_pool(x)))
		return v;
	if (ahead)
		plan_looks(x);
	plan_first(x);
	plan_copies_bound(x);
	plan_retreat(x);
	plan_spins(x);
	tell_policies(x);
	x->cost = cost(x);
	return VERDICT_YES;
}
