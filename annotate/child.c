/* SPDX-License-Identifier: MIT */
/* Runs a program from the hook. See child.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "annotate/child.h"
#include "annotate/files.h"
#include "base/exec.h"
#include "base/heap.h"

extern char **environ;

/* State that the signal handler needs. */
static volatile sig_atomic_t running;           /* process id of the child; 0 if none runs */
static volatile sig_atomic_t told_to_end;
static struct sigaction sigpipe;                /* the original action */
static bool sigpipe_ignored;
static const char *volatile temporaries[10];
enum { TEMPORARIES = sizeof temporaries / sizeof *temporaries };

/* Removes all temporaries in reverse order, because a folder was added before its files. */
static void
remove_temporaries(void)
{
	for (int i = TEMPORARIES; i-- > 0;)
		if (temporaries[i] && unlink(temporaries[i]) != 0)
			rmdir(temporaries[i]);
}

static void
on_signal(int sig)
{
	told_to_end = sig;
	if (running) {
		kill((pid_t)running, sig);
		return;
	}
	remove_temporaries();
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Blocks the forwarded signals; before: the original mask. */
static void
hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

void
child_catch_signals(void)
{
	for (int i = 0; i < SIGNALS; i++) {
		struct sigaction old, new = { .sa_handler = on_signal };
		sigemptyset(&new.sa_mask);
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &new, NULL);
	}
	sigpipe_ignored =
		sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, &sigpipe) == 0;
}

void
child_end_by_broken_pipe(void)
{
	struct sigaction new = { .sa_handler = on_signal };

	sigemptyset(&new.sa_mask);
	if (sigpipe_ignored && sigpipe.sa_handler != SIG_IGN)
		sigaction(SIGPIPE, &new, NULL);
}

void
child_temporary(const char *path)
{
	int i = 0;

	while (i < TEMPORARIES && temporaries[i])
		i++;
	ASSERT(i < TEMPORARIES);
	temporaries[i] = path;
}

void
child_remove(const char *path)
{
	if (unlink(path) != 0)
		rmdir(path);
	for (int i = 0; i < TEMPORARIES; i++)
		if (temporaries[i] == path)
			temporaries[i] = NULL;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* [0] is the reading end, [1] the writing end; -1: none */
typedef struct { int in[2], out[2], err[2]; } Pipes;

static void
close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_pipes(Pipes *p)
{
	for (int i = 0; i < 2; i++) {
		close_end(&p->in[i]);
		close_end(&p->out[i]);
		close_end(&p->err[i]);
	}
}

/* Opens a pipe whose ends differ from 0, 1 and 2, which may be closed in this process. */
static bool
open_pipe(int *ends)
{
	int low[2];

	if (pipe(low) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		ends[i] = fcntl(low[i], F_DUPFD, STDERR_FILENO + 1);
	close(low[0]);
	close(low[1]);
	return ends[0] >= 0 && ends[1] >= 0;
}

static bool
open_pipes(Pipes *p, bool in, bool out)
{
	*p = (Pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if ((in && !open_pipe(p->in)) || (out && (!open_pipe(p->out) || !open_pipe(p->err)))) {
		close_pipes(p);
		return false;
	}
	return true;
}

static void
connect_end(posix_spawn_file_actions_t *fa, const int *end, int mine, int to)
{
	if (end[mine] < 0)
		return;
	posix_spawn_file_actions_adddup2(fa, end[mine], to);
	posix_spawn_file_actions_addclose(fa, end[0]);
	posix_spawn_file_actions_addclose(fa, end[1]);
}

/* mask: the child's signal mask. Returns 0 or an error number. */
static int
spawn(char *const *argv, const Pipes *p, const sigset_t *mask, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t restored;

	posix_spawn_file_actions_init(&fa);
	connect_end(&fa, p->in, 0, STDIN_FILENO);
	connect_end(&fa, p->out, 1, STDOUT_FILENO);
	connect_end(&fa, p->err, 1, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	sigemptyset(&restored);
	if (!sigpipe_ignored || sigpipe.sa_handler != SIG_IGN)
		sigaddset(&restored, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &restored);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	int e = posix_spawnp(pid, argv[0], &fa, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&attr);
	return e;
}

/* ---- pipes ----------------------------------------------------------------------------------- */

/* Reads available data; closes the descriptor at end of file. */
static void
read_pipe(int *fd, Buf *to)
{
	char buf[16384];
	ssize_t n = read(*fd, buf, sizeof buf);

	if (n > 0)
		buf_add(to, buf, (size_t)n);
	else if (n == 0 || errno != EINTR)
		close_end(fd);
}

static void
write_pipe(int *fd, const Buf *from, size_t *at)
{
	size_t left = from->n - *at;
	ssize_t n = left ? write(*fd, from->at + *at, left < 4096 ? left : 4096) : 0;

	if (n > 0)
		*at += (size_t)n;
	if (*at == from->n || (n < 0 && errno != EINTR))
		close_end(fd);
}

static void
exchange_pipes(Pipes *p, const Buf *in, Caught *caught)
{
	size_t at = 0;

	while (p->in[1] >= 0 || p->out[0] >= 0 || p->err[0] >= 0) {
		struct pollfd fds[3] = {
			{ .fd = p->in[1], .events = POLLOUT },
			{ .fd = p->out[0], .events = POLLIN },
			{ .fd = p->err[0], .events = POLLIN },
		};
		if (poll(fds, 3, -1) < 0)
			continue; /* EINTR */
		if (fds[0].revents)
			write_pipe(&p->in[1], in, &at);
		if (fds[1].revents)
			read_pipe(&p->out[0], &caught->out);
		if (fds[2].revents)
			read_pipe(&p->err[0], &caught->err);
	}
}

/* ---- running --------------------------------------------------------------------------------- */

static Ended
report_cannot_run(const char *program, int e)
{
	fprintf(stderr, "%s: error: cannot run '%s': %s\n", message_name(), program,
		strerror(e));
	return (Ended){ .code = 127 };
}

Ended
child_run(char *const *argv, const Buf *in, Caught *caught)
{
	Pipes p;
	sigset_t before;
	pid_t pid;
	int status;

	if (!open_pipes(&p, in != NULL, caught != NULL))
		return report_cannot_run(argv[0], errno);
	fflush(stdout);
	hold_signals(&before);
	int e = spawn(argv, &p, &before, &pid);
	running = e ? 0 : (sig_atomic_t)pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (e) {
		close_pipes(&p);
		return report_cannot_run(argv[0], e);
	}
	close_end(&p.in[0]);
	close_end(&p.out[1]);
	close_end(&p.err[1]);
	exchange_pipes(&p, in, caught);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	if (told_to_end)
		on_signal((int)told_to_end);
	return WIFSIGNALED(status) ? (Ended){ .signal = WTERMSIG(status) } :
				     (Ended){ .code = WEXITSTATUS(status) };
}

int
child_become(char *const *argv)
{
	fflush(stdout);
	if (sigpipe_ignored)
		sigaction(SIGPIPE, &sigpipe, NULL);
	exec_program(argv);
	return report_cannot_run(argv[0], errno).code;
}

int
child_status(Ended e)
{
	if (!e.signal)
		return e.code;
	remove_temporaries();
	signal(e.signal, SIG_DFL);
	raise(e.signal);
	return 128 + e.signal;
}

void
child_release(Caught *c)
{
	buf_free(&c->out);
	buf_free(&c->err);
}
