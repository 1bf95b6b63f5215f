/* SPDX-License-Identifier: MIT */
/* Runs a program with the emulator's CUDA runtime instead of NVIDIA's, and sums up the runtime's
 * report.
 *
 * The program is a child process, because ptxrun needs its exit status after the last launch.
 * The loader finds the runtime by LD_LIBRARY_PATH, which takes precedence over the system's
 * folders and a RUNPATH in the program, but not over an RPATH. A preloaded library
 * (driver/preload/statics.c) replaces a runtime that is linked into the program or named by an
 * RPATH. A signal that terminates ptxrun is forwarded to the program, and ptxrun then exits as
 * if the program had ended by itself. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/console.h"
#include "base/exec.h"
#include "base/heap.h"
#include "base/temporary.h"
#include "driver/profiles.h"
#include "driver/program.h"
#include "driver/run_report.h"

static int
print_failure(const char *what, const char *name)
{
	fprintf(stderr, "ptxrun: %s '%s': %s\n", what, name, strerror(errno));
	return 2;
}

/* ---- the child ------------------------------------------------------------------------------- */

/* Gets the runtime's folder: ../lib/ptxrun relative to this program's folder. */
static bool
runtime_folder(char *to, size_t n)
{
	ssize_t got = readlink("/proc/self/exe", to, n - 1);
	if (got <= 0)
		return false;
	to[got] = 0;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(to, '/');
		if (!slash)
			return false;
		*slash = 0;
	}
	static const char lib[] = "/lib/ptxrun", name[] = "/libcudart.so.13";
	size_t at = strlen(to);
	if (at + sizeof lib + sizeof name > n)
		return false;
	strcat(strcpy(to + at, lib), name);
	bool there = access(to, R_OK) == 0;
	to[at + sizeof lib - 1] = 0;
	return there;
}

/* Makes a path absolute, because the program may change its working directory before it opens
 * the file. */
static const char *
whole_path(const char *path, char *to, size_t n)
{
	char here[PATH_MAX] = "";
	if (access(path, R_OK) || (*path != '/' && !getcwd(here, sizeof here)))
		return NULL;
	int len = *path == '/' ? snprintf(to, n, "%s", path) : snprintf(to, n, "%s/%s", here, path);
	return len > 0 && (size_t)len < n ? to : NULL;
}

static void
set_number(const char *name, uint64_t v)
{
	char text[32];
	snprintf(text, sizeof text, "%" PRIu64, v);
	setenv(name, text, 1);
}

/* Sets up the loader: LD_LIBRARY_PATH starts with the runtime's folder; the library that
 * replaces statically linked runtimes is preloaded, after others, because sanitizers must be
 * first. */
static void
set_loader(const char *folder)
{
	const char *path = getenv("LD_LIBRARY_PATH"), *preload = getenv("LD_PRELOAD");
	Buf b = {0};
	buf_printf(&b, "%s%s%s", folder, path && *path ? ":" : "", path ? path : "");
	setenv("LD_LIBRARY_PATH", b.at, 1);
	b.n = 0;
	buf_printf(&b, "%s%s%s/libstatics.so", preload ? preload : "",
		preload && *preload ? ":" : "", folder);
	setenv("LD_PRELOAD", b.at, 1);
	buf_free(&b);
}

/* Sets the variables that driver/rt/runtime.c reads. */
static void
set_environment(const Program *p, const char *report)
{
	setenv("PTXRUN_REPORT", report, 1);
	setenv("CUDA_FORCE_PTX_JIT", "1", 1); /* ptxccc-run loads no machine code, then */
	setenv("PTXRUN_RACES", p->launch.strict ? "strict" : p->launch.races ? "yes" : "no", 1);
	setenv("PTXRUN_TRAFFIC", p->launch.traffic ? "yes" : "no", 1);
	setenv("PTXRUN_UNWRITTEN", p->launch.unwritten ? "yes" : "no", 1);
	setenv("PTXRUN_PROMISES", p->no_promises ? "no" : "yes", 1);
	if (p->html)
		setenv("PTXRUN_COSTS", "yes", 1);
	if (p->table || p->advice) {
		setenv("PTXRUN_LINES",
			p->advice                      ? "advice" :
			p->lines == LINES_PTX          ? "ptx" :
				p->lines == LINES_CUDA ? "cuda" :
							 "both",
			1);
		setenv("PTXRUN_SORT", p->by_lost ? "lost" : "warp", 1);
	}
	setenv("PTXRUN_KEEP_GOING", p->launch.keep_going ? "yes" : "no", 1);
	if (p->suppress)
		setenv("PTXRUN_SUPPRESS", p->suppress, 1);
	set_number("PTXRUN_LIMIT", p->launch.limit);
	set_number("PTXRUN_THREADS", p->launch.threads);
	if (p->ptxas)
		setenv("PTXRUN_PTXAS", p->ptxas, 1);
	if (p->module)
		setenv("PTXRUN_MODULE", p->module, 1);
	if (p->arch)
		set_number("PTXRUN_ARCH", p->arch);
	if (p->sms)
		set_number("PTXRUN_SMS", p->sms);
}

/* Sets the variables for the order of the warps. */
static void
set_schedule(Sched sched, uint64_t seed)
{
	setenv("PTXRUN_SCHED", sched == SCHED_RANDOM ? "random" : "ipdom", 1);
	set_number("PTXRUN_SEED", seed);
}

/* Signals that stay blocked while there is a report to remove. */
typedef struct {
	sigset_t taken, before;
	int ends;               /* the signal that terminates ptxrun; 0 if none */
} Signals;

static void
signals_block(Signals *s)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction usual = { .sa_handler = SIG_DFL }, was;
	s->ends = 0;
	sigaction(SIGCHLD, &usual, NULL);
	sigemptyset(&s->taken);
	sigaddset(&s->taken, SIGCHLD);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
		if (!sigaction(ends[k], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaddset(&s->taken, ends[k]);
	sigprocmask(SIG_BLOCK, &s->taken, &s->before);
}

/* Waits for the child and forwards signals. Signals from the terminal are not forwarded, because
 * the child receives them, too. */
static int
wait_for(Signals *s, pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, WNOHANG) == 0) {
		siginfo_t info;
		int sig = sigwaitinfo(&s->taken, &info);
		if (sig <= 0 || sig == SIGCHLD)
			continue;
		s->ends = sig;
		if (info.si_code <= 0)
			kill(child, sig);
	}
	return status;
}

enum { NOT_RUN = 127 };

/* Runs the child and returns its exit status as a shell would. */
static int
run_child(Signals *s, bool quiet, char **argv)
{
	pid_t parent = getpid();
	fflush(NULL);
	pid_t child = fork();
	if (child < 0)
		return print_failure("cannot start", argv[0]);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_SETMASK, &s->before, NULL);
		if (getppid() != parent || (quiet && !freopen("/dev/null", "w", stdout)))
			_exit(NOT_RUN);
		exec_program(argv);
		print_failure("cannot run", argv[0]);
		_exit(NOT_RUN);
	}
	int status = wait_for(s, child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Prints the requested tables after a run and returns ptxrun's exit status. found: receives what
 * was run, or NULL. */
static int
print_summary(const Program *p, Run_report *found, int report, int status)
{
	const bool tables = found != NULL;
	Run_report r = {0};
	run_report_read(&r, report);
	if (!r.started && status == NOT_RUN)
		return 2;
	if (r.notes.n)
		fputs(r.notes.at, stderr);
	if (!r.started && !r.notes.n && !status)
		fputs("ptxrun: the program did not use the CUDA runtime or driver interface, or what "
		      "it uses is in a library without symbols, or linked statically\n",
			stderr);
	if (!r.started)
		status = status ? status : 2;
	if (p->counts && tables && r.started)
		run_report_table(&r, p->sms);
	if ((p->counts || p->counts_file) && p->advice && tables && r.started)
		fputs("ptxrun: note: with --advice, code that counts brings lanes together, so the counts differ from those of the program: to compare builds, run --counts alone\n",
			stderr);
	if (tables && r.lines.n)
		fputs(r.lines.at, stderr);
	if (tables && !console_flush(stderr))
		status = 2;
	if (p->counts_file && tables && r.started && run_report_write(&r, p->counts_file))
		status = 2;
	if (p->html && tables && r.started && costs_write(&r.costs, p->name, p->html))
		status = 2;
	if (r.faults)
		fprintf(stderr, "ptxrun: faults found: %" PRIu64 "\n", r.faults);
	if (tables && !p->quiet)
		run_report_versions(&r);
	if (tables)
		run_report_race_hints(&r);
	status = !status && r.faults && !p->own_status ? 1 : status;
	if (found)
		*found = (Run_report){ .launches = r.launches,
			.faults = r.faults,
			.promised = r.promised };
	run_report_free(&r);
	return status;
}

/* Runs under a random schedule; the report is open as fd. */
static int
run_seed(const Program *p, Signals *signals, int fd, char **argv)
{
	if (signals->ends)
		return 128 + signals->ends;
	if (ftruncate(fd, 0))
		return print_failure("cannot write", getenv("PTXRUN_REPORT"));
	return print_summary(p, NULL, fd, run_child(signals, true, argv));
}

/* Executes the first run and those under random schedules. Signals are blocked. */
static int
run_seeds(const Program *p, Signals *signals, int fd, char **argv)
{
	Run_report first = {0};
	int status = print_summary(p, &first, fd, run_child(signals, false, argv));
	if (p->profile && (unsetenv("PTXRUN_PROFILE") || profiles_settle(p->profile)))
		status = 2;
	for (uint64_t seed = 1; seed <= p->seeds; seed++) {
		if (signals->ends || (status && !p->launch.keep_going))
			break;
		set_schedule(SCHED_RANDOM, seed);
		int failed = run_seed(p, signals, fd, argv);
		status = status ? status : failed;
		if (failed && !signals->ends)
			fprintf(stderr,
				"ptxrun: error: with --sched=random --seed=%" PRIu64
				" the program fails\n",
				seed);
	}
	if (!status && !first.faults && !signals->ends && !p->quiet)
		run_report_checked(&(Run_checked){ first.launches, p->seeds, first.promised,
			p->suppress != NULL, "no faults (outputs are not compared)" });
	return status;
}

/* The report is in a separate folder, because the program and its children open it by name. */
static int
run_with_report(const Program *p, const char *folder, char **argv)
{
	Signals signals;
	Buf report = {0};
	signals_block(&signals);
	char *own = temporary_folder("ptxrun");
	if (!own) {
		perror("ptxrun: cannot make a temporary folder");
		return 2;
	}
	buf_printf(&report, "%s/report", own);
	int fd = open(report.at, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int status = 2;
	if (fd < 0) {
		print_failure("cannot make", report.at);
	} else {
		set_loader(folder);
		set_environment(p, report.at);
		set_schedule(p->launch.sched, p->launch.seed);
		if (p->profile)
			setenv("PTXRUN_PROFILE", p->profile, 1);
		status = run_seeds(p, &signals, fd, argv);
		close(fd);
	}
	temporary_remove(own);
	buf_free(&report);
	xfree(own);
	return status;
}

int
program_run(const Program *p, char **argv)
{
	char folder[PATH_MAX], module[PATH_MAX], profile[PATH_MAX], suppress[PATH_MAX];
	Program q = *p;
	q.name = argv[0];
	if (getenv("PTXRUN_REPORT"))
		fprintf(stderr,
			"ptxrun: warning: another ptxrun runs this one and sees none of the launches of '%s': leave out one of the two\n",
			argv[0]);
	if (!runtime_folder(folder, sizeof folder)) {
		fputs("ptxrun: its lib/ptxrun/libcudart.so.13 is missing: build with 'make', or install again\n",
			stderr);
		return 2;
	}
	if (p->module && !(q.module = whole_path(p->module, module, sizeof module)))
		return print_failure("cannot read", p->module);
	if (p->suppress && !(q.suppress = whole_path(p->suppress, suppress, sizeof suppress)))
		return print_failure("cannot read", p->suppress);
	if (p->profile && (profiles_begin(p->profile) ||
		!(q.profile = whole_path(p->profile, profile, sizeof profile))))
		return 2;
	return run_with_report(&q, folder, argv);
}
