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

const char options_help[] =
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
	"  --html=FILE        the same as a page: the sources with, at each line, what it costs and how many lanes are on\n"
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
		o->table = o->launch.lines = true;
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
	o->table = o->launch.lines = true;
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
	else if ((v = value_of("--html", argv, i)))
		o->html = v, o->launch.lines = true;
	else if ((v = value_of("--sort", argv, i)))
		ok = take_sort(o, v);
	else if ((v = value_of("--dump", argv, i)))
		ok = take_number(&o->dump, v);
	else
		return options_fail("unknown option", arg);
	if (!*v)
		return options_fail("no value for", arg);
	return ok ? 0 : options_fail("cannot use the value of", arg);
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
			return options_fail("what is", argv[i]);
		if (status)
			return status;
	}
	return 0;
}

int
options_parse(Options *o, int argc, char **argv)
{
	int status = options_words(o, argc, argv);
	if (status)
		return status;
	if (!o->nshapes)
		memcpy(o->shapes[o->nshapes++], o->launch.block, sizeof o->launch.block);
	for (uint32_t i = 0; i < o->nshapes; i++)
		if ((uint64_t)o->shapes[i][0] * o->shapes[i][1] * o->shapes[i][2] > 1024)
			return options_fail("more than 1024 threads in", "--block");
	const uint32_t *g = o->launch.grid;
	if (o->launch.cooperative && (uint64_t)g[0] * g[1] * g[2] > SIM_MOST_TOGETHER)
		return options_fail("more blocks than can run together in", "--grid");
	o->launch.traffic = o->counts || o->launch.lines;
	if (o->program.module || o->program.counts_file || o->program.arch || o->program.sms ||
		o->program.own_status)
		return options_fail("an option of programs, and no program behind", "--");
	return o->kernel || (o->check && o->file) ? 0 : options_fail("no module or no kernel", o->file);
}
