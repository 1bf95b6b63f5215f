/* SPDX-License-Identifier: MIT */
/* What `ptxccc-run --rewrite` prints before the text. */
#ifndef DRIVER_LOAD_STATUS_H
#define DRIVER_LOAD_STATUS_H

#include <stdint.h>

enum { REWRITE_MAGIC = 0x63637031 };

typedef struct {
	uint32_t magic;         /* REWRITE_MAGIC */
	uint32_t kernels, transformed;
	uint32_t unused;
} Rewrite_status;

#endif
