/* SPDX-License-Identifier: MIT */
/* Selects the lanes that run next, and executes the instructions that affect this: branches, calls,
 * returns, exits.
 *
 * SCHED_IPDOM runs a group until it ends, waits, or has used up its turn, then another group of the
 * warp, then the next warp. It starts the next block when one has finished; once a block has made a
 * strong access to global memory, or cancelled another, it runs several blocks in turns.
 * SCHED_RANDOM picks any group of any warp of a few blocks and runs it for a random number of
 * instructions. Groups may split anywhere, and join when they happen to be at the same instruction.
 * The probabilities are drawn from the seed: some runs keep the warps nearly converged, others run
 * single lanes far ahead.
 */
#include "simt/isa/atomic_contention.h"
#include "simt/sched/scheduler.h"

/* SCHED_RANDOM: the same lanes may be favoured for this many turns, or instructions. */
enum { EPOCH = 1024, EPOCH_INSTS = 1 << 16 };

/* ---- control flow ---------------------------------------------------------------------------- */

static void
split_on_branch(Warp *w, uint32_t gi, const Inst *i, uint32_t taken)
{
	Group *g = &w->groups[gi];
	if (!taken) {
		g->pc++;
	} else if (taken == g->lanes) {
		g->pc = i->target;
	} else {
		g->node = reconvergence_find(w, g, i->meet);
		Group other = *g;
		other.lanes = taken;
		other.pc = i->target;
		g->lanes &= ~taken;
		g->pc++;
		group_add(w, other);
	}
}

static void
run_branch(Warp *w, uint32_t gi, const Inst *i, uint32_t taken)
{
	Sim_counts *c = stmt_counts(w->sim, i);
	c->branches++;
	c->divergent += taken && taken != w->groups[gi].lanes;
	/* Not under SCHED_RANDOM, where lanes may be in one group by chance. */
	if ((i->flags & F_UNIFORM) && taken && taken != w->groups[gi].lanes &&
		w->sim->l->sched == SCHED_IPDOM)
		sim_fault(w, i, low_bit(taken), FAULT_UNIFORM,
			"lanes 0x%08x of 0x%08x take the branch", taken, w->groups[gi].lanes);
	split_on_branch(w, gi, i, taken);
}

/* Counts the code that an I_OVER branches over: the machine code issues it, predicated, for all
 * lanes of the group. */
static void
count_skipped(Sim *s, const Inst *i, uint32_t lanes)
{
	const uint32_t *range = s->prog.list.at + i->list;
	for (uint32_t k = 0; k < i->nlist; k += 2)
		for (uint32_t n = range[k]; n < range[k + 1]; n++) {
			const Inst *x = &s->prog.insts.at[n];
			Sim_counts *c = stmt_counts(s, x);
			c->warp_insts += x->slots.active;
			c->thread_insts += x->slots.active * count_bits(lanes);
		}
}

/* brx.idx: lanes with the same target as the first lane go there; the others repeat the
 * instruction. */
static void
run_table_jump(Warp *w, uint32_t gi, const Inst *i, uint32_t active)
{
	const uint32_t *target = w->sim->prog.list.at + i->list, *index = row32(w, i->a);
	uint32_t first = index[low_bit(active)], same = 0, whole = w->groups[gi].lanes;
	if (active != w->groups[gi].lanes) {
		w->groups[gi].node = reconvergence_find(w, &w->groups[gi], i->meet);
		Group rest = w->groups[gi];
		rest.lanes &= ~active;
		rest.pc++;
		w->groups[gi].lanes = active;
		group_add(w, rest);
	}
	for EACH_LANE(l, active) {
		same |= (uint32_t)(index[l] == first) << l;
		if (index[l] >= i->nlist) {
			sim_fault(w, i, l, FAULT_BRANCH, "there is no target %u", index[l]);
			return;
		}
	}
	Group *g = &w->groups[gi];
	stmt_counts(w->sim, i)->divergent += same != whole;
	if (same != active) {
		g->node = reconvergence_find(w, g, i->meet);
		Group other = *g;
		other.lanes = active & ~same; /* repeats the instruction */
		g->lanes = same;
		group_add(w, other);
	}
	g->pc = target[first];
}

static void
run_call(Warp *w, uint32_t gi, const Inst *i, uint32_t active)
{
	Group *g = &w->groups[gi], rest = *g;
	uint32_t code;
	if (!active) {
		g->pc++;
		return;
	}
	g->node = rest.node = reconvergence_find(w, g, g->pc + 1);
	g->lanes = call_split(w, i, active, &code);
	if (active != rest.lanes) { /* lanes that are predicated off */
		Group past = rest;
		past.lanes &= ~active;
		past.pc++;
		group_add(w, past);
	}
	if (g->lanes != active) { /* lanes with another callee, which repeat the instruction */
		rest.lanes = active & ~g->lanes;
		group_add(w, rest);
	}
	call_enter(w, g, i, code);
}

/* ret of a function: each lane continues at its return address. Always returns false, because the
 * group has changed and the caller must look it up again. */
static bool
run_return(Warp *w, uint32_t gi, uint32_t active)
{
	Group g = w->groups[gi];
	if (active == g.lanes)
		group_remove(w, gi);
	else
		w->groups[gi].lanes &= ~active, w->groups[gi].pc++;
	Reconvergence *n = reconvergence_leave(w, g.node, active, g.frame);
	for EACH_LANE(k, active)
		w->top[k] = g.frame->top[k];
	while (active) {
		uint32_t back = g.frame->back[low_bit(active)], same = 0;
		for EACH_LANE(l, active)
			same |= (uint32_t)(g.frame->back[l] == back) << l;
		Group caller = { .lanes = same, .pc = back, .frame = g.frame->parent, .node = n };
		group_add(w, caller);
		active &= ~same;
	}
	return false;
}

static bool
run_exit(Warp *w, uint32_t gi, uint32_t active)
{
	Group g = w->groups[gi];
	if (active == g.lanes)
		group_remove(w, gi);
	else
		w->groups[gi].lanes &= ~active, w->groups[gi].pc++;
	w->live &= ~active;
	if (!w->live && --w->block->live == 0)
		w->sim->schedule.over = true;
	reconvergence_leave(w, g.node, active, NULL);
	wait_exited(w);
	return false;
}

/* Executes an instruction that is not I_PLAIN. Returns false if the group ended or waits. */
static bool
run_control(Warp *w, uint32_t gi, const Inst *i, uint32_t active)
{
	Group *g = &w->groups[gi];
	switch (i->kind) {
	case I_JOIN: return reconvergence_join(w, gi);
	case I_OPEN:
		g->node = reconvergence_open(w, g, i->meet);
		g->pc++;
		return true;
	case I_BRA: run_branch(w, gi, i, active); return true;
	case I_OVER:
		count_skipped(w->sim, i, g->lanes);
		split_on_branch(w, gi, i, active);
		return true;
	case I_ATOM:
		contention_guard(w->sim, i, g->lanes, active);
		g->pc++;
		if (active)
			i->run(w, i, active);
		return true;
	case I_WARP: return wait_warp(w, gi, i, active);
	case I_BAR: return wait_bar(w, gi, i, active);
	case I_CALL: run_call(w, gi, i, active); return true;
	case I_RESULT:
		call_results(w, i, active);
		g->pc++;
		return true;
	case I_YIELD:
		g->pc++;
		if (active)
			i->run(w, i, active);
		if (w->sim->l->sched == SCHED_RANDOM)
			w->sim->schedule.turns += EPOCH; /* favour other lanes from now on */
		return w->sim->l->sched == SCHED_IPDOM;
	case I_TRAP:
		if (active)
			sim_fault(w, i, low_bit(active), FAULT_TRAP, "executed");
		g->pc++;
		return true;
	case I_BRX:
		stmt_counts(w->sim, i)->branches++;
		if (active)
			run_table_jump(w, gi, i, active);
		else
			g->pc++;
		return true;
	case I_EXIT:
	case I_RET:
		if (active)
			return i->kind == I_RET ? run_return(w, gi, active) :
						  run_exit(w, gi, active);
		g->pc++;
		return true;
	default:
		return true;
	}
}

/* ---- a group --------------------------------------------------------------------------------- */

/* Maps `bits` random bits of r to a number below n. */
static inline uint32_t
random_below(uint64_t r, uint32_t bits, uint64_t n)
{
	return (uint32_t)((r & ((UINT64_C(1) << bits) - 1)) * n >> bits);
}

/* SCHED_RANDOM: splits a group at a random lane set and draws the time of the next split. */
static void
split_randomly(Warp *w, uint32_t gi)
{
	Sim *s = w->sim;
	Group *g = &w->groups[gi];
	uint64_t r = sim_random(s);
	uint32_t lanes = g->lanes & (uint32_t)r;
	s->schedule.split_in = 1 + random_below(r >> 32, 16, 2 * s->schedule.split);
	if (r >> 20 & 1) /* the lanes below a random one, not an arbitrary set */
		lanes = g->lanes & ((UINT32_C(1) << (r >> 8 & 31)) - 1);
	if (!lanes || lanes == g->lanes)
		return;
	Group rest = *g;
	rest.lanes &= ~lanes;
	g->lanes = lanes;
	group_add(w, rest);
}

static void
count_execution(Sim_counts *c, const Inst *i, uint32_t lanes, uint32_t active)
{
	c->warp_insts += i->slots.all;
	c->thread_insts += i->slots.all * count_bits(lanes);
	c->active_insts += i->slots.active * count_bits(active);
}

/* Runs a group for at most n instructions; returns false if it ended or waits. */
static bool
run_group(Warp *w, uint32_t gi, uint32_t n)
{
	Sim *s = w->sim;
	const Inst *insts = s->prog.insts.at;
	Sim_counts *lines = s->stats.by_stmt;
	uint64_t warp = 0, thread = 0, on = 0;
	bool goes = true;
	const Inst *i = NULL;
	/* number of lanes in mask `counted`, which seldom changes */
	uint32_t counted = 0, many = 0;
	while (goes && n-- > 0 && !s->launch.stop) {
		if (s->schedule.split && --s->schedule.split_in == 0)
			split_randomly(w, gi);
		Group *g = &w->groups[gi];
		i = &insts[g->pc];
		w->frame = g->frame;
		w->regs = g->frame->regs;
		uint32_t active = g->lanes & (*row32(w, i->guard.row) ^ i->guard.flip);
		if (g->lanes != counted)
			counted = g->lanes, many = count_bits(counted);
		warp += i->slots.all;
		thread += i->slots.all * many;
		on += i->slots.active * (active == counted ? many : count_bits(active));
		if (lines)
			count_execution(&lines[i->stmt], i, g->lanes, active);
		if (w->marks.n)
			unwritten_follow(w, i, g->lanes, active);
		if (i->kind == I_PLAIN) {
			g->pc++;
			if (active)
				i->run(w, i, active);
		} else {
			goes = run_control(w, gi, i, active);
		}
	}
	s->stats.counts.warp_insts += warp;
	s->stats.counts.thread_insts += thread;
	s->stats.counts.active_insts += on;
	s->launch.issued += warp;
	if (s->l->limit && s->launch.issued > s->l->limit && !s->launch.stop && i) {
		const Group *any = w->ngroups ? w->groups : NULL; /* the warp may have ended */
		const Group *g = gi < w->ngroups ? &w->groups[gi] : any;
		sim_fault(w, g ? &insts[g->pc] : i, g ? low_bit(g->lanes) : 0, FAULT_LIMIT,
			"no end after %llu warp instructions", (unsigned long long)s->l->limit);
	}
	return goes;
}

/* ---- ipdom ----------------------------------------------------------------------------------- */

enum { TURN = 4096, TURNS_ALONE = 64 };

/* Runs one turn of the warp; returns false if none of its groups can run. */
static bool
run_warp(Warp *w)
{
	if (!w->ready && !reconvergence_release(w))
		return false;
	uint32_t gi = high_bit(w->ready);
	if (run_group(w, gi, TURN)) { /* its turn is used up: move it to the end of the queue */
		group_swap(w, gi, 0);
		/* it may be spinning until a parked group does something */
		if (++w->alone > TURNS_ALONE) {
			reconvergence_release(w);
			w->alone = 0;
		}
	} else {
		w->alone = 0;
	}
	return true;
}

void
sched_ipdom(Thread_block *blocks, uint32_t n)
{
	Sim *s = blocks->sim;
	for (bool live = true; live && !s->launch.stop;) {
		bool any = live = false;
		for (uint32_t k = 0; k < (s->launch.together ? n : 1); k++) {
			Thread_block *b = &blocks[k];
			if (!b->live && !block_next(b))
				continue;
			live = true;
			for (uint32_t v = 0; v < b->nwarps; v++)
				any = (b->warps[v].live && run_warp(&b->warps[v])) || any;
		}
		if (live && !any && !s->launch.stop)
			wait_deadlock(blocks, n);
		launch_report_progress(s);
		sim_may_continue(s);
	}
}

/* ---- random ---------------------------------------------------------------------------------- */

/* Joins all, or some, of the groups at the same instruction to group gi. Returns the group's new
 * index. */
static uint32_t
join_some(Warp *w, uint32_t gi)
{
	Sim *s = w->sim;
	const uint32_t pc = w->groups[gi].pc;
	const Frame *frame = w->groups[gi].frame;
	for (uint64_t left = w->ready & ~(UINT64_C(1) << gi); left;) {
		uint32_t k = high_bit(left);
		const Group *b = &w->groups[k];
		left &= ~(UINT64_C(1) << k);
		if (b->pc != pc || b->frame != frame)
			continue;
		if (s->schedule.join > 1 && (uint32_t)sim_random(s) % s->schedule.join)
			continue;
		w->groups[gi].lanes |= b->lanes;
		if (gi == w->ngroups - 1)
			gi = k;
		group_remove(w, k);
	}
	return gi;
}

/* Returns the ready group that comes first in an order of lanes, which a hash of the epoch
 * determines. */
static uint32_t
favoured_group(const Warp *w)
{
	const Sim *s = w->sim;
	uint64_t epoch = s->schedule.turns / EPOCH + s->launch.issued / EPOCH_INSTS,
		 h = (epoch + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t best = 0, least = LANES;
	h = (h ^ h >> 29 ^ s->l->seed) * UINT64_C(0xbf58476d1ce4e5b9);
	const uint32_t first = (uint32_t)(h >> 59), flip = h >> 54 & (LANES - 1);
	for (uint64_t left = w->ready; left; left &= left - 1) {
		uint32_t k = (uint32_t)__builtin_ctzll(left),
			 place = ((low_bit(w->groups[k].lanes) ^ flip) - first) & (LANES - 1);
		best = place < least ? k : best;
		least = place < least ? place : least;
	}
	return best;
}

/* Selects a ready group: a random one, or with Random_schedule.favour always one with the same
 * lanes for an epoch. at: a random number below the number of groups. */
static uint32_t
choose_group(const Warp *w, uint32_t at)
{
	uint64_t behind = w->ready >> at;
	if (w->sim->schedule.favour)
		return favoured_group(w);
	return behind ? at + (uint32_t)__builtin_ctzll(behind) :
			(uint32_t)__builtin_ctzll(w->ready);
}

static void
run_random_turn(Warp *w, uint64_t r)
{
	Sim *s = w->sim;
	uint32_t gi = 0;
	if (w->ngroups > 1) {
		gi = choose_group(w, random_below(r, 6, w->ngroups));
		gi = join_some(w, gi);
	}
	s->schedule.turns++;
	run_group(w, gi, 1 + random_below(r >> 6, 18, s->schedule.run));
}

static void
choose_random_style(Sim *s)
{
	static const uint32_t split[] = { 0, 3000, 300, 20 }, run_length[] = { 1, 6, 80, 3000 },
			      join[] = { 1, 1, 2, 20 };
	uint64_t r = sim_random(s);
	s->schedule.split = split[r & 3];
	s->schedule.split_in = 1;
	s->schedule.run = run_length[r >> 8 & 3];
	s->schedule.join = join[r >> 16 & 3];
	s->schedule.favour = r >> 24 & 1;
}

/* Runs one turn of some warp of some block; returns false if no warp can run. */
static bool
run_turn_in_any_warp(Sim *s, Thread_block *blocks, uint32_t n)
{
	const uint32_t each = blocks->nwarps, warps = n * each;
	const uint64_t r = sim_random(s);
	uint32_t at = random_below(r >> 24, 24, warps), block = at / each;
	at -= block * each;
	for (uint32_t k = 0; k < warps; k++) {
		Warp *w = &blocks[block].warps[at];
		if (w->ready) {
			run_random_turn(w, r);
			return true;
		}
		if (++at == each) {
			at = 0;
			block = block + 1 < n ? block + 1 : 0;
		}
	}
	s->schedule.turns++;
	return false;
}

/* Starts blocks in place of finished ones; returns false if none is running. */
static bool
start_blocks(Thread_block *blocks, uint32_t n)
{
	bool more = true, any = false;
	for (uint32_t k = 0; k < n; k++) {
		if (!blocks[k].live && more)
			more = block_next(&blocks[k]);
		any = any || blocks[k].live;
	}
	return any;
}

void
sched_random(Thread_block *blocks, uint32_t n)
{
	Sim *s = blocks->sim;
	choose_random_style(s);
	for (s->schedule.over = true;;) {
		if (s->schedule.over && !start_blocks(blocks, n))
			return;
		s->schedule.over = false;
		if (s->launch.stop)
			return;
		if (!run_turn_in_any_warp(s, blocks, n)) {
			wait_deadlock(blocks, n);
			if (!s->launch.fallen)
				return;
		}
		if (s->l->tick)
			launch_report_progress(s);
		if (s->launch.fallen)
			sim_may_continue(s);
	}
}
