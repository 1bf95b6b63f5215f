/* SPDX-License-Identifier: MIT */
/* Parses the cicc hook's command line. See setup.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/assembled.h"
#include "annotate/child.h"
#include "annotate/clang.h"
#include "annotate/files.h"
#include "annotate/setup.h"
#include "base/temporary.h"

enum { LONGEST = 100 }; /* longest part of the source's name in the folder's name, in bytes */

static const struct { const char *arg, *why; } bypasses[] = {
	{ "-lto",                "with link-time optimisation no PTX is made" },
	{ "-olto",               "with link-time optimisation no PTX is made" },
	{ "-dlto",               "with link-time optimisation no PTX is made" },
	{ "--emit-optix-ir",     "with -optix-ir no PTX is made" },
	{ "-g",                  "with -G nothing is inlined" },
	{ "-O0",                 "without optimisation nothing is inlined" },
	{ "-Ofast-compile=max",  "with -Ofast-compile=max nothing is inlined" },
	{ "--Ofast-compile=max", "with -Ofast-compile=max nothing is inlined" },
};

/* Returns the text after the option's name and "="; NULL if arg is another option. */
static const char *
option_value(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

char *
hook_join(Hook *h, const char *a, const char *b, const char *c)
{
	size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
	char *s = arena_alloc(h->arena, n);

	snprintf(s, n, "%s%s%s", a, b, c);
	return s;
}

/* ccc-tune asks for the most, whatever the build says after it. */
static void
raise_suggests(Hook_options *o, Suggests to)
{
	o->suggests = to > o->suggests ? to : o->suggests;
}

static bool
read_option(Hook *h, char *arg)
{
	Hook_options *o = &h->options;
	const char *v;

	if (strcmp(arg, "--ccc-strict") == 0)
		o->strict = true;
	else if (strcmp(arg, "--ccc-suggest") == 0)
		raise_suggests(o, SUGGESTS_TABLE);
	else if (strcmp(arg, "--ccc-suggest=fix") == 0)
		raise_suggests(o, SUGGESTS_FIXES);
	else if (strcmp(arg, "--ccc-suggest=apply") == 0)
		raise_suggests(o, SUGGESTS_APPLIED);
	else if (strcmp(arg, "--ccc-switchable") == 0)
		o->switchable = true;
	else if (strcmp(arg, "--ccc-timed") == 0)
		o->timed = true, o->no_timed = false;
	else if (strcmp(arg, "--ccc-no-timed") == 0)
		o->timed = false, o->no_timed = true;
	else if (strcmp(arg, "--ccc-markers-only") == 0)
		o->markers_only = true;
	else if (strcmp(arg, "--ccc-profile-generate") == 0 ||
		option_value(arg, "--ccc-profile-generate"))
		o->generates = true,
		*vec_push(&o->ptxccc) = hook_join(h, "--", arg + 6, "");
	else if (strcmp(arg, "--ccc-check-promise") == 0 || option_value(arg, "--ccc-check-promise"))
		o->generates = true,
		*vec_push(&o->ptxccc) = hook_join(h, "--", arg + 6, "");
	else if ((v = option_value(arg, "--ccc-profile-sampling")))
		o->counts_all = strcmp(v, "0") == 0,
		*vec_push(&o->ptxccc) = hook_join(h, "--", arg + 6, "");
	else if (strcmp(arg, "--ccc-keep") == 0)
		o->keep = true;
	else if (strcmp(arg, "--ccc-keep-ptx") == 0)
		o->keep_ptx = true;
	else if (strcmp(arg, "--ccc-verbose") == 0)
		o->verbose = true;
	else if (strcmp(arg, "--ccc-auto") == 0)
		o->unasked = true;
	else if (strcmp(arg, "--ccc-report") == 0)
		o->report = true;
	else if ((v = option_value(arg, "--ccc-report")))
		o->report = true, o->report_file = v;
	else if ((v = option_value(arg, "--ccc-policy")))
		o->policy = v;
	else if ((v = option_value(arg, "--ccc-threads")))
		o->threads = v;
	else if (strcmp(arg, "--ccc-grid") == 0 || strcmp(arg, "--ccc-no-compress") == 0 ||
		strcmp(arg, "--ccc-no-costliest") == 0 || option_value(arg, "--ccc-choose") ||
		option_value(arg, "--ccc-occupancy") || option_value(arg, "--ccc-retreat") ||
		option_value(arg, "--ccc-fp") || option_value(arg, "--ccc-ptxas-level") ||
		option_value(arg, "--ccc-grid-blocks") || option_value(arg, "--ccc-sms") ||
		option_value(arg, "--ccc-max-regs") || option_value(arg, "--ccc-dynamic-shared") ||
		option_value(arg, "--ccc-profile-use"))
		*vec_push(&o->ptxccc) = hook_join(h, "--", arg + 6, "");
	else if (option_value(arg, "--ccc-id"))
		; /* checksum of the programs: distinguishes command lines in compiler caches */
	else if (strncmp(arg, "--ccc-W", 7) == 0)
		*vec_push(&o->ptxccc) = arg + 5;
	else
		return false;
	return true;
}

static bool
has_suffix(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n > k && strcmp(s + n - k, end) == 0;
}

/* Whether the next argument is this option's value. All long options of cicc that take one end
 * in _name. */
static bool
option_takes_argument(const char *arg)
{
	return strcmp(arg, "-o") == 0 || strcmp(arg, "-arch") == 0 || strcmp(arg, "-maxreg") == 0 ||
		(strncmp(arg, "--", 2) == 0 && has_suffix(arg, "_name"));
}

static void
read_cicc_option(Hook *h, const char *arg, const char *value, int at)
{
	Cicc_command *c = &h->cicc;

	if (strcmp(arg, "-o") == 0)
		c->out = value[0] == '-' && value[1] ? hook_join(h, "./", value, "") : value,
		c->to = at + 1;
	else if (strcmp(arg, "-arch") == 0)
		c->arch = value;
	else if (strcmp(arg, "-maxreg") == 0)
		c->maxreg = value;
	else if (strcmp(arg, "--orig_src_file_name") == 0)
		c->source = value;
	else if (strcmp(arg, "--stub_file_name") == 0)
		c->stub = value;
	else if (strcmp(arg, "--include_file_name") == 0)
		c->include = value;
}

/* Extracts what the hook needs from cicc's command line. */
static void
read_cicc(Hook *h)
{
	Cicc_command *c = &h->cicc;

	for (int i = 1; i < c->argc; i++) {
		const char *a = c->argv[i];
		if (option_takes_argument(a) && i + 1 < c->argc) {
			read_cicc_option(h, a, c->argv[i + 1], i);
			i++;
			continue;
		}
		if (a[0] != '-' && has_suffix(a, ".ii"))
			c->in = i;
		if (strcmp(a, "-generate-line-info") == 0 || strcmp(a, "--generate-line-info") == 0)
			c->lines = true;
		if (strcmp(a, "--device-c") == 0)
			c->relocatable = true;
		if (strcmp(a, "-w") == 0)
			*vec_push(&h->options.ptxccc) = hook_join(h, "-Wno-all", "", "");
		if (strcmp(a, "--promote_warnings") == 0) /* -Werror all-warnings */
			*vec_push(&h->options.ptxccc) = hook_join(h, "-Werror", "", "");
		for (size_t k = 0; k < sizeof bypasses / sizeof *bypasses; k++)
			if (!h->bypass && strcmp(a, bypasses[k].arg) == 0)
				h->bypass = bypasses[k].why;
	}
	if (!c->source && c->in)
		c->source = c->argv[c->in];
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether the file is one of the compiler's own: nvcc's names begin so, clang's are in the folder
 * of temporary files. */
static bool
is_temporary(const char *path)
{
	const char *folder = getenv(ASSEMBLED_FOLDER);
	const size_t n = folder ? strlen(folder) : 0;

	return strncmp(base_of(path), "tmpxft_", 7) == 0 || (n && strncmp(path, folder, n) == 0);
}

/* Returns the file in which ptxccc keeps the machine code. NULL if the PTX is for the
 * user, if nvcc does not run the hook in its ptxas step, or if it gives ptxas other options than
 * ptxccc does. */
static const char *
file_of_code(Hook *h)
{
	const char *folder = getenv(ASSEMBLED_FOLDER);
	Buf name = { 0 };

	if (!folder || !*folder || h->cicc.lines || h->cicc.relocatable || !h->cicc.out ||
		h->cicc.clang || !is_temporary(h->cicc.out))
		return NULL;
	assembled_name(folder, h->cicc.out, &name);
	const char *file = hook_join(h, name.at, "", "");
	buf_free(&name);
	return file;
}

/* Returns CCC_PTXCCC, or the ptxccc next to this program. */
static const char *
find_ptxccc(Hook *h, const char *self)
{
	const char *s = getenv("CCC_PTXCCC"), *slash = strrchr(self, '/');

	if (s && *s)
		return s;
	return slash ? hook_join(h, arena_strndup(h->arena, self, (size_t)(slash + 1 - self)),
			       "ptxccc", "") :
		       "ptxccc";
}

int
hook_setup(Hook *h, int argc, char **argv)
{
	int i = 1;

	*h = (Hook){ .arena = arena_new() };

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (read_option(h, argv[i]))
			continue;
		fprintf(stderr, "ccc-annotate: unknown option '%s'\n", argv[i]);
		return 2;
	}
	if (i + 1 >= argc) {
		fputs("ccc-annotate: --hook [options] -- command: the command is missing\n",
			stderr);
		return 2;
	}
	h->cicc.given = h->cicc.argv = argv + i + 1;
	h->cicc.argc = argc - i - 1;
	bool clang = clang_is_command(h->cicc.argv);
	if (clang)
		clang_read(h);
	else
		read_cicc(h);
	h->options.timed |= h->options.unasked && !h->options.no_timed && !h->options.switchable &&
		!clang;
	for (uint32_t k = 0; k < h->options.ptxccc.n; k++)
		h->options.profiled |= strncmp(h->options.ptxccc.at[k], "--profile-use=", 14) == 0;
	h->ptxccc = find_ptxccc(h, argv[0]);
	/* nvcc puts its own folder first on PATH */
	h->ptxas = getenv("CCC_PTXAS") ? getenv("CCC_PTXAS") : "ptxas";
	h->assembled = file_of_code(h);
	return 0;
}

void
hook_release(Hook *h)
{
	hook_remove_folder(h);
	vec_free(&h->options.ptxccc);
	arena_free(h->arena);
}

char *
hook_stem(Hook *h)
{
	const Cicc_command *c = &h->cicc;
	const char *in = c->argv[c->in], *in_base = base_of(in), *base = base_of(c->source),
		   *dot = strrchr(base, '.');

	if (!is_temporary(c->out) && !source_is_special(c->out))
		return arena_strndup(
			h->arena, c->out, strlen(c->out) - (has_suffix(c->out, ".ptx") ? 4 : 0));
	char *folder =
		arena_strndup(h->arena, in, is_temporary(in) ? 0 : (size_t)(in_base - in));
	char *name = arena_strndup(h->arena, base, dot ? (size_t)(dot - base) : strlen(base));
	name = hook_join(h, name, ".", c->arch ? c->arch : "ptx");
	return hook_join(h, *folder ? folder : *name == '-' ? "./" : "", name, "");
}

/* Creates the folder of the temporary files, next to cicc's source. */
static void
make_folder(Hook *h)
{
	const char *in = h->cicc.argv[h->cicc.in];
	size_t dir = (size_t)(base_of(in) - in), n = strlen(in + dir) - 3;

	if (n > LONGEST)
		n = LONGEST;
	h->files.folder = hook_join(h, arena_strndup(h->arena, in, dir + n), ".ccc", "XXXXXX");
	if (mkdtemp(h->files.folder))
		child_temporary(h->files.folder);
	else
		fprintf(stderr, "cccnvcc: error: cannot make the folder '%s': %s\n", h->files.folder,
			strerror(errno));
}

char *
hook_temporary(Hook *h, const char *name)
{
	if (!h->files.folder)
		make_folder(h);
	return hook_join(h, h->files.folder, "/", name);
}

void
hook_remove_folder(Hook *h)
{
	if (!h->files.folder)
		return;
	temporary_remove(h->files.folder); /* a killed program may have left a file */
	child_remove(h->files.folder);
	h->files.folder = NULL;
}
