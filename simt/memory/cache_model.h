/* SPDX-License-Identifier: MIT */
/* How near memory is: which sectors a first cache would have, and in how few lines atomic
 * operations meet. Internal to simt/. */
#ifndef SIMT_MEMORY_CACHE_MODEL_H
#define SIMT_MEMORY_CACHE_MODEL_H

#include "simt/state/access.h"

/* From now on it is counted. */
void near_begin(Sim *s);
/* An access is made. */
void near_access(Warp *w, const Access *x);
/* What was counted of a block's statements, added. */
void near_add(const Sim *s, const Fn *fn, uint32_t block, Near *to);
void near_free(Sim *s);

/* The part of the first cache that so many threads have, or the whole. */
Cache *cache_new(uint32_t threads, bool whole);
/* Another block, or launch, begins. */
void cache_clear(Cache *c);
void cache_free(Cache *c); /* may be NULL */

#endif
