/* The cicc hook's command line. See setup.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/setup.h"

enum { LONGEST = 100 }; /* bytes of the source's name that a temporary's takes over */

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

/* The text behind the option's name and "="; NULL if arg is another option. */
static const char *
value(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static bool
read_option(Hook *h, char *arg)
{
	const char *v;

	if (strcmp(arg, "--ccc-strict") == 0)
		h->strict = true;
	else if (strcmp(arg, "--ccc-markers-only") == 0)
		h->markers_only = true;
	else if (strcmp(arg, "--ccc-keep") == 0)
		h->keep = true;
	else if (strcmp(arg, "--ccc-keep-ptx") == 0)
		h->keep_ptx = true;
	else if (strcmp(arg, "--ccc-verbose") == 0)
		h->verbose = true;
	else if (strcmp(arg, "--ccc-report") == 0)
		h->report = true;
	else if ((v = value(arg, "--ccc-report")))
		h->report = true, h->report_file = v;
	else if ((v = value(arg, "--ccc-policy")))
		h->policy = v;
	else if ((v = value(arg, "--ccc-threads")))
		h->threads = v;
	else if (value(arg, "--ccc-id"))
		; /* a sum of the programs: for caches of compiled files, which see the command line */
	else if (strncmp(arg, "--ccc-W", 7) == 0)
		*vec_push(&h->ptxccc_options) = arg + 5;
	else
		return false;
	return true;
}

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n > k && strcmp(s + n - k, end) == 0;
}

/* Finds in cicc's command line what the hook must know; all else is nvcc's business. */
static void
read_cicc(Hook *h)
{
	for (int i = 1; i < h->ncicc; i++) {
		const char *a = h->cicc[i], *next = i + 1 < h->ncicc ? h->cicc[i + 1] : NULL;
		if (strcmp(a, "-o") == 0 && next)
			h->out = next, h->to = i + 1;
		else if (strcmp(a, "-arch") == 0 && next)
			h->arch = next;
		else if (strcmp(a, "--orig_src_file_name") == 0 && next)
			h->source = next;
		else if (a[0] != '-' && ends_in(a, ".ii"))
			h->in = i;
		for (size_t k = 0; k < sizeof bypasses / sizeof *bypasses; k++)
			if (!h->bypass && strcmp(a, bypasses[k].arg) == 0)
				h->bypass = bypasses[k].why;
	}
	if (!h->source && h->in)
		h->source = h->cicc[h->in];
}

char *
hook_join(Hook *h, const char *a, const char *b, const char *c)
{
	size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
	char *s = arena_alloc(h->arena, n);

	snprintf(s, n, "%s%s%s", a, b, c);
	return s;
}

/* CCC_PTXCCC, or the ptxccc beside this program. */
static const char *
find_ptxccc(Hook *h, const char *self)
{
	const char *s = getenv("CCC_PTXCCC"), *slash = strrchr(self, '/');

	if (s && *s)
		return s;
	return slash ? hook_join(h, arena_strndup(h->arena, self, (size_t)(slash + 1 - self)), "ptxccc", "") : "ptxccc";
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
		fputs("ccc-annotate: --hook [options] -- command: the command is missing\n", stderr);
		return 2;
	}
	h->cicc = argv + i + 1;
	h->ncicc = argc - i - 1;
	read_cicc(h);
	h->ptxccc = find_ptxccc(h, argv[0]);
	return 0;
}

void
hook_release(Hook *h)
{
	vec_free(&h->ptxccc_options);
	arena_free(h->arena);
}

char *
hook_stem(Hook *h)
{
	const char *base = strrchr(h->out, '/');

	base = base ? base + 1 : h->out;
	if (strncmp(base, "tmpxft_", 7) != 0)
		return arena_strndup(h->arena, h->out, strlen(h->out) - (ends_in(h->out, ".ptx") ? 4 : 0));
	base = strrchr(h->source, '/');
	base = base ? base + 1 : h->source;
	const char *dot = strrchr(base, '.');
	return hook_join(h, arena_strndup(h->arena, base, dot ? (size_t)(dot - base) : strlen(base)), ".", h->arch ? h->arch : "ptx");
}

char *
hook_temporary(Hook *h, const char *suffix)
{
	char pid[32];
	const char *in = h->cicc[h->in], *slash = strrchr(in, '/');
	size_t dir = slash ? (size_t)(slash + 1 - in) : 0, n = strlen(in + dir) - 3;

	if (n > LONGEST)
		n = LONGEST;
	snprintf(pid, sizeof pid, ".ccc%ld", (long)getpid());
	return hook_join(h, arena_strndup(h->arena, in, dir + n), pid, suffix);
}
