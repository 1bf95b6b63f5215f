/* SPDX-License-Identifier: MIT */
/* Parses the cicc hook's command line. See setup.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/child.h"
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

static bool
read_option(Hook *h, char *arg)
{
	const char *v;

	if (strcmp(arg, "--ccc-strict") == 0)
		h->strict = true;
	else if (strcmp(arg, "--ccc-suggest") == 0)
		h->suggests = true;
	else if (strcmp(arg, "--ccc-switchable") == 0)
		h->switchable = true;
	else if (strcmp(arg, "--ccc-markers-only") == 0)
		h->markers_only = true;
	else if (strcmp(arg, "--ccc-profile-generate") == 0 ||
		option_value(arg, "--ccc-profile-generate"))
		h->generates = true,
		*vec_push(&h->ptxccc_options) = hook_join(h, "--", arg + 6, "");
	else if ((v = option_value(arg, "--ccc-profile-sampling")))
		h->counts_all = strcmp(v, "0") == 0,
		*vec_push(&h->ptxccc_options) = hook_join(h, "--", arg + 6, "");
	else if (strcmp(arg, "--ccc-keep") == 0)
		h->keep = true;
	else if (strcmp(arg, "--ccc-keep-ptx") == 0)
		h->keep_ptx = true;
	else if (strcmp(arg, "--ccc-verbose") == 0)
		h->verbose = true;
	else if (strcmp(arg, "--ccc-auto") == 0)
		h->unasked = true;
	else if (strcmp(arg, "--ccc-report") == 0)
		h->report = true;
	else if ((v = option_value(arg, "--ccc-report")))
		h->report = true, h->report_file = v;
	else if ((v = option_value(arg, "--ccc-policy")))
		h->policy = v;
	else if ((v = option_value(arg, "--ccc-threads")))
		h->threads = v;
	else if (strcmp(arg, "--ccc-grid") == 0 || strcmp(arg, "--ccc-no-compress") == 0 ||
		strcmp(arg, "--ccc-no-costliest") == 0 || option_value(arg, "--ccc-choose") ||
		option_value(arg, "--ccc-occupancy") || option_value(arg, "--ccc-retreat") ||
		option_value(arg, "--ccc-fp") ||
		option_value(arg, "--ccc-grid-blocks") || option_value(arg, "--ccc-sms") ||
		option_value(arg, "--ccc-max-regs") || option_value(arg, "--ccc-dynamic-shared") ||
		option_value(arg, "--ccc-profile-use"))
		*vec_push(&h->ptxccc_options) = hook_join(h, "--", arg + 6, "");
	else if (option_value(arg, "--ccc-id"))
		; /* checksum of the programs: distinguishes command lines in compiler caches */
	else if (strncmp(arg, "--ccc-W", 7) == 0)
		*vec_push(&h->ptxccc_options) = arg + 5;
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
	if (strcmp(arg, "-o") == 0)
		h->out = value[0] == '-' && value[1] ? hook_join(h, "./", value, "") : value,
		h->to = at + 1;
	else if (strcmp(arg, "-arch") == 0)
		h->arch = value;
	else if (strcmp(arg, "-maxreg") == 0)
		h->maxreg = value;
	else if (strcmp(arg, "--orig_src_file_name") == 0)
		h->source = value;
	else if (strcmp(arg, "--stub_file_name") == 0)
		h->stub = value;
	else if (strcmp(arg, "--include_file_name") == 0)
		h->include = value;
}

/* Extracts what the hook needs from cicc's command line. */
static void
read_cicc(Hook *h)
{
	for (int i = 1; i < h->ncicc; i++) {
		const char *a = h->cicc[i];
		if (option_takes_argument(a) && i + 1 < h->ncicc) {
			read_cicc_option(h, a, h->cicc[i + 1], i);
			i++;
			continue;
		}
		if (a[0] != '-' && has_suffix(a, ".ii"))
			h->in = i;
		if (strcmp(a, "-generate-line-info") == 0 || strcmp(a, "--generate-line-info") == 0)
			h->lines = true;
		if (strcmp(a, "-w") == 0)
			*vec_push(&h->ptxccc_options) = hook_join(h, "-Wno-all", "", "");
		if (strcmp(a, "--promote_warnings") == 0) /* -Werror all-warnings */
			*vec_push(&h->ptxccc_options) = hook_join(h, "-Werror", "", "");
		for (size_t k = 0; k < sizeof bypasses / sizeof *bypasses; k++)
			if (!h->bypass && strcmp(a, bypasses[k].arg) == 0)
				h->bypass = bypasses[k].why;
	}
	if (!h->source && h->in)
		h->source = h->cicc[h->in];
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
	h->cicc = argv + i + 1;
	h->ncicc = argc - i - 1;
	read_cicc(h);
	for (uint32_t k = 0; k < h->ptxccc_options.n; k++)
		h->profiled |= strncmp(h->ptxccc_options.at[k], "--profile-use=", 14) == 0;
	h->ptxccc = find_ptxccc(h, argv[0]);
	/* nvcc puts its own folder first on PATH */
	h->ptxas = getenv("CCC_PTXAS") ? getenv("CCC_PTXAS") : "ptxas";
	return 0;
}

void
hook_release(Hook *h)
{
	hook_remove_folder(h);
	vec_free(&h->ptxccc_options);
	arena_free(h->arena);
}

static bool
is_temporary(const char *base)
{
	return strncmp(base, "tmpxft_", 7) == 0;
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *
hook_stem(Hook *h)
{
	const char *in = h->cicc[h->in], *in_base = base_of(in), *base = base_of(h->source),
		   *dot = strrchr(base, '.');

	if (!is_temporary(base_of(h->out)) && !file_is_special(h->out))
		return arena_strndup(
			h->arena, h->out, strlen(h->out) - (has_suffix(h->out, ".ptx") ? 4 : 0));
	char *folder =
		arena_strndup(h->arena, in, is_temporary(in_base) ? 0 : (size_t)(in_base - in));
	char *name = arena_strndup(h->arena, base, dot ? (size_t)(dot - base) : strlen(base));
	name = hook_join(h, name, ".", h->arch ? h->arch : "ptx");
	return hook_join(h, *folder ? folder : *name == '-' ? "./" : "", name, "");
}

/* Creates the folder of the temporary files, next to cicc's source. */
static void
make_folder(Hook *h)
{
	const char *in = h->cicc[h->in];
	size_t dir = (size_t)(base_of(in) - in), n = strlen(in + dir) - 3;

	if (n > LONGEST)
		n = LONGEST;
	h->folder = hook_join(h, arena_strndup(h->arena, in, dir + n), ".ccc", "XXXXXX");
	if (mkdtemp(h->folder))
		child_temporary(h->folder);
	else
		fprintf(stderr, "cccnvcc: error: cannot make the folder '%s': %s\n", h->folder,
			strerror(errno));
}

char *
hook_temporary(Hook *h, const char *name)
{
	if (!h->folder)
		make_folder(h);
	return hook_join(h, h->folder, "/", name);
}

void
hook_remove_folder(Hook *h)
{
	if (!h->folder)
		return;
	temporary_remove(h->folder); /* a killed program may have left a file */
	child_remove(h->folder);
	h->folder = NULL;
}
