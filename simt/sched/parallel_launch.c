/* SPDX-License-Identifier: MIT */
/* Runs the blocks of a launch on several threads.
 *
 * Results and messages are exactly those of a single thread. The launch is tried in parallel; if
 * the blocks turn out not to be independent, or there is anything to report, a single thread runs
 * it again from the same initial state. Each worker is a Sim of its own that shares the decoded
 * program, and takes the next block when it has finished one. It writes into copies of pages
 * (copy_on_write.c). The counts of the workers are added.
 *
 * A worker gives up at anything through which blocks can observe each other or that depends on
 * their order: a strong access or an atomic operation on global memory, a cancellation, printf,
 * malloc, the clock, a fault. Afterwards, the attempt also fails if two workers touched the same
 * word or if all together exceeded the limit. A kernel for which this happened is run by a single
 * thread from then on.
 *
 * Random schedules, which interleave blocks, cooperative launches, and launches that count profile
 * points or loops (profile_counts.c) are never run in parallel.
 */
#include <string.h>
#include <threads.h>
#include "simt/sched/launch.h"

enum { LEAST_BLOCKS = 4, MOST_THREADS = 256 };

typedef struct { Sim sim; thrd_t thread; bool started; } Worker;

bool sim_blocks_are_independent(const Sim_kernel *k) { return k->alone; }

/* ---- a worker -------------------------------------------------------------------------------- */

static void
worker_init(Worker *w, const Sim *s, Block_queue *pool, uint32_t number)
{
	size_t lines = (s->m->nstmts + 1) * sizeof *s->stats.by_stmt;
	w->sim = *s;
	w->sim.worker = (Worker_share){
		.overlay = overlay_new(s->memory, number, memory_is_shadowed(s)),
		.pool = pool,
		.quiet = number != 0,
	};
	w->sim.causality = s->l->races ? causality_new() : NULL;
	w->sim.stats.counts = (Sim_counts){0};
	w->sim.stats.by_stmt = s->stats.by_stmt ? memset(xmalloc(lines), 0, lines) : NULL;
	w->started = false;
}

static int
worker_main(void *arg)
{
	Worker *w = arg;
	Thread_block block = { .sim = &w->sim };
	sched_ipdom(&block, 1);
	block_release(&block);
	return 0;
}

static void
worker_release(Worker *w)
{
	overlay_free(w->sim.worker.overlay);
	causality_free(w->sim.causality);
	xfree(w->sim.stats.by_stmt);
}

/* Adds a worker's counts. */
static void
add_worker_counts(Sim *s, const Worker *w)
{
	s->launch.issued += w->sim.launch.issued;
	sim_counts_add(&s->stats.counts, &w->sim.stats.counts);
	for (uint32_t k = 0; s->stats.by_stmt && k < s->m->nstmts; k++)
		sim_counts_add(&s->stats.by_stmt[k], &w->sim.stats.by_stmt[k]);
}

/* ---- the launch ------------------------------------------------------------------------------ */

static void
run_workers(Worker *all, uint32_t n)
{
	for (uint32_t k = 1; k < n; k++)
		all[k].started = thrd_create(&all[k].thread, worker_main, &all[k]) == thrd_success;
	worker_main(&all[0]);
	for (uint32_t k = 1; k < n; k++)
		if (all[k].started)
			thrd_join(all[k].thread, NULL);
}

/* Whether the blocks were independent, so that the workers did what a single thread would have
 * done. */
static bool
blocks_were_independent(const Sim *s, const Worker *all, uint32_t n)
{
	uint64_t issued = 0;
	for (uint32_t k = 0; k < n; k++)
		issued += all[k].sim.launch.issued;
	if (s->l->limit && issued > s->l->limit)
		return false;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t v = 0; v < n; v++)
			if (k != v && overlay_conflicts(all[k].sim.worker.overlay,
					      all[v].sim.worker.overlay))
				return false;
	return true;
}

bool
parallel_run(Sim *s)
{
	const uint32_t *g = s->l->grid;
	uint64_t blocks = (uint64_t)g[0] * g[1] * g[2];
	uint32_t n = s->l->threads < MOST_THREADS ? s->l->threads : MOST_THREADS;
	if (n < 2 || s->k->alone || blocks < LEAST_BLOCKS || blocks > INT32_MAX ||
		s->l->cooperative || s->l->sched != SCHED_IPDOM || s->profile.count_points)
		return false;
	n = blocks < n ? (uint32_t)blocks : n;
	uint32_t line, col;
	source_position(s->m->src, 0, &line, &col); /* builds the shared line table */
	Block_queue pool;
	atomic_init(&pool.next, 0);
	atomic_init(&pool.quit, false);
	atomic_init(&pool.interrupted, false);
	overlay_prepare(s->memory, n);
	Worker *all = xmalloc(n * sizeof *all);
	for (uint32_t k = 0; k < n; k++)
		worker_init(&all[k], s, &pool, k);
	run_workers(all, n);
	bool ends = atomic_load(&pool.interrupted);
	bool good = ends || (!atomic_load(&pool.quit) && blocks_were_independent(s, all, n));
	for (uint32_t k = 0; k < n && good; k++) {
		overlay_commit(all[k].sim.worker.overlay);
		add_worker_counts(s, &all[k]);
	}
	s->launch.blocks = good ? (uint32_t)blocks : 0;
	for (uint32_t k = 0; k < n; k++)
		worker_release(&all[k]);
	xfree(all);
	s->k->alone = !good;
	return good;
}
