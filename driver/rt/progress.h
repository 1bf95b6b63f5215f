/* SPDX-License-Identifier: MIT */
/* How far a launch is, for those who wait for it. */
#ifndef DRIVER_RT_PROGRESS_H
#define DRIVER_RT_PROGRESS_H

#include <time.h>
#include "simt/simt.h"

typedef struct {
	const char *kernel;
	bool shows, takes, shown; /* on a terminal; ^C; something is on the terminal */
	time_t last;
	Sim_progress at;
} Progress;

/* Around a launch whose .tick is progress_tick and whose .user is p. The name must last. */
void progress_begin(Progress *p, const char *kernel);
bool progress_tick(void *p, const Sim_progress *at);
/* Was it interrupted? Then says so. */
bool progress_end(Progress *p);

#endif
