/* SPDX-License-Identifier: MIT */
/* The hook in nvcc's ptxas step (option --ptxas-prefix). See assembled.h and hook.h.
 *
 * ptxccc runs ptxas on its result, to compare the register use. If nvcc then runs the same command
 * on the same text, the hook writes the code that ptxccc kept; otherwise it becomes ptxas. The file
 * contains both the command and the text, so a file of another compilation is never used. */
#include <stdlib.h>
#include <string.h>
#include "annotate/assembled.h"
#include "annotate/child.h"
#include "annotate/files.h"
#include "annotate/hook.h"
#include "base/source.h"

/* nvcc's command for ptxas. */
typedef struct {
	Buf options;            /* all but the two files, one per line */
	const char *in, *out;   /* NULL if absent */
} Ptxas_command;

void
assembled_name(const char *folder, const char *ptx, Buf *to)
{
	const char *slash = strrchr(ptx, '/');

	buf_printf(to, "%s/%s.assembled", folder, slash ? slash + 1 : ptx);
}

void
assembled_save(const char *file, const char *const *command, const Buf *text, const Buf *code)
{
	Buf all = { 0 };
	const char *why;

	for (; *command; command++)
		buf_printf(&all, "%s\n", *command);
	buf_printf(&all, "\n%zu\n", text->n);
	buf_add(&all, text->at, text->n);
	buf_add(&all, code->at, code->n);
	(void)source_write(file, all.at, all.n, &why); /* without it, nvcc runs ptxas */
	buf_free(&all);
}

static Ptxas_command
read_command(char **argv)
{
	Ptxas_command c = { 0 };

	for (; *argv; argv++) {
		size_t n = strlen(*argv);
		if (strcmp(*argv, "-o") == 0 && argv[1])
			c.out = *++argv;
		else if (**argv != '-' && n > 4 && strcmp(*argv + n - 4, ".ptx") == 0)
			c.in = *argv;
		else
			buf_printf(&c.options, "%s\n", *argv);
	}
	buf_putc(&c.options, '\n');
	return c;
}

/* Returns the code in a kept file; NULL if it is that of another command or text. */
static const char *
find_code(const Source *kept, const Buf *options, const Source *ptx)
{
	const char *s = kept->text + options->n;
	char *text;

	if (kept->len < options->n || memcmp(kept->text, options->at, options->n) != 0)
		return NULL;
	size_t n = strtoull(s, &text, 10), left = kept->len - (size_t)(text - kept->text);
	if (n != ptx->len || *text != '\n' || left <= n + 1 || memcmp(text + 1, ptx->text, n) != 0)
		return NULL;
	return text + 1 + n;
}

/* Writes the kept code to the output file of the command. False if there is none. */
static bool
write_kept(const Ptxas_command *c)
{
	const char *folder = getenv(ASSEMBLED_FOLDER), *why;
	Source kept = { 0 }, ptx = { 0 };
	Buf name = { 0 };

	if (!folder || !*folder || !c->in || !c->out || source_is_special(c->out))
		return false;
	assembled_name(folder, c->in, &name);
	const char *code = source_read(&kept, name.at, &why) && source_read(&ptx, c->in, &why) ?
		find_code(&kept, &c->options, &ptx) : NULL;
	bool ok = code && source_write(c->out, code, kept.len - (size_t)(code - kept.text), &why);
	source_release(&kept);
	source_release(&ptx);
	buf_free(&name);
	return ok;
}

int
hook_ptxas(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "--") != 0) {
		fputs("ccc-annotate: --hook-ptxas -- command: the command is missing\n", stderr);
		return 2;
	}
	Ptxas_command c = read_command(argv + 2);
	bool ok = write_kept(&c);
	buf_free(&c.options);
	return ok ? 0 : child_become(argv + 2);
}
