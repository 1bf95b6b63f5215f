/* SPDX-License-Identifier: MIT */
/* The memory model: how an access finds its bytes. Internal to simt/. */
#ifndef SIMT_MEMORY_MEMORY_H
#define SIMT_MEMORY_MEMORY_H

#include "simt/state/buffers.h"
#include "simt/checks/checks.h"

void memory_local(Warp *w, uint32_t bytes);             /* makes room for so many bytes a lane */
/* Finds where the part that lane p->lane has of an access lies; p, which is zero otherwise, gets
 * all that is found. Gives the bytes on the host; NULL after a fault. */
uint8_t *memory_find(Warp *w, const Access *x, Spot *p);
/* Likewise, and makes all checks. A WRITE stores p->from; the caller makes the change of an
 * ATOMIC. */
uint8_t *memory_access(Warp *w, const Access *x, Spot *p);
/* To be called before, and after, the parts of all lanes: counts the access, and keeps what strong
 * ones order. */
void memory_begin(Warp *w, const Access *x);
void memory_end(Warp *w, const Access *x);

#endif
