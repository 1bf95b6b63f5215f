/* SPDX-License-Identifier: MIT */
/* A launch: by one thread, or by several. Internal to simt/. */
#ifndef SIMT_SCHED_LAUNCH_H
#define SIMT_SCHED_LAUNCH_H

#include "simt/memory/copy_on_write.h"
#include "simt/state/worker_pool.h"
#include "simt/sched/scheduler.h"

/* Runs the launch that s is about to begin with several threads. False: that cannot be done, and
 * nothing has changed. */
bool parallel_run(Sim *s);

#endif
