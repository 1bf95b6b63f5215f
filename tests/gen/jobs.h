/* SPDX-License-Identifier: MIT */
/* Runs random kernels in several processes, for hours.
 *
 * Job k of n has the seeds first + k, first + k + n, ... After each kernel it sends its counts
 * so far through a pipe, so that the sum is correct however a job ends. On an interrupt (^C,
 * SIGTERM) or at the end of the time each job finishes its kernel. */
#ifndef GEN_JOBS_H
#define GEN_JOBS_H

#include <time.h>
#include "tests/gen/totals.h"

typedef struct {
	uint32_t number, of;
	int to;                 /* where it tells what it counted */
	time_t end;             /* 0: none */
} Job;

/* Is the job to stop, because its time is up or there was an interrupt? */
bool jobs_stopped(const Job *j);
/* Sends what the job has counted since its start. */
void jobs_tell(const Job *j, const Totals *t);

typedef struct {
	uint32_t n;
	uint64_t seconds;       /* 0: until they are done */
} Jobs;

/* Runs the jobs and adds up what they count; prints the sum now and then. False: one did not come
 * to its end, which is said. */
bool jobs_run(const Jobs *jobs, void (*work)(void *user, const Job *j), void *user, Totals *sum);

#endif
