/* SPDX-License-Identifier: MIT */
/* The template lines to omit. See lines.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/gen/lines.h"

const char *const walk_names[WALKS] = { "apart", "in lockstep", "for others" };
static const char walk_letters[] = "alo";

/* ---- lines ------------------------------------------------------------------------------- */

static bool
can_be_left_out(const Tpl_row *r)
{
	return r->kind == TPL_TEXT || r->kind == TPL_PIECE || r->kind == TPL_DECLARE ||
		r->kind == TPL_DECLARED;
}

static const Tpl_row *
row_of(const Mutant *t)
{
	return &templates[t->line.in].rows[t->line.line - 1];
}

/* ---- names -------------------------------------------------------------------------------- */

static uint32_t
hash(uint32_t h, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

/* It does not change if lines above the section, or other lines in it, are added or removed. */
static uint32_t
line_name(Tpl_place at)
{
	const Template *t = &templates[at.in];
	const Tpl_row *r = &t->rows[at.line - 1], *section = r;
	uint32_t same = 0;

	for (; section > t->rows && section->kind != TPL_SECTION; section--)
		same += section->kind == r->kind && section->len == r->len &&
			memcmp(section->text, r->text, r->len) == 0;
	uint32_t h = hash(2166136261u, t->name, strlen(t->name));
	h = hash(h, section->text, section->len);
	h = hash(h, r->text, r->len);
	return hash(h, (const char[]){ (char)r->kind, (char)same }, 2);
}

int
lines_print(void)
{
	for (uint32_t k = 0; k < TEMPLATE_COUNT; k++)
		for (uint32_t i = 0; i < templates[k].n; i++)
			if (can_be_left_out(&templates[k].rows[i]))
				printf("%s:%u %08x\n", templates[k].name, i + 1,
					line_name((Tpl_place){
						.in = (Template_id)k, .line = i + 1 }));
	return 0;
}

/* ---- marks -------------------------------------------------------------------------------- */

/* Reads the marks of a line; returns false if one of them has no reason. */
static bool
read_marks(const char *text, Walk walk[WALKS])
{
	static const char mark[] = "# CANNOT";
	bool right = true;

	for (const char *at = text; (at = strstr(at, mark)) != NULL;) {
		const char *colon = strchr(at += sizeof mark - 1, ':');
		bool any = false;
		for (uint32_t w = 0; w < WALKS; w++) {
			bool named = *at == ':' ||
				(*at == ' ' &&
					strncmp(at + 1, walk_names[w], strlen(walk_names[w])) == 0);
			walk[w].marked |= named;
			any |= named;
		}
		right &= any && colon && colon[1] == ' ' && colon[2];
	}
	return right;
}

bool
mutant_init(Mutant *t, const char *where)
{
	*t = (Mutant){ .where = where };
	if (!tpl_parse_place(where, &t->line) || !can_be_left_out(row_of(t)))
		return false;
	t->name = line_name(t->line);
	t->ok = !row_of(t)->marks || read_marks(row_of(t)->marks, t->walk);
	return true;
}

const char *
mutant_text(const Mutant *t)
{
	return row_of(t)->text;
}

/* ---- hints -------------------------------------------------------------------------------- */

static void
take_hint(Mutants *all, uint64_t seed, const char *word)
{
	enum { DIGITS = 8 }; /* the letter after them may also be a digit */
	char digits[DIGITS + 1] = "";
	const char *letter = NULL;

	if (strlen(word) == DIGITS + 1) {
		memcpy(digits, word, DIGITS);
		letter = strchr(walk_letters, word[DIGITS]);
	}
	uint32_t name = (uint32_t)strtoul(digits, NULL, 16);

	for (uint32_t i = 0; letter && i < all->n; i++)
		if (all->at[i].name == name)
			all->at[i].walk[letter - walk_letters].hint = seed;
}

bool
hints_read(const char *file, Mutants *all)
{
	static const char blanks[] = " \t\n";
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		return false;
	while (getline(&line, &cap, f) > 0) {
		if (*line == '#')
			continue;
		uint64_t seed = strtoull(line, NULL, 10);
		char *word = strtok(line, blanks);
		while (word && (word = strtok(NULL, blanks)) != NULL)
			take_hint(all, seed, word);
	}
	free(line);
	fclose(f);
	return true;
}

void
hint_print(const Mutant *t, uint32_t walk)
{
	printf("hint: %llu %08x%c\n", (unsigned long long)t->walk[walk].by, t->name,
		walk_letters[walk]);
}
