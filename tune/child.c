/* SPDX-License-Identifier: MIT */
/* Runs commands, each in its own process group. ^C and terminating signals are forwarded to a
 * command and all its descendants. ccc-tune adopts orphans and waits for all of them before it
 * ends itself; the measurements are already in the cache by then. */
#define _GNU_SOURCE /* prctl's constants */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/exec.h"
#include "tune/tune.h"

static volatile sig_atomic_t running, interrupted;

static void
forward_signal(int signal)
{
	interrupted = signal;
	if (running > 0)
		kill((pid_t)-running, SIGTERM);
}

void
child_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction a = { .sa_handler = forward_signal }, was;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&a.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaction(signals[i], &a, NULL);
}

int
child_interrupted(void)
{
	return interrupted;
}

/* Opens a file as a standard stream of the child. */
static void
open_stream(const char *path, int flags, int fd)
{
	int from = path ? open(path, flags, 0666) : -1;

	if (path && from < 0)
		_exit(126);
	if (path && from != fd) {
		dup2(from, fd);
		close(from);
	}
}

static void
exec_child(const Child *c)
{
	char shell[] = "sh", option[] = "-c";
	char *argv[] = { shell, option, NULL, NULL };

	setpgid(0, 0);
	for (const char *const *e = c->env; e && *e; e += 2)
		setenv(e[0], e[1], 1);
	open_stream("/dev/null", O_RDONLY, 0);
	open_stream(c->out, O_WRONLY | O_CREAT | O_TRUNC, 1);
	open_stream(c->err, O_WRONLY | O_CREAT | O_APPEND, 2);
	if (c->argv) {
		exec_program(c->argv);
	} else {
		size_t n = strlen(c->command) + 1;
		argv[2] = malloc(n);
		if (argv[2])
			execv("/bin/sh", memcpy(argv[2], c->command, n) ? argv : argv);
	}
	dprintf(2, "ccc-tune: cannot run '%s': %s\n", c->argv ? c->argv[0] : "sh", strerror(errno));
	_exit(127);
}

Exit_status
child_end(const Child *c)
{
	int status = 0;
	pid_t pid;

	if (interrupted)
		return (Exit_status){ .signal = interrupted };
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exec_child(c);
	if (pid < 0)
		return (Exit_status){ .code = 127 };
	setpgid(pid, pid);
	running = (sig_atomic_t)pid;
	if (interrupted)
		kill(-pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	while (interrupted && (waitpid(-pid, NULL, 0) > 0 || errno == EINTR))
		;
	running = 0;
	return WIFSIGNALED(status) ? (Exit_status){ .signal = WTERMSIG(status) } :
				     (Exit_status){ .code = WEXITSTATUS(status) };
}
