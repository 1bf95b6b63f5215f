/* SPDX-License-Identifier: MIT */
/* libccc-cupti.so: measures a program's kernels on a GPU. The driver loads it
 * (CUDA_INJECTION64_PATH), however the program is linked, and calls InitializeInjection before
 * the first context. CUPTI's activity records have the start and end of each kernel and do not
 * serialise kernels. When the program ends, a line for each kernel is written to CCC_TUNE_TIMES:
 * launches, nanoseconds, name, separated by tabs.
 *
 * CUPTI is loaded at run time, so that programs start without it. RECORD is the type of its
 * kernel records, which newer toolkits extend. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cupti.h>

typedef struct { char *name; unsigned long long launches, ns; } Kernel;

enum { BUFFER = 1 << 20 };

static struct {
	pthread_mutex_t lock;
	Kernel *at; size_t n, room;
	unsigned long long lost;
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((visibility("default"))) int InitializeInjection(void);

/* ---- kernels --------------------------------------------------------------------------------- */

static Kernel *
kernel_of(const char *name)
{
	for (size_t i = 0; i < state.n; i++)
		if (strcmp(state.at[i].name, name) == 0)
			return &state.at[i];
	if (state.n == state.room) {
		size_t room = state.room ? 2 * state.room : 64;
		Kernel *at = realloc(state.at, room * sizeof *at);
		if (!at)
			return NULL;
		state.at = at;
		state.room = room;
	}
	char *copy = malloc(strlen(name) + 1);
	if (!copy)
		return NULL;
	state.at[state.n] = (Kernel){ .name = strcpy(copy, name) };
	return &state.at[state.n++];
}

static void
record_kernel(const RECORD *r)
{
	Kernel *k = r->start && r->end > r->start ? kernel_of(r->name ? r->name : "?") : NULL;

	if (!k) {
		state.lost++;
		return;
	}
	k->launches++;
	k->ns += r->end - r->start;
}

/* ---- what CUPTI calls ------------------------------------------------------------------------ */

static void CUPTIAPI
give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(8, BUFFER);
	*size = *buffer ? BUFFER : 0;
	*records = 0;
}

static void CUPTIAPI
take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *r = NULL;
	size_t dropped = 0;

	(void)size;
	pthread_mutex_lock(&state.lock);
	while (valid && state.next(buffer, valid, &r) == CUPTI_SUCCESS)
		if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
			r->kind == CUPTI_ACTIVITY_KIND_KERNEL)
			record_kernel((const RECORD *)(const void *)r);
	if (state.dropped && state.dropped(context, stream, &dropped) == CUPTI_SUCCESS)
		state.lost += dropped;
	pthread_mutex_unlock(&state.lock);
	free(buffer);
}

static void
write_times(void)
{
	const char *path = getenv("CCC_TUNE_TIMES");

	state.flush(1 /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */);
	FILE *f = path ? fopen(path, "a") : NULL;
	if (!f)
		return;
	pthread_mutex_lock(&state.lock);
	for (size_t i = 0; i < state.n; i++)
		fprintf(f, "%llu\t%llu\t%s\n", state.at[i].launches, state.at[i].ns,
			state.at[i].name);
	if (state.lost)
		fprintf(stderr, "ccc-tune: %llu launches have no time\n", state.lost);
	pthread_mutex_unlock(&state.lock);
	fclose(f);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static void *
load_cupti(void)
{
	static const char *const names[] = { "libcupti.so", CUPTI_PATH "/libcupti.so",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so" };
	void *lib = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		fprintf(stderr, "ccc-tune: %s\n", dlerror());
	return lib;
}

/* dlsym returns addresses of functions as data pointers. */
#define FIND(lib, to, name) (*(void **)(void *)&(to) = dlsym(lib, name))

int
InitializeInjection(void)
{
	CUptiResult (*callbacks)(
		CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc) = NULL;
	CUptiResult (*enable)(CUpti_ActivityKind) = NULL;
	void *lib = load_cupti();

	if (!lib)
		return 0;
	FIND(lib, callbacks, "cuptiActivityRegisterCallbacks");
	FIND(lib, enable, "cuptiActivityEnable");
	FIND(lib, state.next, "cuptiActivityGetNextRecord");
	FIND(lib, state.flush, "cuptiActivityFlushAll");
	FIND(lib, state.dropped, "cuptiActivityGetNumDroppedRecords");
	if (!callbacks || !enable || !state.next || !state.flush ||
		callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
		enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
		fputs("ccc-tune: CUPTI cannot record kernels here\n", stderr);
		return 0;
	}
	atexit(write_times);
	return 1;
}
