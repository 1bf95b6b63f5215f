/* SPDX-License-Identifier: MIT */
/* Each worker's view of global memory while several run the blocks of a launch. Internal to
 * simt/. */
#ifndef SIMT_MEMORY_COPY_ON_WRITE_H
#define SIMT_MEMORY_COPY_ON_WRITE_H

#include "simt/memory/memory.h"

/* ---- copy_on_write.c ------------------------------------------------------------------------- */

/* Allocates slots for the workers' shadow memory in each buffer. */
void overlay_prepare(Memory *m, uint32_t workers);
Overlay *overlay_new(const Memory *m, uint32_t worker, bool shadowed);
void overlay_free(Overlay *o);
/* Redirects a lane's access to a buffer to the worker's copy; returns its host address. Returns
 * NULL if the worker has given up, because blocks can observe each other through this access. */
uint8_t *overlay_at(Warp *w, const Access *x, Access_target *p);
/* Whether `other` touched a word that `o` wrote. */
bool overlay_conflicts(const Overlay *o, const Overlay *other);
/* Copies the worker's writes to the buffers. */
void overlay_commit(const Overlay *o);

#endif
