/* SPDX-License-Identifier: MIT */
/* Random kernels without annotations on a GPU, original and transformed: the memory that they leave
 * must be the same, bit for bit.
 *
 *	fuzz_gpu [-n N] [-s SEED] [-j JOBS] [-t SECONDS] [-o DIR] [-g] [-p] [-m PLACE]
 *
 * N kernels (300) from SEED (1) on, by JOBS processes (1). A kernel that takes longer than SECONDS
 * (60) counts as hung: its process is killed, and another one continues with the next kernel. The
 * texts of kernels that fail or hang go to DIR; there is no transformed text if the original hangs.
 * The driver compiles both texts. -g: only loops before which the lanes of the warp meet. -p:
 * annotations without `proven`; the kernels must end. -m: leaves out a line of a template, such as
 * "wait.tpl:39". Exit status: 0 all are right; 1 some are not; 2 there is no GPU.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/gen/gpu/cuda.h"
#include "tests/gen/gpu/kernel.h"

enum { MOST_JOBS = 256, EVERY = 30, NO_GPU = 2, AGAIN = 3 };

typedef struct {
	uint64_t n, first;
	uint32_t jobs;
	time_t most; /* seconds a kernel */
	Kernel_options kernel;
} Asked;

/* A message from a process: it starts a kernel, or has finished it. */
typedef struct {
	uint32_t job;
	bool ended, failed;
	uint64_t seed;
	Unasked counts;
} Message;
_Static_assert(sizeof(Message) <= 4096, "PIPE_BUF of Linux");

typedef struct {
	pid_t pid;     /* 0: it is done */
	uint64_t seed; /* of its kernel */
	time_t since;
	bool busy;
	Unasked counts; /* of this process so far */
} Worker;

typedef struct {
	const Asked *asked;
	Worker at[MOST_JOBS];
	int ends[2];
	uint64_t ran, failed;
	Unasked sum; /* of processes that have ended */
	time_t told;
	bool no_gpu;
} Work;

/* ---- a process ------------------------------------------------------------------------------- */

static void
send_message(const Work *w, const Message *m)
{
	fflush(stdout);
	while (write(w->ends[1], m, sizeof *m) < 0 && errno == EINTR)
		;
}

/* Runs kernels from `seed` on, in steps of JOBS. Returns the exit status. */
static int
run_kernels(const Work *w, uint32_t job, uint64_t seed)
{
	const Asked *a = w->asked;
	Message m;
	Buf why = { 0 };
	Kernel_result r = KERNEL_RIGHT;

	memset(&m, 0, sizeof m);
	m.job = job;
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	if (!cuda_start(job, &why)) {
		fprintf(stderr, "fuzz_gpu: %s\n", why.at);
		return NO_GPU;
	}
	for (; seed < a->first + a->n && r != KERNEL_LOST; seed += a->jobs) {
		m.seed = seed;
		m.ended = m.failed = false;
		send_message(w, &m);
		why.n = 0;
		r = kernel_run(seed, &a->kernel, &m.counts, &why);
		m.ended = true;
		m.failed = r != KERNEL_RIGHT;
		if (m.failed)
			printf("seed %llu: %s\n", (unsigned long long)seed, why.at ? why.at : "");
		send_message(w, &m);
	}
	return r == KERNEL_LOST ? AGAIN : 0;
}

static void
start_process(Work *w, uint32_t job, uint64_t seed)
{
	Worker *k = &w->at[job];

	*k = (Worker){ 0 };
	if (seed >= w->asked->first + w->asked->n)
		return;
	fflush(stdout);
	k->pid = fork();
	if (k->pid < 0) {
		perror("fuzz_gpu");
		exit(NO_GPU);
	}
	if (k->pid == 0) {
		int status = run_kernels(w, job, seed);
		fflush(stdout);
		_exit(status);
	}
	k->seed = seed;
	k->since = time(NULL);
	k->busy = true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void
take_message(Work *w, const Message *m)
{
	Worker *k = &w->at[m->job];

	k->seed = m->seed;
	k->since = time(NULL);
	k->busy = !m->ended;
	if (m->ended) {
		w->ran++;
		w->failed += m->failed;
		k->counts = m->counts;
	}
}

/* Receives messages of the processes, waiting at most `wait` milliseconds. */
static void
receive_messages(Work *w, int wait)
{
	struct pollfd p = { .fd = w->ends[0], .events = POLLIN };
	Message m;

	for (; poll(&p, 1, wait) > 0; wait = 0)
		if (read(w->ends[0], &m, sizeof m) == sizeof m && m.job < w->asked->jobs)
			take_message(w, &m);
}

/* Replaces a process that has ended: continues with the next kernel. */
static void
replace_process(Work *w, uint32_t job, int status)
{
	Worker *k = &w->at[job];
	uint64_t next = k->seed + w->asked->jobs;

	unasked_add(&w->sum, &k->counts);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GPU) {
		w->no_gpu = true;
		k->pid = 0;
		return;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		k->pid = 0;
		return;
	}
	if (k->busy) {
		printf("seed %llu: the process died (status %d)\n", (unsigned long long)k->seed,
			status);
		w->ran++;
		w->failed++;
	}
	start_process(w, job, next);
}

/* Kills processes whose kernel hangs, and replaces those that have ended. */
static uint32_t
watch_processes(Work *w)
{
	uint32_t running = 0;

	for (uint32_t j = 0; j < w->asked->jobs; j++) {
		Worker *k = &w->at[j];
		int status;
		if (k->pid && k->busy && time(NULL) > k->since + w->asked->most) {
			printf("seed %llu: hangs for %lld s\n", (unsigned long long)k->seed,
				(long long)w->asked->most);
			kill(k->pid, SIGKILL);
			k->since = time(NULL);
		}
		if (k->pid && waitpid(k->pid, &status, WNOHANG) == k->pid) {
			receive_messages(w, 0); /* all of its messages */
			replace_process(w, j, status);
		}
		running += k->pid != 0;
	}
	return running;
}

static void
report_total(Work *w)
{
	if (time(NULL) < w->told + EVERY)
		return;
	w->told = time(NULL);
	printf("%llu kernels, %llu failed\n", (unsigned long long)w->ran,
		(unsigned long long)w->failed);
	fflush(stdout);
}

static void
run_all(Work *w)
{
	w->told = time(NULL);
	for (uint32_t j = 0; j < w->asked->jobs; j++)
		start_process(w, j, w->asked->first + j);
	while (watch_processes(w)) {
		receive_messages(w, 200);
		report_total(w);
	}
}

int
main(int argc, char **argv)
{
	Asked a = { .n = 300, .first = 1, .jobs = 1, .most = 60 };
	static Work w;
	time_t begin = time(NULL);

	for (int c; (c = getopt(argc, argv, "n:s:j:t:o:gpm:")) != -1;)
		switch (c) {
		case 'n':
			a.n = strtoull(optarg, NULL, 0);
			break;
		case 's':
			a.first = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			a.jobs = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 't':
			a.most = (time_t)strtoul(optarg, NULL, 0);
			break;
		case 'o':
			a.kernel.dir = optarg;
			break;
		case 'g':
			a.kernel.gathers = true;
			break;
		case 'p':
			a.kernel.promises = true;
			break;
		case 'm':
			if (!tpl_parse_place(optarg, &a.kernel.omit))
				return 2;
			break;
		default:
			return 2;
		}
	a.jobs = a.jobs < 1 ? 1 : a.jobs > MOST_JOBS ? MOST_JOBS : a.jobs;
	w.asked = &a;
	if (pipe(w.ends)) {
		perror("fuzz_gpu");
		return NO_GPU;
	}
	run_all(&w);
	printf("%llu kernels in %lld s; ", (unsigned long long)w.ran,
		(long long)(time(NULL) - begin));
	unasked_print(&w.sum, w.ran);
	printf("gpu: %llu passed, %llu failed\n", (unsigned long long)(w.ran - w.failed),
		(unsigned long long)w.failed);
	return w.no_gpu ? NO_GPU : w.failed || w.ran != a.n;
}
