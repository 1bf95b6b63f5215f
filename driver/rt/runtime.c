/* SPDX-License-Identifier: MIT */
/* The state of the process, initialised at the first call from the environment that ptxrun sets:
 *
 *	PTXRUN_SCHED=ipdom|random  PTXRUN_SEED=N  PTXRUN_LIMIT=N  PTXRUN_RACES=no|yes|strict
 *	PTXRUN_THREADS=N           host threads that run blocks (1)
 *	PTXRUN_PROMISES=no         do not check what annotations promise
 *	PTXRUN_UNWRITTEN=yes       uninitialised reads are not faults
 *	PTXRUN_KEEP_GOING=yes      a fault ends only its block, and is not an error to the program
 *	PTXRUN_SUPPRESS=FILE       suppressed reports: suppress.c
 *	PTXRUN_TRAFFIC=yes         count memory traffic, too
 *	PTXRUN_LINES=both|ptx|cuda|advice   count by line, and write tables at the end;
 *	PTXRUN_SORT=warp|lost      their order
 *	PTXRUN_ARCH=90             the device's architecture, and the newest PTX to use
 *	PTXRUN_SMS=N               its number of multiprocessors
 *	PTXRUN_MODULE=k.ptx        kernels that the program did not register are looked up here
 *	                           by the names of their functions
 *	PTXRUN_PTXAS=COMMAND       assembles each module to count its machine instructions
 *	PTXRUN_PROFILE=FILE        append the execution counts at the end
 *	PTXRUN_REPORT=FILE         append one line per launch
 *
 * The report is written launch by launch, so that it is complete however the program ends. Child
 * processes of the program append to the same file. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/console.h"
#include "driver/rt/advice.h"
#include "driver/rt/rt.h"
#include "driver/rt/report.h"
#include "driver/rt/suppress.h"

const char program_name[] = "ptxrun"; /* the prefix of messages, not the user's program */

/* A library has no other place for its state. */
static Runtime runtime = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
rt_say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("ptxrun: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

bool
rt_read(Source *src, const char *file, const char **why)
{
	return source_read(src, file, why);
}

void rt_read_release(Source *src) { source_release(src); }

static uint64_t
number_from_environment(const char *name, uint64_t none)
{
	const char *v = getenv(name);
	return v && *v ? strtoull(v, NULL, 10) : none;
}

static bool
option_is(const char *name, const char *value)
{
	const char *v = getenv(name);
	return v && !strcmp(v, value);
}

/* Gets the program's file name, for messages. */
static void
name_of_program(char *to, size_t n)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	char path[512] = "program";
	size_t got = f ? fread(path, 1, sizeof path - 1, f) : 0;
	if (got)
		path[got] = 0;
	if (f)
		fclose(f);
	const char *slash = strrchr(path, '/');
	snprintf(to, n, "%s", slash ? slash + 1 : path);
}

/* An empty module owns the memory, so that memory can be allocated before a kernel is loaded. */
static Sim *
empty_sim(Runtime *rt)
{
	static const char text[] = ".version 7.0\n.target sm_52\n.address_size 64\n";
	source_from(&rt->empty, "<none>", text, sizeof text - 1);
	return sim_new(ptx_parse(&rt->empty, diags_new(&rt->empty)));
}

/* ptxrun has already checked the file. */
static void
start_suppressions(Runtime *rt)
{
	const char *file = getenv("PTXRUN_SUPPRESS");
	Buf wrong = {0};
	rt->defaults.silences = file ? suppress_read(file, &wrong) : NULL;
	rt->defaults.silent = rt->defaults.silences ? suppress_fits : NULL;
	if (wrong.n)
		rt_say("%s", wrong.at);
	buf_free(&wrong);
}

static void
start_runtime(Runtime *rt)
{
	rt->ready = true;
	rt->defaults = (Sim_launch){ .sched = option_is("PTXRUN_SCHED", "random") ? SCHED_RANDOM :
										    SCHED_IPDOM,
		.seed = number_from_environment("PTXRUN_SEED", 0),
		.limit = number_from_environment("PTXRUN_LIMIT", 0),
		.threads = (uint32_t)number_from_environment("PTXRUN_THREADS", 1),
		.races = !option_is("PTXRUN_RACES", "no"),
		.strict = option_is("PTXRUN_RACES", "strict"),
		.traffic = option_is("PTXRUN_TRAFFIC", "yes"),
		.unwritten = option_is("PTXRUN_UNWRITTEN", "yes"),
		.keep_going = option_is("PTXRUN_KEEP_GOING", "yes"),
		.lines = getenv("PTXRUN_LINES") || getenv("PTXRUN_COSTS") };
	start_suppressions(rt);
	rt->arch_given = number_from_environment("PTXRUN_ARCH", 0) != 0;
	rt->arch = (uint32_t)number_from_environment("PTXRUN_ARCH", 90);
	rt->sms = (int)number_from_environment("PTXRUN_SMS", 1);
	rt->defaults.sms = (uint32_t)rt->sms;
	rt->report = getenv("PTXRUN_REPORT");
	rt->promises = !option_is("PTXRUN_PROMISES", "no");
	rt->profile = getenv("PTXRUN_PROFILE");
	rt->ptxas = getenv("PTXRUN_PTXAS");
	rt->advice = option_is("PTXRUN_LINES", "advice");
	name_of_program(rt->program, sizeof rt->program);
	rt->memory = empty_sim(rt);
	const char *module = getenv("PTXRUN_MODULE");
	if (module) {
		Binary *b = xmalloc(sizeof *b);
		*b = (Binary){ .file = module };
		*vec_push(&rt->binaries) = b;
	}
	rt_report(rt, NULL, NULL);
}

Runtime *
rt_enter(void)
{
	pthread_mutex_lock(&runtime.lock);
	if (!runtime.ready)
		start_runtime(&runtime);
	return &runtime;
}

cudaError_t
rt_unlock(Runtime *rt, cudaError_t e)
{
	if (rt->sticky)
		e = rt->sticky;
	pthread_mutex_unlock(&rt->lock);
	return e;
}

static void
report_launch(FILE *to, const Function *f, const Sim_counts *c)
{
	fprintf(to, "launch\t%s\t%llx", f->shown, (unsigned long long)f->binary->hash);
#define X(counter) fprintf(to, "\t%llu", (unsigned long long)c->counter);
	REPORT_COUNTERS(X)
#undef X
	fputc('\n', to);
}

/* Opens the report that ptxrun created; does not create it, because ptxrun may have ended. */
static FILE *
open_report(const Runtime *rt)
{
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int fd = rt->report ? open(rt->report, flags) : -1;
	return fd >= 0 ? fdopen(fd, "a") : NULL;
}

void
rt_report(const Runtime *rt, const Function *f, const Sim_counts *c)
{
	FILE *to = open_report(rt);
	if (!to)
		return;
	if (f) {
		report_launch(to, f, c);
		if (f->versions_of)
			fprintf(to, "version\t%s\t%d\n", f->versions_of, f->transformed);
	} else {
		fputs("start\n", to);
	}
	fclose(to);
}

void
rt_report_races(const Runtime *rt, const char *found)
{
	static const char race[] = ": error: race: ", line[] = "\n    CUDA line ";
	uint32_t n = 0, lines = 0;
	for (const char *s = found; (s = strstr(s, race)); n++) {
		s += sizeof race - 1;
		const char *end = strstr(s, ": error: "), *at = strstr(s, line);
		lines += at && (!end || at < end);
	}
	FILE *to = n ? open_report(rt) : NULL;
	if (!to)
		return;
	fprintf(to, "races\t%u\t%u\n", n, lines);
	fclose(to);
}

/* Returns the file that has a module: the program, a library or a PTX file; NULL: unknown. */
static const char *
file_of_module(const Binary *b)
{
	Dl_info of;

	if (b->file)
		return b->file;
	if (!b->fatbin || !dladdr(b->fatbin, &of))
		return NULL;
	return strchr(of.dli_fname, '/') ? of.dli_fname : "/proc/self/exe";
}

/* Writes a module's table, each line preceded by "line" and a tab. */
static void
report_lines(FILE *to, const Runtime *rt, const Binary *b)
{
	Buf out = {0};
	if (rt->advice)
		advice_of_executed(&b->layers, b->sim, file_of_module(b), &out);
	else
		sim_lines_print(b->sim,
		option_is("PTXRUN_LINES", "ptx")          ? LINES_PTX :
			option_is("PTXRUN_LINES", "cuda") ? LINES_CUDA :
							    LINES_BOTH,
		option_is("PTXRUN_SORT", "lost"), &out);
	for (char *line = out.at, *end; out.n && *line; line = end + 1) {
		end = strchr(line, '\n');
		fprintf(to, "line\t%.*s\n", (int)(end - line), line);
	}
	buf_free(&out);
}

/* Writes the costs of each CUDA line of a module. The file name is empty for code without line
 * information. */
static void
report_costs(FILE *to, const Sim *s)
{
	Sim_line *lines;
	uint32_t n = sim_lines(s, LINES_CUDA, &lines);

	for (uint32_t i = 0; i < n; i++) {
		const Sim_counts *c = &lines[i].counts;
		fprintf(to, "cost\t%u\t%llu\t%llu\t%llu\t%llu\t%s\n", lines[i].line,
			(unsigned long long)c->warp_insts, (unsigned long long)c->thread_insts,
			(unsigned long long)c->global_requests,
			(unsigned long long)c->global_sectors,
			lines[i].file ? lines[i].file : "");
	}
	xfree(lines);
}

/* Writes the results of a module: what was checked, and counts by line. */
static void
report_module(FILE *to, const Runtime *rt, const Binary *b)
{
	if (sim_promised_loops(b->sim))
		fprintf(to, "promises\t%u\n", sim_promised_loops(b->sim));
	if (getenv("PTXRUN_LINES"))
		report_lines(to, rt, b);
	if (getenv("PTXRUN_COSTS"))
		report_costs(to, b->sim);
}

/* Writes with a single call, because parent and child processes may append to the same file. */
static void
write_profile(const Runtime *rt)
{
	Profile p = profile_new();
	Buf out = {0};
	for (uint32_t i = 0; i < rt->binaries.n; i++)
		if (rt->binaries.at[i]->sim)
			sim_profile(rt->binaries.at[i]->sim, &p);
	profile_write(&p, &out);
	FILE *to = p.records.n ? fopen(rt->profile, "a") : NULL;
	if (to && (setvbuf(to, NULL, _IOFBF, out.n + 1), fwrite(out.at, 1, out.n, to) != out.n))
		rt_say("cannot write '%s'", rt->profile);
	if (to)
		fclose(to);
	buf_free(&out);
	profile_release(&p);
}

void
rt_end(const Runtime *rt)
{
	if (rt->ready && rt->profile)
		write_profile(rt);
	FILE *to = rt->ready ? open_report(rt) : NULL;
	for (uint32_t i = 0; to && i < rt->binaries.n; i++)
		if (rt->binaries.at[i]->sim)
			report_module(to, rt, rt->binaries.at[i]);
	if (to)
		fclose(to);
}

__attribute__((destructor)) static void at_end(void) { rt_end(&runtime); }
