/* SPDX-License-Identifier: MIT */
/* ptxrun's command line. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "driver/rt/suppress.h"
#include "driver/ptxrun_options.h"

int
options_fail(const char *what, const char *arg)
{
	fprintf(stderr, "ptxrun: %s '%s'\nTry 'ptxrun --help'.\n", what, arg ? arg : "");
	return 2;
}

/* ---- the options, each with what it does ----------------------------------------------------- */

static bool
take_number(uint64_t *to, const char *v)
{
	return arg_number(to, v, UINT64_MAX);
}

static bool take_check(Options *o, const char *v) { (void)v; return o->check = true; }
static bool take_grid(Options *o, const char *v) { return arg_dims(o->launch.grid, v); }
static bool
take_block(Options *o, const char *v)
{
	return o->nshapes < MAX_SHAPES && arg_dims(o->shapes[o->nshapes++], v);
}

static bool
take_shared(Options *o, const char *v)
{
	uint64_t n = 0;
	bool ok = arg_number(&n, v, SIM_MOST_SHARED);
	o->launch.shared = (uint32_t)n;
	return ok;
}

static bool
take_cooperative(Options *o, const char *v)
{
	(void)v;
	return o->launch.cooperative = true;
}

static bool
take_arg(Options *o, const char *v)
{
	return o->nargs < MAX_ARGS && arg_parse(&o->args[o->nargs++], v);
}

static bool
take_sched(Options *o, const char *v)
{
	o->launch.sched = !strcmp(v, "random") ? SCHED_RANDOM : SCHED_IPDOM;
	return !strcmp(v, "random") || !strcmp(v, "ipdom");
}

static bool take_seed(Options *o, const char *v) { return take_number(&o->launch.seed, v); }
static bool take_seeds(Options *o, const char *v) { return take_number(&o->seeds, v); }
static bool
take_threads(Options *o, const char *v)
{
	uint64_t n = 0;
	bool ok = arg_number(&n, v, 256) && n;
	o->launch.threads = (uint32_t)n;
	return ok;
}

static bool
take_keep_going(Options *o, const char *v)
{
	(void)v;
	return o->launch.keep_going = true;
}

static bool
take_exit_status(Options *o, const char *v)
{
	return o->program.own_status = !strcmp(v, "program");
}

/* Reports errors in the file here, even if another process reads it again. */
static bool
take_suppress(Options *o, const char *v)
{
	Buf wrong = {0};
	suppress_free(o->launch.silences);
	o->program.suppress = v;
	o->launch.silences = suppress_read(v, &wrong);
	o->launch.silent = suppress_fits;
	if (wrong.n)
		fprintf(stderr, "ptxrun: %s\n", wrong.at);
	buf_free(&wrong);
	return o->launch.silences;
}

static bool take_limit(Options *o, const char *v) { return take_number(&o->launch.limit, v); }
static bool
take_no_unwritten(Options *o, const char *v)
{
	(void)v;
	return o->launch.unwritten = true;
}

static bool take_no_races(Options *o, const char *v) { (void)v; return !(o->launch.races = false); }
static bool take_strict(Options *o, const char *v) { (void)v; return o->launch.strict = true; }
static bool
take_no_promises(Options *o, const char *v)
{
	(void)v;
	return o->program.no_promises = true;
}

static bool take_counts(Options *o, const char *v) { (void)v; return o->counts = true; }
static bool
take_ptxas(Options *o, const char *v)
{
	o->program.ptxas = v ? v : "ptxas";
	return true;
}

static bool take_counts_file(Options *o, const char *v) { o->program.counts_file = v; return true; }
static bool
take_lines(Options *o, const char *v)
{
	o->table = o->launch.lines = true;
	if (v)
		o->lines = !strcmp(v, "cuda") ? LINES_CUDA : LINES_PTX;
	return !v || !strcmp(v, "cuda") || !strcmp(v, "ptx");
}

static bool
take_sort(Options *o, const char *v)
{
	o->by_lost = !strcmp(v, "lost");
	return o->by_lost || !strcmp(v, "warp");
}

static bool take_html(Options *o, const char *v) { o->html = v; return o->launch.lines = true; }
static bool
take_advice(Options *o, const char *v)
{
	(void)v;
	return o->advice = o->launch.lines = true;
}

static bool take_profile(Options *o, const char *v) { o->profile = v; return true; }
static bool take_dump(Options *o, const char *v) { return take_number(&o->dump, v); }
static bool take_save(Options *o, const char *v) { o->save = v; return true; }
static bool take_quiet(Options *o, const char *v) { (void)v; return o->program.quiet = true; }
static bool take_module(Options *o, const char *v) { o->program.module = v; return true; }
static bool
take_arch(Options *o, const char *v)
{
	return arg_number(&o->program.arch, v + (strncmp(v, "sm_", 3) ? 0 : 3), 999) &&
		o->program.arch >= 50;
}

static bool
take_sms(Options *o, const char *v)
{
	return arg_number(&o->program.sms, v, 1024) && o->program.sms;
}

/* An option as --help shows it. The name ends at the first of " =["; what follows tells how it
 * takes a value: " X" or "=X": either may be written; "[=X]": optional; "": none. An option with
 * two rows has the row without a value first. take returns false if the value is invalid. */
static const struct {
	const char *shown;
	bool (*take)(Options *o, const char *value);
	const char *help;
} options[] = {
	{ "--check", take_check,
		"run nothing; report each statement of the module's kernels, or of one, that is not supported" },
	{ "--grid X[,Y,Z]", take_grid,
		"blocks (1)" },
	{ "--block X[,Y,Z]", take_block,
		"threads of a block (32); given several times: one launch after the other, each from the same start" },
	{ "--shared N", take_shared,
		"bytes of dynamic shared memory" },
	{ "--cooperative", take_cooperative,
		"cooperative launch: all blocks are resident and may wait for each other" },
	{ "--arg TYPE:VALUE", take_arg,
		"next argument: u32:5 s32:-1 u64:7 s64:7 u16:1 u8:1 f32:1.5 f64:2; parts of a struct one by one" },
	{ "--arg buf:BYTES[:FILL]", take_arg,
		"a buffer in global memory; its words: zero, index[:STEP], fill:V, rand[:SEED], mod:M[:SEED] (random\n"
		"below M), real[:SEED], real64[:SEED] (small integers as f32, f64),\n"
		"file:PATH (its first bytes), none (uninitialised)" },
	{ "--sched=WHICH", take_sched,
		"ipdom (default): lanes reconverge at the post-dominator; random: any active lanes may run next" },
	{ "--seed=N", take_seed,
		"seed of --sched=random" },
	{ "--seeds=N", take_seeds,
		"run N random schedules as well; they must leave the same memory" },
	{ "--threads=N", take_threads,
		"CPU threads that run independent blocks (default: one for each processor); results do not\n"
		"depend on it" },
	{ "--keep-going", take_keep_going,
		"a fault ends only its block, not the launch or the program; all schedules are run" },
	{ "--exit-status=program", take_exit_status,
		"exit with the program's status, whatever the checks find" },
	{ "--suppress=FILE", take_suppress,
		"reports to suppress, one on a line: race, promise or unwritten, kernel, file:line (man ptxrun)" },
	{ "--limit=N", take_limit,
		"give up after N warp instructions" },
	{ "--no-unwritten", take_no_unwritten,
		"uninitialised reads are no fault" },
	{ "--no-races", take_no_races,
		"do not check for data races" },
	{ "--strict-races", take_strict,
		"also report races that are otherwise only counted: equal values written, strong accesses with weak ones" },
	{ "--no-promises", take_no_promises,
		"do not check that iterations of annotated loops are independent, as '#pragma ccc for' promises" },
	{ "--counts", take_counts,
		"print warp and thread instructions, warp execution efficiency, divergent branches, bank conflicts,\n"
		"sectors of global memory" },
	{ "--counts=FILE", take_counts_file,
		"for a program: write more counts to FILE, a line for each kernel, tab-separated" },
	{ "--ptxas[=COMMAND]", take_ptxas,
		"count the instructions of the machine code that ptxas makes, instead of estimating them by rules" },
	{ "--lines[=WHICH]", take_lines,
		"the same for each source line, as a table: ptx, cuda (lines that .loc names), or both (default)" },
	{ "--sort=WHAT", take_sort,
		"order of --lines: warp (default) by warp instructions, lost by lanes lost to divergence" },
	{ "--html=FILE", take_html,
		"the same as a page: the sources, with the cost and the active lanes of each line" },
	{ "--advice", take_advice,
		"suggest annotations for branches and loops, by their cost and their active lanes" },
	{ "--profile=FILE", take_profile,
		"write a profile: execution counts of the annotated paths and inner loops of untransformed code\n"
		"(docs/profiles.md)" },
	{ "--dump=N", take_dump,
		"print the first N words of each buffer" },
	{ "--save=PREFIX", take_save,
		"write each buffer to PREFIX followed by the argument's number" },
	{ "--quiet", take_quiet,
		"print no hashes, nor what was checked" },
	{ "--module FILE", take_module,
		"PTX for a program that contains none" },
	{ "--arch N", take_arch,
		"architecture of the emulated GPU: 90 (default) for sm_90; the newest PTX up to that is used" },
	{ "--sms N", take_sms,
		"multiprocessors of the emulated GPU (1)" },
};

/* Column of the help text; wider rows have two spaces before it. */
enum { HELP_COLUMN = 21 };

static void
print_option(FILE *to, const char *option, const char *help)
{
	int used = fprintf(to, "  %s", option);
	int blanks = used < HELP_COLUMN ? HELP_COLUMN - used : 2;
	for (size_t n; *help; help += n + (help[n] != '\0'), blanks = HELP_COLUMN) {
		n = strcspn(help, "\n");
		fprintf(to, "%*s%.*s\n", blanks, "", (int)n, help);
	}
}

void
options_usage(FILE *to)
{
	fputs("usage: ptxrun module.ptx KERNEL [options]\n"
		"       ptxrun --check module.ptx [KERNEL]\n"
		"       ptxrun [options] -- PROGRAM [ARGUMENTS]\n"
		"Runs a kernel of a PTX module, or a whole CUDA program, on the CPU, warp by warp, and checks what its lanes do\n"
		"to each other.\n\n",
		to);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		print_option(to, options[i].shown, options[i].help);
	fputs("  --version, --help\n", to);
}

/* Parses the option at argv[*i], and the next word if that is its value. Returns 0 or the exit
 * status. */
static int
parse_option(Options *o, char **argv, int *i)
{
	const char *arg = argv[*i];
	for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
		size_t n = strcspn(options[k].shown, " =[");
		char takes = options[k].shown[n];
		const char *value = NULL;
		if (strncmp(arg, options[k].shown, n) || (arg[n] && (arg[n] != '=' || !takes)))
			continue;
		if (arg[n])
			value = arg + n + 1;
		else if (takes == ' ' || takes == '=')
			value = argv[*i + 1] ? argv[++*i] : "";
		if (value && !*value)
			return options_fail("no value for", arg);
		return options[k].take(o, value) ? 0 : options_fail("cannot use the value of", arg);
	}
	return options_fail("unknown option", arg);
}

int
options_words(Options *o, int argc, char **argv)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	o->launch = (Sim_launch){ .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .races = true,
		.threads = processors > 0 ? (uint32_t)processors : 1 };
	for (int i = 1; i < argc; i++) {
		int status = 0;
		if (argv[i][0] == '-' && argv[i][1])
			status = parse_option(o, argv, &i);
		else if (!o->file)
			o->file = argv[i];
		else if (!o->kernel)
			o->kernel = argv[i];
		else
			return options_fail("unexpected argument", argv[i]);
		if (status)
			return status;
	}
	return 0;
}

/* Whether the file is an executable or a script, by its first bytes. */
static bool
is_program(const char *file)
{
	char start[4] = "";
	FILE *f = fopen(file, "rb");
	size_t n = f ? fread(start, 1, sizeof start, f) : 0;
	if (f)
		fclose(f);
	return (n == 4 && !memcmp(start, "\177ELF", 4)) || (n > 1 && !memcmp(start, "#!", 2));
}

/* Says how to run a file that is no PTX. Returns 0 if it may be PTX. */
static int
check_file(const char *file)
{
	size_t n = file ? strlen(file) : 0;
	if (n > 3 && !strcmp(file + n - 3, ".cu"))
		fprintf(stderr,
			"ptxrun: '%s' is CUDA source; compile it, and run the program: "
			"cccnvcc -o prog %s && ptxrun -- ./prog\n",
			file, file);
	else if (n && is_program(file))
		fprintf(stderr, "ptxrun: '%s' is a program; run it with: ptxrun -- %s%s\n", file,
			strchr(file, '/') ? "" : "./", file);
	else
		return 0;
	return 2;
}

int
options_parse(Options *o, int argc, char **argv)
{
	int status = options_words(o, argc, argv);
	if (check_file(o->file) || status)
		return 2;
	if (!o->nshapes)
		memcpy(o->shapes[o->nshapes++], o->launch.block, sizeof o->launch.block);
	for (uint32_t i = 0; i < o->nshapes; i++)
		if ((uint64_t)o->shapes[i][0] * o->shapes[i][1] * o->shapes[i][2] > 1024)
			return options_fail("more than 1024 threads in", "--block");
	const uint32_t *g = o->launch.grid;
	if (o->launch.cooperative && (uint64_t)g[0] * g[1] * g[2] > SIM_MAX_CONCURRENT)
		return options_fail("more blocks than can run together in", "--grid");
	o->launch.traffic = o->counts || o->launch.lines;
	o->launch.sms = (uint32_t)o->program.sms;
	if (o->program.module || o->program.counts_file || o->program.arch ||
		o->program.own_status)
		return options_fail("an option of programs, and no program behind", "--");
	if (!o->file)
		return options_fail("name a module and a kernel, or a program after", "--");
	return o->kernel || o->check ? 0 : options_fail("no kernel is named of", o->file);
}
