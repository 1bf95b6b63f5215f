/* SPDX-License-Identifier: MIT */
/* The CUDA runtime on the emulator (driver/rt/): what its files share. Internal to driver/cudart/.
 *
 * A CUDA program that was linked with -cudart shared finds this library in place of NVIDIA's
 * libcudart; driver/preload/ brings others to it.
 *
 *	register.c  what nvcc's start-up code registers: fat binaries, kernels, variables
 *	memory.c    allocation; copy.c: copies, sets, symbols
 *	texture.c   arrays, textures
 *	launch.c    launches; function.c: attributes of kernels, occupancy
 *	stream.c    streams, events, callbacks
 *	graph.h     graphs, streams that are captured
 *	device.c    the device; driver.c: the driver interface, from here
 *	error.c     errors; other.c: calls that fail with a message
 *	cuda12.c, cuda13.c    what the libraries of the two versions have of their own
 */
#ifndef DRIVER_CUDART_CUDART_H
#define DRIVER_CUDART_CUDART_H

#include "driver/rt/graph.h"
#include "driver/rt/rt.h"

#define API __attribute__((visibility("default")))
/* The same call with a thread's own default stream as stream 0: all streams are in order here. In
 * the same file as name. */
#define ALSO(name, other) API extern __typeof__(name) other __attribute__((alias(#name)));

/* The runtime's own version, 1000 * major + 10 * minor (cuda12.c, cuda13.c). */
extern const int rt_version;

/* Every call: Runtime *rt = rt_enter(); ... return rt_leave(rt, error): the error is the thread's
 * last one from now on (error.c). */
cudaError_t rt_leave(Runtime *rt, cudaError_t e);
/* For a call that the emulator lacks: says so, unless *said, and fails (other.c). */
cudaError_t rt_refuse(const char *name, bool *said);

/* What these calls ask for; errors go to *e, and come back. */
bool copy_3d(const cudaMemcpy3DParms *p, Copy_work *to, cudaError_t *e);
/* n bytes at an offset of a variable; out: from it. */
typedef struct {
	const void *symbol, *other;
	size_t n, offset;
	enum cudaMemcpyKind kind;
	bool out;
} Symbol_copy;
cudaError_t copy_symbol(Runtime *rt, Symbol_copy c, Copy_work *to);

#endif
