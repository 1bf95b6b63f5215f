/* SPDX-License-Identifier: MIT */
/* Global memory: its buffers. Internal to simt/. */
#ifndef SIMT_STATE_BUFFERS_H
#define SIMT_STATE_BUFFERS_H

#include "simt/state/access.h"

/* The buffer at a global address, which may have been freed; NULL: there is none. */
Buffer *buffer_find(Sim *s, uint64_t at);
void buffer_release(Buffer *b);
/* Have all of size bytes been written? Marks them as written. size is a power of two up to 32, and
 * `at` a multiple of it. */
bool written_all(const uint8_t *bits, uint64_t at, uint32_t size);
void written_set(uint8_t *bits, uint64_t at, uint32_t size);
void written_clear(uint8_t *bits, uint64_t at);         /* one byte */

#endif
