/* SPDX-License-Identifier: MIT */
/* One random kernel without annotations on the GPU, original and transformed. */
#ifndef GEN_GPU_KERNEL_H
#define GEN_GPU_KERNEL_H

#include "tests/gen/alias.h"
#include "tests/gen/unasked.h"

typedef enum {
	KERNEL_RIGHT,
	KERNEL_WRONG, /* another memory, or no text */
	KERNEL_LOST   /* an error after which the process can no longer use the GPU */
} Kernel_result;

/* Transforms the kernel of that seed, and compares the memory that both leave, bit for bit. why: a
 * description of the error. Texts of a failing kernel go to folder dir, if that is not NULL. */
Kernel_result kernel_run(uint64_t seed, const char *dir, Unasked *sum, Buf *why);

#endif
