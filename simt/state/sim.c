/* SPDX-License-Identifier: MIT */
/* Services that all subfolders may use: reporting a fault, and whether other workers run blocks of
 * the launch. */
#include "simt/state/worker_pool.h"

/* ---- workers --------------------------------------------------------------------------------- */

void
block_queue_cancel(Sim *s)
{
	atomic_store(&s->worker.pool->quit, true);
	s->launch.stop = true;
}

bool
block_queue_run_serial(Sim *s)
{
	if (s->worker.pool)
		block_queue_cancel(s);
	return !s->worker.pool;
}

bool
block_queue_take(Sim *s, uint32_t *n)
{
	*n = atomic_fetch_add(&s->worker.pool->next, 1);
	return !atomic_load(&s->worker.pool->quit) && !atomic_load(&s->worker.pool->interrupted);
}

uint32_t
block_queue_count(const Sim *s)
{
	return atomic_load(&s->worker.pool->next);
}

void
block_queue_interrupted(Sim *s)
{
	atomic_store(&s->worker.pool->interrupted, true);
}

/* ---- faults ---------------------------------------------------------------------------------- */

void
sim_fault(Warp *w, const Inst *i, uint32_t lane, Fault kind, const char *fmt, ...)
{
	Sim *s = w->sim;
	const Fault_at at = { i->stmt, w->block->id, w->index * LANES + lane, w->index, lane };
	va_list ap;
	if (!block_queue_run_serial(s))
		return;
	va_start(ap, fmt);
	Fault_effect effect = fault_report(&s->faults, &at, kind, fmt, ap);
	va_end(ap);
	if (effect == FAULT_UNWANTED)
		return;
	stmt_counts(s, i)->faults++;
	s->launch.stop = s->launch.stop || effect == FAULT_STOPS;
	if (s->launch.stop && !s->stats.counts.stopped)
		s->stats.counts.stopped = kind;
	if (s->launch.stop && s->l->keep_going && kind != FAULT_LIMIT)
		s->launch.fallen = w->block;
}

void
sim_may_continue(Sim *s)
{
	Thread_block *b = s->launch.fallen;
	if (!s->launch.stop || !b)
		return;
	for (uint32_t k = 0; k < b->nwarps; k++)
		b->warps[k].live = b->warps[k].ngroups = 0, b->warps[k].ready = 0;
	b->live = 0;
	s->schedule.over = true;
	s->launch.fallen = NULL;
	s->launch.stop = false;
}
