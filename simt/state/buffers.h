/* SPDX-License-Identifier: MIT */
/* Buffers of global memory. Internal to simt/. */
#ifndef SIMT_STATE_BUFFERS_H
#define SIMT_STATE_BUFFERS_H

#include "simt/state/access.h"

/* Returns the buffer at a global address, which may have been freed; NULL if there is none. */
Buffer *buffer_find(Sim *s, uint64_t at);
void buffer_release(Buffer *b);
/* written_all: whether all `size` bytes at `at` are marked as written. written_set marks them. size
 * is a power of two up to 32, and `at` a multiple of it. */
bool written_all(const uint8_t *bits, uint64_t at, uint32_t size);
void written_set(uint8_t *bits, uint64_t at, uint32_t size);
void written_clear(uint8_t *bits, uint64_t at);         /* one byte */

#endif
