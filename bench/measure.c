/* SPDX-License-Identifier: MIT */
/* Runs a command several times; prints the least wall time in ms, the median, and the peak memory
 * in KB of its process.
 *	measure [-c] RUNS COMMAND [ARGUMENT ...]
 * -c: processor time instead of wall time, for a machine that has other things to do.
 * The command's standard output is discarded. Exit code: the command's, when it is not 0.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Of all children so far. */
static double
cpu_ms(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	static double ms[1000];
	double (*const clock_ms)(void) = argc > 1 && !strcmp(argv[1], "-c") ? cpu_ms : now_ms;
	struct rusage usage;
	if (clock_ms == cpu_ms)
		argv++, argc--;
	const int runs = argc > 2 ? atoi(argv[1]) : 0;
	if (runs < 1 || runs > 1000) {
		fprintf(stderr, "usage: measure [-c] RUNS COMMAND [ARGUMENT ...]\n");
		return 2;
	}
	for (int i = 0; i < runs; ++i) {
		int status;
		const double start = clock_ms();
		const pid_t pid = fork();
		if (pid == 0) {
			const int null = open("/dev/null", O_WRONLY);
			dup2(null, 1);
			execvp(argv[2], argv + 2);
			perror(argv[2]);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("measure");
			return 2;
		}
		ms[i] = clock_ms() - start;
		if (status != 0)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	printf("%.3f %.3f %ld\n", ms[0], ms[runs / 2], usage.ru_maxrss);
	return 0;
}
