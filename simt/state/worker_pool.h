/* SPDX-License-Identifier: MIT */
/* What the workers share that run a launch's blocks in parallel (parallel_launch.c). Internal to
 * simt/. */
#ifndef SIMT_STATE_WORKER_POOL_H
#define SIMT_STATE_WORKER_POOL_H

#include <stdatomic.h>
#include "simt/state/sim.h"

struct Pool {
	atomic_uint next;       /* the block to be started next */
	atomic_bool quit;       /* one thread must run the launch, from its start */
	atomic_bool interrupted; /* the launch is to end */
};

#endif
