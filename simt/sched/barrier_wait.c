/* SPDX-License-Identifier: MIT */
/* Waiting: for the lanes of a mask, for the warps of a block, and deadlock.
 *
 * A `.sync` instruction executes when all live lanes of its mask are at it with the same mask;
 * bar.warp.sync also when they are at different ones. A block's barrier opens when enough warps
 * have arrived; a warp has arrived when all its live lanes have (PTX ISA 9.7.13.1: barriers count
 * per warp).
 */
#include <string.h>
#include "simt/sched/scheduler.h"

/* ---- lanes of a mask ------------------------------------------------------------------------- */

static const Inst *
group_inst(const Warp *w, const Group *g)
{
	return &w->sim->prog.insts.at[g->pc];
}

/* Returns all lanes that group g waits for if they have arrived, else 0. Reports those that wait at
 * another instruction. */
static uint32_t
gathered_lanes(Warp *w, const Group *g)
{
	uint32_t need = g->mask & w->live, have = 0;
	for (uint32_t k = 0; k < w->ngroups; k++) {
		const Group *o = &w->groups[k];
		if (o->state != AT_WARP || o->mask != g->mask)
			continue;
		have |= o->lanes;
		bool same = o->pc == g->pc && o->frame == g->frame;
		if (!same &&
			(group_inst(w, o)->op != OP_BAR_WARP ||
				group_inst(w, g)->op != OP_BAR_WARP))
			sim_fault(w, group_inst(w, o), low_bit(o->lanes), FAULT_MASK,
				"it waits for lanes 0x%08x here, and lane %u of them elsewhere",
				g->mask, low_bit(g->lanes));
	}
	return (need & ~have) == 0 ? have : 0;
}

/* Joins those groups of `lanes`, which a barrier released, that are at the same instruction and
 * reconverge at the same node. Groups that waited for another mask remain apart. */
static void
merge_groups(Warp *w, uint32_t lanes)
{
	for (uint32_t i = 0; i < w->ngroups; i++)
		for (uint32_t k = i + 1; k < w->ngroups;) {
			Group *a = &w->groups[i], *b = &w->groups[k];
			if (((a->lanes | b->lanes) & ~lanes) == 0 && a->state == READY &&
				b->state == READY && a->pc == b->pc && a->frame == b->frame &&
				reconvergence_merge(w, a->node, b->node)) {
				a->lanes |= b->lanes;
				group_remove(w, k);
			} else {
				k++;
			}
		}
}

/* Executes the instruction at which group g waits, if all lanes have arrived. */
static bool
run_gathered(Warp *w, const Group *g)
{
	uint32_t lanes = gathered_lanes(w, g), mask = g->mask;
	const Inst *i = group_inst(w, g);
	if (!lanes || w->sim->launch.stop)
		return false;
	w->frame = g->frame;
	w->regs = g->frame->regs;
	count_issue(stmt_counts(w->sim, i), i->slots.converged, lanes);
	i->run(w, i, lanes);
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->groups[k].state == AT_WARP && w->groups[k].mask == mask)
			group_resume(w, k);
	if (w->sim->l->sched == SCHED_IPDOM)
		merge_groups(w, lanes);
	return true;
}

static void
run_all_gathered(Warp *w)
{
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->groups[k].state == AT_WARP && run_gathered(w, &w->groups[k]))
			k = UINT32_MAX;
}

/* Keeps `lanes` in group gi; its other lanes, which are predicated off, continue after the
 * instruction. Returns false if `lanes` is empty. */
static bool
keep_active(Warp *w, uint32_t gi, uint32_t lanes)
{
	Group *g = &w->groups[gi];
	if (lanes == g->lanes)
		return true;
	if (!lanes) {
		g->pc++;
		return false;
	}
	Group rest = *g;
	rest.lanes &= ~lanes;
	rest.pc++;
	g->lanes = lanes;
	group_add(w, rest);
	return true;
}

/* Keeps `lanes` in group gi; its other lanes form a group that executes the instruction
 * separately. */
static void
split_group(Warp *w, uint32_t gi, uint32_t lanes)
{
	Group rest = w->groups[gi];
	rest.lanes &= ~lanes;
	w->groups[gi].lanes &= lanes;
	if (rest.lanes)
		group_add(w, rest);
}

bool
wait_warp(Warp *w, uint32_t gi, const Inst *i, uint32_t active)
{
	const uint32_t *mask = (const uint32_t *)(const void *)(w->regs + i->e);
	if (!keep_active(w, gi, active))
		return true;
	uint32_t first = mask[low_bit(active)], same = 0;
	for EACH_LANE(l, active) {
		same |= (uint32_t)(mask[l] == first) << l;
		if (!(mask[l] >> l & 1)) {
			sim_fault(w, i, l, FAULT_MASK, "the lane is not in its own mask 0x%08x",
				mask[l]);
			return false;
		}
	}
	split_group(w, gi, same); /* split off lanes with other masks */
	Group *g = &w->groups[gi];
	if (same == (first & w->live)) {
		i->run(w, i, same);
		g->pc++;
		return true;
	}
	count_issue(stmt_counts(w->sim, i), i->slots.divergent, same);
	g->mask = first;
	group_wait(w, gi, AT_WARP);
	run_gathered(w, &w->groups[gi]); /* the conditions of other masks have not changed */
	return false;
}

/* ---- the block's barriers -------------------------------------------------------------------- */

static bool
open_barrier(const Thread_block *b, const Barrier *bar)
{
	uint32_t threads = 0;
	bool all = true;
	for (uint32_t i = 0; i < b->nwarps; i++) {
		uint32_t live = b->warps[i].live, came = bar->lanes[i];
		if (came && (live & ~came) == 0)
			threads += LANES;
		else if (live)
			all = false;
	}
	return bar->count ? threads >= bar->count : all;
}

/* Computes the results of bar.red for the lanes waiting at barrier n. */
static void
reduce_barrier(Thread_block *b, uint32_t n)
{
	uint32_t yes = 0, all = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t k = 0; k < b->nwarps; k++)
			for (uint32_t j = 0; j < b->warps[k].ngroups; j++) {
				Warp *w = &b->warps[k];
				const Group *g = &w->groups[j];
				const Inst *i = group_inst(w, g);
				if (g->state != AT_BAR || g->bar != n || i->op < 2)
					continue;
				w->regs = g->frame->regs;
				if (pass == 0) {
					yes += count_bits(
						(*row32(w, i->c) ^
							(i->flags & F_NOT ? UINT32_MAX : 0)) &
						g->lanes);
					all += count_bits(g->lanes);
				} else if (i->op == 2) {
					for EACH_LANE(l, g->lanes)
						row32(w, i->d)[l] = yes;
				} else {
					pred_put(w, i->d, g->lanes,
						(i->op == 3 ? yes == all : yes > 0) ? UINT32_MAX :
										      0);
				}
			}
}

static void
pass_barrier(Thread_block *b, uint32_t n)
{
	Barrier *bar = &b->bars[n];
	reduce_barrier(b, n);
	if (b->sim->l->races)
		race_barrier(b, bar->lanes);
	memset(bar->lanes, 0, sizeof *bar->lanes * b->nwarps);
	bar->used = false;
	for (uint32_t k = 0; k < b->nwarps; k++) {
		Warp *w = &b->warps[k];
		for (uint32_t j = 0; j < w->ngroups; j++)
			if (w->groups[j].state == AT_BAR && w->groups[j].bar == n)
				group_resume(w, j);
		if (b->sim->l->sched == SCHED_IPDOM)
			merge_groups(w, UINT32_MAX);
	}
}

static void
check_barriers(Thread_block *b)
{
	for (uint32_t n = 0; n < BARRIERS; n++)
		if (b->bars[n].used && open_barrier(b, &b->bars[n]))
			pass_barrier(b, n);
}

bool
wait_bar(Warp *w, uint32_t gi, const Inst *i, uint32_t active)
{
	if (!keep_active(w, gi, active))
		return true;
	const uint32_t *numbers = row32(w, i->a), *counts = row32(w, i->b);
	uint32_t l = low_bit(active), n = numbers[l], count = i->b ? counts[l] : 0, same = 0;
	if (n >= BARRIERS || count % LANES) {
		sim_fault(w, i, l, FAULT_MASK,
			n >= BARRIERS ? "there is no barrier %u" :
					"a count of %u threads is no multiple of 32",
			n >= BARRIERS ? n : count);
		return false;
	}
	for EACH_LANE(k, active)
		same |= (uint32_t)(numbers[k] == n && (!i->b || counts[k] == count)) << k;
	split_group(w, gi, same);
	Barrier *bar = &w->block->bars[n];
	bar->used = true;
	bar->count = count;
	bar->lanes[w->index] |= same;
	if (i->op == 1) {
		w->groups[gi].pc++;
	} else {
		group_wait(w, gi, AT_BAR);
		w->groups[gi].bar = (uint8_t)n;
	}
	check_barriers(w->block);
	return false;
}

void
wait_exited(Warp *w)
{
	run_all_gathered(w);
	check_barriers(w->block);
}

/* ---- deadlock -------------------------------------------------------------------------------- */

void
wait_deadlock(Thread_block *blocks, uint32_t n)
{
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t k = 0; k < blocks[b].nwarps; k++) {
			Warp *w = &blocks[b].warps[k];
			for (uint32_t j = 0; j < w->ngroups; j++) {
				const Group *g = &w->groups[j];
				uint32_t l = low_bit(g->lanes);
				if (g->state == AT_WARP)
					sim_fault(w, group_inst(w, g), l, FAULT_DEADLOCK,
						"lanes 0x%08x of warp %u wait for lanes 0x%08x",
						g->lanes, w->index, g->mask & w->live & ~g->lanes);
				else
					sim_fault(w, group_inst(w, g), l, FAULT_DEADLOCK,
						"lanes 0x%08x of warp %u wait at barrier %u",
						g->lanes, w->index, g->bar);
			}
		}
}
