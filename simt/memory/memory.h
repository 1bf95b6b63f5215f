/* SPDX-License-Identifier: MIT */
/* The memory model: how an access finds its bytes. Internal to simt/. */
#ifndef SIMT_MEMORY_MEMORY_H
#define SIMT_MEMORY_MEMORY_H

#include "simt/state/buffers.h"
#include "simt/checks/checks.h"

void lane_memory_grow(Lane_memory *m, uint32_t bytes); /* to this size per lane */
void lane_memory_clear(Lane_memory *m);                /* restores the initial content */
/* Locates lane p->lane's part of an access. Fills in p, which is zero except for the lane; returns
 * the host address, or NULL after a fault. */
uint8_t *memory_locate(Warp *w, const Access *x, Access_target *p);
/* The same, with all checks. A WRITE stores p->from; for an ATOMIC, the caller stores the
 * result. */
uint8_t *memory_access(Warp *w, const Access *x, Access_target *p);
/* Called before and after the parts of all lanes: counts the access and records the order that
 * strong accesses establish. */
void memory_begin(Warp *w, const Access *x);
void memory_end(Warp *w, const Access *x);

#endif
