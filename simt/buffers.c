/* Global memory: buffers with unmapped bytes between them; a table by 64 KiB page finds the buffer of an address.
 *
 * An address is never given twice, so that a pointer into a buffer that was freed stays wrong. A buffer that nobody has
 * written has a bit for each byte that somebody since did.
 */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "simt/sim.h"

/* Zeros; pages that nobody touches cost nothing. */
static void *
zeros(size_t n)
{
	void *p = calloc(1, n);
	if (!p)
		die("out of memory");
	return p;
}

uint64_t
sim_alloc(Sim *s, size_t n, const char *label)
{
	uint64_t page = s->page.n + 1;
	uint32_t id = s->buffers.n;
	Buffer *b = vec_push(&s->buffers);
	*b = (Buffer){ .at = GLOBAL_BASE + (page << PAGE_BITS), .n = n, .bytes = zeros(n + 16), .label = label };
	*vec_push(&s->page) = 0;
	for (size_t i = 0; i < (n >> PAGE_BITS) + 1; i++)
		*vec_push(&s->page) = id;
	return b->at;
}

uint64_t
sim_alloc_unwritten(Sim *s, size_t n, const char *label)
{
	uint64_t at = sim_alloc(s, n, label);
	buffer_find(s, at)->written = zeros(n / 8 + 8);
	return at;
}

Buffer *
buffer_find(Sim *s, uint64_t at)
{
	uint64_t page = (at - GLOBAL_BASE) >> PAGE_BITS;
	if (at < GLOBAL_BASE || page >= s->page.n || !s->page.at[page])
		return NULL;
	return &s->buffers.at[s->page.at[page]];
}

/* The buffer in which n bytes lie at an address; NULL if there is none. */
static Buffer *
holds(Sim *s, uint64_t at, size_t n)
{
	Buffer *b = buffer_find(s, at);
	return b && b->bytes && at - b->at <= b->n && n <= b->n - (at - b->at) ? b : NULL;
}

uint8_t *
sim_bytes(Sim *s, uint64_t at, size_t n)
{
	const Buffer *b = holds(s, at, n);
	return b ? b->bytes + (at - b->at) : NULL;
}

void
sim_written(Sim *s, uint64_t at, size_t n)
{
	Buffer *b = holds(s, at, n);
	uint64_t k = b ? at - b->at : 0, end = k + n;
	if (!b || !b->written)
		return;
	for (; k < end && k % 8; k++)
		written_set(b->written, k, 1);
	memset(b->written + k / 8, 0xff, (end - k) / 8);
	for (k = k < end ? end & ~UINT64_C(7) : k; k < end; k++)
		written_set(b->written, k, 1);
}

bool
sim_release(Sim *s, uint64_t at)
{
	Buffer *b = holds(s, at, 0);
	if (!b || b->at != at)
		return false;
	buffer_release(b);
	return true;
}

void
buffer_release(Buffer *b)
{
	free(b->bytes);
	free(b->words);
	free(b->written);
	b->bytes = b->written = NULL;
	b->words = NULL;
}

/* ---- bytes that somebody wrote: a bit each ------------------------------------------------------------------------------- */

bool
written_all(const uint8_t *bits, uint64_t at, uint32_t size)
{
	uint32_t mask = size < 8 ? ((1u << size) - 1) << (at & 7) : 0xff;
	bool all = true;
	for (uint32_t k = 0; k < size; k += 8)
		all = all && (bits[(at + k) / 8] & mask) == mask;
	return all;
}

void
written_set(uint8_t *bits, uint64_t at, uint32_t size)
{
	uint32_t mask = size < 8 ? ((1u << size) - 1) << (at & 7) : 0xff;
	for (uint32_t k = 0; k < size; k += 8)
		bits[(at + k) / 8] |= (uint8_t)mask;
}
