/* SPDX-License-Identifier: MIT */
/* libccc-events.so: measures a program's kernels on a GPU without CUPTI. It is preloaded before
 * the CUDA runtime, which must be a shared library (nvcc -cudart shared), and records an event
 * before and after each launch. Concurrent kernels are each counted in full. When the program
 * ends, one line is written to CCC_TUNE_TIMES: launches, nanoseconds, "all kernels".
 *
 * CUDA's headers are not needed: handles are pointers, and dim3 is three integers. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { unsigned x, y, z; } Dim;
typedef void *Event, *Stream;
typedef int Launch(const void *kernel, Dim grid, Dim block, void **args, size_t shared, Stream s);

enum { MOST = 1024 };

static struct {
	pthread_mutex_t lock;
	struct { Event from, to; } at[MOST];
	unsigned n;
	unsigned long long launches, lost;
	double ms;
	int (*create)(Event *), (*record)(Event, Stream), (*wait)(Event), (*destroy)(Event);
	int (*elapsed)(float *, Event, Event);
	int (*last_error)(void);
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __thread int depth; /* entry points of the runtime may call one another */

/* dlsym returns addresses of functions as data pointers. */
#define FIND(to, name) (*(void **)(void *)&(to) = dlsym(RTLD_NEXT, name))

#define API __attribute__((visibility("default")))
API Launch cudaLaunchKernel, cudaLaunchKernel_ptsz, __cudaLaunchKernel, __cudaLaunchKernel_ptsz;

/* Adds up the times of all launches; waits for those in progress. */
static void
collect_finished(void)
{
	for (unsigned i = 0; i < state.n; i++) {
		float ms = 0;
		if (state.wait(state.at[i].to) == 0 &&
			state.elapsed(&ms, state.at[i].from, state.at[i].to) == 0)
			state.ms += (double)ms;
		else
			state.lost++;
		state.destroy(state.at[i].from);
		state.destroy(state.at[i].to);
	}
	state.n = 0;
}

static void
write_times(void)
{
	const char *path = getenv("CCC_TUNE_TIMES");
	FILE *f;

	pthread_mutex_lock(&state.lock);
	collect_finished();
	f = path && state.launches > state.lost ? fopen(path, "a") : NULL;
	if (f) {
		fprintf(f, "%llu\t%.0f\tall kernels\n", state.launches, state.ms * 1e6);
		fclose(f);
	}
	if (state.lost)
		fprintf(stderr, "ccc-tune: %llu launches have no time\n", state.lost);
	pthread_mutex_unlock(&state.lock);
}

/* Returns false if the runtime has no events. */
static int
init_events(void)
{
	static int begun;

	if (!begun) {
		begun = 1;
		FIND(state.create, "cudaEventCreate");
		FIND(state.record, "cudaEventRecord");
		FIND(state.wait, "cudaEventSynchronize");
		FIND(state.elapsed, "cudaEventElapsedTime");
		FIND(state.destroy, "cudaEventDestroy");
		FIND(state.last_error, "cudaGetLastError");
		/* registered after the runtime's own handler, and so called before it */
		atexit(write_times);
	}
	return state.create && state.record && state.wait && state.elapsed && state.destroy &&
		state.last_error;
}

static int
timed_launch(
	Launch *real, const void *kernel, Dim grid, Dim block, void **args, size_t shared, Stream s)
{
	Event from = NULL, to = NULL;
	int failed;

	if (depth++ || !init_events()) {
		failed = real(kernel, grid, block, args, shared, s);
		depth--;
		return failed;
	}
	pthread_mutex_lock(&state.lock);
	if (state.n == MOST)
		collect_finished();
	int recorded = state.create(&from) == 0 && state.create(&to) == 0 &&
		state.record(from, s) == 0;
	failed = real(kernel, grid, block, args, shared, s);
	recorded = recorded && !failed && state.record(to, s) == 0;
	state.launches++;
	if (recorded) {
		state.at[state.n].from = from;
		state.at[state.n++].to = to;
	} else {
		state.lost++;
		if (!failed)
			state.last_error(); /* clear our own error, not the program's */
	}
	pthread_mutex_unlock(&state.lock);
	depth--;
	return failed;
}

#define ENTRY(name) \
	int name(const void *kernel, Dim grid, Dim block, void **args, size_t shared, Stream s) \
	{ \
		static Launch *real; \
		if (!real) \
			FIND(real, #name); \
		return real ? timed_launch(real, kernel, grid, block, args, shared, s) : 999; \
	}
ENTRY(cudaLaunchKernel)
ENTRY(cudaLaunchKernel_ptsz)
ENTRY(__cudaLaunchKernel)
ENTRY(__cudaLaunchKernel_ptsz)
