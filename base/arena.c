/* SPDX-License-Identifier: MIT */
/* Arena: a list of chunks, newest first, each filled from the front.
 *
 * Chunks double in size up to a limit, so that n bytes cost O(log n) calls of malloc; a request
 * larger than the next chunk gets a chunk of its own size. Releasing to a mark frees the newer
 * chunks except the largest, which is reused: repeated marks at the end of a chunk do not call
 * malloc each time. */
#include <stdint.h>
#include <string.h>
#include "base/arena.h"

enum { CHUNK_MIN = 1 << 14, CHUNK_MAX = 1 << 22, ALIGN = 8 };

typedef struct Chunk Chunk;
struct Chunk {
	Chunk *older;
	size_t cap;
	size_t used;
	uint64_t at[];
};

struct Arena {
	Chunk *newest; /* never NULL */
	Chunk *spare;  /* NULL: none */
};

static Chunk *
chunk_new(Chunk *older, size_t cap)
{
	Chunk *c = xmalloc(sizeof *c + cap);

	c->older = older;
	c->cap = cap;
	c->used = 0;
	return c;
}

Arena *
arena_new(void)
{
	Arena *a = xmalloc(sizeof *a);

	a->newest = chunk_new(NULL, CHUNK_MIN);
	a->spare = NULL;
	return a;
}

void
arena_free(Arena *a)
{
	if (!a)
		return;
	for (Chunk *c = a->newest, *older; c; c = older) {
		older = c->older;
		xfree(c);
	}
	xfree(a->spare);
	xfree(a);
}

/* Returns the next chunk, with room for size bytes. */
static Chunk *
next_chunk(Arena *a, size_t size)
{
	Chunk *c = a->spare;
	size_t cap = a->newest->cap < CHUNK_MAX / 2 ? 2 * a->newest->cap : CHUNK_MAX;

	if (!c || c->cap < size)
		return chunk_new(a->newest, cap < size ? size : cap);
	a->spare = NULL;
	c->older = a->newest;
	c->used = 0;
	return c;
}

void *
arena_alloc(Arena *a, size_t size)
{
	Chunk *c = a->newest;

	if (size > SIZE_MAX / 2)
		out_of_memory();
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (size > c->cap - c->used)
		c = a->newest = next_chunk(a, size);
	void *p = (char *)c->at + c->used;
	c->used += size;
	return p;
}

void *
arena_zalloc(Arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

void *
arena_array(Arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 2 / size)
		out_of_memory();
	return arena_zalloc(a, n * size);
}

char *
arena_strndup(Arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

Arena_mark
arena_mark(Arena *a)
{
	return (Arena_mark){ a->newest, a->newest->used };
}

void
arena_release(Arena *a, Arena_mark m)
{
	while (a->newest != m.chunk) {
		Chunk *c = a->newest;
		a->newest = c->older;
		if (!a->newest)
			die("arena released to a mark that is not its own");
		Chunk *small = a->spare && a->spare->cap < c->cap ? a->spare : c;
		a->spare = a->spare && small == c ? a->spare : c;
		if (small != a->spare)
			xfree(small);
	}
	a->newest->used = m.used;
}
