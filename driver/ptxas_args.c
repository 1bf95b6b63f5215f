/* SPDX-License-Identifier: MIT */
/* Scans the command line of ptxas. See ptxas_args.h.
 *
 * Values of options are not told from inputs: ptxas_args.inputs may contain some. It does no harm,
 * because only the words that name a PTX file are replaced, and ptxas runs with the original
 * command line if it fails. */
#include <string.h>
#include "base/heap.h"
#include "base/source.h"
#include "driver/ptxas_args.h"

enum { MOST_NESTED = 8 };

static bool take_file(Ptxas_args *a, const char *path, int depth);

/* Whether word is the option, without or with a value behind '='. Sets *value to that value, NULL
 * without. */
static bool
is_option(char *word, const char *brief, const char *full, char **value)
{
	size_t n = strcspn(word, "=");

	*value = word[n] ? word + n + 1 : NULL;
	return (strlen(brief) == n && strncmp(word, brief, n) == 0) ||
		(strlen(full) == n && strncmp(word, full, n) == 0);
}

static void
take_option(Ptxas_args *a, char *word)
{
	char *value;

	a->version |= is_option(word, "-V", "--version", &value);
	a->help |= is_option(word, "-h", "--help", &value);
	a->debug |= is_option(word, "-g", "--device-debug", &value);
	a->debug |= strcmp(word, "-O0") == 0;
	if (is_option(word, "-O", "--opt-level", &value))
		a->debug |= value && strcmp(value, "0") == 0;
	if (is_option(word, "-o", "--output-file", &value) && value) {
		a->output = a->words.n;
		a->output_option = "-o=";
	}
}

/* Takes a list of option files, "FILE,...". */
static bool
take_files(Ptxas_args *a, const char *list, int depth)
{
	bool ok = depth < MOST_NESTED;

	while (ok && *list) {
		size_t n = strcspn(list, ",");
		Buf path = { 0 };
		buf_add(&path, list, n);
		ok = take_file(a, path.at, depth + 1);
		buf_free(&path);
		list += n + (list[n] == ',');
	}
	return ok;
}

/* before: the preceding word if that is an option whose value is this word. Sets *next to this word
 * if the next one is its value. */
static bool
take_word(Ptxas_args *a, char *word, char *before, char **next, int depth)
{
	char *value;

	*next = NULL;
	if (before && is_option(before, "-optf", "--options-file", &value))
		return take_files(a, word, depth);
	if (is_option(word, "-optf", "--options-file", &value)) {
		*next = value ? NULL : word;
		return !value || take_files(a, value, depth);
	}
	if (before && is_option(before, "-o", "--output-file", &value)) {
		a->output = a->words.n;
		a->output_option = "";
	} else if (before) {
		a->debug |= strcmp(word, "0") == 0;
	} else if (word[0] != '-' || !word[1]) {
		*vec_push(&a->inputs) = a->words.n;
	} else {
		take_option(a, word);
		if ((is_option(word, "-o", "--output-file", &value) ||
			    is_option(word, "--opt-level", "--opt-level", &value)) &&
			!value)
			*next = word;
	}
	*vec_push(&a->words) = word;
	return true;
}

/* Returns the next word of an option file, NULL at the end. Quotation marks enclose blanks. */
static char *
split_word(const char **text)
{
	Buf word = { 0 };
	bool quoted = false;
	const char *s = *text + strspn(*text, " \t\r\n");

	if (!*s)
		return NULL;
	buf_puts(&word, "");
	for (; *s && (quoted || !strchr(" \t\r\n", *s)); s++) {
		if (*s == '"')
			quoted = !quoted;
		else
			buf_putc(&word, *s);
	}
	*text = s;
	return word.at;
}

static bool
take_file(Ptxas_args *a, const char *path, int depth)
{
	const char *why, *text;
	char *word, *before = NULL;
	Source src;

	if (!source_read(&src, path, &why))
		return false;
	bool ok = !strpbrk(src.text, "\\'");
	for (text = src.text; ok && (word = split_word(&text)) != NULL;) {
		*vec_push(&a->owned) = word;
		ok = take_word(a, word, before, &before, depth);
	}
	source_release(&src);
	return ok && !before;
}

bool
ptxas_args_read(Ptxas_args *a, char **argv)
{
	char *before = NULL;
	bool ok = true;

	*a = (Ptxas_args){ .output_option = "" };
	*vec_push(&a->words) = argv[0];
	for (char **word = argv + 1; *word && ok; word++)
		ok = take_word(a, *word, before, &before, 0);
	*vec_push(&a->words) = NULL;
	return ok;
}

void
ptxas_args_release(Ptxas_args *a)
{
	for (uint32_t i = 0; i < a->owned.n; i++)
		xfree(a->owned.at[i]);
	vec_free(&a->owned);
	vec_free(&a->words);
	vec_free(&a->inputs);
}
