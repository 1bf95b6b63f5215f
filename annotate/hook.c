/* The hook in nvcc's cicc step. See hook.h.
 *
 * What cicc says is the user's: should it fail on the rewritten source, it runs again on the untouched one, and if that
 * compiles, the build goes on without the transformation, with a warning. All files written here lie beside cicc's own and
 * are removed however the hook ends. The PTX is replaced by a rename, which ptxccc does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "annotate/child.h"
#include "annotate/hook.h"
#include "annotate/rewrite.h"
#include "base/arena.h"
#include "base/vec.h"

typedef struct {
	bool report, strict, markers_only, keep, keep_ptx, verbose;
	const char *report_file;        /* NULL: standard error */
	const char *policy, *threads;   /* "--policy=...", NULL if not given */
	VEC(char *) ptxccc_options;     /* -W... */
	const char *ptxccc;
	Arena *arena;
	char **cicc;                    /* the command as nvcc gave it */
	int ncicc;
	int in;                         /* index in cicc of the source, 0 if there is none */
	const char *source, *out, *arch; /* the user's file, the PTX, compute_90 */
	const char *bypass;             /* why nothing can be transformed, NULL if it can */
} Hook;

/* ---- command lines -------------------------------------------------------------------------------------------------- */

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
			h->out = next;
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

static int
read_command_line(Hook *h, int argc, char **argv)
{
	int i = 1;

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
	return 0;
}

static char *
join(Hook *h, const char *a, const char *b, const char *c)
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
	return slash ? join(h, arena_strndup(h->arena, self, (size_t)(slash + 1 - self)), "ptxccc", "") : "ptxccc";
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

/* What kept files are called: as the PTX, or, where that is one of nvcc's temporaries, as the source with the architecture. */
static char *
keep_stem(Hook *h)
{
	const char *base = strrchr(h->out, '/');

	base = base ? base + 1 : h->out;
	if (strncmp(base, "tmpxft_", 7) != 0)
		return arena_strndup(h->arena, h->out, strlen(h->out) - (ends_in(h->out, ".ptx") ? 4 : 0));
	base = strrchr(h->source, '/');
	base = base ? base + 1 : h->source;
	const char *dot = strrchr(base, '.');
	return join(h, arena_strndup(h->arena, base, dot ? (size_t)(dot - base) : strlen(base)), ".", h->arch ? h->arch : "ptx");
}

static int
write_or_say(const char *path, const char *text, size_t len)
{
	const char *why;

	if (source_write(path, text, len, &why))
		return 0;
	fprintf(stderr, "cccnvcc: error: cannot write '%s': %s\n", path, why);
	return 2;
}

/* Some modes (-fdevice-syntax-only) leave no PTX. */
static bool
has_text(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

static int
copy_file(const char *from, const char *to)
{
	Source s;
	const char *why;

	if (!source_read(&s, from, &why)) {
		fprintf(stderr, "cccnvcc: error: cannot read '%s': %s\n", from, why);
		return 2;
	}
	int rc = write_or_say(to, s.text, s.len);
	source_release(&s);
	return rc;
}

/* Appends in one piece: builds that run side by side may share the file. */
static int
append_report(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		fprintf(stderr, "cccnvcc: error: cannot write the report '%s'\n", path);
		if (fd >= 0)
			close(fd);
		return 2;
	}
	return close(fd) == 0 ? 0 : 2;
}

/* ---- the steps ------------------------------------------------------------------------------------------------------ */

static void
say_command(const Hook *h, char *const *argv)
{
	if (!h->verbose)
		return;
	fputs("cccnvcc:", stderr);
	for (; *argv; argv++)
		fprintf(stderr, " %s", *argv);
	fputc('\n', stderr);
}

/* A warning, or an error under --ccc-strict: then 1. */
static int
warn(const Hook *h, const char *text)
{
	fprintf(stderr, "%s: %s: %s\n", h->source, h->strict ? "error" : "warning", text);
	return h->strict;
}

static void
replay(const Caught *c)
{
	if (c->out.n)
		fwrite(c->out.at, 1, c->out.n, stdout);
	fflush(stdout);
	if (c->err.n)
		fwrite(c->err.at, 1, c->err.n, stderr);
}

static bool
write_temporary(const char *path, const Buf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t at = 0;

	if (fd < 0)
		return false;
	while (at < text->n) {
		ssize_t n = write(fd, text->at + at, text->n - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	return (close(fd) == 0) & (at == text->n);
}

/* Runs cicc on this text in place of the source. */
static Ended
run_cicc(Hook *h, const Buf *text, Caught *said)
{
	char pid[32], **argv = arena_array(h->arena, (size_t)h->ncicc + 1, sizeof *argv);
	const char *in = h->cicc[h->in];
	Ended e = { .code = 2 };

	snprintf(pid, sizeof pid, ".ccc%ld", (long)getpid());
	char *temporary = join(h, arena_strndup(h->arena, in, strlen(in) - 3), pid, ".ii");
	memcpy(argv, h->cicc, (size_t)h->ncicc * sizeof *argv);
	argv[h->in] = temporary;
	child_temporary(temporary);
	if (write_temporary(temporary, text)) {
		say_command(h, argv);
		e = child_run(argv, NULL, said);
	} else {
		fprintf(stderr, "cccnvcc: error: cannot write '%s': %s\n", temporary, strerror(errno));
	}
	unlink(temporary);
	child_temporary(NULL);
	return e;
}

/* Runs cicc on the source without its annotations. */
static Ended
run_cicc_plain(Hook *h, const Source *src)
{
	Buf text = { 0 };

	rewrite_strip(src->text, src->len, &text);
	Ended e = run_cicc(h, &text, NULL);
	buf_free(&text);
	return e;
}

static int
warn_not_compiled(Hook *h, const Caught *said)
{
	const char *s = said->err.at ? strstr(said->err.at, " error") : NULL;
	int rc = warn(h, "the annotations do not compile where they stand: the file is compiled without them [-Wannotation]");

	while (s && s > said->err.at && s[-1] != '\n')
		s--;
	if (s)
		fprintf(stderr, "  note: cicc says: %.*s\n", (int)strcspn(s, "\n"), s);
	if (rc)
		unlink(h->out);
	return rc;
}

/* Runs cicc on the rewritten source; should that fail, on the plain one: its errors are the user's own. *plain: it did not fail. */
static int
compile(Hook *h, const Source *src, const Buf *rewritten, bool *plain)
{
	Caught said = { 0 };
	Ended e = run_cicc(h, rewritten, &said);
	int rc = 0;

	*plain = e.code || e.signal;
	if (!*plain) {
		replay(&said);
	} else {
		e = run_cicc_plain(h, src);
		rc = e.code || e.signal ? child_status(e) : warn_not_compiled(h, &said);
	}
	child_release(&said);
	return rc;
}

/* Where the warnings start in what ptxccc said: its report comes first. */
static size_t
end_of_report(const char *s)
{
	const char *at = s;

	for (size_t n; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		const char *kind = strstr(at, " [-W");
		if (n && at[n - 1] == ']' && kind && kind < at + n)
			break;
	}
	return (size_t)(at - s);
}

/* The report goes to its file, the warnings to the user. */
static int
hand_out(const Hook *h, const Caught *said)
{
	size_t n = said->err.n ? end_of_report(said->err.at) : 0;

	if (said->err.n > n)
		fwrite(said->err.at + n, 1, said->err.n - n, stderr);
	return append_report(h->report_file, said->err.at ? said->err.at : "", n);
}

/* Runs ptxccc on the PTX at path in. */
static int
transform(Hook *h, const char *in)
{
	Caught said = { 0 };
	uint32_t n = 0, nw = h->ptxccc_options.n;
	char **argv = arena_array(h->arena, nw + 9, sizeof *argv);

	argv[n++] = join(h, h->ptxccc, "", "");
	argv[n++] = join(h, "-o", "", "");
	argv[n++] = join(h, h->out, "", "");
	if (h->report)
		argv[n++] = join(h, "--report", "", "");
	if (h->strict)
		argv[n++] = join(h, "--strict", "", "");
	if (h->policy)
		argv[n++] = join(h, "--policy=", h->policy, "");
	if (h->threads)
		argv[n++] = join(h, "--threads=", h->threads, "");
	for (uint32_t i = 0; i < nw; i++)
		argv[n++] = h->ptxccc_options.at[i];
	argv[n++] = join(h, in, "", "");
	say_command(h, argv);
	Ended e = child_run(argv, NULL, h->report_file ? &said : NULL);
	int rc = e.code;
	if (h->report_file && hand_out(h, &said) != 0 && rc == 0)
		rc = 2;
	child_release(&said);
	if (rc || e.signal)
		unlink(h->out); /* never leave what was not transformed as if it were */
	return e.signal ? child_status(e) : rc;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static int
compile_and_transform(Hook *h, const Source *src, const Buf *rewritten)
{
	bool plain = false, keep = h->keep || h->keep_ptx;
	char *stem = keep ? keep_stem(h) : NULL, *orig = keep ? join(h, stem, ".orig.ptx", "") : NULL;
	int rc = 0;

	if (h->keep)
		rc = write_or_say(join(h, stem, ".ccc.ii", ""), rewritten->at, rewritten->n);
	if (rc == 0)
		rc = compile(h, src, rewritten, &plain);
	if (rc || plain || h->markers_only || !has_text(h->out))
		return rc;
	if (keep)
		rc = copy_file(h->out, orig);
	if (rc == 0)
		rc = transform(h, keep ? orig : h->out);
	char *kept = h->keep ? join(h, stem, ".ptx", "") : NULL;
	if (rc == 0 && kept && strcmp(kept, h->out) != 0)
		rc = copy_file(h->out, kept);
	return rc;
}

static int
bypass(Hook *h, const Source *src)
{
	char text[160];

	snprintf(text, sizeof text, "annotations ignored: %s; to have them followed, compile without it [-Wbypass]", h->bypass);
	return warn(h, text) ? 1 : child_status(run_cicc_plain(h, src));
}

static int
rewrite_and_compile(Hook *h, const Source *src)
{
	Diags *d = diags_new(NULL);
	Buf out = { 0 };
	uint32_t n = 0;
	int rc;

	rewrite(h->source, src->text, src->len, &out, &n, d);
	bool failed = diags_errors(d) > 0;
	diags_print(d, stderr);
	if (failed)
		rc = 1;
	else if (n == 0)
		rc = child_become(h->cicc);
	else if (h->bypass)
		rc = bypass(h, src);
	else
		rc = compile_and_transform(h, src, &out);
	buf_free(&out);
	diags_free(d);
	return rc;
}

int
hook_cicc(int argc, char **argv)
{
	Hook h = { 0 };
	Source src;
	const char *why;
	int rc = read_command_line(&h, argc, argv);

	if (rc)
		return rc;
	if (!h.in || !h.out || !source_read(&src, h.cicc[h.in], &why) || !rewrite_wanted(src.text, src.len))
		return child_become(h.cicc);
	h.arena = arena_new();
	h.ptxccc = find_ptxccc(&h, argv[0]);
	child_catch_signals();
	rc = rewrite_and_compile(&h, &src);
	source_release(&src);
	vec_free(&h.ptxccc_options);
	arena_free(h.arena);
	return rc;
}
