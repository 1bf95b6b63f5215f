/* SPDX-License-Identifier: MIT */
/* ptxrun: the command line of the SIMT emulator. See docs/ptxrun.1.
 *
 * Launches one kernel, runs a whole program (program.c), or checks a module without running it
 * (--check). For a single launch, buffers are filled and passed by address, and their hashes are
 * printed at the end. With --seeds=N the launch is repeated under N random schedules from the
 * same initial state, and all must leave the same memory contents. Exit status: 0 success; 1 a
 * check failed or schedules differ; 2 usage error, invalid input or unsupported instruction. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/console.h"
#include "driver/kernels.h"
#include "driver/profiles.h"
#include "driver/ptxrun_options.h"
#include "driver/run_report.h"
#include "driver/rt/advice.h"
#include "driver/rt/progress.h"
#include "driver/rt/suppress.h"
#include "driver/rt/toolkit.h"
#include "commit.h"

const char program_name[] = "ptxrun";

/* ---- memory ---------------------------------------------------------------------------------- */

/* Allocates and fills the buffers. Returns false after printing a message. */
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

/* Writes the arguments into the kernel's parameter block. Returns false after printing a
 * message. */
static bool
lay_out_arguments(const Options *o, const Module *m, const Sim_kernel *k, uint8_t *params)
{
	uint32_t n = sim_nparams(k);
	Arg_place *places = calloc(n + 1, sizeof *places);
	const char *why = places ? NULL : "out of memory for";
	for (uint32_t i = 0; i < n && places; i++)
		sim_param(k, i, &places[i].offset, &places[i].size);
	if (!why)
		why = args_lay_out(o->args, o->nargs, places, n, params);
	if (why) {
		options_fail(why, o->kernel);
		kernel_list_params(m, o->kernel);
	}
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

/* Returns false after printing a message for each buffer that cannot be written. */
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
	if (o->counts)
		run_report_task_loop(o->kernel, c, o->program.sms);
	if (o->advice)
		advice_of_executed(&o->layers, s, o->file, &out);
	else if (o->table)
		sim_lines_print(s, o->lines, o->by_lost, &out);
	if (out.n)
		fwrite(out.at, 1, out.n, stdout);
	buf_free(&out);
}

/* Launches with progress on the terminal; returns the exit status. */
static int
run_launch(Options *o, Sim *s, Sim_kernel *k, Buf *out, Sim_counts *counts)
{
	Progress p;
	o->launch.tick = progress_tick;
	o->launch.user = &p;
	progress_begin(&p, o->kernel);
	bool good = sim_launch(s, k, &o->launch, out, counts);
	return progress_end(&p) ? 128 + SIGINT : !good;
}

static Sim *
make_sim(const Options *o, const Module *m, bool print)
{
	Sim *s = sim_new(m);
	if (o->layers.m)
		sim_reconverge_as(s, o->layers.of, o->layers.origin);
	if (o->listing.n)
		sim_listing(s, o->listing.at);
	if ((o->profile || o->advice) && print)
		sim_count_profile_points(s);
	if (!o->program.no_promises)
		sim_check_promises(s);
	return s;
}

/* Runs once from a fresh state. *sum receives the hash of all buffers. The simulator of a run that
 * prints nothing stays in o->silent, so that the next one need not decode the kernel. */
static int
run_once(Options *o, const Module *m, bool print, uint64_t *sum)
{
	Sim *s = print ? NULL : o->silent;
	if (s && !sim_restart(s)) {
		sim_free(s);
		s = NULL;
	}
	if (!s)
		s = make_sim(o, m, print);
	Buf out = {0}, text = {0};
	Sim_counts counts;
	int status = 2;
	Sim_kernel *k = sim_kernel(s, o->kernel, &out);
	if (k) {
		uint8_t *params = calloc(1, sim_param_bytes(k) + 16);
		o->launch.params = params;
		o->launch.text = print ? &text : NULL;
		if (params && make_buffers(o, s) && lay_out_arguments(o, m, k, params))
			status = run_launch(o, s, k, &out, &counts);
		if (text.n)
			fwrite(text.at, 1, text.n, stdout);
		if (print && status != 2 && !o->program.quiet)
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
		sim_profile(s, &o->points);
	if (print)
		o->promised = sim_promised_loops(s);
	if (o->html && print)
		costs_add(&o->costs, s, o->file);
	if (print)
		sim_free(s);
	else
		o->silent = s;
	return status;
}

/* Runs one block shape: the first run and the --seeds runs. */
static int
run_shape(Options *o, const Module *m)
{
	uint64_t first, sum;
	int status = run_once(o, m, true, &first), failed;
	const Sim_launch once = o->launch;
	o->launch.sched = SCHED_RANDOM;
	o->launch.lines = o->launch.traffic = false; /* only the first run is counted */
	for (uint64_t seed = 1; seed <= o->seeds && status < 2; seed++) {
		if (status && !o->launch.keep_going)
			break;
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
	o->launch = once;
	if (!status && !o->program.quiet)
		run_report_checked(&(Run_checked){ 1, o->seeds, o->promised,
			o->launch.silences != NULL, "equal memory, no faults" });
	return status;
}

static int
run_shapes(Options *o, const Module *m)
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

/* Gets the machine code of the module if it is to be counted and is available. */
static void
take_machine_code(Options *o, const Module *m)
{
	Buf why = {0};
	if (!o->program.ptxas)
		return;
	if (!toolkit_listing(o->program.ptxas, m->src, m->target, &o->listing, &why)) {
		fprintf(stderr, "ptxrun: warning: %s: rules count the instructions\n", why.at);
		o->listing.n = 0;
	}
	buf_free(&why);
}

/* Executes all runs. Writes profile and page from the first run of each block shape. */
static int
run_and_write(Options *o, const Module *m)
{
	if (o->profile)
		o->points = profile_new();
	take_machine_code(o, m);
	int status = run_shapes(o, m);
	sim_free(o->silent);
	buf_free(&o->listing);
	if (o->profile && status != 2 && profiles_write(&o->points, o->profile))
		status = 2;
	if (o->profile)
		profile_release(&o->points);
	if (o->html && status != 2 && costs_write(&o->costs, o->kernel, o->html))
		status = 2;
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

/* Options before "--" apply to the program after it. */
static int
run_program(Options *o, char **argv)
{
	const uint32_t *g = o->launch.grid;
	bool grid = g[0] != 1 || g[1] != 1 || g[2] != 1;
	bool kernel = o->nargs || o->nshapes || grid || o->launch.shared || o->file;
	if (kernel || o->save || o->dump || o->check || !argv[0])
		return options_fail(argv[0] ? "an option or file of a single kernel before" :
				      "no program after",
			argv[0] ? argv[0] : "--");
	o->program.launch = o->launch;
	o->program.launch.traffic = o->program.counts_file || o->launch.lines;
	o->program.table = o->table;
	o->program.html = o->html;
	o->program.lines = o->lines;
	o->program.by_lost = o->by_lost;
	o->program.seeds = o->seeds;
	o->program.counts = o->counts;
	o->program.profile = o->profile;
	o->program.advice = o->advice;
	return program_run(&o->program, argv);
}

/* Runs the kernel. With --advice, and with --profile if the module has no annotations, the
 * candidates of functions without annotations are counted. */
static int
run_module(Options *o, const Module *m)
{
	if (o->advice || (o->profile && m->nmarkers <= 1))
		auto_layers_make(m, NULL, &o->layers);
	int status = run_and_write(o, o->layers.m ? o->layers.m : m);
	auto_layers_release(&o->layers);
	return status;
}

static int
run_command(int argc, char **argv)
{
	static Options o;
	Source src;
	const char *why;
	int dashes = 1;
	while (dashes < argc && strcmp(argv[dashes], "--"))
		dashes++;
	for (int i = 1; i < dashes; i++)
		if (!strcmp(argv[i], "--help")) {
			options_usage(stdout);
			return 0;
		} else if (!strcmp(argv[i], "--version")) {
			puts("ptxrun " VERSION COMMIT);
			return 0;
		}
	if (dashes < argc) {
		argv[dashes] = NULL; /* so that no option takes it as its value */
		int bad = options_words(&o, dashes, argv);
		return bad ? bad : run_program(&o, argv + dashes + 1);
	}
	int status = options_parse(&o, argc, argv);
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
					run_module(&o, m);
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
	int status = run_command(argc, argv);
	return console_flush(stdout) ? status : 2;
}
