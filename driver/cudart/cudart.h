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
 *	graph.c     graphs, stream capture; node.c: their nodes
 *	device.c    the device; driver.c: entry points of the driver API
 *	error.c     errors; other.c: unsupported calls
 *	cuda12.c, cuda13.c    calls that differ between the two versions */
#ifndef DRIVER_CUDART_CUDART_H
#define DRIVER_CUDART_CUDART_H

#include "driver/rt/calls.h"
#include "driver/rt/graph.h"
#include "driver/rt/rt.h"

/* The runtime's version, 1000 * major + 10 * minor (cuda12.c, cuda13.c). */
extern const int rt_version;

/* calls.h */
#define RUNTIME(name, args, ...) \
	ENTRY(cudaError_t, name, args, rt_enter(), rt_leave, __VA_ARGS__)
/* The variant of a call without a stream, which uses the legacy stream. */
#define WITHOUT_STREAM(name, args, ...) \
	FORWARD(cudaError_t, name, name##Async, (UNPACK args, NULL), __VA_ARGS__) \
	ALSO(name, name##_ptds)
#define BOTH(name, driver, args, ...) RUNTIME(name, args, __VA_ARGS__)
#define ANYWHERE BOTH
#define PTSZ(name, driver) PTSZ_OF(name)
#define PTSZ_OF(name) ALSO(name, name##_ptsz)

/* Ends a call that began with rt_enter: makes the error the thread's last one and returns it
 * (error.c). */
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
