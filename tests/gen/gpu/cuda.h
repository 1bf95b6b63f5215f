/* SPDX-License-Identifier: MIT */
/* The part of the CUDA driver's interface that fuzz_gpu needs, without CUDA's headers: libcuda.so.1
 * is loaded at run time. */
#ifndef GEN_GPU_CUDA_H
#define GEN_GPU_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

typedef struct Cuda_module Cuda_module;
typedef struct Cuda_function Cuda_function;

typedef struct {
	uint32_t grid[3], block[3], shared;
	void **params;
} Cuda_launch;

/* Prepares GPU number `device` (modulo their number) for this process. Returns false and sets why
 * if there is none. All calls below return false and set why on an error; after most errors the
 * process can no longer use the GPU. */
bool cuda_start(uint32_t device, Buf *why);
/* Compiles PTX, which ends with a NUL, by the driver's compiler. */
bool cuda_load(const char *ptx, Cuda_module **m, Buf *why);
bool cuda_unload(Cuda_module *m, Buf *why);
bool cuda_kernel(Cuda_module *m, const char *name, Cuda_function **f, Buf *why);
/* The address of a variable. */
bool cuda_variable(Cuda_module *m, const char *name, uint64_t *at, Buf *why);
bool cuda_alloc(size_t n, uint64_t *at, Buf *why);
bool cuda_put(uint64_t at, const void *from, size_t n, Buf *why);
bool cuda_get(void *to, uint64_t at, size_t n, Buf *why);
/* Runs the kernel to its end. */
bool cuda_launch(Cuda_function *f, const Cuda_launch *l, Buf *why);

#endif
