/* SPDX-License-Identifier: MIT */
/* Collaborative Context Collection (Khorasani, Gupta, Bhuyan: Efficient Warp Execution in
 * Presence of Divergence with Collaborative Context Collection, MICRO-48 2015, sections 2 and
 * 3.1; docs/design.md 6).
 *
 * needs:    cfg dom loop live defuse uniform effects local region
 * refuses:  what legal.c, movable.c, hints.c, context.c, liveout.c and frame.c say, and targets without independent thread
 *           scheduling
 * correct because (names of labels and sections are ccc.tpl's):
 *   - The loop is written twice (`copy`): with literal masks, where M is the whole warp, and apart for every other M. All lanes of M
 *     take the same copy, by M alone. The copy for full warps ends when no lane is in and none has a task in hand; all of M then
 *     go on at `drain` of the other copy as lanes whose loop has ended, with all that both copies share: M, `top`, the buffer. So
 *     what is said here of votes, barriers and `leave` holds of a run, whichever copies it is in.
 *   - M, the lanes that arrive together at the begin marker, all stay until all leave: every
 *     cross-lane operation names M, and every lane of M comes to each of them, because all of
 *     them stand in `stack` and `leave`, all branches between them depend on the ballot, the second
 *     vote and `top` alone, and a lane comes back to the vote from everywhere else (back edge,
 *     exit, path).
 *   - The buffer belongs to the group that holds more than half of the lanes that the warp was started with (`entry`): any two
 *     such groups have a lane in common, and a lane is in one loop at a time, so there is one such group at a time. Others run
 *     the untouched loop. A block has ntid.x * ntid.y * ntid.z lanes, its warps are full but for the last, and thread
 *     x + nx * (y + ny * z) is lane number % 32 of warp number / 32 (PTX ISA, %tid and %laneid).
 *   - Between a push and a pop of the
 *     same slot stands a bar.warp.sync of the vote block, which all of M passes; so too between a
 *     pop and the next push. The pops of a run are ordered before the pushes of the next run on the
 *     same buffer, whose M may be another, by the vote's barrier too: a run's first push comes
 *     behind its first vote, and some lane is in both groups; it met all of the earlier M at their `leave`, and all of the
 *     later M at that vote.
 *   - What helpers wrote in the path is seen by the owners that read it behind the loop: all of M
 *     meet at the bar.warp.sync of `leave`.
 *   - In `queue` a push comes in front of the vote's round of pops, in any round: its own two barriers
 *     stand between the pushes and the pops and between those and the next pushes, one more between
 *     the pushes and the drain, and one at the entry between the pops of an earlier run and the
 *     first push. 0 <= top < size at each vote; so 2 size - 1 slots are enough, and a round with
 *     tasks for all runs one for each lane.
 *   - The slot of a reduction is its owner's alone but for the atomic operations of helpers. Its owner sets it at the entry, behind
 *     a barrier that stands between what an earlier run left there and that, as with `queue`. The barrier of the first vote
 *     stands between that and the first fold, since a run of the path comes behind a vote. The barrier of `leave` stands between the
 *     last fold and the owner's read, and another one between that and whatever comes to the place later, a run whose M need not
 *     have this lane. What it holds then, the identity and all that was folded, goes into the owner's register: see reduction.c.
 *   - In a jump the task's copy of the rest of the iteration ends where its owner has gone on, see jump.c; it is a part of the path
 *     here. Lanes that do not want the path have a copy of that code in their own part, on their own registers.
 *   - A task is run once: pushed and popped once, by counting: `top` and the ballot are the same
 *     in all lanes of M. In `stack`, 0 <= top < size always: a push happens only if top + n < size.
 *   - What a helper runs touches only the path's own registers, all of which are set from the
 *     task's context, or are uniform; the owner's registers are as if it had run the path itself,
 *     but for what flows out, see liveout.c.
 * cost:     an iteration: about 14 instructions and the context's loads or stores; registers: 7 and the context twice; the loop
 *           stands three times in the text, twice where it is long
 * before / after: docs/transformation.md
 */
#include "analysis/cost.h"
#include "transform/frame.h"
#include "transform/passes.h"

/* The policies: tasks that may wait. Each has a section in ccc.tpl. */
static const uint32_t slots[POLICY_COUNT] = {
	[POLICY_STACK] = WARP,          /* all but one lane of M may have left one */
	[POLICY_QUEUE] = 2 * WARP,      /* one less than M, and one of each lane */
};

static void
hint(Plan *x, Verdict v)
{
	*vec_push(&x->hints) = v;
}

/* Is there room for the tasks beside what launches take? */
static Verdict
fits(const Plan *x, const Room *room)
{
	if (!x->frame.warp_bytes || x->says_threads || !room->dynamic)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"the kernel has dynamic shared memory too, and how much a launch asks for is not known"),
		x->arena, DIAG_NOWHERE,
		"say 'threads(N)' if there is room for %u bytes for each 32 threads beside it, or give its size: --dynamic-shared=BYTES "
		"(cccnvcc: --ccc-dynamic-shared)",
		x->frame.warp_bytes);
}

/* Paths that are not collected: one a loop in this version. */
static void
hint_other_paths(Plan *x)
{
	for (uint32_t i = 1; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"path left as it was: the loop has a costlier one, and this version collects one path a loop");
		v.at = k->cuda;
		hint(x, v);
	}
}

static Cost
cost(const Plan *x, const Part *k)
{
	enum { ROUND = 14 };

	return (Cost){ .own = cost_blocks(x->fn, x->own, x->site->entry),
		.path = k->join ? cost_blocks(x->fn, k->span, k->path->entry) : k->path->cost,
		.collecting = ROUND + 2 * (uint64_t)k->task.nslots };
}

/* What flows out of the path decides how its owner goes on: behind it, or where something behind it in the iteration ends. */
static Verdict
make_task(Plan *x, Part *k)
{
	Verdict v = task_make(x, k);

	if (verdict_no(v) && v.kind == D_LIVE_OUT && !k->outer)
		while (jump_widen(x, k))
			if (!verdict_no(jump_legal(x, k)) && !verdict_no(task_make(x, k)))
				return VERDICT_YES;
	return v;
}

static uint32_t
instructions(const Fn *fn, Bits blocks)
{
	uint32_t n = 0;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			n += fn_stmt(fn, s)->kind == STMT_INSN;
	return n;
}

/* Where masks are in a register, ptxas does not know that they are full, nor, inside another loop, that all lanes have the same:
 * each barrier and vote costs it a branch or more. So full warps have a copy of the loop, with literal masks; but a long one
 * gains little by it, and would be twice as long. */
static void
plan_copies(Plan *x)
{
	enum { LONG = 2000 };

	x->copied = instructions(x->fn, x->own);
	for (uint32_t i = 0; i < x->nparts; i++)
		x->copied += instructions(x->fn, x->parts[i].blocks);
	x->two_copies = x->copied <= LONG && !x->opt->one_copy;
	x->lockstep.on &= x->two_copies;
}

Verdict
ccc_plan(Plan *x, const Room *room)
{
	Part *k = x->parts = arena_zalloc(x->arena, sizeof *x->parts);
	Verdict v;

	k->path = x->site->paths[0];
	k->blocks = k->span = k->path->blocks;
	k->policy = x->policy;
	k->slots = slots[k->policy];
	x->nparts = 1;
	if (verdict_no(v = plan_target(x)))
		return v;
	if (verdict_no(v = plan_legal(x, k)) || verdict_no(v = plan_ends(x)) ||
		verdict_no(v = make_task(x, k)) || verdict_no(v = frame_make(x, room->shared)) ||
		verdict_no(v = fits(x, room)))
		return v;
	plan_hints(x, k);
	plan_lockstep(x);
	plan_copies(x);
	x->cost = cost(x, k);
	hint_other_paths(x);
	return VERDICT_YES;
}
