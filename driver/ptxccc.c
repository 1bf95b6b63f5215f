/* SPDX-License-Identifier: MIT */
/* ptxccc: the command line of the PTX-to-PTX compiler. See docs/ptxccc.1.
 *
 * The work is libptxccc's: read -> ptxccc_transform -> write. Exit status: 0 done, 1 diagnosed
 * error, 2 usage or input and output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/dump.h"
#include "analysis/fn.h"
#include "annotate/files.h"
#include "driver/profiles.h"
#include "driver/ptxas.h"
#include "base/console.h"
#include "lib/ptxccc.h"
#include "commit.h"

const char program_name[] = "ptxccc";

typedef struct {
	const char *in, *out;
	bool report;
	ptxccc_format format;   /* its */
	const char *report_to;  /* the report's file; NULL: standard error, or output for JSON */
	const char *annotations; /* file for what became of them; NULL: none */
	const char *dump;
	bool list, dot, keep;
	bool unread;            /* a profile could not be had */
	const char *color;      /* "auto", "always", "never" */
	Ptxas ptxas;            /* program NULL: is not asked */
	ptxccc *lib;            /* gets the options about the transformation */
} Options;

/* ---- options ----------------------------------------------------------------------------- */

typedef bool Take(Options *o, const char *arg); /* false: the argument cannot be read */

static int
lib_option(const Options *o, const char *name, const char *equals, const char *value)
{
	Buf option = { 0 };

	buf_printf(&option, "%s%s%s", name, equals, value);
	int status = (int)ptxccc_option(o->lib, option.at);
	buf_free(&option);
	if (status)
		fprintf(stderr, "ptxccc: %s\nTry 'ptxccc --help'.\n", ptxccc_message(o->lib));
	return status;
}

static bool take_out(Options *o, const char *arg) { o->out = arg; return true; }
static bool take_list(Options *o, const char *arg) { (void)arg; return o->list = true; }
static bool take_dot(Options *o, const char *arg) { (void)arg; return o->dot = true; }
static bool take_keep(Options *o, const char *arg) { (void)arg; return o->keep = true; }
static bool
take_maxrregcount(Options *o, const char *arg)
{
	o->ptxas.maxrregcount = arg;
	return *arg != '\0';
}
static bool
take_dump(Options *o, const char *arg)
{
	o->dump = arg;
	return dump_known(arg) || strcmp(arg, "plan") == 0;
}

/* A format, or a file whose ending says which. */
static bool
take_report(Options *o, const char *arg)
{
	static const struct { const char *name; ptxccc_format format; bool file;
	} rows[] = {
		{ "text", PTXCCC_TEXT, false },
		{ "json", PTXCCC_JSON, false },
		{ "records", PTXCCC_RECORDS, false },
		{ ".txt", PTXCCC_TEXT, true },
		{ ".json", PTXCCC_JSON, true },
		{ ".sarif", PTXCCC_SARIF, true },
		{ ".opt.yaml", PTXCCC_REMARKS, true },
		{ ".html", PTXCCC_HTML, true },
	};
	const char *s = arg ? arg : "text";
	size_t n = strlen(s);

	o->report = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t k = strlen(rows[i].name);
		if (rows[i].file ? n <= k || strcmp(s + n - k, rows[i].name) != 0 :
				   strcmp(s, rows[i].name) != 0)
			continue;
		o->format = rows[i].format;
		if (rows[i].file)
			o->report_to = s;
		return true;
	}
	return false;
}

static bool take_report_to(Options *o, const char *arg) { o->report_to = arg; return *arg != '\0'; }
static bool
take_annotations(Options *o, const char *arg)
{
	o->annotations = arg;
	return *arg != '\0';
}

static bool
take_color(Options *o, const char *arg)
{
	o->color = arg ? arg : "always";
	return !strcmp(o->color, "auto") || !strcmp(o->color, "always") ||
		!strcmp(o->color, "never");
}

static bool
take_ptxas(Options *o, const char *arg)
{
	o->ptxas.program = arg ? arg : "ptxas";
	return file_on_path(o->ptxas.program);
}

static void
give_profile(void *options, const char *file, const char *text, size_t len, const char *why)
{
	Options *o = options;

	if (!text)
		fprintf(stderr, "ptxccc: cannot read '%s': %s\n", file, why);
	o->unread |= !text || ptxccc_profile(o->lib, file, text, len) != PTXCCC_OK;
}

static bool
take_profile(Options *o, const char *arg)
{
	profiles_each(arg, give_profile, o);
	return !o->unread;
}

static bool
take_generate(Options *o, const char *arg)
{
	return lib_option(o, "--profile-generate", arg ? "=" : "", arg ? arg : "") == 0;
}

/* A file with names of kernels, one a line. */
static bool
take_switchable(Options *o, const char *arg)
{
	Source src = { 0 };
	const char *why;
	bool ok = lib_option(o, "--switchable", "", "") == 0;

	if (!arg)
		return ok;
	if (!source_read(&src, arg, &why)) {
		fprintf(stderr, "ptxccc: cannot read '%s': %s\n", arg, why);
		return false;
	}
	for (const char *s = src.text; ok && *s; ) {
		char name[4096];
		size_t n = strcspn(s, "\n");
		snprintf(name, sizeof name, "%.*s", (int)n, s);
		ok = n == 0 || lib_option(o, "--switchable", "=", name) == 0;
		s += n + (s[n] == '\n');
	}
	source_release(&src);
	return ok;
}

typedef enum { NO_ARG, NEXT_ARG, EQUALS_ARG, MAYBE_ARG, GLUED_ARG } Arg;
/* take NULL: one of libptxccc's. */
static const struct { const char *name; Arg arg; Take *take; const char *help;
} options[] = {
	{ "-o", NEXT_ARG, take_out,
		"FILE       write the result to FILE (default and '-': standard output)" },
	{ "--list", NO_ARG, take_list,
		"           list the annotated loops and what would become of them; no output" },
	{ "--report", MAYBE_ARG, take_report,
		"[=WHAT]    say what was transformed: text (default; on standard error), json (on standard output), or FILE.txt .json .html .sarif .opt.yaml" },
	{ "--report-to", EQUALS_ARG, take_report_to, "=FILE   put the report there" },
	{ "--annotations", EQUALS_ARG, take_annotations,
		"=FILE say there which annotations were followed, and in how many copies" },
	{ "--policy", EQUALS_ARG, NULL,
		"=POLICY    for annotations without a policy() clause: auto, stack, queue, converge, ahead, wait, majority, live, cycle, flatten" },
	{ "--choose", EQUALS_ARG, NULL,
		"=HOW       where no policy is named: best (default; none, if none is expected to gain), always (the best in any case), first (expand, else stack)" },
	{ "--occupancy", EQUALS_ARG, NULL,
		"=HOW    keep (default): tasks take no shared memory that warps then lack, or ignore" },
	{ "--threads", EQUALS_ARG, NULL,
		"=N         largest block, where the PTX has neither .reqntid nor .maxntid (1024)" },
	{ "--max-regs", EQUALS_ARG, NULL,
		"=N        kernels with a transformed loop get .maxnreg N" },
	{ "--no-compress", NO_ARG, NULL,
		"      tasks save what could be computed from their other values, too" },
	{ "--dynamic-shared", EQUALS_ARG, NULL,
		"=BYTES  launches ask for no more dynamic shared memory" },
	{ "--grid", NO_ARG, NULL,
		"             kernels with paths outside of annotated loops: the launch's first blocks do all, in a loop" },
	{ "--grid-blocks", EQUALS_ARG, NULL,
		"=N     blocks a multiprocessor that stay for that (as many as there is room for)" },
	{ "--sms", EQUALS_ARG, NULL,
		"=N             multiprocessors of the GPU (as the target's largest one has)" },
	{ "--switchable", MAYBE_ARG, take_switchable,
		"[=FILE] kernels with annotations, and those that FILE names, stand beside the transformed ones as NAME_ccc_off" },
	{ "--profile-generate", MAYBE_ARG, take_generate,
		"[=FILE]  transform nothing: make code that counts how often paths are come to (docs/profiles.md)" },
	{ "--profile-sampling", EQUALS_ARG, NULL,
		"=N  with --profile-generate: every 2^N-th block counts (0)" },
	{ "--profile-use", EQUALS_ARG, take_profile,
		"=FILE  choose by how often paths are come to: a profile, or the folder of some (docs/profiles.md)" },
	{ "--verify", NO_ARG, NULL,
		"           look at the barriers and votes of the result, too: every lane must come to each" },
	{ "--validate", NO_ARG, NULL,
		"         read the result again, beside the input, to show that it is right" },
	{ "--verify-ptxas", MAYBE_ARG, take_ptxas,
		"[=PROGRAM]  ask ptxas: it takes the result, which starts with all blocks that the input did" },
	{ "--maxrregcount", EQUALS_ARG, take_maxrregcount,
		"=N    with --verify-ptxas: the limit of registers that the build gives ptxas" },
	{ "--strict", NO_ARG, NULL,
		"           an annotated loop that cannot be transformed is an error" },
	{ "--strip-lines", NO_ARG, NULL, "      no .loc in the result" },
	{ "--excerpts", EQUALS_ARG, NULL,
		"=WHAT  lines that messages show: cuda, all, or ptx where nothing is known of CUDA (default)" },
	{ "--color", MAYBE_ARG, take_color,
		"[=WHEN]     colour messages: always, never or auto (default: on a terminal)" },
	{ "--dump", EQUALS_ARG, take_dump,
		"=WHAT      print cfg, dom, loop, live, defuse, uniform, region or plan of each function" },
	{ "--dot", NO_ARG, take_dot,
		"           with --dump=cfg, defuse or plan: as a Graphviz graph" },
	{ "-d", GLUED_ARG, NULL,
		"STEPS      show on standard error what steps found: r regions, p plans, w texts, v verification" },
	{ "--stop-after", EQUALS_ARG, NULL,
		"=STEP  take no step behind region, plan, write or verify" },
	{ "--omit-line", EQUALS_ARG, NULL,
		"=FILE:N leave out a line of a template (ccc.tpl:12), to see whether tests notice" },
	{ "--keep", NO_ARG, take_keep,
		"           keep the input beside the output, as FILE.orig.ptx" },
	{ "-W", GLUED_ARG, NULL,
		"NAME       no-NAME, error, error=NAME: warnings; docs/diagnostics.md names them" },
};

static void
usage(FILE *to)
{
	fputs("usage: ptxccc [options] in.ptx\n"
	      "       ptxccc profile merge|show|overlap ...   ('ptxccc profile --help')\n"
	      "Collects the tasks of divergent branches that '#pragma ccc' annotations mark ('-' reads standard input).\n\n",
		to);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		fprintf(to, "  %s%s%s\n", options[i].name, options[i].arg == NEXT_ARG ? " " : "",
			options[i].help);
	fputs("  --            what follows is the input, whatever it looks like\n"
		"  --version, --help\n", to);
}

static int
usage_error(const char *what, const char *arg)
{
	fprintf(stderr, "ptxccc: %s '%s'\nTry 'ptxccc --help'.\n", what, arg);
	return 2;
}

/* One option at argv[*i]; gives 0, or the exit status 2. */
static int
parse_option(Options *o, char **argv, int *i)
{
	const char *arg = argv[*i];
	for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
		size_t n = strlen(options[k].name);
		Arg kind = options[k].arg;
		const char *value = NULL;
		if (strncmp(arg, options[k].name, n))
			continue;
		if (kind == GLUED_ARG && arg[n])
			value = arg + n;
		else if (arg[n] == '=' && (kind == EQUALS_ARG || kind == MAYBE_ARG))
			value = arg + n + 1;
		else if (arg[n] || kind == GLUED_ARG)
			continue;
		else if ((kind == NEXT_ARG || kind == EQUALS_ARG) && !(value = argv[++*i]))
			return usage_error("no value for", arg);
		if (!options[k].take)
			return lib_option(o, options[k].name, kind == EQUALS_ARG ? "=" : "",
				value ? value : "");
		return options[k].take(o, value) ? 0 : usage_error("cannot use the value of", arg);
	}
	return usage_error("unknown option", arg);
}

static int
take_input(Options *o, const char *arg)
{
	if (o->in)
		return usage_error("more than one input:", arg);
	o->in = arg;
	return 0;
}

/* Prints what --help and --version ask for; false: arg is neither. */
static bool
help_or_version(const char *arg)
{
	bool version = strcmp(arg, "--version") == 0, help = strcmp(arg, "--help") == 0;
	if (version)
		puts("ptxccc " VERSION COMMIT);
	else if (help)
		usage(stdout);
	return version || help;
}

/* Gives 0 to go on, -1 when all is done, or the exit status. */
static int
parse_options(Options *o, int argc, char **argv)
{
	bool more = true; /* options may follow */
	for (int i = 1; i < argc; i++) {
		int status = 0;
		if (more && strcmp(argv[i], "--") == 0)
			more = false;
		else if (more && help_or_version(argv[i]))
			return -1;
		else if (more && argv[i][0] == '-' && argv[i][1])
			status = parse_option(o, argv, &i);
		else
			status = take_input(o, argv[i]);
		if (status)
			return status;
	}
	if (!o->in) {
		usage(stderr);
		return 2;
	}
	bool two = o->report && o->format == PTXCCC_JSON && !o->report_to && !o->list &&
		(!o->out || strcmp(o->out, "-") == 0);
	if (two)
		fputs("ptxccc: JSON and the result cannot both go to standard output: say -o FILE, or --report=FILE.json\n",
			stderr);
	return two ? 2 : 0;
}

/* ---- work -------------------------------------------------------------------------------- */

static int
io_error(const char *what, const char *file, const char *why)
{
	fprintf(stderr, "ptxccc: %s '%s': %s\n", what, file, why);
	return 2;
}

static int
write_result(const Options *o, const Source *src)
{
	const char *why, *text;
	size_t len;
	if (o->keep && o->out && strcmp(o->out, "-")) {
		Buf name = {0};
		size_t n = strlen(o->out);
		bool ptx = n > 4 && !strcmp(o->out + n - 4, ".ptx");
		buf_printf(&name, "%.*s.orig.ptx", (int)(ptx ? n - 4 : n), o->out);
		bool ok = source_write(name.at, src->text, src->len, &why);
		int status = ok ? 0 : io_error("cannot write", name.at, why);
		buf_free(&name);
		if (status)
			return status;
	}
	text = o->dump ? ptxccc_report(o->lib, PTXCCC_STEPS) : ptxccc_text(o->lib, &len);
	if (!source_write(o->out, text, o->dump ? strlen(text) : len, &why))
		return io_error("cannot write", o->out ? o->out : "<stdout>", why);
	return 0;
}

static int
dump_module(const Options *o, const Module *m, Diags *d)
{
	Buf out = {0};
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (m->funcs[i].body)
			dump_function(o->dump, m, i, o->dot, d, &out);
	const char *why;
	bool ok = source_write(o->out, out.at ? out.at : "", out.n, &why);
	buf_free(&out);
	return ok ? 0 : io_error("cannot write", o->out ? o->out : "<stdout>", why);
}

static int
dump(const Options *o, Source *src)
{
	Diags *d = diags_new(src);
	Module *m = ptx_parse(src, d);
	int status = m ? dump_module(o, m, d) : 1;
	diags_print(d, stderr);
	ptx_free(m);
	diags_free(d);
	return status;
}

static void
note_diagnostic(void *said, const ptxccc_diagnostic *d)
{
	buf_puts(said, d->printed);
}

/* The CUDA source that messages show lines of: the one asked for last stays. */
static const char *
read_cuda(void *last, const char *file, size_t *len)
{
	Source *s = last;
	const char *why;

	if (!s->name || strcmp(s->name, file) != 0) {
		source_release(s);
		if (file_is_special(file) || !source_read(s, file, &why))
			return *s = (Source){ 0 }, NULL;
	}
	*len = s->len;
	return s->text;
}

static void
set_color(const Options *o)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no && *no);

	if (o->color && strcmp(o->color, "auto") != 0 ? !strcmp(o->color, "always") : terminal)
		(void)ptxccc_option(o->lib, "--color");
}

/* False, after a message: it could not be written. */
static bool
write_to(const char *file, const char *text)
{
	const char *why;

	if (source_write(file, text, strlen(text), &why))
		return true;
	io_error("cannot write", file, why);
	return false;
}

static bool
write_report(const Options *o)
{
	FILE *to = o->list || o->format == PTXCCC_JSON ? stdout : stderr;

	if (!o->report && !o->list)
		return true;
	const char *text = ptxccc_report(o->lib, o->format);
	if (o->report_to)
		return write_to(o->report_to, text);
	fputs(text, to);
	return console_flush(to);
}

/* What compilers of the source want to know (annotate/again.c). */
static bool
write_annotations(const Options *o)
{
	const ptxccc_annotation *a;
	const ptxccc_site *s;
	Buf out = { 0 };

	if (!o->annotations)
		return true;
	for (size_t i = 0; (s = ptxccc_site_at(o->lib, i)); i++)
		if (s->transformed)
			buf_printf(&out, "site %u %s %s\n", s->number,
				s->choice ? s->choice : s->policy, s->function);
	for (size_t i = 0; (a = ptxccc_annotation_at(o->lib, i)); i++)
		buf_printf(&out, "annotation %u %u %u %s:%u\n", a->number, a->copies, a->followed,
			a->file ? a->file : "", a->line);
	bool ok = write_to(o->annotations, out.at ? out.at : "");
	buf_free(&out);
	return ok;
}

/* The report comes first, then the output: who gets that has got what was to be said of it. */
static int
transform(Options *o, const Source *src)
{
	Buf said = {0};
	Source cuda = {0};
	ptxccc_on_diagnostic(o->lib, note_diagnostic, &said);
	ptxccc_on_source(o->lib, read_cuda, &cuda);
	set_color(o);
	if (o->ptxas.program) {
		child_catch_signals();
		ptxccc_on_assemble(o->lib, ptxas_assemble, &o->ptxas);
	}
	int status = (int)ptxccc_transform(o->lib, src->name, src->text, src->len);
	if (o->ptxas.program)
		child_end_by_broken_pipe();
	if (status == PTXCCC_NO_MEMORY || status == PTXCCC_INTERNAL)
		fatal(status == PTXCCC_INTERNAL, ptxccc_message(o->lib));
	if (!write_report(o) || !write_annotations(o))
		status = 2;
	if (!o->dump)
		fputs(ptxccc_report(o->lib, PTXCCC_STEPS), stderr);
	if (status == PTXCCC_OK && !o->list)
		status = write_result(o, src);
	if (said.n)
		fputs(said.at, stderr);
	buf_free(&said);
	return status;
}

static int
run(Options *o)
{
	Source src;
	const char *why;
	if (!source_read(&src, o->in, &why))
		return io_error("cannot read", o->in, why);
	bool plans = o->dump && strcmp(o->dump, "plan") == 0;
	if (plans)
		(void)(ptxccc_option(o->lib, o->dot ? "-dP" : "-dp") ||
			ptxccc_option(o->lib, "--stop-after=plan"));
	int status = o->dump && !plans ? dump(o, &src) : transform(o, &src);
	source_release(&src);
	return status;
}

int
main(int argc, char **argv)
{
	Options o = { .lib = ptxccc_new(NULL, NULL) };
	if (!o.lib)
		fatal(false, "out of memory");
	console_open();
	bool profiles = argc > 1 && strcmp(argv[1], "profile") == 0;
	int status = profiles ? profiles_main(argv + 2) : parse_options(&o, argc, argv);
	if (status == 0 && !profiles)
		status = run(&o);
	if (status <= 0)
		status = console_flush(stdout) ? 0 : 2;
	ptxccc_free(o.lib);
	return status;
}
