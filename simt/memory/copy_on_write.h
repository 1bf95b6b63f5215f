/* SPDX-License-Identifier: MIT */
/* What each worker sees of global memory, while several run blocks of a launch. Internal to
 * simt/. */
#ifndef SIMT_MEMORY_COPY_ON_WRITE_H
#define SIMT_MEMORY_COPY_ON_WRITE_H

#include "simt/memory/memory.h"

/* ---- copy_on_write.c ------------------------------------------------------------------------- */

/* Makes room in each buffer for the shadows of so many workers. */
void overlay_prepare(Memory *m, uint32_t workers);
Overlay *overlay_new(const Memory *m, uint32_t worker, bool races);
void overlay_free(Overlay *o);
/* Where the worker has the bytes of a lane's part of an access, which was found in a buffer. NULL:
 * the worker has given up, since it is an access by which blocks can see each other. */
uint8_t *overlay_at(Warp *w, const Access *x, Spot *p);
/* Has `other` touched a word that `o` wrote? */
bool overlay_meets(const Overlay *o, const Overlay *other);
/* Puts what the worker wrote into the buffers. */
void overlay_commit(const Overlay *o);

#endif
