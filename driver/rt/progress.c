/* SPDX-License-Identifier: MIT */
/* For long launches: prints a progress line on the terminal every few seconds, and handles ^C.
 *
 * An interrupt ends the launch at its next progress report, so that the counts up to then can be
 * printed. A handler of the program's own stays in place. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "driver/rt/progress.h"

enum { SECONDS = 3 };

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

void
progress_begin(Progress *p, const char *kernel)
{
	struct sigaction now, ours = { .sa_handler = on_interrupt };
	*p = (Progress){ .kernel = kernel, .shows = isatty(2) != 0, .last = time(NULL) };
	interrupted = 0;
	p->takes = !sigaction(SIGINT, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		now.sa_handler == SIG_DFL;
	sigemptyset(&ours.sa_mask);
	if (p->takes)
		sigaction(SIGINT, &ours, NULL);
}

bool
progress_tick(void *user, const Sim_progress *at)
{
	Progress *p = user;
	p->at = *at;
	if (!p->shows || time(NULL) < p->last + SECONDS)
		return !interrupted;
	p->last = time(NULL);
	p->shown = true;
	fprintf(stderr, "\r\033[Kptxrun: %.60s: block %" PRIu64 " of %" PRIu64, p->kernel,
		at->blocks, at->all);
	if (at->issued)
		fprintf(stderr, ", %" PRIu64 " million warp instructions", at->issued / 1000000);
	fflush(stderr);
	return !interrupted;
}

bool
progress_end(Progress *p)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigemptyset(&usual.sa_mask);
	if (p->takes)
		sigaction(SIGINT, &usual, NULL);
	if (p->shown)
		fputs("\r\033[K", stderr);
	if (interrupted)
		fprintf(stderr,
			"ptxrun: interrupted in %s, at block %" PRIu64 " of %" PRIu64
			": numbers are of what ran\n",
			p->kernel, p->at.blocks, p->at.all);
	return interrupted;
}
