/* SPDX-License-Identifier: MIT */
/* Running a launch, by one thread or several. Internal to simt/. */
#ifndef SIMT_SCHED_LAUNCH_H
#define SIMT_SCHED_LAUNCH_H

#include "simt/memory/copy_on_write.h"
#include "simt/state/worker_pool.h"
#include "simt/sched/scheduler.h"

/* Runs the launch that s is about to begin on several threads. Returns false, with nothing changed,
 * if that is not possible. */
bool parallel_run(Sim *s);

#endif
