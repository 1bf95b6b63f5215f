/* SPDX-License-Identifier: MIT */
/* What those share that run blocks of a launch: parallel.c starts them. Internal to simt/. */
#ifndef SIMT_POOL_H
#define SIMT_POOL_H

#include <stdatomic.h>
#include "simt/sim.h"

struct Pool {
	atomic_uint next;       /* the block to be started next */
	atomic_bool quit;       /* the launch must be run by one thread */
	atomic_bool interrupted; /* or not at all */
};

#endif
