/* SPDX-License-Identifier: MIT */
/* Runs jobs; see jobs.h. Signals are blocked and polled, so that none arrives during a kernel. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/gen/jobs.h"

enum { MOST_JOBS = 1024, EVERY = 60 }; /* seconds between two reports */

/* A message in the pipe that all jobs share. A write of so few bytes is atomic. */
typedef struct { uint32_t job; Totals counts; } Message;
_Static_assert(sizeof(Message) <= 4096, "PIPE_BUF of Linux");

typedef struct {
	pid_t pid[MOST_JOBS];
	Totals counts[MOST_JOBS];
	uint32_t n;
	time_t told;
} Running;

/* ---- a job -------------------------------------------------------------------------------- */

static bool
interrupted(void)
{
	sigset_t now;

	return !sigpending(&now) && (sigismember(&now, SIGINT) || sigismember(&now, SIGTERM));
}

bool
jobs_stopped(const Job *j)
{
	return interrupted() || (j->end && time(NULL) >= j->end);
}

void
jobs_tell(const Job *j, const Totals *t)
{
	Message m;

	memset(&m, 0, sizeof m);
	m.job = j->number;
	m.counts = *t;
	fflush(stdout);
	while (write(j->to, &m, sizeof m) < 0 && errno == EINTR)
		;
}

/* ---- all ---------------------------------------------------------------------------------- */

static Totals
sum_of(const Running *r)
{
	Totals sum = { 0 };

	for (uint32_t k = 0; k < r->n; k++)
		totals_add(&sum, &r->counts[k]);
	return sum;
}

static void
report_counts(Running *r)
{
	Totals sum = sum_of(r);

	if (time(NULL) < r->told + EVERY)
		return;
	r->told = time(NULL);
	printf("%llu kernels, %llu failed, up to seed %llu; ", (unsigned long long)sum.ran,
		(unsigned long long)sum.failed, (unsigned long long)sum.last);
	if (sum.unasked.sites)
		unasked_print(&sum.unasked, sum.ran);
	else
		totals_kinds(&sum);
	fflush(stdout);
}

/* Receives messages of the jobs until all of them have ended. */
static void
receive_messages(Running *r, int from)
{
	struct pollfd p = { .fd = from, .events = POLLIN };
	bool stopping = false;

	for (;;) {
		Message m;
		if (!stopping && interrupted()) {
			stopping = true; /* this process alone may have received it */
			for (uint32_t k = 0; k < r->n; k++)
				kill(r->pid[k], SIGTERM);
		}
		report_counts(r);
		if (poll(&p, 1, 1000) <= 0)
			continue;
		ssize_t n = read(from, &m, sizeof m);
		if (n == 0)
			return;
		if (n == sizeof m && m.job < r->n)
			r->counts[m.job] = m.counts;
	}
}

/* Whether all jobs ended regularly. */
static bool
jobs_have_ended(const Running *r)
{
	bool all = true;

	for (uint32_t k = 0; k < r->n; k++) {
		int status = 0;
		if (waitpid(r->pid[k], &status, 0) == r->pid[k] && WIFEXITED(status) &&
			!WEXITSTATUS(status))
			continue;
		printf("FAIL gen: job %u died (status %d) behind seed %llu\n", k, status,
			(unsigned long long)r->counts[k].last);
		all = false;
	}
	return all;
}

bool
jobs_run(const Jobs *jobs, void (*work)(void *user, const Job *j), void *user, Totals *sum)
{
	Running r = { .n = jobs->n < 1 ? 1 : jobs->n < MOST_JOBS ? jobs->n : MOST_JOBS };
	int ends[2];
	sigset_t taken;

	sigemptyset(&taken);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &taken, NULL) || pipe(ends)) {
		perror("fuzz_diff");
		exit(2);
	}
	r.told = time(NULL);
	for (uint32_t k = 0; k < r.n; k++) {
		Job job = { k, r.n, ends[1], jobs->seconds ? r.told + (time_t)jobs->seconds : 0 };
		fflush(stdout);
		r.pid[k] = fork();
		if (r.pid[k] < 0) {
			perror("fuzz_diff");
			exit(2);
		}
		if (r.pid[k])
			continue;
		close(ends[0]);
		work(user, &job);
		fflush(stdout);
		exit(0);
	}
	close(ends[1]);
	receive_messages(&r, ends[0]);
	close(ends[0]);
	*sum = sum_of(&r);
	return jobs_have_ended(&r);
}
