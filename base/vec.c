/* SPDX-License-Identifier: MIT */
/* Growth of the arrays of vec.h. Large arrays grow in place if the system can remap pages. */
#include <stdlib.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

void *
vec_grow(void *at, uint32_t *cap, size_t size)
{
	uint32_t n = *cap < 8 ? 16 : *cap > UINT32_MAX / 2 ? UINT32_MAX : 2 * *cap;

	if (n == *cap || n > SIZE_MAX / 2 / size)
		die("array of more than %u elements", *cap);
	*cap = n;
	return xrealloc(at, n * size);
}

void
vec_release(void *at)
{
	xfree(at);
}
