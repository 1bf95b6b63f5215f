/* SPDX-License-Identifier: MIT */
/* Arena: memory that is freed all at once.
 *
 * A module view, and each analysis of a function, allocates from one arena. An analysis marks the
 * arena, works, and releases to the mark when its results are no longer needed. Nothing is freed
 * individually. No caller checks for NULL: see heap.h. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include "base/heap.h"

typedef struct Arena Arena;
typedef struct { void *chunk; size_t used; } Arena_mark;

Arena *arena_new(void);
void arena_free(Arena *a); /* a may be NULL */

/* Return size bytes aligned for any type of up to 8 bytes, uninitialised (alloc) or zeroed
 * (zalloc). */
void *arena_alloc(Arena *a, size_t size);
void *arena_zalloc(Arena *a, size_t size);
/* Returns n zeroed elements of size bytes each; checks the product for overflow. */
void *arena_array(Arena *a, size_t n, size_t size);
char *arena_strndup(Arena *a, const char *s, size_t n);

Arena_mark arena_mark(Arena *a);
void arena_release(Arena *a, Arena_mark m); /* frees everything allocated after m */

#endif
