/* SPDX-License-Identifier: MIT */
/* Streams and events. All work is synchronous, so streams are always empty and events complete. */
#include "driver/rt/graph.h"

/* Events measure warp instructions, so that programs that compare kernels by them compare what is
 * counted: the time of an instruction, and that between two events without a launch. */
static const double NS_OF_INSTRUCTION = 1, NS_BETWEEN = 1000;

bool stream_made(cudaStream_t s) { return (uintptr_t)s > STREAM_PER_THREAD; }

cudaStream_t
stream_new(unsigned flags, int priority)
{
	static unsigned long long streams = STREAM_PER_THREAD; /* protected by the lock */
	cudaStream_t s = xmalloc(sizeof *s);
	if (priority < STREAM_GREATEST)
		priority = STREAM_GREATEST;
	if (priority > STREAM_LEAST)
		priority = STREAM_LEAST;
	*s = (struct CUstream_st){ .flags = flags, .priority = priority, .id = ++streams };
	return s;
}

void
stream_free(cudaStream_t s)
{
	capture_leave(s);
	vec_free(&s->last);
	xfree(s);
}

unsigned long long
stream_id(cudaStream_t s)
{
	if (stream_made(s))
		return s->id;
	return s ? (unsigned long long)(uintptr_t)s : STREAM_LEGACY;
}

cudaEvent_t
event_new(unsigned flags)
{
	cudaEvent_t event = xmalloc(sizeof *event);
	*event = (struct CUevent_st){ .flags = flags };
	return event;
}

void
event_free(cudaEvent_t event)
{
	vec_free(&event->last);
	xfree(event);
}

void
event_record(const Runtime *rt, cudaEvent_t event)
{
	event->recorded = true;
	event->capture = NULL;
	event->at = rt->issued;
}

cudaError_t
event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	if (!start || !end || !start->recorded || !end->recorded ||
		(start->flags | end->flags) & cudaEventDisableTiming)
		return cudaErrorInvalidResourceHandle;
	const double issued = (double)end->at - (double)start->at;
	*ms = (float)((issued * NS_OF_INSTRUCTION + NS_BETWEEN) / 1e6);
	return cudaSuccess;
}
