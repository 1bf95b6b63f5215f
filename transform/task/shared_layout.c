/* SPDX-License-Identifier: MIT */
/* Layout of the warp's shared memory (docs/design.md 6.5).
 *
 * A warp's part consists of rows: a row holds one context value, with a slot for each task that may
 * wait, so consecutive lanes use consecutive banks. Rows of wide values come first, so each is
 * aligned to its own size. Predicates share rows of 32-bit words, one bit each. Lane invariants and
 * reductions have rows with one slot for each lane. All plans of a function share one buffer: only
 * a group with most lanes of its warp uses it, any two such groups have a lane in common, and a
 * lane is in one loop at a time. But different warps may be in different loops, so all plans divide
 * the buffer among the warps in the same way, by the need of the largest plan. */
#include "analysis/cost/occupancy.h"
#include "transform/plan/plan.h"
#include "transform/task/shared_layout.h"

uint32_t
frame_allocate(Frame *f, uint32_t bytes)
{
	uint32_t at = f->warp_bytes;

	f->warp_bytes += bytes;
	return at;
}

/* Packs predicates into words; returns their number. */
static uint32_t
pack_predicates(Frame *f, Context_slot *slots, uint32_t n, uint32_t in_row)
{
	uint32_t at = 0, preds = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (slots[i].size)
			continue;
		if (preds % 32 == 0)
			at = frame_allocate(f, 4 * in_row);
		slots[i].bit = (uint8_t)(preds++ % 32);
		slots[i].row = at;
	}
	return preds;
}

void
frame_layout_rows(Frame *f, Task_region *k)
{
	static const uint8_t sizes[] = { 16, 8, 4, 2, 1 };
	Task *t = &k->task;

	for (uint32_t j = 0; j < sizeof sizes; j++) {
		for (uint32_t i = 0; i < t->nreductions; i++)
			if (!t->reductions[i].warpwide &&
				ptx_type_size(t->reductions[i].type) == sizes[j])
				t->reductions[i].row = frame_allocate(f, sizes[j] * WARP);
		for (uint32_t i = 0; i < t->nslots; i++)
			if (t->slots[i].size == sizes[j])
				t->slots[i].row = frame_allocate(f, sizes[j] * k->slots);
		if (sizes[j] == 4)
			t->npreds = pack_predicates(f, t->slots, t->nslots, k->slots);
	}
}

/* Returns the plan's row for a lane invariant of a region, adding it if necessary. */
static Context_slot *
invariant_row(Plan *x, const Context_slot *s)
{
	for (uint32_t i = 0; i < x->tasks.ninvariants; i++)
		if (x->tasks.invariants[i].sym == s->sym)
			return &x->tasks.invariants[i];
	x->tasks.invariants[x->tasks.ninvariants] = *s;
	return &x->tasks.invariants[x->tasks.ninvariants++];
}

/* Allocates rows for lane invariants, with a slot for each lane, shared by all regions. */
static void
layout_invariants(Plan *x)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < x->nregions; i++)
		most += x->regions[i].task.ninvariants;
	x->tasks.invariants = arena_array(x->arena, most, sizeof *x->tasks.invariants);
	for (uint32_t i = 0; i < x->nregions; i++)
		for (uint32_t j = 0; j < x->regions[i].task.ninvariants; j++)
			invariant_row(x, &x->regions[i].task.invariants[j]);
	for (uint32_t i = 0; i < x->tasks.ninvariants; i++)
		if (x->tasks.invariants[i].size)
			x->tasks.invariants[i].row =
				frame_allocate(&x->tasks.frame, x->tasks.invariants[i].size * WARP);
	pack_predicates(&x->tasks.frame, x->tasks.invariants, x->tasks.ninvariants, WARP);
	for (uint32_t i = 0; i < x->nregions; i++)
		for (uint32_t j = 0; j < x->regions[i].task.ninvariants; j++)
			x->regions[i].task.invariants[j] =
				*invariant_row(x, &x->regions[i].task.invariants[j]);
}

void
frame_max_threads(const Plan *x, Frame *f)
{
	const Func *func = x->fn->f;
	const uint32_t *ntid = func->reqntid[0] ? func->reqntid : func->maxntid;
	uint64_t n = (uint64_t)ntid[0] * ntid[1] * ntid[2];

	f->dims = 3;
	if (n) {
		f->threads = n < MAX_BLOCK ? (uint32_t)n : MAX_BLOCK;
		if (func->reqntid[0]) {
			f->block = f->threads;
			f->dims = func->reqntid[2] > 1 ? 3 : func->reqntid[1] > 1 ? 2 : 1;
		}
		return;
	}
	f->threads = x->clauses.max_threads ? x->clauses.max_threads :
		x->opt->launch.threads      ? x->opt->launch.threads :
		x->selection.threads        ? x->selection.threads :
				       MAX_BLOCK;
	if (f->threads > MAX_BLOCK)
		f->threads = MAX_BLOCK;
	f->check_threads = f->threads < MAX_BLOCK;
}

uint32_t
frame_warps(const Plan *x)
{
	Frame f = { 0 };

	frame_max_threads(x, &f);
	return (f.threads + WARP - 1) / WARP;
}

/* Returns the size of one slot of each row, in bytes. */
static uint32_t
slots_bytes(const Context_slot *slots, uint32_t n)
{
	uint32_t bytes = 0, preds = 0;

	for (uint32_t i = 0; i < n; i++) {
		bytes += slots[i].size;
		preds += slots[i].size == 0;
	}
	return bytes + 4 * ((preds + 31) / 32);
}

uint32_t
frame_task_bytes(const Task_region *k)
{
	uint32_t bytes = k->slots * slots_bytes(k->task.slots, k->task.nslots) +
		WARP * slots_bytes(k->task.invariants, k->task.ninvariants);

	for (uint32_t i = 0; i < k->task.nreductions; i++)
		bytes += k->task.reductions[i].warpwide ?
			0 :
			WARP * ptx_type_size(k->task.reductions[i].type);
	return bytes;
}

Verdict
frame_layout(Plan *x, uint32_t free)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		frame_layout_rows(&x->tasks.frame, &x->regions[i]);
	layout_invariants(x);
	frame_max_threads(x, &x->tasks.frame);
	if (x->tasks.frame.warp_bytes <= free)
		return VERDICT_YES;
	Verdict v = verdict(x->arena, D_SHARED, DIAG_NOWHERE,
		"a warp's tasks need %u bytes of shared memory, and %u are left",
		x->tasks.frame.warp_bytes, free);
	return plan_batch_size(x) > 1 ?
		verdict_note(v, x->arena, DIAG_NOWHERE, "'queue(N)' with a smaller N needs less") :
		v;
}

void
frame_widen_buffer(const Plan *x, Buffer *b)
{
	uint32_t warps = x->tasks.frame.warp_bytes ? (x->tasks.frame.threads + WARP - 1) / WARP : 0;

	b->stride = x->tasks.frame.warp_bytes > b->stride ? x->tasks.frame.warp_bytes : b->stride;
	b->warps = warps > b->warps ? warps : b->warps;
}

uint32_t
frame_fit_buffer(Buffer *b, uint32_t free)
{
	if (b->stride && b->stride * b->warps > free)
		b->warps = free / b->stride;
	return b->stride * b->warps;
}

void
frame_hint_large_blocks(Plan *x, const Buffer *b)
{
	if (!x->tasks.frame.warp_bytes || x->tasks.frame.threads <= b->warps * WARP)
		return;
	x->tasks.frame.threads = b->warps * WARP;
	x->tasks.frame.check_threads = true;
	*vec_push(&x->hints) = verdict_note(
		verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"shared memory holds the tasks of %u threads a block: larger blocks run the original loop",
			x->tasks.frame.threads),
		x->arena, DIAG_NOWHERE,
		"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* Assumed threads of a block where they are unknown. */
enum { USUAL = 256 };

Verdict
frame_check_occupancy(const Plan *x, const Shared_budget *budget)
{
	Buffer old = budget->taken, new = old;
	uint32_t declared = MAX_SHARED - budget->shared;
	uint32_t block = x->tasks.frame.block	   ? x->tasks.frame.block :
		x->tasks.frame.threads < USUAL ? x->tasks.frame.threads :
					   USUAL;

	frame_widen_buffer(x, &new);
	if (!x->tasks.frame.warp_bytes)
		return VERDICT_YES;
	uint32_t warps = new.warps, bytes = frame_fit_buffer(&new, budget->shared);
	if (x->selection.threads && old.stride && new.warps < warps)
		return verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"its tasks leave too little shared memory to another loop of the function");
	if (x->opt->ignore_occupancy)
		return VERDICT_YES;
	Occupancy o = occupancy_of(
			  x->fn->m->target, 0, declared + frame_fit_buffer(&old, budget->shared)),
		  p = occupancy_of(x->fn->m->target, 0, declared + bytes);
	uint32_t before = occupancy_blocks(&o, block), after = occupancy_blocks(&p, block);
	if (after >= before)
		return VERDICT_YES;
	Verdict v = verdict(x->arena, D_SHARED, DIAG_NOWHERE,
		"its tasks take %u bytes of shared memory a block, which reduces occupancy to %u blocks of %u threads instead of %u",
		bytes, after, block, before);
	if (!x->tasks.frame.block)
		v = verdict_note(v, x->arena, DIAG_NOWHERE,
			"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"to force it: '--occupancy=ignore' (cccnvcc: --ccc-occupancy=ignore), or name a policy");
}
