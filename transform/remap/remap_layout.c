/* SPDX-License-Identifier: MIT */
/* Lays out the shared memory of a remapped branch: counters, tasks, results. See remap.h. */
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"
#include "transform/task/shared_layout.h"
#include "transform/task/task_inputs.h"

enum { LEAST_THREADS = 64 };

uint32_t
remap_count_words(const Plan *x)
{
	return (remap_ids(x->remap) + 1 + 3) / 4;
}

static void
layout_results(Plan *x, uint32_t threads)
{
	Remap *k = x->remap;

	for (uint32_t size = 16; size; size /= 2)
		for (uint32_t i = 0; i < k->nresults; i++) {
			uint32_t bytes = task_slot_bytes(x->fn->m, k->results[i].sym);
			if ((bytes ? bytes : 4) == size)
				k->results[i].row = frame_allocate(&x->tasks.frame, size * threads);
		}
}

/* Returns the bytes of the counters. */
static uint32_t
count_bytes(const Plan *x, uint32_t threads)
{
	switch (x->policy) {
	case POLICY_HOT: return 2 * 4;
	case POLICY_DGI: return remap_ids(x->remap) * x->remap->groups * 4;
	default: return threads / WARP * remap_count_words(x) * 4;
	}
}

/* Lays out the rows for a number of threads, a multiple of 32. */
static void
layout_rows(Plan *x, uint32_t threads)
{
	Remap *k = x->remap;

	k->groups = ((threads + k->neighbourhood - 1) / k->neighbourhood + 3) / 4 * 4;
	x->tasks.frame.warp_bytes = 0;
	x->regions[0].slots = threads;
	x->regions[0].task.npreds = 0;
	frame_allocate(&x->tasks.frame, (count_bytes(x, threads) + 15) / 16 * 16);
	frame_layout_rows(&x->tasks.frame, &x->regions[0]);
	layout_results(x, threads);
	k->pool = frame_allocate(&x->tasks.frame, k->id_bytes * threads);
}

/* Selects the neighbourhood size of Data Group Indexing, which is larger if memory is short, and
 * the size of the other policies' ids, which is smaller then (Lin and others, section 3.4). */
static void
select_sizes(Plan *x, uint32_t threads, uint32_t free)
{
	enum { NEAR = 16, FAR = 64 };
	Remap *k = x->remap;
	bool dgi = x->policy == POLICY_DGI;

	k->neighbourhood = NEAR;
	k->id_bytes = dgi ? 1 : 4;
	layout_rows(x, threads);
	while (x->tasks.frame.warp_bytes > free &&
		(dgi ? k->neighbourhood < FAR : k->id_bytes > 2)) {
		if (dgi)
			k->neighbourhood *= 2;
		else
			k->id_bytes /= 2;
		layout_rows(x, threads);
	}
}

/* Lays out for the largest block. Returns its number of threads, a multiple of 32. */
static uint32_t
layout_largest_block(Plan *x, const Shared_budget *budget)
{
	frame_max_threads(x, &x->tasks.frame);
	uint32_t threads = (x->tasks.frame.threads + WARP - 1) / WARP * WARP;
	select_sizes(x, threads, budget->shared);
	return threads;
}

uint32_t
remap_shared_bytes(Plan *x, const Shared_budget *budget)
{
	layout_largest_block(x, budget);
	return x->tasks.frame.warp_bytes;
}

Verdict
remap_layout(Plan *x, const Shared_budget *budget)
{
	uint32_t threads = layout_largest_block(x, budget), most = threads;

	if (x->tasks.frame.warp_bytes > budget->shared) {
		layout_rows(x, WARP);
		most = budget->shared / x->tasks.frame.warp_bytes * WARP;
	}
	if (budget->dynamic && !x->clauses.max_threads)
		return verdict_note(
			verdict(x->arena, D_SHARED, DIAG_NOWHERE,
				"the kernel has dynamic shared memory too, and how much a launch asks for is not known"),
			x->arena, DIAG_NOWHERE,
			"say 'threads(N)' if there is room beside it, or give its size: --dynamic-shared=BYTES (cccnvcc: --ccc-dynamic-shared)");
	if (most < threads && most < LEAST_THREADS)
		return verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"the tasks of %u threads need %u bytes of shared memory, and %u are left",
			WARP, x->tasks.frame.warp_bytes, budget->shared);
	if (threads > most) {
		threads = x->tasks.frame.threads = most;
		x->tasks.frame.check_threads = true;
		*vec_push(&x->hints) = verdict_note(
			verdict(x->arena, D_SHARED, DIAG_NOWHERE,
				"shared memory holds the tasks of %u threads a block: in larger blocks no work is exchanged",
				most),
			x->arena, DIAG_NOWHERE,
			"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
	}
	layout_rows(x, threads);
	return VERDICT_YES;
}
