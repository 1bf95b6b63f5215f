/* SPDX-License-Identifier: MIT */
/* Blocks: their memory and warps, which are reused for one block of the grid after another. */
#include <string.h>
#include "simt/memory/cache_model.h"
#include "simt/state/worker_pool.h"
#include "simt/sched/scheduler.h"

static void
warp_start(Warp *w, uint32_t threads)
{
	Thread_block *b = w->block;
	uint32_t from = w->index * LANES, n = threads - from < LANES ? threads - from : LANES;
	frame_release(w, w->root);
	w->live = n == LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
	w->ngroups = 0;
	w->ready = 0;
	w->marks.n = 0;
	w->carry = 0;
	w->alone = 0;
	memset(w->top, 0, sizeof w->top);
	/* erase all traces of the previous block */
	lane_memory_clear(&w->local);
	lane_memory_clear(&w->stack);
	if (w->trips)
		memset(w->trips, 0, (size_t)w->sim->profile.ncounters * LANES * sizeof *w->trips);
	w->root = frame_new(w, w->sim->k->code, NULL);
	if (w->causal) {
		race_start(w);
		causality_warp_start(w);
	}
	promise_start(w);
	group_add(w,
		(Group){ .lanes = w->live,
			.pc = w->sim->prog.codes.at[w->sim->k->code].entry,
			.frame = w->root });
	b->live++;
}

bool
launch_report_progress(Sim *s)
{
	const uint32_t *g = s->l->grid;
	/* not on every call, because the callback costs as much as several instructions */
	if (!s->l->tick || s->worker.quiet || s->launch.ticks++ % 64)
		return true;
	const Sim_progress at = { s->worker.pool ? block_queue_count(s) : s->launch.blocks,
		(uint64_t)g[0] * g[1] * g[2], s->worker.pool ? 0 : s->launch.issued };
	if (s->l->tick(s->l->user, &at))
		return true;
	s->launch.stop = true;
	if (s->worker.pool)
		block_queue_interrupted(s);
	return false;
}

static void
block_init(Thread_block *b)
{
	Sim *s = b->sim;
	uint32_t threads = s->l->block[0] * s->l->block[1] * s->l->block[2];
	b->nwarps = (threads + LANES - 1) / LANES;
	b->shared = xmalloc(s->launch.reserved + RESERVED);
	b->written = xmalloc((s->launch.reserved + RESERVED) / 8);
	b->shadow = race_shared(s);
	b->cache = s->stats.near ? cache_new(threads, false) : NULL;
	b->warps = xmalloc(b->nwarps * sizeof *b->warps);
	memset(b->warps, 0, b->nwarps * sizeof *b->warps);
	for (uint32_t k = 0; k < BARRIERS; k++)
		b->bars[k].lanes = xmalloc(b->nwarps * sizeof *b->bars[k].lanes);
	for (uint32_t k = 0; k < b->nwarps; k++) {
		Warp *w = &b->warps[k];
		w->sim = s;
		w->block = b;
		w->index = k;
		w->stack.fill = 0xcd;
		w->clock.warp = xmalloc(sizeof *w->clock.warp * LANES * b->nwarps);
		w->causal = s->l->races ? causality_warp_new() : NULL;
	}
}

bool
block_next(Thread_block *b)
{
	Sim *s = b->sim;
	const uint32_t *g = s->l->grid;
	uint32_t n = s->launch.blocks, threads = s->l->block[0] * s->l->block[1] * s->l->block[2];
	if (!launch_report_progress(s) || (s->worker.pool && !block_queue_take(s, &n)))
		return false;
	if (n >= (uint64_t)g[0] * g[1] * g[2])
		return false;
	if (!b->warps)
		block_init(b);
	s->launch.blocks++;
	b->id[0] = n % g[0], b->id[1] = n / g[0] % g[1], b->id[2] = n / g[0] / g[1];
	b->number = s->launch.epoch + n;
	b->fences = NULL;
	b->live = 0;
	if (b->cache)
		cache_clear(b->cache);
	mbarrier_clear(b);
	launch_control_clear(b);
	memset(b->shared, 0xcd, s->launch.shared);
	memset(b->shared + s->launch.reserved, 0, RESERVED);
	memset(b->written, 0, s->launch.reserved / 8);
	memset(b->written + s->launch.reserved / 8, 0xff, RESERVED / 8);
	for (uint32_t k = 0; k < BARRIERS; k++) {
		b->bars[k].used = false;
		memset(b->bars[k].lanes, 0, sizeof *b->bars[k].lanes * b->nwarps);
	}
	for (uint32_t k = 0; k < b->nwarps; k++)
		warp_start(&b->warps[k], threads);

	return true;
}

void
block_release(Thread_block *b)
{
	for (uint32_t k = 0; k < b->nwarps; k++) {
		Warp *w = &b->warps[k];
		frame_release(w, w->root);
		for (Reconvergence *n = w->nodes.made, *next; n; n = next) {
			next = n->made;
			xfree(n);
		}
		xfree(w->local.at);
		xfree(w->stack.at);
		xfree(w->clock.warp);
		vec_free(&w->marks);
		xfree(w->trips);
		xfree(w->iterations);
		causality_warp_free(w->causal);
	}
	for (uint32_t k = 0; k < BARRIERS; k++)
		xfree(b->bars[k].lanes);
	mbarrier_clear(b);
	launch_control_clear(b);
	cache_free(b->cache);
	xfree(b->warps);
	race_shared_end(b->sim, b->shadow);
	xfree(b->written);
	xfree(b->shared);
}
