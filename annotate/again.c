/* SPDX-License-Identifier: MIT */
/* Annotations without effect. See again.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/again.h"
#include "base/vec.h"

/* Returns the line after the one at s. */
static const char *
next_line(const char *s)
{
	s += strcspn(s, "\n");
	return s + (*s == '\n');
}

Second_compilation
second_compilation_read(const char *annotations)
{
	Second_compilation a = { .all = true };
	VEC(bool) without = { 0 };

	for (const char *s = annotations; *s; s = next_line(s)) {
		unsigned n, copies, followed;
		if (sscanf(s, "annotation %u %u %u", &n, &copies, &followed) != 3)
			continue;
		a.any |= followed == 0;
		a.all &= followed == 0;
		while (without.n <= n && n < UINT16_MAX)
			*vec_push(&without) = false;
		if (n < without.n)
			without.at[n] = followed == 0;
	}
	a.without = (Guards){ without.at, without.n };
	return a;
}

void
second_compilation_release(Second_compilation *a)
{
	vec_release(a->without.at);
	a->without = (Guards){ 0 };
}

/* ---- sites ----------------------------------------------------------------------------------- */

typedef VEC(const char *) Lines;

static int
compare_lines(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
	int d = memcmp(a, b, n < k ? n : k);

	return d ? d : n < k ? -1 : n > k;
}

static int
by_text(const void *a, const void *b)
{
	return compare_lines(*(const char *const *)a, *(const char *const *)b);
}

static Lines
count_sites(const char *s)
{
	Lines all = { 0 };

	for (; *s; s = next_line(s))
		if (strncmp(s, "site ", 5) == 0)
			*vec_push(&all) = s;
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_text);
	return all;
}

bool
second_compilation_keeps_sites(const char *first, const char *second)
{
	Lines a = count_sites(first), b = count_sites(second);
	uint32_t i = 0;

	for (uint32_t k = 0; i < a.n && k < b.n; k++)
		i += compare_lines(a.at[i], b.at[k]) == 0;
	bool holds = i == a.n;
	vec_free(&a);
	vec_free(&b);
	return holds;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Appends the sites of a report that were (done) or were not transformed, and returns their
 * number. A site is a line and the lines below it that begin with a space; the last line of a
 * report has the totals. */
static uint32_t
add_sites(const char *report, bool done, Buf *out)
{
	uint32_t n = 0;

	for (const char *s = report, *end; *s; s = end) {
		for (end = next_line(s); *end == ' '; end = next_line(end))
			;
		const char *below = next_line(s);
		if (below == end || (strncmp(below, "  transformed", 13) == 0) != done)
			continue;
		buf_add(out, s, (size_t)(end - s));
		n++;
	}
	return n;
}

void
second_compilation_report(const char *first, const char *second, Buf *out)
{
	uint32_t left = add_sites(first, false, out), done = add_sites(second, true, out);

	buf_printf(out, "%u of %u annotated loops transformed\n", done, done + left);
}
