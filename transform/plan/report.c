/* SPDX-License-Identifier: MIT */
/* Lifetime of a Report. See report.h. */
#include <string.h>
#include "transform/plan/report.h"

void
report_init(Report *r)
{
	*r = (Report){ .arena = arena_new() };
}

void
report_release(Report *r)
{
	vec_free(&r->sites);
	vec_free(&r->met);
	vec_free(&r->branches);
	vec_free(&r->remaps);
	arena_free(r->arena);
	*r = (Report){ 0 };
}

Cuda_pos
report_copy_place(Arena *a, Cuda_pos at)
{
	if (at.file)
		at.file = arena_strndup(a, at.file, strlen(at.file));
	return at;
}
