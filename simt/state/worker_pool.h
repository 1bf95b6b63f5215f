/* SPDX-License-Identifier: MIT */
/* State shared by the workers that run the blocks of a launch in parallel (parallel_launch.c).
 * Internal to simt/. */
#ifndef SIMT_STATE_WORKER_POOL_H
#define SIMT_STATE_WORKER_POOL_H

#include <stdatomic.h>
#include "simt/state/sim.h"

struct Block_queue {
	atomic_uint next;       /* the next block to start */
	atomic_bool quit;       /* one thread must restart the launch from its beginning */
	atomic_bool interrupted; /* the launch must end */
};

#endif
