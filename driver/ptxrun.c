/* SPDX-License-Identifier: MIT */
/* ptxrun: the command line of the SIMT emulator. See docs/ptxrun.1.
 *
 * One kernel, one launch; or a whole program (program.c); or --check, which runs nothing. Buffers
 * are filled, passed by address, and their hashes printed at the end. With --seeds=N the launch is
 * repeated under N random schedules, each from the same start, and all must leave the same memory.
 * Exit status: 0 all well, 1 a check failed or schedules differ, 2 usage, input, or an instruction
 * that is not supported.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/console.h"
#include "driver/args.h"
#include "driver/rt/progress.h"
#include "driver/rt/suppress.h"
#include "driver/kernels.h"
#include "driver/profiles.h"
#include "driver/program.h"
#include "simt/advice.h"
#include "simt/simt.h"
#include "commit.h"

const char program_name[] = "ptxrun";

enum { MAX_ARGS = 64, MAX_SHAPES = 32 };

typedef struct {
	const char *file, *kernel;
	Arg args[MAX_ARGS]; uint32_t nargs;
	Sim_launch launch;
	uint32_t shapes[MAX_SHAPES][3], nshapes;
	uint64_t seeds, dump;
	const char *save;
	bool counts, quiet, check, advice;
	const char *profile;    /* file for how often cuts were come to; NULL: none */
	Profile cuts;
	Sim_lines_of lines;
	bool by_lost;
	Program program;
} Options;

static int
fail(const char *what, const char *arg)
{
	fprintf(stderr, "ptxrun: %s '%s'\nTry 'ptxrun --help'.\n", what, arg ? arg : "");
	return 2;
}

/* ---- options --------------------------------------------------------------------------------- */

static const char help[] =
	"usage: ptxrun module.ptx KERNEL [options]\n"
	"       ptxrun --check module.ptx [KERNEL]\n"
	"       ptxrun [options] -- PROGRAM [ARGUMENTS]\n"
	"Runs a kernel of a PTX module, or a whole CUDA program, on the CPU, warp by warp, and checks what its lanes do\n"
	"to each other.\n\n"
	"  --check            run nothing; report each statement of the module's kernels, or of one, that is not supported\n"
	"  --grid X[,Y,Z]     blocks (1)\n"
	"  --block X[,Y,Z]    threads of a block (32); given several times: one launch after the other, each from the same start\n"
	"  --shared N         bytes of dynamic shared memory\n"
	"  --cooperative      all blocks run at once and may wait for each other, as cudaLaunchCooperativeKernel has it\n"
	"  --arg TYPE:VALUE   next argument: u32:5 s32:-1 u64:7 s64:7 u16:1 u8:1 f32:1.5 f64:2; parts of a struct one by one\n"
	"  --arg buf:BYTES[:FILL]  a buffer in global memory; its words: zero, index[:STEP], fill:V, rand[:SEED], mod:M[:SEED] (random\n"
	"                     below M), real[:SEED], real64[:SEED] (small integers as f32, f64),\n"
	"                     file:PATH (its first bytes), none (nobody wrote it)\n"
	"  --sched=WHICH      ipdom (default): lanes meet again where their ways do; random: any lanes go next\n"
	"  --seed=N           of --sched=random\n"
	"  --seeds=N          then also N random schedules, which must leave the same memory\n"
	"  --threads=N        blocks are run by so many threads where they have nothing to do with each other (as many as the\n"
	"                     machine has processors); what comes out is the same\n"
	"  --keep-going       a fault ends its block only, not the launch nor the program; no schedule is left out\n"
	"  --exit-status=program  exit as the program does, whatever the checks find\n"
	"  --suppress=FILE    reports that are not wanted, a line each: race or unwritten, kernel, file:line (man ptxrun)\n"
	"  --limit=N          give up after N warp instructions\n"
	"  --no-unwritten     reading what nobody wrote is no fault\n"
	"  --no-races         do not look for data races\n"
	"  --strict-races     report also races that are counted only: writers that agree, strong accesses beside weak ones\n"
	"  --counts           print warp and thread instructions, warp execution efficiency, divergent branches, bank conflicts,\n"
	"                     sectors of global memory\n"
	"  --counts=FILE      of a program: more of it to a file, a line for each kernel, fields parted by tabs\n"
	"  --lines[=WHICH]    the same by line of source, as a table: ptx, cuda (lines that .loc names), or both if not given\n"
	"  --sort=WHAT        of --lines: warp (default), warp instructions; lost, lanes that diverged from the warp\n"
	"  --advice           which branches and loops are worth an annotation, and which: by what they cost, and with how many lanes\n"
	"  --profile=FILE     write a profile: how often lanes came to the annotated paths and inner loops of code that is not\n"
	"                     transformed (docs/profiles.md)\n"
	"  --dump=N           print the first N words of each buffer\n"
	"  --save=PREFIX      write each buffer to PREFIX followed by the argument's number\n"
	"  --quiet            print no hashes\n"
	"  --module FILE      PTX of a program that has none in it\n"
	"  --arch N           what a program's device is: 90 (default) for sm_90; the newest PTX up to that is taken\n"
	"  --sms N            its multiprocessors (1)\n"
	"  --version, --help\n";

static bool
take_number(uint64_t *to, const char *s)
{
	return arg_number(to, s, UINT64_MAX);
}

/* The value of option name, from "name=value" or the next argument; NULL: it is another option. */
static const char *
value_of(const char *name, char **argv, int *i)
{
	size_t n = strlen(name);
	if (strncmp(argv[*i], name, n))
		return NULL;
	if (argv[*i][n] == '=')
		return argv[*i] + n + 1;
	if (argv[*i][n])
		return NULL;
	return argv[*i + 1] ? argv[++*i] : "";
}

static bool
take_flag(Options *o, const char *arg)
{
	if (!strcmp(arg, "--no-races"))
		o->launch.races = false;
	else if (!strcmp(arg, "--no-unwritten"))
		o->launch.unwritten = true;
	else if (!strcmp(arg, "--keep-going"))
		o->launch.keep_going = true;
	else if (!strcmp(arg, "--cooperative"))
		o->launch.cooperative = true;
	else if (!strcmp(arg, "--strict-races"))
		o->launch.strict = true;
	else if (!strcmp(arg, "--counts"))
		o->counts = true;
	else if (!strcmp(arg, "--lines"))
		o->launch.lines = true;
	else if (!strcmp(arg, "--advice"))
		o->advice = o->launch.lines = true;
	else if (!strcmp(arg, "--quiet"))
		o->quiet = true;
	else if (!strcmp(arg, "--check"))
		o->check = true;
	else
		return false;
	return true;
}

static bool
take_sched(Options *o, const char *v)
{
	o->launch.sched = !strcmp(v, "random") ? SCHED_RANDOM : SCHED_IPDOM;
	return !strcmp(v, "random") || !strcmp(v, "ipdom");
}

static bool
take_lines(Options *o, const char *v)
{
	o->launch.lines = true;
	o->lines = !strcmp(v, "cuda") ? LINES_CUDA : LINES_PTX;
	return !strcmp(v, "cuda") || !strcmp(v, "ptx");
}

static bool
take_sort(Options *o, const char *v)
{
	o->by_lost = !strcmp(v, "lost");
	return o->by_lost || !strcmp(v, "warp");
}

/* A wrong file is said here, whoever reads it again. */
static bool
take_suppress(Options *o, const char *v)
{
	Buf wrong = {0};
	suppress_free(o->launch.silences);
	o->program.suppress = v;
	o->launch.silences = *v ? suppress_read(v, &wrong) : NULL;
	o->launch.silent = suppress_fits;
	if (wrong.n)
		fprintf(stderr, "ptxrun: %s\n", wrong.at);
	buf_free(&wrong);
	return o->launch.silences || !*v;
}

static int
parse_option(Options *o, char **argv, int *i)
{
	const char *v, *arg = argv[*i];
	uint64_t n = 0;
	bool ok = true;
	if (take_flag(o, arg))
		return 0;
	if ((v = value_of("--module", argv, i)))
		o->program.module = v;
	else if ((v = value_of("--arch", argv, i)))
		ok = arg_number(&o->program.arch, v + (strncmp(v, "sm_", 3) ? 0 : 3), 999) &&
			o->program.arch >= 50;
	else if ((v = value_of("--sms", argv, i)))
		ok = arg_number(&o->program.sms, v, 1024) && o->program.sms;
	else if ((v = value_of("--counts", argv, i)))
		o->program.counts_file = v;
	else if ((v = value_of("--grid", argv, i)))
		ok = arg_dims(o->launch.grid, v);
	else if ((v = value_of("--block", argv, i)))
		ok = o->nshapes < MAX_SHAPES && arg_dims(o->shapes[o->nshapes++], v);
	else if ((v = value_of("--shared", argv, i)))
		ok = arg_number(&n, v, SIM_MOST_SHARED), o->launch.shared = (uint32_t)n;
	else if ((v = value_of("--arg", argv, i)))
		ok = o->nargs < MAX_ARGS && arg_parse(&o->args[o->nargs++], v);
	else if ((v = value_of("--sched", argv, i)))
		ok = take_sched(o, v);
	else if ((v = value_of("--seeds", argv, i)))
		ok = take_number(&o->seeds, v);
	else if ((v = value_of("--seed", argv, i)))
		ok = take_number(&o->launch.seed, v);
	else if ((v = value_of("--threads", argv, i)))
		ok = arg_number(&n, v, 256) && n, o->launch.threads = (uint32_t)n;
	else if ((v = value_of("--limit", argv, i)))
		ok = take_number(&o->launch.limit, v);
	else if ((v = value_of("--exit-status", argv, i)))
		ok = o->program.own_status = !strcmp(v, "program");
	else if ((v = value_of("--suppress", argv, i)))
		ok = take_suppress(o, v);
	else if ((v = value_of("--profile", argv, i)))
		o->profile = v;
	else if ((v = value_of("--save", argv, i)))
		o->save = v;
	else if ((v = value_of("--lines", argv, i)))
		ok = take_lines(o, v);
	else if ((v = value_of("--sort", argv, i)))
		ok = take_sort(o, v);
	else if ((v = value_of("--dump", argv, i)))
		ok = take_number(&o->dump, v);
	else
		return fail("unknown option", arg);
	if (!*v)
		return fail("no value for", arg);
	return ok ? 0 : fail("cannot use the value of", arg);
}

/* What stands in front of "--" is for the program behind it. */
static int
run_program(Options *o, char **argv)
{
	const uint32_t *g = o->launch.grid;
	bool grid = g[0] != 1 || g[1] != 1 || g[2] != 1;
	bool kernel = o->nargs || o->nshapes || grid || o->launch.shared || o->file;
	if (kernel || o->save || o->dump || o->check || !argv[0])
		return fail(argv[0] ? "an option or file of one kernel in front of" :
				      "no program behind",
			argv[0] ? argv[0] : "--");
	o->program.launch = o->launch;
	o->program.launch.traffic = o->program.counts_file || o->launch.lines;
	o->program.lines = o->lines;
	o->program.by_lost = o->by_lost;
	o->program.seeds = o->seeds;
	o->program.counts = o->counts;
	o->program.profile = o->profile;
	o->program.advice = o->advice;
	return program_run(&o->program, argv);
}

static int
parse_words(Options *o, int argc, char **argv)
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
			return fail("what is", argv[i]);
		if (status)
			return status;
	}
	return 0;
}

static int
parse_options(Options *o, int argc, char **argv)
{
	int status = parse_words(o, argc, argv);
	if (status)
		return status;
	if (!o->nshapes)
		memcpy(o->shapes[o->nshapes++], o->launch.block, sizeof o->launch.block);
	for (uint32_t i = 0; i < o->nshapes; i++)
		if ((uint64_t)o->shapes[i][0] * o->shapes[i][1] * o->shapes[i][2] > 1024)
			return fail("more than 1024 threads in", "--block");
	const uint32_t *g = o->launch.grid;
	if (o->launch.cooperative && (uint64_t)g[0] * g[1] * g[2] > SIM_MOST_TOGETHER)
		return fail("more blocks than can run together in", "--grid");
	o->launch.traffic = o->counts || o->launch.lines;
	if (o->program.module || o->program.counts_file || o->program.arch || o->program.sms ||
		o->program.own_status)
		return fail("an option of programs, and no program behind", "--");
	return o->kernel || (o->check && o->file) ? 0 : fail("no module or no kernel", o->file);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Places and fills the buffers. False after a message. */
static bool
make_buffers(Options *o, Sim *s)
{
	for (uint32_t i = 0; i < o->nargs; i++) {
		Arg *a = &o->args[i];
		if (!a->buffer)
			continue;
		a->bits =
			(arg_unwritten(a) ? sim_alloc_unwritten : sim_alloc)(s, a->bytes, a->label);
		const char *why = "there is not so much memory";
		if (a->bits)
			why = arg_fill(a, sim_bytes(s, a->bits, a->bytes));
		if (why) {
			fprintf(stderr, "ptxrun: cannot make '%s': %s\n", a->label, why);
			return false;
		}
	}
	return true;
}

/* Lays the arguments out as the kernel's parameters. False after a message. */
static bool
lay_out(const Options *o, const Sim_kernel *k, uint8_t *params)
{
	uint32_t n = sim_nparams(k);
	Arg_place *places = calloc(n + 1, sizeof *places);
	const char *why = places ? NULL : "out of memory for";
	for (uint32_t i = 0; i < n && places; i++)
		sim_param(k, i, &places[i].offset, &places[i].size);
	if (!why)
		why = args_place(o->args, o->nargs, places, n, params);
	if (why)
		fail(why, o->kernel);
	free(places);
	return !why;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void
print_buffers(const Options *o, Sim *s)
{
	for (uint32_t i = 0; i < o->nargs; i++) {
		const Arg *a = &o->args[i];
		if (!a->buffer)
			continue;
		const uint8_t *p = sim_bytes(s, a->bits, a->bytes);
		printf("arg %u: %s: %016llx\n", i + 1, a->label,
			(unsigned long long)arg_hash(p, a->bytes));
		for (uint64_t k = 0; k < o->dump && 4 * k + 4 <= a->bytes; k++) {
			uint32_t v;
			memcpy(&v, p + 4 * k, 4);
			printf("%s%08x", k % 8 ? " " : k ? "\n  " : "  ", v);
		}
		if (o->dump)
			putchar('\n');
	}
}

/* False, after a message for each that could not be written. */
static bool
save_buffers(const Options *o, Sim *s)
{
	bool ok = true;
	for (uint32_t i = 0; i < o->nargs && o->save; i++) {
		const Arg *a = &o->args[i];
		Buf name = { 0 };
		const char *why;
		buf_printf(&name, "%s%u", o->save, i + 1);
		const void *bytes = a->buffer ? sim_bytes(s, a->bits, a->bytes) : NULL;
		if (bytes && !source_write(name.at, bytes, a->bytes, &why)) {
			fprintf(stderr, "ptxrun: cannot write '%s': %s\n", name.at, why);
			ok = false;
		}
		buf_free(&name);
	}
	return ok;
}

static void
print_numbers(const Options *o, const Sim *s, const Sim_counts *c)
{
	Buf out = {0};
	if (o->counts)
		sim_counts_print(c, &out);
	if (o->advice)
		sim_advice(s, &out);
	else if (o->launch.lines)
		sim_lines_print(s, o->lines, o->by_lost, &out);
	if (out.n)
		fwrite(out.at, 1, out.n, stdout);
	buf_free(&out);
}

/* The launch, with a word about it on the terminal; its exit status. */
static int
launch(Options *o, Sim *s, Sim_kernel *k, Buf *out, Sim_counts *counts)
{
	Progress p;
	o->launch.tick = progress_tick;
	o->launch.user = &p;
	progress_begin(&p, o->kernel);
	bool good = sim_launch(s, k, &o->launch, out, counts);
	return progress_end(&p) ? 128 + SIGINT : !good;
}

/* One run from a fresh start. The hash of all buffers goes to *sum. */
static int
run_once(Options *o, const Module *m, bool print, uint64_t *sum)
{
	Sim *s = sim_new(m);
	Buf out = {0}, text = {0};
	Sim_counts counts;
	int status = 2;
	if (o->profile && print)
		sim_count_cuts(s);
	Sim_kernel *k = sim_kernel(s, o->kernel, &out);
	if (k) {
		uint8_t *params = calloc(1, sim_param_bytes(k) + 16);
		o->launch.params = params;
		o->launch.text = print ? &text : NULL;
		if (params && make_buffers(o, s) && lay_out(o, k, params))
			status = launch(o, s, k, &out, &counts);
		if (text.n)
			fwrite(text.at, 1, text.n, stdout);
		if (print && status != 2 && !o->quiet)
			print_buffers(o, s);
		if (print && status != 2)
			print_numbers(o, s, &counts);
		if (print && status != 2 && !save_buffers(o, s))
			status = 2;
		*sum = 0;
		for (uint32_t i = 0; i < o->nargs && status != 2; i++)
			if (o->args[i].buffer)
				*sum = *sum * 31 +
					arg_hash(sim_bytes(s, o->args[i].bits, o->args[i].bytes),
						o->args[i].bytes);
		free(params);
	}
	if (out.n) {
		fflush(stdout);
		fputs(out.at, stderr);
	}
	buf_free(&text);
	buf_free(&out);
	if (o->profile && print)
		sim_profile(s, &o->cuts);
	sim_free(s);
	return status;
}

/* One block shape: the first run, and --seeds others. */
static int
run_shape(Options *o, const Module *m)
{
	Sched sched = o->launch.sched;
	uint64_t first, sum, seed0 = o->launch.seed;
	int status = run_once(o, m, true, &first), failed;
	for (uint64_t seed = 1; seed <= o->seeds && status < 2; seed++) {
		if (status && !o->launch.keep_going)
			break;
		o->launch.sched = SCHED_RANDOM;
		o->launch.seed = seed;
		failed = run_once(o, m, false, &sum);
		status = failed ? failed : status;
		if (failed)
			fprintf(stderr, "ptxrun: with --sched=random --seed=%llu\n",
				(unsigned long long)seed);
		else if (sum != first) {
			fprintf(stderr,
				"ptxrun: error: --sched=random --seed=%llu leaves other memory\n",
				(unsigned long long)seed);
			status = 1;
		}
	}
	o->launch.sched = sched;
	o->launch.seed = seed0;
	return status;
}

static int
run_all(Options *o, const Module *m)
{
	int status = 0;
	for (uint32_t i = 0; i < o->nshapes && status != 2; i++) {
		const uint32_t *b = memcpy(o->launch.block, o->shapes[i], sizeof o->launch.block);
		if (o->nshapes > 1)
			printf("block %u, %u, %u\n", b[0], b[1], b[2]);
		int r = run_shape(o, m);
		if (r && o->nshapes > 1)
			fprintf(stderr, "ptxrun: with --block %u,%u,%u\n", b[0], b[1], b[2]);
		status = r > status ? r : status;
	}
	return status;
}

/* All runs, with a profile of the first of each block shape. */
static int
run_and_profile(Options *o, const Module *m)
{
	if (!o->profile)
		return run_all(o, m);
	o->cuts = profile_new();
	int status = run_all(o, m);
	if (status != 2 && profiles_write(&o->cuts, o->profile))
		status = 2;
	profile_release(&o->cuts);
	return status;
}

/* --check: decodes the kernels. */
static int
check_module(const Options *o, const Module *m)
{
	Sim *s = sim_new(m);
	Buf out = {0};
	uint32_t kernels = 0, good = 0;
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		char name[4096];
		snprintf(name, sizeof name, "%.*s", PTX_NAME(m, m->funcs[i].sym));
		if (!m->funcs[i].entry || !m->funcs[i].body ||
			(o->kernel && strcmp(name, o->kernel)))
			continue;
		kernels++;
		good += sim_kernel(s, name, &out) != NULL;
	}
	if (out.n)
		fputs(out.at, stderr);
	printf("%s: %u of %u kernels can run\n", o->file, good, kernels);
	int status = out.n ? 2 : 0;
	buf_free(&out);
	sim_free(s);
	return status;
}

static int
run(int argc, char **argv)
{
	static Options o;
	Source src;
	const char *why;
	int dashes = 1;
	while (dashes < argc && strcmp(argv[dashes], "--"))
		dashes++;
	for (int i = 1; i < dashes; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--version")) {
			fputs(argv[i][2] == 'h' ? help : "ptxrun " VERSION COMMIT "\n", stdout);
			return 0;
		}
	if (dashes < argc) {
		argv[dashes] = NULL; /* no option takes it for its value */
		int bad = parse_words(&o, dashes, argv);
		return bad ? bad : run_program(&o, argv + dashes + 1);
	}
	int status = parse_options(&o, argc, argv);
	bool asked = o.kernel != NULL;
	if (status)
		return status;
	if (!source_read(&src, o.file, &why)) {
		fprintf(stderr, "ptxrun: cannot read '%s': %s\n", o.file, why);
		return 2;
	}
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	diags_print(d, stderr);
	Arena *a = arena_new();
	if (m && o.kernel)
		o.kernel = kernel_choose(m, o.kernel, a);
	status = !m || (asked && !o.kernel) ? 2 :
		o.check               ? check_module(&o, m) :
					run_and_profile(&o, m);
	arena_free(a);
	suppress_free(o.launch.silences);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return status;
}

int
main(int argc, char **argv)
{
	console_open();
	int status = run(argc, argv);
	return console_flush(stdout) ? status : 2;
}
