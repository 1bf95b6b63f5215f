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
	vec_free(&r->recursions);
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

const char *
report_copy_text(const char *text, Arena *a)
{
	return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

Report_option *
report_copy_options(const Report_option *of, uint32_t n, Arena *a)
{
	Report_option *to = arena_array(a, n + 1u, sizeof *to);

	for (uint32_t i = 0; i < n; i++) {
		to[i] = of[i];
		to[i].policy = report_copy_text(of[i].policy, a);
	}
	return to;
}

void
report_copy_choice(Report_site *to, const Report_site *from, Arena *a)
{
	const Report_profile *p = &from->profile;

	to->profile = (Report_profile){ .measured = report_copy_text(p->measured, a),
		.key = report_copy_text(p->key, a),
		.choice = report_copy_text(p->choice, a) };
	to->gain = from->gain;
	to->gain.question = report_copy_text(from->gain.question, a);
	to->noptions = from->noptions;
	to->options = report_copy_options(from->options, from->noptions, a);
}
