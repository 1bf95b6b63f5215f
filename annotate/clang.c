/* SPDX-License-Identifier: MIT */
/* clang's device step. See clang.h.
 *
 * clang preprocesses, compiles and generates PTX in one step. The hook needs the preprocessed
 * source, and makes it by the same command with -E. The compiler is then given that source, without
 * the options that have done their work in the preprocessor, as clang itself does for
 * -save-temps. */
#define _DEFAULT_SOURCE /* mkstemps */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/assembled.h"
#include "annotate/child.h"
#include "annotate/cicc.h"
#include "annotate/clang.h"

/* Options of the preprocessor, and how many arguments follow. */
static const struct { const char *option; int arguments; } of_preprocessor[] = {
	{ "-D", 1 }, { "-U", 1 }, { "-include", 1 }, { "-dependency-file", 1 }, { "-MT", 1 },
	{ "-MP", 0 }, { "-MG", 0 }, { "-sys-header-deps", 0 }, { "-H", 0 }, { "-show-includes", 0 },
	{ "-header-include-file", 1 },
};

bool
clang_is_command(char *const *argv)
{
	return argv[0] && argv[1] && strcmp(argv[1], "-cc1") == 0;
}

static void
read_level(Hook *h, char level)
{
	char option[] = "--ptxas-level=2";

	for (uint32_t i = 0; i < h->options.ptxccc.n; i++)
		if (strncmp(h->options.ptxccc.at[i], option, sizeof option - 2) == 0)
			return;
	if (level == '1' || level == '3') /* what clang's driver gives ptxas; also 2 for s and z */
		option[sizeof option - 2] = level;
	*vec_push(&h->options.ptxccc) = hook_join(h, option, "", "");
}

static void
read_option(Hook *h, const char *arg, char *level, bool *ptx)
{
	if (strncmp(arg, "-O", 2) == 0)
		*level = arg[2] ? arg[2] : '2';
	else if (strcmp(arg, "-S") == 0)
		*ptx = true;
	else if (strcmp(arg, "-emit-llvm-bc") == 0 || strcmp(arg, "-emit-llvm") == 0)
		h->bypass = "with -emit-llvm or link-time optimisation no PTX is made";
	else if (strncmp(arg, "-debug-info-kind=", 17) == 0)
		h->cicc.lines = true;
	else if (strcmp(arg, "-fgpu-rdc") == 0)
		h->cicc.relocatable = true;
	else if (strcmp(arg, "-w") == 0)
		*vec_push(&h->options.ptxccc) = hook_join(h, "-Wno-all", "", "");
	else if (strcmp(arg, "-Werror") == 0)
		*vec_push(&h->options.ptxccc) = arena_strndup(h->arena, arg, strlen(arg));
}

void
clang_read(Hook *h)
{
	Cicc_command *c = &h->cicc;
	char level = '0';
	bool ptx = false;

	c->clang = true;
	for (int i = 2; i + 1 < c->argc; i++)
		if (strcmp(c->argv[i], "-o") == 0)
			c->to = ++i, c->out = c->argv[i];
		else if (strcmp(c->argv[i], "-target-cpu") == 0)
			c->arch = c->argv[++i];
		else
			read_option(h, c->argv[i], &level, &ptx);
	c->source = c->argv[c->argc - 1];
	c->in = c->to && (ptx || h->bypass) ? c->argc - 1 : 0;
	if (!h->bypass && level == '0')
		h->bypass = "with -O0, which is clang's default, nothing is inlined";
	if (level != '0')
		read_level(h, level);
}

/* Makes the command that compiles the preprocessed source `text`. */
static void
use_preprocessed(Hook *h, char *text)
{
	const size_t noptions = sizeof of_preprocessor / sizeof *of_preprocessor;
	Cicc_command *c = &h->cicc;
	char **to = arena_array(h->arena, (size_t)c->argc + 2, sizeof *to); /* and a NULL */
	int n = 0;

	for (int i = 0; i + 1 < c->argc; i++) {
		size_t k = 0;
		while (k < noptions && strcmp(c->argv[i], of_preprocessor[k].option) != 0)
			k++;
		if (k < noptions) {
			i += of_preprocessor[k].arguments;
			continue;
		}
		to[n++] = c->argv[i];
		if (strcmp(c->argv[i], "-o") == 0)
			c->to = n;
		else if (strcmp(c->argv[i], "-x") == 0 && strcmp(c->argv[i + 1], "cuda") == 0)
			to[n++] = hook_join(h, "cuda-cpp-output", "", ""), i++;
	}
	to[n++] = hook_join(h, "-Wno-dangling-else", "", ""); /* guards end in one */
	c->in = n;
	to[n++] = text;
	c->argv = to;
	c->argc = n;
}

/* Runs the command with -E in place of -S. Messages are left to the compilations: those of the host
 * code report what the preprocessor warns of. */
static bool
preprocess(const Hook *h, char *to)
{
	static char only[] = "-E", quiet[] = "-w";
	const Cicc_command *c = &h->cicc;
	char **argv = arena_array(h->arena, (size_t)c->argc + 2, sizeof *argv);
	Caught said = { 0 };
	int n = 0;

	for (int i = 0; i < c->argc; i++) {
		if (i == 2)
			argv[n++] = quiet;
		const char *a = c->argv[i];
		const bool action = strcmp(a, "-S") == 0 || strncmp(a, "-emit-llvm", 10) == 0;
		argv[n++] = i == c->to ? to : action ? only : c->argv[i];
	}
	cicc_print_command(h, argv);
	Ended e = child_run(argv, NULL, &said);
	child_release(&said);
	return cicc_ended_well(e);
}

int
clang_preprocess(Hook *h)
{
	const char *folder = getenv(ASSEMBLED_FOLDER);

	if (!h->cicc.clang || !h->cicc.in)
		return 0;
	char *text = hook_join(h, folder ? folder : ".", "/source.XXXXXX", ".ii");
	int fd = mkstemps(text, 3);
	if (fd < 0) {
		fprintf(stderr, "cccnvcc: error: cannot make '%s'\n", text);
		return 2;
	}
	close(fd);
	if (preprocess(h, text))
		use_preprocessed(h, text);
	else
		h->cicc.in = 0; /* the compilation reports why */
	return 0;
}
