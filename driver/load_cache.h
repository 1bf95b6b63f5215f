/* SPDX-License-Identifier: MIT */
/* The cache of ptxccc-run: results on disk, by a key of their input. */
#ifndef DRIVER_LOAD_CACHE_H
#define DRIVER_LOAD_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

typedef struct { uint64_t half[2]; } Cache_key;

/* Returns the key of a text; `sum` identifies everything else on which the result depends. */
Cache_key cache_key(const char *text, size_t len, uint64_t sum);
/* Reads an entry. Returns false if there is none, or no cache. */
bool cache_read(Cache_key key, Buf *to);
/* Stores an entry, and removes those that were not used for the longest time while the cache is
 * larger than CCC_CACHE_SIZE, in MB (default: 256; 0: no cache). A failure is ignored. */
void cache_write(Cache_key key, const Buf *from);

#endif
