/* SPDX-License-Identifier: MIT */
/* Adds up what became of the copies of each annotation: templates, inlining and unrolling repeat
 * its markers. The compilation hook drops annotations without effect. */
#include <stdlib.h>
#include <string.h>
#include "transform/plan/report.h"

static int
by_place(const Report_annotation *a, const Report_annotation *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->at.line != b->at.line)
		return a->at.line < b->at.line ? -1 : 1;
	return strcmp(a->at.file ? a->at.file : "", b->at.file ? b->at.file : "");
}

static int
compare_annotations(const void *a, const void *b)
{
	return by_place(a, b);
}

Report_annotation
report_annotation(Arena *a, const Marker *k, bool followed)
{
	return (Report_annotation){ k->id, report_copy_place(a, k->cuda), !followed, followed };
}

Report_annotation *
report_annotations(const Report *r, Arena *a, uint32_t *n)
{
	uint32_t all = r->met.n, to = 0;

	for (uint32_t i = 0; i < r->sites.n; i++)
		all += r->sites.at[i].done ? r->sites.at[i].nfollowed : 0;
	Report_annotation *list = arena_array(a, all + 1, sizeof *list);
	all = 0;
	for (uint32_t i = 0; i < r->met.n; i++)
		list[all++] = r->met.at[i];
	for (uint32_t i = 0; i < r->sites.n; i++)
		for (uint32_t k = 0; r->sites.at[i].done && k < r->sites.at[i].nfollowed; k++)
			list[all++] = r->sites.at[i].followed[k];
	if (all > 1)
		qsort(list, all, sizeof *list, compare_annotations);
	for (uint32_t i = 0; i < all; i++)
		if (to && by_place(&list[to - 1], &list[i]) == 0) {
			list[to - 1].copies += list[i].copies;
			list[to - 1].followed += list[i].followed;
		} else {
			list[to++] = list[i];
		}
	*n = to;
	return list;
}
