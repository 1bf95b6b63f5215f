/* SPDX-License-Identifier: MIT */
/* Bound plans: nothing moves between lanes. Every lane runs its own iterations, in its own order, on its own registers; what the
 * plan adds is where lanes wait for each other, so that those that have the same code in front of them run it together
 * (docs/design.md 6.12).
 *
 *	converge        lanes meet at the end of each iteration
 *	wait(N)         a lane that comes to the path waits until N do, or nobody else can come (Han, Abdelrahman: Reducing
 *	                Branch Divergence in GPU Programs, GPGPU-4 2011, iteration delaying; Damani et al.: Speculative
 *	                Reconvergence for Improved SIMT Efficiency, CGO 2020)
 *	majority        the same, until at least half of the lanes that are in want it
 *	flatten         lanes meet at the begin of each iteration of an inner loop: one whose inner loop has ended goes on with its
 *	                next iteration until it comes there again (loop flattening: von Hanxleden, Kennedy, PLDI 1992)
 *	ahead(N)        a lane looks N iterations ahead, then runs those that want the path (ahead.c)
 *
 * needs:    cfg dom loop live defuse effects local region
 * refuses:  what legal.c, movable.c and hints.c say of bound plans; ahead: what ahead.c says; targets without independent thread
 *           scheduling. No independence of iterations is needed: the loop's code is run as it stands.
 * correct because (names of labels and sections are bound.tpl's):
 *   - M, the lanes that arrive together at the begin marker, all stay until all leave. Each vote names M, and every lane of M comes
 *     to each: between two votes a lane runs its own code, which leads nowhere but to `meet` (from the loop's end, and by `exit`
 *     from every way out; in `wait` from `cut` too; in `ahead` to `look` from the code that looks), or waits; and all
 *     branches between votes that lead to different votes depend on what votes give alone, so all of M go the same way. Any
 *     group may run the loop: nothing is shared, so there is no other copy of it.
 *   - A lane runs what it ran: `converge`, `flatten` and `wait` change no instruction, no register and no order within a lane; lanes
 *     that left run nothing. A lane waits only for lanes of M, each of which runs, waits too, or has left; in
 *     `wait` at least one goes on in every round: those at the cut if all that are in are there.
 *     Where noted iterations are run straight (looks.c), nobody meets between two batches but at `meet`, where all of M come: a
 *     lane that has nothing noted, or has run all of it, goes there.
 *   - In `ahead` an iteration that is noted is run on the lane's registers, whole or from its begin to the end of its path
 *     (looks.c). One that is not noted has no effect and changes counts alone, and a multiplication gives these (ahead.c); so at each
 *     run the lane's registers are what they were
 *     there in the loop as it was, but for those that the own part writes before it reads them. What is looked at would have been
 *     run: the path does not leave the loop, and the own part does not depend on what the path does. Behind the way out, what is
 *     looked at in a row touches no memory and notes nothing. The iteration that leaves the loop is run as well, for its way out and
 *     the values that it brings there.
 * cost:     converge: 2 instructions an iteration; wait: 8 a round; ahead: 2 to 4 for each iteration that is looked at, 5 for each
 *           that is run (10 if whole), 10 a batch, and the own part once more, of which a run to the path alone
 *           has what the path reads. Registers: 3 to 10; ahead: those that the own part writes twice, more for loads under way
 * before / after: docs/transformation.md
 */
#include "analysis/cost.h"
#include "transform/passes.h"

enum { DEFAULT_AHEAD = 32, DEFAULT_WAIT = 16 };

/* All paths of the loop, costliest first, but those inside another: looking ahead passes over each. */
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

/* The header of the costliest annotated inner loop. */
static uint32_t
inner_header(const Plan *x)
{
	return x->fn->loops->loops[x->site->rounds[0]->loop].header;
}

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
	c.own = cost_blocks(x->fn, own, plan_header(x));
	return c;
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
	b->meet = x->policy == POLICY_FLATTEN ? inner_header(x) : plan_header(x);
	b->cut = x->policy == POLICY_WAIT || x->policy == POLICY_MAJORITY ? x->site->paths[0]->entry : 0;
	b->n = x->policy_n ? x->policy_n : ahead ? DEFAULT_AHEAD : DEFAULT_WAIT;
	if (verdict_no(v = plan_legal_bound(x)) || verdict_no(v = plan_ends(x)))
		return v;
	if (ahead && verdict_no(v = plan_ahead(x)))
		return v;
	if (ahead)
		plan_looks(x);
	plan_spins(x);
	x->cost = cost(x);
	return VERDICT_YES;
}
