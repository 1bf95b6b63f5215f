/* SPDX-License-Identifier: MIT */
/* One random kernel without annotations on the GPU, as it is and transformed. */
#ifndef GEN_GPU_KERNEL_H
#define GEN_GPU_KERNEL_H

#include "tests/gen/alias.h"
#include "tests/gen/unasked.h"

typedef enum {
	KERNEL_RIGHT,
	KERNEL_WRONG, /* another memory, or no text */
	KERNEL_LOST   /* an error after which the process cannot use the GPU any more */
} Kernel_result;

/* Transforms the kernel of that seed, and compares the memory that both leave, bit for bit. why:
 * what is wrong. Texts of a kernel that is wrong go to folder dir, if that is not NULL. */
Kernel_result kernel_run(uint64_t seed, const char *dir, Unasked *sum, Buf *why);

#endif
