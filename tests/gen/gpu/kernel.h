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

typedef struct {
	const char *dir;        /* for the texts of failing kernels; NULL */
	bool gathers;           /* only texts with a loop that starts with a barrier of the warp */
	/* the annotations promise what they need; the kernels must end, and may leave another
	 * memory */
	bool promises;
	Tpl_place omit;         /* line of a template to leave out */
} Kernel_options;

/* Transforms the kernel of that seed, and compares the memory that both leave, bit for bit. why: a
 * description of the error. */
Kernel_result kernel_run(uint64_t seed, const Kernel_options *o, Unasked *sum, Buf *why);

#endif
