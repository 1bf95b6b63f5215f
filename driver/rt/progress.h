/* SPDX-License-Identifier: MIT */
/* Shows the progress of a launch on a terminal. */
#ifndef DRIVER_RT_PROGRESS_H
#define DRIVER_RT_PROGRESS_H

#include <time.h>
#include "simt/simt.h"

typedef struct {
	const char *kernel;
	bool shows, takes, shown; /* a terminal is present; ^C is handled; something was printed */
	time_t last;
	Sim_progress at;
} Progress;

/* Call these around a launch whose .tick is progress_tick and whose .user is p. `kernel` must
 * outlive the launch. */
void progress_begin(Progress *p, const char *kernel);
bool progress_tick(void *p, const Sim_progress *at);
/* Whether the launch was interrupted; if so, prints a message. */
bool progress_end(Progress *p);

#endif
