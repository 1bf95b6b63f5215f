/* SPDX-License-Identifier: MIT */
/* Suppressed reports, from a file of lines of the form
 *
 *	KIND [KERNEL [FILE:LINE]]       race, promise, unwritten, or * for all; # begins a comment
 *
 * KERNEL and FILE:LINE are shell patterns. KERNEL matches a kernel's name in the source without
 * its parameters, or its name in the PTX. FILE:LINE matches the CUDA line, the line into which
 * it was inlined, or the PTX line. A FILE without a slash matches in any folder. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "base/demangle.h"
#include "base/source.h"
#include "driver/rt/suppress.h"

typedef struct { Fault kind; const char *kernel, *place; } Suppress_rule;

struct Suppress { Arena *arena; Suppress_rule *rows; uint32_t n; };

static bool
kind_known(const char *word, Fault *kind)
{
	*kind = !strcmp(word, "race")      ? FAULT_RACE :
		!strcmp(word, "promise")   ? FAULT_PROMISE :
		!strcmp(word, "unwritten") ? FAULT_UNWRITTEN :
					     FAULT_NONE;
	return *kind || !strcmp(word, "*");
}

/* Parses a line in place. Returns false if it is invalid. */
static bool
take_line(Suppress *s, char *line)
{
	char *rest = NULL;
	line[strcspn(line, "#")] = 0;
	const char *kind = strtok_r(line, " \t\r", &rest);
	const char *kernel = kind ? strtok_r(NULL, " \t\r", &rest) : NULL;
	const char *place = kernel ? strtok_r(NULL, " \t\r", &rest) : NULL;
	Suppress_rule *r = &s->rows[s->n];
	if (!kind)
		return true;
	s->n++;
	r->kernel = kernel ? kernel : "*";
	r->place = place ? place : "*";
	return kind_known(kind, &r->kind) && !strtok_r(NULL, " \t\r", &rest);
}

Suppress *
suppress_read(const char *path, Buf *wrong)
{
	Source src;
	const char *why;
	uint32_t number = 0, lines = 1;
	if (!source_read(&src, path, &why)) {
		buf_printf(wrong, "cannot read '%s': %s", path, why);
		return NULL;
	}
	Arena *a = arena_new();
	Suppress *s = arena_zalloc(a, sizeof *s);
	char *text = arena_zalloc(a, src.len + 1), *next = text;
	memcpy(text, src.text, src.len);
	for (size_t k = 0; k < src.len; k++)
		lines += text[k] == '\n';
	*s = (Suppress){ .arena = a, .rows = arena_array(a, lines, sizeof *s->rows) };
	for (char *line = text; line && !wrong->n; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		number++;
		if (!take_line(s, line))
			buf_printf(wrong, "%s:%u: not 'race', 'promise', 'unwritten' or '*', a kernel, and a line",
				path, number);
	}
	source_release(&src);
	if (!wrong->n)
		return s;
	arena_free(a);
	return NULL;
}

void
suppress_free(Suppress *s)
{
	if (s)
		arena_free(s->arena);
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool
at_place(const char *pattern, const char *file, uint32_t line)
{
	char text[4200];
	const char *slash = file && !strchr(pattern, '/') ? strrchr(file, '/') : NULL;
	snprintf(text, sizeof text, "%.4000s:%u", slash ? slash + 1 : file ? file : "", line);
	return file && !fnmatch(pattern, text, 0);
}

static bool
rule_matches(const Suppress_rule *r, const Sim_found *f, const char *shown)
{
	return (!r->kind || r->kind == f->kind) &&
		(!fnmatch(r->kernel, shown, 0) || !fnmatch(r->kernel, f->kernel, 0)) &&
		(!strcmp(r->place, "*") || at_place(r->place, f->ptx, f->ptx_line) ||
			at_place(r->place, f->cuda, f->cuda_line) ||
			at_place(r->place, f->caller, f->caller_line));
}

bool
suppress_fits(void *user, const Sim_found *f)
{
	const Suppress *s = user;
	Arena *a = arena_new();
	const char *shown = demangle(a, f->kernel, strlen(f->kernel));
	bool any = false;
	for (uint32_t k = 0; k < s->n && !any; k++)
		any = rule_matches(&s->rows[k], f, shown);
	arena_free(a);
	return any;
}
