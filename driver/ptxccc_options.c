/* SPDX-License-Identifier: MIT */
/* ptxccc's command line. Most options are libptxccc's: their row of the table has no function,
 * only the text for --help. */
#include <stdio.h>
#include <string.h>
#include "analysis/dump/dump.h"
#include "annotate/files.h"
#include "driver/profiles.h"
#include "driver/ptxccc_options.h"
#include "commit.h"

typedef bool Option_handler(Options *o, const char *arg); /* false: the argument is invalid */

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
take_ptxas_level(Options *o, const char *arg)
{
	o->ptxas.level = arg;
	return strlen(arg) == 1 && *arg >= '0' && *arg <= '3';
}
static bool
take_dump(Options *o, const char *arg)
{
	o->dump = arg;
	return dump_known(arg) || strcmp(arg, "plan") == 0;
}

/* A format, or a file whose extension selects it. */
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

static bool
take_explain(Options *o, const char *arg)
{
	size_t n = strlen(arg);

	o->explain = arg;
	return n > 5 && strcmp(arg + n - 5, ".html") == 0 &&
		lib_option(o, "--explain", "", "") == 0;
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

static bool
take_assembled(Options *o, const char *arg)
{
	o->ptxas.keep = arg;
	return *arg != '\0' && lib_option(o, "--assemble-whole", "", "") == 0;
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
	o->generates = true;
	return lib_option(o, "--profile-generate", arg ? "=" : "", arg ? arg : "") == 0;
}

static bool
take_check_promise(Options *o, const char *arg)
{
	o->generates = true;
	return lib_option(o, "--check-promise", arg ? "=" : "", arg ? arg : "") == 0;
}

static bool
take_plain(Options *o, const char *arg)
{
	const char *why;
	Source src;

	if (!source_read(&src, arg, &why)) {
		fprintf(stderr, "ptxccc: cannot read '%s': %s\n", arg, why);
		o->unread = true;
		return false;
	}
	o->unread |= ptxccc_plain(o->lib, arg, src.text, src.len) != PTXCCC_OK;
	source_release(&src);
	return !o->unread;
}

static bool
take_auto(Options *o, const char *arg)
{
	(void)arg;
	o->automatic = true;
	return true;
}

static bool
take_suggest(Options *o, const char *arg)
{
	o->suggest = true;
	return lib_option(o, "--suggest", arg ? "=" : "", arg ? arg : "") == 0;
}

/* A file with names of kernels, one per line. */
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

typedef enum { NO_ARG, NEXT_ARG, EQUALS_ARG, MAYBE_ARG, GLUED_ARG } Option_row;
/* take NULL: an option of libptxccc. */
static const struct { const char *name; Option_row arg; Option_handler *take; const char *help;
} options[] = {
	{ "-o", NEXT_ARG, take_out,
		"FILE       write the result to FILE (default and '-': standard output)" },
	{ "--list", NO_ARG, take_list,
		"           list the annotated loops and what would become of them; no output" },
	{ "--report", MAYBE_ARG, take_report,
		"[=WHAT]    report what was transformed: text (default; on standard error), json (on standard output), or FILE.txt .json .html .sarif .opt.yaml" },
	{ "--report-to", EQUALS_ARG, take_report_to, "=FILE   write the report to FILE" },
	{ "--explain", EQUALS_ARG, take_explain,
		"=FILE.html write a page with the input and the output of each annotated function side by side, the regions, and the reasons of the plan" },
	{ "--annotations", EQUALS_ARG, take_annotations,
		"=FILE write the annotations that were followed, and in how many copies, to FILE" },
	{ "--policy", EQUALS_ARG, NULL,
		"=POLICY    policy of annotations without a policy() clause: auto, stack, queue, converge, ahead, wait, majority, live, cycle, flatten" },
	{ "--choose", EQUALS_ARG, NULL,
		"=HOW       where no policy is named: best (default; none if none is expected to gain), always (the best even then), first (expand, else stack)" },
	{ "--retreat", EQUALS_ARG, NULL,
		"=HOW      warps that do not gain fall back to the original loop: auto (default; where no policy is named), always, never, or after N rounds" },
	{ "--fp", EQUALS_ARG, NULL,
		"=HOW           bit-exact floating-point results: promised (default; where the annotation promises nothing), exact (in every loop), or relaxed (nowhere)" },
	{ "--occupancy", EQUALS_ARG, NULL,
		"=HOW    keep (default): do not reduce occupancy, by shared memory or, with --verify-ptxas, by a few registers; or ignore" },
	{ "--threads", EQUALS_ARG, NULL,
		"=N         threads of the largest block, where the PTX has neither .reqntid nor .maxntid (1024)" },
	{ "--max-regs", EQUALS_ARG, NULL,
		"=N        register limit (.maxnreg) of kernels with a transformed loop" },
	{ "--no-compress", NO_ARG, NULL,
		"      save values in tasks that could be recomputed, or stored once a lane" },
	{ "--no-costliest", NO_ARG, NULL,
		"     give shared memory to paths in textual order, not to the costliest first" },
	{ "--dynamic-shared", EQUALS_ARG, NULL,
		"=BYTES  most dynamic shared memory that a launch asks for" },
	{ "--grid", NO_ARG, NULL,
		"             make a task loop of each kernel with a path outside annotated loops: the launch's first blocks do the work of all" },
	{ "--grid-blocks", EQUALS_ARG, NULL,
		"=N     blocks for each multiprocessor that remain in a task loop (default: as many as are resident)" },
	{ "--sms", EQUALS_ARG, NULL,
		"=N             multiprocessors of the GPU (default: as many as it has, at most those of the target's largest GPU)" },
	{ "--suggest", MAYBE_ARG, take_suggest,
		"[=fixes]  suggest annotations for functions without any, on standard error, with the expected gain (fixes: machine-readable)" },
	{ "--auto", NO_ARG, take_auto,
		"             transform functions without annotations, too, where no promise is needed and a gain is certain, by --profile-use or the estimate (docs/choosing.md)" },
	{ "--switchable", MAYBE_ARG, take_switchable,
		"[=FILE] keep the original of each kernel with annotations, and of those that FILE names, as NAME_ccc_off" },
	{ "--timed", NO_ARG, NULL,
		"            with --plain: keep the original of each kernel whose policies were chosen without a profile, as NAME_ccc_off; or under its name, if only measuring justifies the plan, and the transformed kernel as NAME_ccc_on" },
	{ "--profile-generate", MAYBE_ARG, take_generate,
		"[=FILE]  transform nothing; insert code that counts executions of paths (docs/profiles.md)" },
	{ "--profile-sampling", EQUALS_ARG, NULL,
		"=N  with --profile-generate: count in one block of 2^N (0)" },
	{ "--check-promise", MAYBE_ARG, take_check_promise,
		"[=N]  transform nothing; insert code that checks the promises of annotations, with a table of 2^N accesses (21)" },
	{ "--plain", EQUALS_ARG, take_plain,
		"=FILE        the PTX of the same source without annotations: blocks that do not count run it; with 'proven', it must fuse the same floating-point operations; with --auto, functions left unchanged are its" },
	{ "--profile-use", EQUALS_ARG, take_profile,
		"=FILE  choose policies by a profile; FILE may be a folder of profiles (docs/profiles.md)" },
	{ "--verify", NO_ARG, NULL,
		"           also check that every lane reaches each barrier and vote of the result" },
	{ "--validate", NO_ARG, NULL,
		"         show that the result is equivalent to the input (default)" },
	{ "--no-validate", NO_ARG, NULL, "      do not validate the result" },
	{ "--verify-ptxas", MAYBE_ARG, take_ptxas,
		"[=PROGRAM]  check with ptxas that the result assembles, and that it can be launched with the same blocks as the input" },
	{ "--maxrregcount", EQUALS_ARG, take_maxrregcount,
		"=N    with --verify-ptxas: the register limit that the build gives ptxas" },
	{ "--ptxas-level", EQUALS_ARG, take_ptxas_level,
		"=N   with --verify-ptxas: the optimisation level that the build gives ptxas, 0 to 3" },
	{ "--assembled-to", EQUALS_ARG, take_assembled,
		"=FILE  with --verify-ptxas: write the result and its machine code to FILE, for the hook in nvcc's ptxas step" },
	{ "--strict", NO_ARG, NULL,
		"           an annotated loop that cannot be transformed is an error" },
	{ "--strip-lines", NO_ARG, NULL, "      remove .loc from the result" },
	{ "--excerpts", EQUALS_ARG, NULL,
		"=WHAT  source lines that messages show: cuda, all, or ptx where no CUDA line is known (default)" },
	{ "--color", MAYBE_ARG, take_color,
		"[=WHEN]     colour messages: always, never or auto (default: on a terminal)" },
	{ "--dump", EQUALS_ARG, take_dump,
		"=WHAT      print cfg, dom, loop, live, defuse, uniform, region or plan of each function" },
	{ "--dot", NO_ARG, take_dot,
		"           with --dump=cfg, defuse or plan: as a Graphviz graph" },
	{ "-d", GLUED_ARG, NULL,
		"STEPS      print the result of steps on standard error: r regions, p plans, w texts, v verification" },
	{ "--stop-after", EQUALS_ARG, NULL,
		"=STEP  stop after region, plan, write or verify" },
	{ "--omit-line", EQUALS_ARG, NULL,
		"=FILE:N omit a line of a template (collect.tpl:12), to test the tests" },
	{ "--keep", NO_ARG, take_keep,
		"           copy the input to FILE.orig.ptx, beside the output" },
	{ "-W", GLUED_ARG, NULL,
		"NAME       no-NAME, error, error=NAME: warnings; docs/diagnostics.md names them" },
};

static void
print_usage(FILE *to)
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

/* Parses the option at argv[*i]. Returns 0, or the exit status 2. */
static int
parse_option(Options *o, char **argv, int *i)
{
	const char *arg = argv[*i];
	for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
		size_t n = strlen(options[k].name);
		Option_row kind = options[k].arg;
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
	size_t n = strlen(arg);
	if (n > 3 && strcmp(arg + n - 3, ".cu") == 0)
		return usage_error("CUDA source is compiled by cccnvcc, which runs ptxccc:", arg);
	return 0;
}

/* Prints the text of --help or --version. Returns false if arg is neither. */
static bool
help_or_version(const char *arg)
{
	bool version = strcmp(arg, "--version") == 0, help = strcmp(arg, "--help") == 0;
	if (version)
		puts("ptxccc " VERSION COMMIT);
	else if (help)
		print_usage(stdout);
	return version || help;
}

int
options_parse(Options *o, int argc, char **argv)
{
	bool more = true; /* not after "--" */
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
		print_usage(stderr);
		return 2;
	}
	if (o->automatic)
		(void)lib_option(o, "--auto", "", o->report || o->list ? "=remedies" : "");
	if (o->explain && (o->generates || (o->dump && strcmp(o->dump, "plan") != 0)))
		return usage_error("nothing is transformed, so there is no page for", o->explain);
	bool two = o->report && o->format == PTXCCC_JSON && !o->report_to && !o->list &&
		(!o->out || strcmp(o->out, "-") == 0);
	if (two)
		fputs("ptxccc: JSON and the result cannot both go to standard output: say -o FILE, or --report=FILE.json\n",
			stderr);
	return two ? 2 : 0;
}
