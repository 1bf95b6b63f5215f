/* SPDX-License-Identifier: MIT */
/* ptxccc-run --timed: modules that were transformed have two versions of a kernel. The program's
 * launches run one or the other, and are timed as in programs that cccnvcc builds: ccc_timed.h has
 * the trials. Here are the functions of the runtime that it calls, made of the driver's, and the
 * kernels of the modules. A kernel whose module has been unloaded is forgotten before the driver
 * can use its handle for another one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/load/load.h"

/* ---- the runtime's functions ----------------------------------------------------------------- */

typedef Result cudaError_t;
typedef Handle cudaEvent_t, cudaStream_t, cudaKernel_t;
typedef struct { unsigned x, y, z; } dim3;
enum { cudaSuccess };
typedef enum { cudaStreamCaptureStatusNone } cudaStreamCaptureStatus;
typedef enum { cudaStreamCaptureModeRelaxed = 2 } cudaStreamCaptureMode;
typedef enum {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout,
	CLUSTER_MUST_BE_SET, CLUSTER_WIDTH, CLUSTER_HEIGHT, CLUSTER_DEPTH
} Attribute;
typedef struct {
	int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
		maxDynamicSharedSizeBytes, preferredShmemCarveout;
} cudaFuncAttributes;

static Launch *real_launch;

static cudaError_t
__cudaLaunchKernel_helper(Handle f, dim3 g, dim3 b, void **args, size_t shared, Handle stream)
{
	return real_launch(
		f, g.x, g.y, g.z, b.x, b.y, b.z, (unsigned)shared, stream, args, NULL);
}

#define FORWARD(name, driver_name, types, parameters, arguments) \
	static cudaError_t name parameters \
	{ \
		Result e; \
		DRIVER_CALL(e, driver_name, types, arguments); \
		return e; \
	}
FORWARD(cudaGetDevice, "cuCtxGetDevice", (int *), (int *device), (device))
FORWARD(cudaEventCreate, "cuEventCreate", (Handle *, unsigned), (Handle * e_), (e_, 0))
FORWARD(cudaEventDestroy, "cuEventDestroy_v2", (Handle), (Handle e_), (e_))
FORWARD(cudaEventRecord, "cuEventRecord", (Handle, Handle), (Handle e_, Handle s), (e_, s))
FORWARD(cudaEventElapsedTime, "cuEventElapsedTime", (float *, Handle, Handle),
	(float *ms, Handle a, Handle b), (ms, a, b))
FORWARD(cudaStreamIsCapturing, "cuStreamIsCapturing", (Handle, cudaStreamCaptureStatus *),
	(Handle s, cudaStreamCaptureStatus *to), (s, to))
FORWARD(cudaThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode",
	(cudaStreamCaptureMode *), (cudaStreamCaptureMode *mode), (mode))
static cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, const void *version);
static cudaError_t cudaFuncSetAttribute(const void *version, Attribute a, int value);
/* The driver has no error that lasts until it is read. */
#define cudaGetLastError() ((void)0)
#define cudaPeekAtLastError() cudaSuccess
/* not used: only a runtime has kernels of host functions */
static cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	return *kernel = NULL, !host + 1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "annotate/ccc_timed.h"
#pragma GCC diagnostic pop

/* ---- kernels --------------------------------------------------------------------------------- */

/* Both versions of a kernel; entries stay. */
typedef struct Entry {
	struct ccc_timed kernel[2];     /* the second one ends the table */
	Handle module, context;
	Load_kind kind;
	struct Entry *next;
} Entry;
typedef struct Timed_module { Handle at; Load_kind kind; struct Timed_module *next; } Timed_module;
static struct {
	pthread_mutex_t lock;
	Timed_module *modules;
	Entry *entries;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
timed_wanted(void)
{
	const char *v = getenv("CCC_RUN_TIMED");

	return v && *v && strcmp(v, "0") != 0 && !counters_wanted();
}

static Handle
current_context(void)
{
	Handle c = NULL;
	Result e;

	DRIVER_CALL(e, "cuCtxGetCurrent", (Handle *), (&c));
	return e ? NULL : c;
}

void
timed_add_module(Load_kind kind, Handle module)
{
	Timed_module *m = malloc(sizeof *m);

	if (!m)
		return;
	pthread_mutex_lock(&known.lock);
	*m = (Timed_module){ module, kind, known.modules };
	known.modules = m;
	pthread_mutex_unlock(&known.lock);
}

static bool
is_known(Load_kind kind, Handle module)
{
	pthread_mutex_lock(&known.lock);
	Timed_module *m = known.modules;
	while (m && (m->at != module || m->kind != kind))
		m = m->next;
	pthread_mutex_unlock(&known.lock);
	return m != NULL;
}

static Entry *
find(Handle own)
{
	Entry *e = __atomic_load_n(&known.entries, __ATOMIC_ACQUIRE);

	while (e && __atomic_load_n(&e->kernel[0].kernel[0], __ATOMIC_ACQUIRE) != own)
		e = e->next;
	return e;
}

void
timed_add(Load_kind kind, Handle module, const char *name, Handle own, Get_function *get)
{
	static const char *const suffixes[] = { "_ccc_on", "_ccc_off" };
	const char *suffix = NULL;
	size_t n = name ? strlen(name) : 0;
	Handle other = NULL;
	Result failed = 1;

	if (!n || !is_known(kind, module) || find(own))
		return;
	char *version = malloc(n + sizeof "_ccc_off");
	for (size_t i = 0; version && failed && i < 2; i++) {
		memcpy(version, name, n);
		strcpy(version + n, suffix = suffixes[i]);
		failed = get(&other, module, version);
	}
	free(version);
	Entry *e = failed ? NULL : calloc(1, sizeof *e);
	if (!e)
		return;
	*e = (Entry){ .module = module, .context = current_context(), .kind = kind };
	e->kernel[0] = (struct ccc_timed){
		.name = "", .other = suffix, .kernel = { own, other } };
	e->kernel[0].host = e;
	pthread_mutex_lock(&known.lock);
	e->next = known.entries;
	__atomic_store_n(&known.entries, e, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&known.lock);
}

/* Forgets the kernels of a module, or of all modules in a context; of all if both are NULL. */
static void
forget(Handle module, Handle context)
{
	pthread_mutex_lock(&known.lock);
	for (Entry *e = known.entries; e; e = e->next)
		if ((!module || e->module == module) && (!context || e->context == context))
			__atomic_store_n(&e->kernel[0].kernel[0], NULL, __ATOMIC_RELEASE);
	for (Timed_module **m = &known.modules, *gone; *m;) {
		gone = *m;
		if (module ? gone->at == module : !context) {
			*m = gone->next;
			free(gone);
		} else {
			m = &gone->next;
		}
	}
	pthread_mutex_unlock(&known.lock);
}

void
timed_unload(Handle module)
{
	if (module)
		forget(module, NULL);
}

void
timed_destroy_context(Handle context)
{
	if (!context)
		context = current_context();
	if (context)
		forget(NULL, context);
}

void
timed_reset_device(int device)
{
	unsigned flags;
	int active = 0;
	Result e;

	DRIVER_CALL(e, "cuDevicePrimaryCtxGetState", (int, unsigned *, int *),
		(device, &flags, &active));
	if (e || !active)
		forget(NULL, NULL);
}

Result
timed_launch(Launch *real, Handle f, const Grid *g, Handle stream, void **args, void **extra)
{
	Entry *e = f && !extra ? find(f) : NULL;

	if (!e)
		return real(f, g->x, g->y, g->z, g->bx, g->by, g->bz, g->shared, stream, args,
			extra);
	real_launch = real;
	return ccc_launch(e->kernel, f, (dim3){ g->x, g->y, g->z }, (dim3){ g->bx, g->by, g->bz },
		args, g->shared, stream);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The function of a version: a library has kernels, whose functions are those of the context. */
static Handle
function_of(const void *version)
{
	Entry *e = __atomic_load_n(&known.entries, __ATOMIC_ACQUIRE);
	Handle kernel, function;
	Result failed;

	while (e && e->kernel[0].host != version && &e->kernel[0].key != version)
		e = e->next;
	if (!e)
		return NULL;
	kernel = e->kernel[0].kernel[e->kernel[0].host != version];
	if (e->kind == LOADED_MODULE)
		return kernel;
	DRIVER_CALL(failed, "cuKernelGetFunction", (Handle *, Handle), (&function, kernel));
	return failed ? NULL : function;
}

/* Drivers before CUDA 11.8 have no clusters. */
static int
attribute(Handle function, Attribute a)
{
	int value = 0;
	Result e;

	DRIVER_CALL(e, "cuFuncGetAttribute", (int *, int, Handle), (&value, (int)a, function));
	return e ? 0 : value;
}

static cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *to, const void *version)
{
	Handle function = function_of(version);

	if (!function)
		return 1;
	*to = (cudaFuncAttributes){ attribute(function, CLUSTER_MUST_BE_SET),
		attribute(function, CLUSTER_WIDTH), attribute(function, CLUSTER_HEIGHT),
		attribute(function, CLUSTER_DEPTH),
		attribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize),
		attribute(function, cudaFuncAttributePreferredSharedMemoryCarveout) };
	return cudaSuccess;
}

static cudaError_t
cudaFuncSetAttribute(const void *version, Attribute a, int value)
{
	Handle function = function_of(version);
	Result e = 1;

	if (function)
		DRIVER_CALL(e, "cuFuncSetAttribute", (Handle, int, int), (function, (int)a, value));
	return e;
}
