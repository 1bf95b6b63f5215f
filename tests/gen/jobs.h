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
	int to;                 /* the pipe to which it sends its counts */
	time_t end;             /* 0: none */
} Job;

/* Whether the job must stop, because its time is up or there was an interrupt. */
bool jobs_stopped(const Job *j);
/* Sends the counts of the job since its start. */
void jobs_tell(const Job *j, const Totals *t);

typedef struct {
	uint32_t n;
	uint64_t seconds;       /* 0: until they are done */
} Jobs;

/* Runs the jobs and adds up their counts; prints the sum periodically. Returns false, with a
 * message, if one did not end regularly. */
bool jobs_run(const Jobs *jobs, void (*work)(void *user, const Job *j), void *user, Totals *sum);

#endif
