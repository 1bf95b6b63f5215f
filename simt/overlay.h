/* SPDX-License-Identifier: MIT */
/* Several blocks of a launch at a time: parallel.c, and what each worker sees of global memory:
 * overlay.c. Internal to simt/. */
#ifndef SIMT_OVERLAY_H
#define SIMT_OVERLAY_H

#include <stdatomic.h>
#include "simt/sim.h"

/* What the workers of a launch share. */
struct Pool {
	atomic_uint next;       /* the block to be started next */
	atomic_bool quit;       /* the launch must be run by one thread */
	atomic_bool interrupted; /* or not at all */
};

/* ---- overlay.c ------------------------------------------------------------------------------- */

/* Makes room in the buffers for what so many workers keep there. */
void overlay_prepare(Memory *m, uint32_t workers);
Overlay *overlay_new(const Memory *m, uint32_t worker, bool races);
void overlay_free(Overlay *o);
/* The access at hand, in a buffer: where its bytes are for the worker. NULL: the worker has given
 * up, as other blocks could take part in it. */
uint8_t *overlay_at(Warp *w, const Inst *i, uint32_t size, Access_kind kind);
/* Has the other touched a word that the first wrote? */
bool overlay_meets(const Overlay *o, const Overlay *other);
/* Puts what the worker wrote into the buffers. */
void overlay_commit(const Overlay *o);

/* ---- parallel.c ------------------------------------------------------------------------------ */

/* Runs the launch that s is about to begin by several threads, if it can be. False: nothing of it
 * has happened. */
bool parallel_run(Sim *s);

#endif
