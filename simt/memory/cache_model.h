/* SPDX-License-Identifier: MIT */
/* Cache model: which sectors hit in the L1 cache, and in how few lines atomic operations collide.
 * Internal to simt/. */
#ifndef SIMT_MEMORY_CACHE_MODEL_H
#define SIMT_MEMORY_CACHE_MODEL_H

#include "simt/state/access.h"

/* Enables the model. */
void near_begin(Sim *s);
/* Records an access. */
void near_access(Warp *w, const Access *x);
/* Adds the statistics of a block's statements to *to. */
void near_add(const Sim *s, const Fn *fn, uint32_t block, Near *to);
void near_free(Sim *s);

/* The share of the L1 cache that belongs to `threads` threads, or the whole cache. */
Cache *cache_new(uint32_t threads, bool whole);
/* Empties the cache for the next block or launch. */
void cache_clear(Cache *c);
void cache_free(Cache *c); /* may be NULL */

#endif
