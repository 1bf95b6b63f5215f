/* SPDX-License-Identifier: MIT */
/* Allocation of the records in shadow.h. */
#include <stdlib.h>
#include "simt/state/shadow.h"

Shadow *
shadow_new(size_t bytes)
{
	Shadow *s = xmalloc(sizeof *s);
	/* calloc, not malloc: most pages are never touched and then use no memory */
	*s = (Shadow){ .all = calloc(bytes / 4 + 9, sizeof *s->word), .bytes = bytes };
	if (!s->all)
		out_of_memory();
	s->word = (Shadow_word *)(((uintptr_t)s->all + LINE - 1) & ~(uintptr_t)(LINE - 1));
	return s;
}

void
shadow_add_iterations(Shadow *s)
{
	s->iterations = calloc(s->bytes / 4 + 1, sizeof *s->iterations);
	if (!s->iterations)
		out_of_memory();
}

void
shadow_free(Shadow *s)
{
	if (!s)
		return;
	free(s->all);
	free(s->iterations);
	vec_free(&s->parts);
	xfree(s);
}
