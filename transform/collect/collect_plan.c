/* SPDX-License-Identifier: MIT */
/* Collaborative Context Collection (Khorasani, Gupta, Bhuyan: Efficient Warp Execution in
 * Presence of Divergence with Collaborative Context Collection, MICRO-48 2015, sections 2, 3.1
 * and 3.4; docs/design.md 6).
 *
 * needs:    cfg dom loop live defuse uniform effects local region
 * refuses: what path_selection.c, legal.c, motion_legality.c, alias_warnings.c,
 * forward_progress.c, task_inputs.c, liveout.c and
 *           shared_layout.c say, and targets without independent thread scheduling
 * correct because (names of labels and sections are collect.tpl's):
 *   - The loop is written twice (`copy`): with literal masks, where M is the whole warp, and apart
 *   for every other M. All lanes of M
 *     take the same copy, by M alone. The copy for full warps ends when no lane is in and none has
 *     a task in hand; all of M then
 *     go on at `drain` of the other copy (but see `rows` below) as lanes whose loop has ended,
 *     with all that both copies
 *     share: M, `top`, the buffer. So
 *     what is said here of votes, barriers and `leave` holds of a run, whichever copies it is in.
 *   - M, the lanes that arrive together at the begin marker, all stay until all leave: every
 *     cross-lane operation names M, and every lane of M comes to each of them, because all of
 *     them stand in the votes' sections, `drain` and `leave`, all branches between them depend on
 *     the ballots, the vote on
 *     %~in and the tops alone, and a lane comes back to them from everywhere else (back edge,
 *     exit, path).
 *   - Of several parts, the votes stand in one order, and every lane of M comes by each once a
 *   round: in lockstep they are in the
 *     chain that all walk; apart, `rest` leads from each to the next and from the last one back. A
 *     path comes back to the `ran`
 *     behind its own vote; a path inside it is cut out of it, so a lane that comes to that takes
 *     the task to hand and goes on in
 *     its copy of the path around: it does not go anywhere else. Its vote comes behind that one.
 *   - A lane has at most one task of each part in hand: an iteration comes by a path once at most,
 *   a run of the path around
 *     likewise (region.c), and between two iterations, or two runs of that, stands the part's vote,
 *     behind which
 *     nobody has one: all ran theirs or pushed it. So what is said below of slots holds for each
 *     part, nested or not. Parts share
 *     no slots, so only the barriers of a part's own vote order its pushes and pops.
 *   - A round ends, since nothing in it goes back. The drain stands in the copy that is apart.
 *   %~over holds there when nobody is in: then
 *     each part that nobody wants runs what it has, and only a part inside another can be wanted
 *     again, in the same round. So every
 *     round more a level is empty for good, and the last one finds all tops zero. Full warps in
 *     lockstep come there from the
 *     first part's vote, which comes behind the votes of all others: nobody has anything in hand.
 *   - The barrier between the pushes of a part and its pops in the drain is that of its own vote,
 *   which comes before `none`.
 *   - The buffer belongs to the group that holds more than half of the lanes that the warp was
 *   started with (`entry`): any two
 *     such groups have a lane in common, and a lane is in one loop at a time, so there is one such
 *     group at a time. Others run
 *     the untouched loop. A block has ntid.x * ntid.y * ntid.z lanes, its warps are full but for
 *     the last, and thread
 *     x + nx * (y + ny * z) is lane number % 32 of warp number / 32 (PTX ISA, %tid and %laneid).
 *   - Between a push and a pop of the
 *     same slot stands a bar.warp.sync of the vote block, which all of M passes; so too between a
 *     pop and the next push. The pops of a run are ordered before the pushes of the next run on the
 *     same buffer, whose M may be another, by the vote's barrier too: a run's first push comes
 *     behind its first vote, and some lane is in both groups; it met all of the earlier M at their
 *     `leave`, and all of the
 *     later M at that vote.
 *   - What helpers wrote in the path is seen by the owners that read it behind the loop: all of M
 *     meet at the bar.warp.sync of `leave`.
 *   - In `queue` a push comes in front of the vote's round of pops, in any round: its own two
 *   barriers
 *     stand between the pushes and the pops and between those and the next pushes, one more between
 *     the pushes and the drain (at `wait` of the copy that has the drain), and one at
 *     the entry between the pops of an earlier run and the first push. Where nobody wants, there is
 *     nothing to push, and top < size. 0 <= top < size at each vote; so 2 size - 1 slots are
 *     enough, and a round with
 *     tasks for all runs one for each lane.
 *   - In `queue(U)` (`turns`, full warps in lockstep alone) a lane has at most one task of each own
 *   part of a round in hand, in
 *     registers of its own: `hold` takes it behind that own part's branch. The votes of all own
 *     parts stand behind the last one, and
 *     behind them all is pushed. top < size before the first; each adds at most size, so there are
 *     at most (U + 1) size - 1 tasks.
 *     From `more` to the barrier behind `done` there are pops alone, of different slots, since top
 *     only falls; that barrier
 *     stands between them and the next pushes, the one in front of `more` between the pushes and
 *     them. All of M go round by top
 *     alone. Behind it top < size, as with one own part; so what the other copy does with what is
 *     left is the same. The last part
 *     looks whether any lane is in, since all votes of the round stand in front of its own.
 *   - Where a path has loops it is asked first (`ask_first`) whether anybody wants it or has left.
 *     All of M have the same answer. If nobody, all are in and nobody has a task of the part in
 *     hand: its own vote would push and run nothing. All go on at the header, which begins an
 *     iteration of each, or at `ran`. Such a vote orders no memory, and need not: pushes and pops
 *     stand behind the barriers of the part's own vote, which come in each round that has any, and
 *     so does the drain, as somebody has left then. Of several own parts a round (`ask_turns`) it
 *     is asked whether anybody wants in any; if nobody, top is as it was, below size, and `wait`
 *     follows, as where too few wait.
 *   - With `threshold`, `enough` = min(N, size) tasks make the path run; top < enough <= size at
 *   each vote. In `stack` the idle lane
 *     of rank r has slot top - r, if that is at least 1, and top' = max(top - idle, 0) <= top + n -
 *     size < enough; in `queue`
 *     top' = max(top - size, 0). A lane that skips the path (to `ran`, or `done`) has no task in
 *     hand, and all that wait are taken
 *     by others; it passes the barriers that all pass, since it skips behind them. The drain finds
 *     top < size lanes' tasks as before.
 *   - The slot of a reduction is its owner's alone but for the atomic operations of helpers. Its
 *   owner sets it at the entry, behind
 *     a barrier that stands between what an earlier run left there and that, as with `queue`. The
 *     barrier of the first vote
 *     stands between that and the first fold, since a run of the path comes behind a vote. The
 *     barrier of `leave` stands between the
 *     last fold and the owner's read, and another one between that and whatever comes to the place
 *     later, a run whose M need not
 *     have this lane. What it holds then, the identity and all that was folded, goes into the
 *     owner's register: see reduction.c.
 *   - What a lane keeps (emit_lane_invariants.c) stands in slots of its own, which it alone
 * writes, at the entry
 *   (`keep`), behind the barrier of `early`: between the last reads in an earlier run, in front of
 *   that run's `leave`, and these stores lie the barrier of `leave` and this one, and some lane
 *   passes both. Others read it behind `run` (`take_kept`), which all come to by a vote whose
 *   barrier they have passed: in `stack` the one behind the first ballot, in `queue` that in front
 *   of the pops (a task that names its owner has context), in `group` that in front of `runs`, in
 *   the drain that of its vote or of `wait`. The rows are those of the buffer that both copies
 *   have, so full warps take them to `drain` of the other copy. Nothing writes them until all of M
 *   have met at `leave`. That the slot holds what the path reads: compress.c.
 *   - Of an inner loop that is collected by iterations (`steps`) the cut is its header: each way
 *   there from the own part takes a task to
 *     hand, and each way back in a run of the task takes the rest of it to hand again, by the
 *     registers that it is in. So behind a
 *     run a lane has a task in hand or none, as behind an own part, and all of M go back to the
 *     part's own vote: a round goes on as
 *     long as there are tasks for all, and is done when what is in hand has been pushed. It ends
 *     because each run is an iteration of
 *     some inner loop, which end. Who runs the next iteration sees what the last one wrote: the
 *     vote's barrier stands between that
 *     and the pop. When nobody is in (`over`), a run goes round by itself to the end of its inner
 *     loop: all of M come to the vote behind that.
 *     What comes around the inner loop is saved, whether or not it comes into it; and no run finds
 *     what another left in
 *     thread-local memory, so the path may not use any.
 *   - Where an inner loop of the path is expanded (`rows`, rows.tpl; expand_plan.c has the
 *     argument for rows), all of M come to `meet` in each run of the path, and once: who has a
 *     task by `want` or `idle`, since those are the only ways out of the blocks in front of
 *     the inner loop, which no way leads back to; who has none (`threshold`, or fewer tasks
 *     than lanes are left) by `lacks` or `idle`, instead of past the run. To `run` and to
 *     there all of M come by one branch that they agree on: the vote's, or the drain's. Behind
 *     the meeting all go on at `round`, those with a row by a copy of the blocks behind the
 *     inner loop; so the vote's barriers are come to as before. The row's owner is the lane
 *     that has the task in hand: its values are in the path's registers, and what helpers
 *     folded goes there; from there, at `fold`, to the task's owner, by lanes with a task
 *     alone (`has`). Helpers of a row run it on registers of their own (a third set), so the
 *     task in the helper's hand stays as it is. The barriers of the meeting order the task's
 *     memory before and behind. If there is no other part, full warps run what is left in
 *     their own copy, by the vote and `run` that they have: all have left then, nobody wants,
 *     and the next round finds top = 0 and goes to `leave`; so few tasks are laid over 32
 *     lanes with literal masks.
 *   - In a jump the task's copy of the rest of the iteration ends where its owner has gone on, see
 *   tail_capture.c; it is a part of the path
 *     here. Lanes that do not want the path have a copy of that code in their own part, on their
 *     own registers.
 *   - A task is run once: pushed and popped once, by counting: `top` and the ballot are the same
 *     in all lanes of M. In `stack`, 0 <= top < size always: a push happens only if top + n < size.
 *   - What a helper runs touches only the path's own registers, all of which are set from the
 *     task's context or computed from it (compress.c), or are uniform; the owner's registers are as
 *     if it had run the path itself,
 *     but for what flows out, see liveout.c.
 * cost:     an iteration: about 14 instructions and the context's loads or stores; registers: 7 and
 *           the context twice; the loop
 *           stands three times in the text, twice where it is long
 * before / after: docs/transformation.md
 */
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/task/shared_layout.h"

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

static Cost
cost(const Plan *x)
{
	enum { ROUND = 14 };
	Cost c = { .own = cost_blocks(x->fn, x->own, x->site->entry) };

	for (uint32_t i = 0; i < x->nparts; i++) {
		const Part *k = &x->parts[i];
		if (!k->outer)
			c.path += k->join ? cost_blocks(x->fn, k->span, k->path->entry) :
					    k->path->cost;
		c.collecting += ROUND + 2 * (uint64_t)k->task.nslots + k->task.ncomputed +
			k->task.nkept;
	}
	return c;
}

Verdict
ccc_plan(Plan *x, const Room *room)
{
	Verdict v;

	if (verdict_no(v = plan_target(x))) {
		x->parts = arena_zalloc(x->arena, sizeof *x->parts);
		x->parts[x->nparts++].path =
			x->site->npaths ? x->site->paths[0] : plan_rounds(x, x->site->rounds[0]);
		return v;
	}
	if (verdict_no(v = plan_parts(x, room->shared)))
		return v;
	plan_lockstep(x);
	plan_copies(x);
	plan_turns(x);
	plan_group(x);
	if (verdict_no(v = frame_make(x, room->shared)) || verdict_no(v = fits(x, room)))
		return v;
	plan_hints(x);
	plan_retreat(x);
	x->cost = cost(x);
	return VERDICT_YES;
}
