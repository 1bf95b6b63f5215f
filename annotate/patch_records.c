/* SPDX-License-Identifier: MIT */
/* Reads the records of advised annotations (fixes.h), and prints their table. See patch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/patch.h"
#include "base/advice.h"

/* Returns field n of a line, which ends at a tab or at the end of the line. */
static const char *
field(const char *line, uint32_t n, Arena *a)
{
	for (; n; n--) {
		line += strcspn(line, "\t\n");
		line += *line == '\t';
	}
	return arena_strndup(a, line, strcspn(line, "\t\n"));
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_insertion(const Insertion *a, const Insertion *b)
{
	return a->line == b->line && a->col == b->col && a->end == b->end &&
		same_text(a->file, b->file) && same_text(a->text, b->text);
}

static bool
same_fix(const Patch_fix *a, const Patch_fix *b)
{
	if (a->loop || b->loop)
		return same_insertion(&a->at[0], &b->at[0]) && same_insertion(&a->at[1], &b->at[1]);
	return same_text(a->site, b->site) && same_text(a->refused, b->refused) &&
		(a->site || same_text(a->rows, b->rows));
}

/* Removes the last fix if there is an equal one. */
static void
drop_duplicate(Patch_fixes *of)
{
	for (uint32_t i = 0; i + 1 < of->n; i++)
		if (same_fix(&of->at[i], &of->at[of->n - 1])) {
			of->n--;
			return;
		}
}

static void
read_insertion(const char *line, Arena *a, Patch_fix *to)
{
	Insertion *at = &to->at[to->at[0].line ? 1 : 0];
	bool encloses = *line == 'e';

	if (encloses && sscanf(line, "enclose %u %u", &at->line, &at->end) == 2)
		at->col = 1;
	else if (sscanf(line, "insert %u %u", &at->line, &at->col) == 2)
		at->word = field(line, 1, a);
	at->file = field(line, encloses ? 1 : 2, a);
	at->text = field(line, encloses ? 2 : 3, a);
}

static void
add_row(Patch_fix *to, const char *line, size_t len, Arena *a)
{
	Buf rows = { 0 };

	buf_puts(&rows, to->rows);
	buf_add(&rows, line, len);
	to->rows = arena_strndup(a, rows.at, rows.n);
	buf_free(&rows);
}

void
patch_read(const char *records, Arena *a, Patch_fixes *to)
{
	for (const char *s = records, *end; *s; s = end) {
		Patch_fix *last = to->n ? &to->at[to->n - 1] : NULL;
		end = s + strcspn(s, "\n");
		end += *end == '\n';
		if (*s == '#')
			continue;
		if (last && *s == ' ') {
			add_row(last, s, (size_t)(end - s), a);
			continue;
		}
		if (last && (*s == 'i' || *s == 'e')) {
			read_insertion(s, a, last);
			continue;
		}
		drop_duplicate(to);
		last = vec_push(to);
		*last = (Patch_fix){ .rows = "" };
		if (strncmp(s, "fix ", 4) == 0) {
			last->expected = strtod(s + 4, NULL);
			last->loop = field(s, 1, a);
			last->site = field(s, 2, a);
		} else if (strncmp(s, "refused ", 8) == 0) {
			last->site = field(s + 8, 0, a);
			last->refused = field(s + 8, 1, a);
		}
	}
	drop_duplicate(to);
}

/* ---- the table ------------------------------------------------------------------------------- */

void
patch_print_table(const Patch_fixes *of)
{
	Buf out = { 0 };

	for (uint32_t i = 0; i < of->n; i++) {
		if (!out.n && *of->at[i].rows)
			advice_write_head(&out);
		buf_puts(&out, of->at[i].rows);
	}
	for (uint32_t i = 0; i < of->n; i++)
		if (of->at[i].refused)
			buf_printf(&out, "%s: note: not in the patch: %s\n", of->at[i].site,
				of->at[i].refused);
	fputs(out.n ? out.at : "cccnvcc: the patch is empty: no annotation to add is expected to gain\n", stderr);
	buf_free(&out);
}
