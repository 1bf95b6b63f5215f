/* SPDX-License-Identifier: MIT */
/* Runs nvcc in its own temporary folder. See hook.h.
 *
 * A signal ends nvcc but not the programs that it runs, and leaves its temporary files. This
 * process therefore adopts orphans, forwards signals to all of its descendants, waits until they
 * have ended, and removes the folder. Only descendants in its own process group get the signal,
 * as for ^C: a server that one of them has started keeps running, and keeps its folder. */
#define _GNU_SOURCE /* prctl's constants */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "annotate/assembled.h"
#include "annotate/child.h"
#include "annotate/files.h"
#include "annotate/hook.h"
#include "annotate/patch.h"
#include "base/console.h"
#include "base/heap.h"
#include "base/temporary.h"
#include "base/vec.h"

typedef struct { pid_t pid, parent, group; bool ours; } Process;
typedef VEC(Process) Processes;
typedef VEC(pid_t) Process_ids;

/* ---- descendants ----------------------------------------------------------------------------- */

/* Reads the entry of a process that has not ended. */
static bool
read_process(const char *pid, Process *p)
{
	char path[64], text[512], state;
	int parent, group;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	FILE *f = isdigit((unsigned char)*pid) ? fopen(path, "r") : NULL;
	if (!f)
		return false;
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	const char *name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %c %d %d", &state, &parent, &group) != 3)
		return false;
	*p = (Process){ .pid = atoi(pid), .parent = parent, .group = group };
	return state != 'Z' && state != 'X';
}

static bool
is_parent_ours(const Processes *all, pid_t parent)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->at[i].pid == parent)
			return all->at[i].ours;
	return parent == getpid();
}

/* Lists the system's processes and marks the descendants of this one. */
static Processes
read_processes(void)
{
	Processes all = { 0 };
	DIR *d = opendir("/proc");
	Process p;

	for (struct dirent *e; d && (e = readdir(d));)
		if (read_process(e->d_name, &p) && p.pid != getpid())
			*vec_push(&all) = p;
	if (d)
		closedir(d);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < all.n; i++)
			if (!all.at[i].ours && is_parent_ours(&all, all.at[i].parent))
				more = all.at[i].ours = true;
	}
	return all;
}

/* Sends sig to each descendant in the process group that is not yet in told. Returns whether the
 * group has any descendant. */
static bool
signal_descendants(int sig, Process_ids *told)
{
	Processes all = read_processes();
	bool any = false;

	for (uint32_t i = 0; i < all.n; i++) {
		const Process *p = &all.at[i];
		uint32_t k = 0;
		if (!p->ours || p->group != getpgrp())
			continue;
		any = true;
		while (k < told->n && told->at[k] != p->pid)
			k++;
		if (k < told->n)
			continue;
		*vec_push(told) = p->pid;
		kill(p->pid, sig);
	}
	vec_free(&all);
	return any;
}

/* Whether a descendant is in another process group. */
static bool
descendant_is_detached(void)
{
	Processes all = { 0 };
	bool any = false;
	pid_t ended;

	while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	if (ended == 0) /* there are children */
		all = read_processes();
	for (uint32_t i = 0; i < all.n; i++)
		any |= all.at[i].ours && all.at[i].group != getpgrp();
	vec_free(&all);
	return any;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct { sigset_t taken, before; } Signals;

static void
block_signals(Signals *s)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction usual = { .sa_handler = SIG_DFL }, was;

	sigaction(SIGCHLD, &usual, NULL);
	sigemptyset(&s->taken);
	sigaddset(&s->taken, SIGCHLD);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
		if (sigaction(ends[k], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaddset(&s->taken, ends[k]);
	sigprocmask(SIG_BLOCK, &s->taken, &s->before);
}

/* as: argv[0] of the program, NULL for its path. */
static pid_t
start_nvcc(char **argv, char *as, const Signals *s)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	if (getppid() != parent)
		_exit(127);
	char *program = argv[0];
	if (as) {
		argv[0] = as;
		execv(program, argv);
		argv[0] = program;
	}
	_exit(child_become(argv));
}

/* Waits for nvcc and, after a terminating signal, for all processes that nvcc has started. */
static Ended
wait_for(pid_t nvcc, const Signals *s)
{
	const struct timespec soon = { .tv_nsec = 5000000 };
	bool runs = true;
	int told_to_end = 0, status = 0, some;
	Process_ids told = { 0 };

	for (;;) {
		for (pid_t p; (p = waitpid(-1, &some, WNOHANG)) > 0;)
			if (p == nvcc)
				runs = false, status = some;
		bool others = told_to_end && signal_descendants(told_to_end, &told);
		if (!runs && !others)
			break;
		int sig = told_to_end ? sigtimedwait(&s->taken, NULL, &soon) :
					sigwaitinfo(&s->taken, NULL);
		if (sig > 0 && sig != SIGCHLD)
			told_to_end = sig, told.n = 0;
	}
	vec_free(&told);
	return told_to_end ? (Ended){ .signal = told_to_end } :
		WIFSIGNALED(status) ? (Ended){ .signal = WTERMSIG(status) } :
				      (Ended){ .code = WEXITSTATUS(status) };
}

/* ---- the patch ------------------------------------------------------------------------------- */

/* Prints the patch of the annotations that the build advised. Returns an exit status. */
static int
print_patch(const char *records)
{
	Patch_fixes fixes = { 0 };
	Arena *a = arena_new();
	Buf text = { 0 }, patch = { 0 };

	file_read_and_remove(records, &text);
	patch_read(text.n ? text.at : "", a, &fixes);
	patch_write(&fixes, &patch);
	patch_print_table(&fixes);
	fwrite(patch.n ? patch.at : "", 1, patch.n, stdout);
	vec_free(&fixes);
	buf_free(&text);
	buf_free(&patch);
	arena_free(a);
	return console_flush(stdout) ? 0 : 2;
}

int
hook_nvcc(int argc, char **argv)
{
	char *as = NULL, records[4096] = "";
	bool fixes = false;
	Signals s;

	for (; argc > 1 && strcmp(argv[1], "--") != 0; argc--, argv++) {
		if (strncmp(argv[1], "--as=", 5) == 0)
			as = argv[1] + 5;
		else if (strcmp(argv[1], "--fixes") == 0)
			fixes = !getenv("CCC_FIXES"); /* else ccc-tune makes the patch */
		else
			break;
	}
	if (argc < 3 || strcmp(argv[1], "--") != 0) {
		fputs("ccc-annotate: --nvcc -- command: the command is missing\n", stderr);
		return 2;
	}
	block_signals(&s);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	char *folder = temporary_folder("cccnvcc");
	if (folder) /* else nvcc reports what is wrong with TMPDIR */
		setenv("TMPDIR", folder, 1), setenv(ASSEMBLED_FOLDER, folder, 1);
	if (fixes && folder) {
		snprintf(records, sizeof records, "%s/fixes", folder);
		setenv("CCC_FIXES", records, 1);
	}
	pid_t nvcc = start_nvcc(argv + 2, as, &s);
	if (nvcc < 0)
		fprintf(stderr, "cccnvcc: error: cannot start '%s': %s\n", argv[2],
			strerror(errno));
	Ended e = nvcc < 0 ? (Ended){ .code = 2 } : wait_for(nvcc, &s);
	if (*records && !e.code && !e.signal)
		e.code = print_patch(records);
	if (folder && !descendant_is_detached())
		temporary_remove(folder);
	xfree(folder);
	sigprocmask(SIG_SETMASK, &s.before, NULL);
	return child_status(e);
}
