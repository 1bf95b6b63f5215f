/* SPDX-License-Identifier: MIT */
/* Modules that count, under `ptxccc-run --profile`. Each has a variable __ccc_profile, which leads
 * to its counters. They are written to the profile, and cleared, before the module or its context
 * goes away, or else when the program ends: handlers of exit() run in reverse order, so this one,
 * registered when the first module is loaded, runs before those of CUDA. */
#define _GNU_SOURCE /* memmem */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/ccc_profile_file.h"
#include "driver/load/load.h"

/* `context` and `device`: those that were current when a module was loaded. A library is used in
 * the primary context of each device. */
typedef struct { Load_kind kind; Handle handle, context; int device; bool primary; } Counted;

static struct {
	pthread_mutex_t lock;
	Counted *at;
	size_t n, room;
	pid_t process;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int
copy(void *to, u64 from, size_t n)
{
	Result e;

	DRIVER_CALL(e, "cuMemcpyDtoH_v2", (void *, u64, size_t), (to, from, n));
	return e;
}

static int
attribute(int which, int *value)
{
	int device;
	Result e;

	DRIVER_CALL(e, "cuCtxGetDevice", (int *), (&device));
	if (!e)
		DRIVER_CALL(e, "cuDeviceGetAttribute", (int *, int, int), (value, which, device));
	return e;
}

static const gpu_access gpu = { copy, attribute };

/* Writes and clears the counters that a variable leads to. */
static bool
write_counters(u64 variable)
{
	u64 v[8] = { 0 };
	Result e = copy(v, variable, sizeof v);

	if (e || v[0] != 7)
		return false;
	write_profile(&gpu, v);
	DRIVER_CALL(e, "cuMemsetD8_v2", (u64, unsigned char, size_t), (v[2], 0, 8 * COPIES * v[3]));
	return !e;
}

/* Writes the counters of c in a context. */
static bool
write_in_context(const Counted *c, Handle context)
{
	static const char name[] = "__ccc_profile";
	u64 variable = 0;
	size_t size = 0;
	Handle popped;
	Result e;

	DRIVER_CALL(e, "cuCtxPushCurrent_v2", (Handle), (context));
	if (e)
		return false;
	DRIVER_CALL(e, "cuCtxSynchronize", (void), ());
	if (!e && c->kind == LOADED_LIBRARY)
		DRIVER_CALL(e, "cuLibraryGetGlobal", (u64 *, size_t *, Handle, const char *),
			(&variable, &size, c->handle, name));
	else if (!e)
		DRIVER_CALL(e, "cuModuleGetGlobal_v2", (u64 *, size_t *, Handle, const char *),
			(&variable, &size, c->handle, name));
	bool ok = !e && write_counters(variable);
	DRIVER_CALL(e, "cuCtxPopCurrent_v2", (Handle *), (&popped));
	return ok && !e;
}

static bool
is_active(int device)
{
	unsigned flags;
	int active = 0;
	Result e;

	DRIVER_CALL(e, "cuDevicePrimaryCtxGetState", (int, unsigned *, int *), (device, &flags, &active));
	return !e && active;
}

/* Returns the primary context of a device that has one, else NULL. */
static Handle
primary_context(int device)
{
	Handle context = NULL;
	Result e;

	if (!is_active(device))
		return NULL;
	DRIVER_CALL(e, "cuDevicePrimaryCtxRetain", (Handle *, int), (&context, device));
	if (e)
		return NULL;
	DRIVER_CALL(e, "cuDevicePrimaryCtxRelease_v2", (int), (device));
	return e ? NULL : context;
}

static void
write_one(const Counted *c)
{
	int devices = 0;
	bool ok = true;
	Result e;

	if (c->kind == LOADED_LIBRARY) {
		DRIVER_CALL(e, "cuDeviceGetCount", (int *), (&devices));
		for (int i = 0; !e && i < devices; i++) {
			Handle context = primary_context(i);
			ok &= !context || write_in_context(c, context);
		}
		ok &= !e;
	} else if (!c->primary || is_active(c->device)) {
		ok = write_in_context(c, c->context);
	}
	if (!ok)
		fprintf(stderr, "ptxccc-run: the counters of a module cannot be read\n");
}

/* What happens to modules: their counters are written, and forgotten. Libraries stay loaded without
 * the context of a device. */
typedef struct {
	enum { ALL_END, HANDLE_ENDS, CONTEXT_ENDS, DEVICE_ENDS } what;
	Handle handle;
	int device;
	bool stays;             /* the context may stay: modules are not forgotten */
} Event;

static bool
concerns(const Event *e, const Counted *c)
{
	switch (e->what) {
	case HANDLE_ENDS: return c->handle == e->handle;
	case CONTEXT_ENDS: return c->kind == LOADED_MODULE && c->context == e->handle;
	case DEVICE_ENDS:
		return c->kind == LOADED_LIBRARY || (c->primary && c->device == e->device);
	case ALL_END: break;
	}
	return true;
}

static void
handle_event(Event e)
{
	size_t kept = 0;

	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; all.process == getpid() && i < all.n; i++) {
		Counted *c = &all.at[i];
		bool found = concerns(&e, c), stays = e.stays ||
			(e.what == DEVICE_ENDS && c->kind == LOADED_LIBRARY);
		if (found)
			write_one(c);
		if (!found || stays)
			all.at[kept++] = *c;
	}
	all.n = kept;
	pthread_mutex_unlock(&all.lock);
}

static void
write_all(void)
{
	handle_event((Event){ .what = ALL_END });
}

bool
counters_wanted(void)
{
	return getenv("CCC_RUN_PROFILE") != NULL;
}

void
counters_add(Load_kind kind, Handle h)
{
	Counted c = { .kind = kind, .handle = h, .device = -1 };
	Result e = 0;

	if (kind == LOADED_MODULE) {
		DRIVER_CALL(e, "cuCtxGetCurrent", (Handle *), (&c.context));
		if (!e)
			DRIVER_CALL(e, "cuCtxGetDevice", (int *), (&c.device));
		c.primary = !e && primary_context(c.device) == c.context;
	}
	pthread_mutex_lock(&all.lock);
	if (all.process != getpid()) { /* in a child, the others are the parent's */
		if (!all.process)
			atexit(write_all);
		all.process = getpid();
		all.n = 0;
	}
	if (!e && all.n == all.room) {
		size_t room = all.room ? 2 * all.room : 16;
		Counted *at = realloc(all.at, room * sizeof *at);
		if (at) {
			all.at = at;
			all.room = room;
		}
	}
	if (!e && all.n < all.room)
		all.at[all.n++] = c;
	pthread_mutex_unlock(&all.lock);
}

void
counters_unload(Handle h)
{
	handle_event((Event){ .what = HANDLE_ENDS, .handle = h });
}

void
counters_destroy_context(Handle context)
{
	handle_event((Event){ .what = CONTEXT_ENDS, .handle = context });
}

/* A release destroys the context only if it is the last one. */
void
counters_reset_device(int device, bool gone)
{
	handle_event((Event){ .what = DEVICE_ENDS, .device = device, .stays = !gone });
}

/* ---- linkers --------------------------------------------------------------------------------- */

/* The linkers that have a text that counts. Another one would define the same variable. */
static struct {
	pthread_mutex_t lock;
	Handle *at;
	size_t n, room;
	bool any;               /* there has been one */
} linkers = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
counters_add_linker(Handle linker)
{
	bool found = false;

	pthread_mutex_lock(&linkers.lock);
	for (size_t i = 0; i < linkers.n && !found; i++)
		found = linkers.at[i] == linker;
	if (!found && linkers.n == linkers.room) {
		size_t room = linkers.room ? 2 * linkers.room : 8;
		Handle *more = realloc(linkers.at, room * sizeof *more);
		linkers.room = more ? room : linkers.room;
		linkers.at = more ? more : linkers.at;
		found = !more;
	}
	if (!found)
		linkers.at[linkers.n++] = linker;
	linkers.any = true;
	pthread_mutex_unlock(&linkers.lock);
	return !found;
}

void
linked_forget(Handle linker)
{
	pthread_mutex_lock(&linkers.lock);
	for (size_t i = 0; i < linkers.n; i++)
		if (linkers.at[i] == linker)
			linkers.at[i] = linkers.at[--linkers.n];
	pthread_mutex_unlock(&linkers.lock);
}

static bool
any_linked(void)
{
	pthread_mutex_lock(&linkers.lock);
	bool any = linkers.any;
	pthread_mutex_unlock(&linkers.lock);
	return any;
}

/* Machine code has the names of symbols before the table of sections. */
bool
linked_code_counts(const void *image)
{
	static const char name[] = "__ccc_profile";
	enum { SECTIONS = 0x28 }; /* of the file's header: the table's offset */
	uint64_t sections;

	if (!image || !any_linked() || strncmp(image, "\xb1\x43\x62\x46", 4) == 0 ||
		strncmp(image, "\x50\xed\x55\xba", 4) == 0)
		return false;
	if (strncmp(image, "\x7f" "ELF", 4) != 0)
		return strstr(image, name) != NULL;
	memcpy(&sections, (const char *)image + SECTIONS, sizeof sections);
	return memmem(image, sections, name, sizeof name) != NULL;
}
