/* SPDX-License-Identifier: MIT */
/* Stream capture (graph.h): operations on a captured stream become nodes of a graph.
 *
 * The next node of a stream depends on its last nodes. An event recorded in a captured stream
 * stores them, and a stream that waits for the event is captured, too, with these dependencies.
 * Operations that are forbidden during a capture fail and invalidate it, as on a GPU: waiting
 * for a captured stream, work in the legacy stream while it would wait for a captured stream,
 * ending the capture with unjoined streams. */
#include "driver/rt/graph.h"

struct Capture {
	Graph *graph;
	unsigned long long id;
	cudaStream_t origin;
	VEC(cudaStream_t) streams;
	bool active, wrong;
};

/* Captures in progress. Protected by the lock, like all state in this file. */
static VEC(Capture *) captures;

static Capture *
of_stream(cudaStream_t s)
{
	return stream_made(s) && s->capture && s->capture->active ? s->capture : NULL;
}

/* Invalidates the capture. */
static cudaError_t
invalidate_capture(Capture *c, cudaError_t e)
{
	c->wrong = true;
	return e;
}

static void
join_capture(Capture *c, cudaStream_t s)
{
	s->capture = c;
	s->last.n = 0;
	*vec_push(&c->streams) = s;
}

cudaError_t
capture_begin(Runtime *rt, cudaStream_t s, int mode)
{
	static unsigned long long number;
	(void)rt;
	if (!stream_made(s))
		return cudaErrorStreamCaptureUnsupported;
	if (mode < 0 || mode > 2 || of_stream(s))
		return of_stream(s) ? cudaErrorIllegalState : cudaErrorInvalidValue;
	Capture *c = xmalloc(sizeof *c);
	*c = (Capture){ .graph = rt_graph_new(), .id = ++number, .origin = s, .active = true };
	*vec_push(&captures) = c;
	join_capture(c, s);
	return cudaSuccess;
}

enum cudaStreamCaptureStatus
capture_status(cudaStream_t s)
{
	const Capture *c = of_stream(s);
	if (!c)
		return cudaStreamCaptureStatusNone;
	return c->wrong ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

Capture_info
capture_info(cudaStream_t s)
{
	const Capture *c = of_stream(s);
	return c ? (Capture_info){ c->graph, c->id, &s->last } : (Capture_info){ 0 };
}

void
capture_leave(cudaStream_t s)
{
	Capture *c = of_stream(s);
	for (uint32_t i = 0; c && i < c->streams.n; i++)
		if (c->streams.at[i] == s)
			c->streams.at[i] = *vec_pop(&c->streams);
	if (c)
		c->wrong |= c->origin == s || s->last.n;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Marks these nodes and all their dependencies, transitively. */
static void
mark_predecessors(const Node_list *of)
{
	Node_list left = { 0 };
	for (uint32_t i = 0; i < of->n; i++)
		*vec_push(&left) = of->at[i];
	while (left.n) {
		Graph_node *n = *vec_pop(&left);
		if (n->mark)
			continue;
		n->mark = 1;
		for (uint32_t k = 0; k < n->before.n; k++)
			*vec_push(&left) = n->before.at[k];
	}
	vec_free(&left);
}

/* Whether other streams of the capture have work that the first one has not waited for. */
static bool
has_unjoined_work(const Capture *c)
{
	for (uint32_t i = 0; i < c->graph->nodes.n; i++)
		c->graph->nodes.at[i]->mark = 0;
	mark_predecessors(&c->origin->last);
	for (uint32_t i = 0; i < c->streams.n; i++)
		for (uint32_t k = 0; k < c->streams.at[i]->last.n; k++)
			if (!c->streams.at[i]->last.at[k]->mark)
				return true;
	return false;
}

cudaError_t
capture_end(Runtime *rt, cudaStream_t s, Graph **to)
{
	Capture *c = of_stream(s);
	(void)rt;
	*to = NULL;
	if (!c)
		return cudaErrorIllegalState;
	if (c->origin != s)
		return invalidate_capture(c, cudaErrorStreamCaptureUnmatched);
	cudaError_t e = c->wrong ? cudaErrorStreamCaptureInvalidated :
		has_unjoined_work(c) ? cudaErrorStreamCaptureUnjoined :
				   cudaSuccess;
	c->active = false;
	for (uint32_t i = 0; i < captures.n; i++)
		if (captures.at[i] == c)
			captures.at[i] = *vec_pop(&captures);
	for (uint32_t i = 0; i < c->streams.n; i++) {
		c->streams.at[i]->capture = NULL;
		c->streams.at[i]->last.n = 0;
	}
	vec_free(&c->streams);
	if (e)
		rt_graph_free(c->graph);
	else
		*to = c->graph;
	c->graph = NULL;
	return e;
}

/* ---- work ------------------------------------------------------------------------------------ */

static void
push_new(Node_list *l, Graph_node *n)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] == n)
			return;
	*vec_push(l) = n;
}

cudaError_t
capture_depend(cudaStream_t s, Graph_node *const *nodes, size_t n, bool add)
{
	Capture *c = of_stream(s);
	if (!c)
		return cudaErrorIllegalState;
	for (size_t i = 0; i < n; i++)
		if (!nodes[i] || nodes[i]->of != c->graph)
			return cudaErrorInvalidValue;
	if (!add)
		s->last.n = 0;
	for (size_t i = 0; i < n; i++)
		push_new(&s->last, nodes[i]);
	return cudaSuccess;
}

/* Checks for captures of streams that the legacy stream waits for. */
static cudaError_t
check_legacy_stream(cudaStream_t s)
{
	if (stream_made(s) || (uintptr_t)s == STREAM_PER_THREAD)
		return cudaSuccess;
	for (uint32_t i = 0; i < captures.n; i++)
		for (uint32_t k = 0; k < captures.at[i]->streams.n; k++)
			if (!(captures.at[i]->streams.at[k]->flags & cudaStreamNonBlocking))
				return invalidate_capture(
					captures.at[i], cudaErrorStreamCaptureImplicit);
	return cudaSuccess;
}

bool
capture_work(Runtime *rt, cudaStream_t s, const Work *w, cudaError_t *e)
{
	Capture *c = of_stream(s);
	(void)rt;
	*e = !c          ? check_legacy_stream(s) :
		c->wrong ? cudaErrorStreamCaptureInvalidated :
			   cudaSuccess;
	if (!c || *e)
		return false;
	Graph_node *n = rt_graph_add(c->graph, w, e);
	if (!n) {
		c->wrong = true;
		return false;
	}
	for (uint32_t i = 0; i < s->last.n; i++)
		(void)rt_graph_connect(s->last.at[i], n);
	s->last.n = 0;
	*vec_push(&s->last) = n;
	return true;
}

cudaError_t
capture_forbids(Runtime *rt, cudaStream_t s)
{
	(void)rt;
	Capture *c = of_stream(s);
	if (!c && !stream_made(s))
		return captures.n ?
			invalidate_capture(captures.at[0], cudaErrorStreamCaptureUnsupported) :
			cudaSuccess;
	return c ? invalidate_capture(c, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

/* ---- events ---------------------------------------------------------------------------------- */

cudaError_t
capture_record(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external)
{
	Capture *c = of_stream(s);
	if (!c || external)
		return work_on(rt, s, &(Work){ .kind = WORK_RECORD, .event = event });
	event->capture = c;
	event->last.n = 0;
	for (uint32_t i = 0; i < s->last.n; i++)
		*vec_push(&event->last) = s->last.at[i];
	return c->wrong ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t
capture_wait(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external)
{
	Capture *c = of_stream(s), *from = event->capture;
	if (external && c)
		return work_on(rt, s, &(Work){ .kind = WORK_WAIT, .event = event });
	if (!from)
		return c ? invalidate_capture(c, cudaErrorStreamCaptureIsolation) : cudaSuccess;
	if (!from->active)
		return cudaErrorCapturedEvent;
	if (c && c != from)
		return invalidate_capture(from, cudaErrorStreamCaptureMerge);
	if (!stream_made(s))
		return invalidate_capture(from, cudaErrorStreamCaptureImplicit);
	if (!c)
		join_capture(from, s);
	for (uint32_t i = 0; i < event->last.n; i++)
		push_new(&s->last, event->last.at[i]);
	return cudaSuccess;
}

cudaError_t
capture_event(cudaEvent_t event)
{
	if (!event->capture)
		return cudaSuccess;
	if (event->capture->active)
		event->capture->wrong = true;
	return cudaErrorCapturedEvent;
}
