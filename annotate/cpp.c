/* SPDX-License-Identifier: MIT */
/* The hook in nvcc's preprocessor step (option --cpp-prefix), for main files with the CCC
 * paper's syntax, which gcc rejects:
 *
 *	#CCC for const          becomes         #pragma ccc for const
 *
 * The preprocessor reads the rewritten source from standard input, under a line marker with the
 * file's name. In the line markers of its output "<stdin>" is replaced by that name, so that
 * __FILE__, __LINE__, error positions and nvcc's -M options, which use the line markers, are
 * correct. Only the main file is handled; headers must use `#pragma ccc`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/child.h"
#include "annotate/source/edits.h"
#include "annotate/hook.h"
#include "base/arena.h"

typedef struct {
	char **argv;    /* the preprocessor's command line, as given by nvcc */
	int argc;
	int in;         /* index of the source; 0 if none */
	const char *out; /* file of -o; NULL: standard output */
} Cpp;

/* nvcc puts the source last, or the source and -o. */
static void
read_cpp(Cpp *c)
{
	bool preprocess = false;

	for (int i = 1; i < c->argc; i++)
		preprocess |= strcmp(c->argv[i], "-E") == 0;
	int last = c->argc - 1;
	if (last > 2 && strcmp(c->argv[last - 1], "-o") == 0) {
		c->out = c->argv[last];
		last -= 2;
	}
	if (preprocess && last > 0 && c->argv[last][0] != '-')
		c->in = last;
}

/* Whether the directive is #CCC; *word then receives the position of CCC. */
static bool
is_ccc(const Cxx *x, Cxx_token t, uint32_t *word)
{
	uint32_t i = t.pos + (x->text[t.pos] == '%' ? 2 : 1);

	while (i < t.end && (x->text[i] == ' ' || x->text[i] == '\t'))
		i++;
	*word = i;
	return t.end - i > 3 && memcmp(x->text + i, "CCC", 3) == 0 &&
		(x->text[i + 3] == ' ' || x->text[i + 3] == '\t');
}

/* Rewrites #CCC lines of the source as pragmas, under a line marker. out stays empty if there
 * are none. */
static void
convert_to_pragmas(const Source *src, Buf *out)
{
	Edits e = { .name = src->name, .text = src->text, .len = src->len };
	Cxx x = cxx_open(src->text, src->len);
	uint32_t word;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; )
		if (t.kind == CXX_DIRECTIVE && is_ccc(&x, t, &word))
			cxx_edits_replace(&e, (Span){ word, word + 3 }, "pragma ccc");
	if (e.all.n) {
		edits_put_marker(&e, out, (Cxx_place){ .line = 1 }, 1);
		edits_apply(&e, out);
	}
	edits_release(&e);
}

/* If s is a line marker that names the standard input, returns the length up to the opening
 * quote; else 0. */
static size_t
before_stdin(const char *s)
{
	size_t n = strncmp(s, "# ", 2) == 0 ? 2 + strspn(s + 2, "0123456789") : 0;

	return n && strncmp(s + n, " \"<stdin>\"", 10) == 0 ? n + 1 : 0;
}

/* Replaces "<stdin>" by the file's name in line markers, up to the marker that the rewritten
 * source starts with. */
static void
restore_name(const Source *src, const Buf *text, Buf *out)
{
	Edits e = { .name = src->name };
	const char *s = text->at ? text->at : "", *end = s + text->n, *line;
	bool source = false;

	while (*(line = s) &&
		!(source && strncmp(s, "# 1 \"", 5) == 0 &&
			s[5] != '<')) { /* clang: "<built-in>" */
		size_t n = before_stdin(s);
		if (n) {
			buf_add(out, s, n + 1);
			cxx_edits_put_name(&e, out);
			line = s + n + sizeof "<stdin>";
		}
		source = n && strncmp(s, "# 1", n - 1) == 0;
		s += strcspn(s, "\n");
		s += *s == '\n';
		buf_add(out, line, (size_t)(s - line));
	}
	buf_add(out, s, (size_t)(end - s));
}

static int
preprocess(Cpp *c, const Source *src, const Buf *text)
{
	char *slash = strrchr(src->name, '/');
	char **argv = xmalloc(((size_t)c->argc + 5) * sizeof *argv);
	size_t dir = slash ? (size_t)(slash - src->name) : 0;
	char folder[4096], here[] = "-", quoted[] = "-iquote";
	Caught said = { 0 };
	Buf out = { 0 };
	int n = 0;

	snprintf(folder, sizeof folder, "%.*s", (int)dir, dir ? src->name : "/");
	for (int i = 0; i < c->argc && !(i > c->in && c->out); i++) {
		argv[n++] = i == c->in ? here : c->argv[i];
		if (i == 0 && slash) {
			argv[n++] = quoted;
			argv[n++] = folder;
		}
	}
	argv[n] = NULL;
	Ended e = child_run(argv, text, &said);
	fwrite(said.err.at ? said.err.at : "", 1, said.err.n, stderr);
	restore_name(src, &said.out, &out);
	const char *why;
	int rc = child_status(e);
	if (rc == 0 && !source_write(c->out, out.at, out.n, &why)) {
		fprintf(stderr, "cccnvcc: error: cannot write '%s': %s\n", c->out, why);
		rc = 2;
	}
	buf_free(&out);
	child_release(&said);
	xfree(argv);
	return rc;
}

int
hook_cpp(int argc, char **argv)
{
	Cpp c = { .argv = argv + 2, .argc = argc - 2 };
	Source src;
	Buf text = { 0 };
	const char *why;

	if (argc < 3 || strcmp(argv[1], "--") != 0) {
		fputs("ccc-annotate: --hook-cpp -- command: the command is missing\n", stderr);
		return 2;
	}
	read_cpp(&c);
	if (!c.in || !source_read(&src, c.argv[c.in], &why))
		return child_become(c.argv);
	child_catch_signals();
	convert_to_pragmas(&src, &text);
	int rc = text.n ? preprocess(&c, &src, &text) : child_become(c.argv);
	buf_free(&text);
	source_release(&src);
	return rc;
}
