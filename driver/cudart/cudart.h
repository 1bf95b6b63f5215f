/* SPDX-License-Identifier: MIT */
/* The CUDA runtime on the emulator (driver/rt/): declarations shared within driver/cudart/.
 *
 * A CUDA program that was linked with -cudart shared loads this library instead of NVIDIA's
 * libcudart; driver/preload/ redirects other programs to it.
 *
 *	register.c  registration by nvcc's start-up code: fat binaries, kernels, variables
 *	memory.c    allocation; copy.c: copies, sets, symbols
 *	texture.c   arrays, textures
 *	launch.c    launches; function.c: attributes of kernels, occupancy
 *	stream.c    streams, events, callbacks
 *	graph.h     graphs, stream capture
 *	device.c    the device; driver.c: entry points of the driver API
 *	error.c     errors; other.c: unsupported calls
 *	cuda12.c, cuda13.c    calls that differ between the two versions */
#ifndef DRIVER_CUDART_CUDART_H
#define DRIVER_CUDART_CUDART_H

#include "driver/rt/graph.h"
#include "driver/rt/rt.h"

#define API __attribute__((visibility("default")))
/* An alias of a call that uses the per-thread default stream as stream 0, which makes no
 * difference because all streams are in order. Must be in the same file as name. */
#define ALSO(name, other) API extern __typeof__(name) other __attribute__((alias(#name)));

/* The runtime's version, 1000 * major + 10 * minor (cuda12.c, cuda13.c). */
extern const int rt_version;

/* Every call has the form: Runtime *rt = rt_enter(); ... return rt_leave(rt, error). rt_leave
 * makes the error the thread's last one and returns it (error.c). */
cudaError_t rt_leave(Runtime *rt, cudaError_t e);
/* Fails on behalf of an unsupported call, with a message unless *said (other.c). */
cudaError_t rt_refuse(const char *name, bool *said);

/* Translate the arguments of a copy into *to. On failure they set *e. */
bool copy_3d(const cudaMemcpy3DParms *p, Copy_work *to, cudaError_t *e);
/* A copy of n bytes at an offset of a variable; out: from the variable. */
typedef struct {
	const void *symbol, *other;
	size_t n, offset;
	enum cudaMemcpyKind kind;
	bool out;
} Symbol_copy;
cudaError_t copy_symbol(Runtime *rt, Symbol_copy c, Copy_work *to);

#endif
