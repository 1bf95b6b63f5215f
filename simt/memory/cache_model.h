/* SPDX-License-Identifier: MIT */
/* Cache model: which sectors hit in the L1 cache, and in how few lines atomic operations collide.
 * Internal to simt/. */
#ifndef SIMT_MEMORY_CACHE_MODEL_H
#define SIMT_MEMORY_CACHE_MODEL_H

#include "simt/state/access.h"

/* Enables the model. */
void cache_begin_launch(Sim *s);
/* Records an access. */
void cache_access(Warp *w, const Access *x);
/* Adds the statistics of a block's statements to *to. */
void cache_add_counts(const Sim *s, const Fn *fn, uint32_t block, Cache_counts *to);
void cache_free_counts(Sim *s);

/* The share of the L1 cache that belongs to `threads` threads, or the whole cache. */
Cache *cache_new(uint32_t threads, bool whole);
/* Empties the cache for the next block or launch. */
void cache_clear(Cache *c);
void cache_free(Cache *c); /* may be NULL */

#endif
