/* SPDX-License-Identifier: MIT */
/* A launch: by one thread, or by several. Internal to simt/. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "simt/overlay.h"
#include "simt/pool.h"
#include "simt/sched.h"

/* Runs the launch that s is about to begin with several threads. False: that cannot be done, and
 * nothing has changed. */
bool parallel_run(Sim *s);

#endif
