/* SPDX-License-Identifier: MIT */
/* What each worker sees of global memory, while several run blocks of a launch. Internal to
 * simt/. */
#ifndef SIMT_OVERLAY_H
#define SIMT_OVERLAY_H

#include "simt/memory.h"

/* ---- overlay.c ------------------------------------------------------------------------------- */

/* Makes room in the buffers for what so many workers keep there. */
void overlay_prepare(Memory *m, uint32_t workers);
Overlay *overlay_new(const Memory *m, uint32_t worker, bool races);
void overlay_free(Overlay *o);
/* A lane's part of an access, found in a buffer: where its bytes are for the worker. NULL: the
 * worker has given up, as other blocks could take part in it. */
uint8_t *overlay_at(Warp *w, const Access *x, Spot *p);
/* Has the other touched a word that the first wrote? */
bool overlay_meets(const Overlay *o, const Overlay *other);
/* Puts what the worker wrote into the buffers. */
void overlay_commit(const Overlay *o);

#endif
