/* SPDX-License-Identifier: MIT */
/* What `ptxccc-run --rewrite` prints before its results: the PTX, then the machine code,
 * then warnings, which it has printed. */
#ifndef DRIVER_LOAD_STATUS_H
#define DRIVER_LOAD_STATUS_H

#include <stdint.h>
#include <string.h>

enum { REWRITE_MAGIC = 0x63637033 };

typedef struct {
	uint32_t magic;         /* REWRITE_MAGIC; 0: not examined */
	uint32_t kernels, transformed;
	/* lengths of the results; 0: none. The module is loaded as it is if there is neither. */
	uint32_t ptx_bytes, code_bytes;
	uint32_t warning_bytes;
} Rewrite_status;

static inline uint32_t
count_kernels(const char *ptx)
{
	uint32_t n = 0;

	for (const char *s = ptx; (s = strstr(s, ".entry")) != NULL; s++)
		n += s[6] == ' ' || s[6] == '\t';
	return n;
}

#endif
