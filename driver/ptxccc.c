/* ptxccc: the command line of the PTX-to-PTX compiler. See docs/ptxccc.1.
 *
 * parse -> verify -> passes -> apply -> write. Exit status: 0 done, 1 diagnosed error, 2 usage or input and output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/dump.h"
#include "analysis/fn.h"
#include "transform/pass.h"

typedef struct {
	const char *in, *out;
	const char *report;     /* NULL, "text", "json" */
	const char *dump;
	const char *warnings[64]; uint32_t nwarnings;
	bool list, dot, keep, strict;
	Pass_options pass;
} Options;

/* ---- options ----------------------------------------------------------------------------- */

typedef bool Take(Options *o, const char *arg); /* false: the argument cannot be read */

static bool take_out(Options *o, const char *arg) { o->out = arg; return true; }
static bool take_list(Options *o, const char *arg) { (void)arg; return o->list = true; }
static bool take_dot(Options *o, const char *arg) { (void)arg; return o->dot = true; }
static bool take_keep(Options *o, const char *arg) { (void)arg; return o->keep = true; }
static bool take_strict(Options *o, const char *arg) { (void)arg; return o->strict = true; }
static bool take_dump(Options *o, const char *arg) { o->dump = arg; return dump_known(arg); }

static bool
take_report(Options *o, const char *arg)
{
	o->report = arg ? arg : "text";
	return !strcmp(o->report, "text") || !strcmp(o->report, "json");
}

static bool
take_policy(Options *o, const char *arg)
{
	for (int i = 0; i < POLICY_COUNT; i++)
		if (!strcmp(arg, policy_names[i])) {
			o->pass.policy = (Policy)i;
			return true;
		}
	return false;
}

static bool
take_threads(Options *o, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);
	o->pass.threads = n <= 1024 ? (uint32_t)n : 0;
	return n >= 1 && n <= 1024 && !*end && *arg != '-';
}

static bool
take_warning(Options *o, const char *arg)
{
	if (o->nwarnings == sizeof o->warnings / sizeof *o->warnings)
		return false;
	o->warnings[o->nwarnings++] = arg;
	return true;
}

typedef enum { NO_ARG, NEXT_ARG, EQUALS_ARG, MAYBE_ARG, GLUED_ARG } Arg;
static const struct { const char *name; Arg arg; Take *take; const char *help; } options[] = {
	{ "-o",       NEXT_ARG,   take_out,     "FILE       write the result to FILE (default and '-': standard output)" },
	{ "--list",   NO_ARG,     take_list,    "           list the annotated loops and what would become of them; no output" },
	{ "--report", MAYBE_ARG,  take_report,  "[=FORMAT]  say on standard error what was transformed: text (default) or json" },
	{ "--policy", EQUALS_ARG, take_policy,  "=POLICY    for annotations without a policy() clause: auto, stack" },
	{ "--threads", EQUALS_ARG, take_threads, "=N         largest block, where the PTX has neither .reqntid nor .maxntid (1024)" },
	{ "--strict", NO_ARG,     take_strict,  "           an annotated loop that cannot be transformed is an error" },
	{ "--dump",   EQUALS_ARG, take_dump,    "=WHAT      print cfg, dom, loop, live, defuse, uniform or region of each function" },
	{ "--dot",    NO_ARG,     take_dot,     "           with --dump=cfg or defuse: as a Graphviz graph" },
	{ "--keep",   NO_ARG,     take_keep,    "           keep the input beside the output, as FILE.orig.ptx" },
	{ "-W",       GLUED_ARG,  take_warning, "NAME       no-NAME, error, error=NAME: warnings; docs/diagnostics.md names them" },
};

static void
usage(FILE *to)
{
	fputs("usage: ptxccc [options] in.ptx\n"
		"Collects the tasks of divergent branches that '#pragma ccc' annotations mark ('-' reads standard input).\n\n", to);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		fprintf(to, "  %s%s%s\n", options[i].name, options[i].arg == NEXT_ARG ? " " : "", options[i].help);
	fputs("  --version, --help\n", to);
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
		return options[k].take(o, value) ? 0 : usage_error("cannot use the value of", arg);
	}
	return usage_error("unknown option", arg);
}

static int
parse_options(Options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int status = 0;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--version"))
			return -1;
		if (argv[i][0] == '-' && argv[i][1])
			status = parse_option(o, argv, &i);
		else if (o->in)
			return usage_error("more than one input:", argv[i]);
		else
			o->in = argv[i];
		if (status)
			return status;
	}
	if (!o->in) {
		usage(stderr);
		return 2;
	}
	return 0;
}

static int
help_or_version(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--version")) {
			puts("ptxccc " VERSION);
			return 0;
		}
	(void)argc;
	usage(stdout);
	return 0;
}

/* ---- work -------------------------------------------------------------------------------- */

static int
io_error(const char *what, const char *file, const char *why)
{
	fprintf(stderr, "ptxccc: %s '%s': %s\n", what, file, why);
	return 2;
}

static int
write_result(const Options *o, const Source *src, const Buf *out)
{
	const char *why;
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
	if (!source_write(o->out, out->at, out->n, &why))
		return io_error("cannot write", o->out ? o->out : "<stdout>", why);
	return 0;
}

static void
print_report(const Options *o, const Report *r, const Module *m)
{
	Buf out = {0};
	bool json = o->report && !strcmp(o->report, "json");
	if (json)
		report_json(r, m, m->src->name, &out);
	else
		report_text(r, m, &out);
	fwrite(out.at, 1, out.n, o->list ? stdout : stderr);
	buf_free(&out);
}

static int
dump(const Options *o, const Module *m, Diags *d)
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
transform(const Options *o, const Module *m, Diags *d)
{
	Arena *a = arena_new();
	Report r;
	Buf out = {0};
	int status = 0;
	report_init(&r);
	Edits *e = passes_run(m, &o->pass, &r, d, a);
	if (o->report || o->list)
		print_report(o, &r, m);
	if (diags_errors(d))
		status = 1;
	else if (!o->list) {
		edit_apply(e, m->src, &out);
		status = write_result(o, m->src, &out);
	}
	buf_free(&out);
	edit_release(e);
	report_release(&r);
	arena_free(a);
	return status;
}

/* --strict: all warnings are errors but those that are hints about code that was transformed. */
static void
be_strict(Diags *d)
{
	static const struct { Diag_kind kind; Diag_level level; const char *option; } kinds[] = {
#define DIAG(id, name, level, summary) { D_##id, level, "error=" name },
#include "base/diags.def"
#undef DIAG
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].level == DIAG_WARNING && kinds[i].kind != D_HAZARD && kinds[i].kind != D_SPIN)
			diags_option(d, kinds[i].option);
}

static int
run(const Options *o)
{
	Source src;
	const char *why;
	if (!source_read(&src, o->in, &why))
		return io_error("cannot read", o->in, why);
	Diags *d = diags_new(&src);
	int status = 0;
	if (o->strict)
		be_strict(d);
	for (uint32_t i = 0; i < o->nwarnings && !status; i++)
		if (!diags_option(d, o->warnings[i]))
			status = usage_error("no such warning:", o->warnings[i]);
	if (!status) {
		Module *m = ptx_parse(&src, d);
		status = !m ? 1 : o->dump ? dump(o, m, d) : transform(o, m, d);
		diags_print(d, stderr);
		ptx_free(m);
	}
	diags_free(d);
	source_release(&src);
	return status;
}

int
main(int argc, char **argv)
{
	Options o = {0};
	int status = parse_options(&o, argc, argv);
	return status < 0 ? help_or_version(argc, argv) : status ? status : run(&o);
}
