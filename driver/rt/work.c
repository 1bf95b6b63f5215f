/* SPDX-License-Identifier: MIT */
/* Work requested of a stream (graph.h): executes or captures it. */
#include "driver/rt/graph.h"

/* A host function may call the runtime, so the lock is released. */
static cudaError_t
call_host(Runtime *rt, const Host_work *h)
{
	cudaError_t e = rt_unlock(rt, cudaSuccess);
	h->f(h->user);
	(void)rt_enter();
	return e;
}

static cudaError_t
run_graph(Runtime *rt, Graph *g)
{
	Graph_exec *x = exec_new(g);
	cudaError_t e = x ? exec_run(rt, x) : cudaErrorInvalidValue;
	exec_free(x);
	return e;
}

cudaError_t
work_run(Runtime *rt, const Work *w)
{
	const Copy_work *c = &w->copy;
	switch (w->kind) {
	case WORK_KERNEL:
		return launch_run(rt, w->kernel.f, &w->kernel.config, &w->kernel.args);
	case WORK_COPY: return copy_box(rt, c->to, c->from, c->box, c->kind);
	case WORK_SET: return copy_set(rt, w->set.to, w->set.box, w->set.item);
	case WORK_HOST: return call_host(rt, &w->host);
	case WORK_GRAPH: return run_graph(rt, w->graph);
	case WORK_RECORD: event_record(rt, w->event); return cudaSuccess;
	case WORK_EMPTY:
	case WORK_WAIT:
	case WORK_ALLOC:
	case WORK_FREE: break;
	}
	return cudaSuccess;
}

cudaError_t
work_on(Runtime *rt, cudaStream_t s, const Work *w)
{
	cudaError_t e = cudaSuccess;
	if (capture_work(rt, s, w, &e) || e)
		return e;
	return work_run(rt, w);
}

cudaError_t
work_copy(Runtime *rt, cudaStream_t s, Copy_work c)
{
	return work_on(rt, s, &(Work){ .kind = WORK_COPY, .copy = c });
}

cudaError_t
work_set(Runtime *rt, cudaStream_t s, Set_work set)
{
	return work_on(rt, s, &(Work){ .kind = WORK_SET, .set = set });
}
