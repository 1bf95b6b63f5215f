/* SPDX-License-Identifier: MIT */
/* Global memory consists of buffers with unmapped bytes between them; a table indexed by 64 KiB
 * page maps an address to its buffer.
 *
 * Addresses are never reused, so a pointer into a freed buffer stays invalid. A buffer allocated as
 * unwritten has a bit for each byte, which is set when the byte is written. Host memory keeps its
 * addresses, which no buffer of the table can have (instruction.h); a sorted list maps them to
 * their buffers.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/state/buffers.h"
#include "simt/state/shadow.h"

uint64_t
sim_alloc(Sim *s, size_t n, const char *label)
{
	Memory *m = s->memory;
	uint64_t page = m->page.n + 1;
	uint32_t id = m->buffers.n;
	bool fits = n <= GLOBAL_END - GLOBAL_BASE - (page << PAGE_BITS);
	void *bytes = fits ? calloc(1, n + 16) : NULL; /* untouched pages cost nothing */
	if (!bytes)
		return 0;
	Buffer *b = vec_push(&m->buffers);
	*b = (Buffer){
		.at = GLOBAL_BASE + (page << PAGE_BITS), .n = n, .bytes = bytes, .label = label };
	*vec_push(&m->page) = 0;
	for (size_t i = 0; i < (n >> PAGE_BITS) + 1; i++)
		*vec_push(&m->page) = id;
	return b->at;
}

uint64_t
sim_alloc_unwritten(Sim *s, size_t n, const char *label)
{
	uint64_t at = sim_alloc(s, n, label);
	Buffer *b = at ? buffer_find(s, at) : NULL;
	if (b && !(b->written = calloc(1, n / 8 + 8))) {
		buffer_release(b);
		return 0;
	}
	return at;
}

/* ---- host memory ----------------------------------------------------------------------------- */

/* The number of mapped buffers that begin at or before an address. */
static uint32_t
count_mapped_before(const Memory *m, uint64_t at)
{
	uint32_t low = 0, high = m->mapped.n;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (m->buffers.at[m->mapped.at[mid]].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t
sim_map(Sim *s, void *bytes, size_t n, const char *label)
{
	Memory *m = s->memory;
	uint64_t at = (uint64_t)(uintptr_t)bytes;
	uint32_t id = m->buffers.n, k = count_mapped_before(m, at);
	*vec_push(&m->buffers) =
		(Buffer){ .at = at, .n = n, .bytes = bytes, .label = label, .host = true };
	(void)vec_push(&m->mapped);
	memmove(m->mapped.at + k + 1, m->mapped.at + k,
		(m->mapped.n - 1 - k) * sizeof *m->mapped.at);
	m->mapped.at[k] = id;
	return at;
}

bool
sim_unmap(Sim *s, uint64_t at)
{
	Memory *m = s->memory;
	uint32_t k = count_mapped_before(m, at);
	Buffer *b = k ? &m->buffers.at[m->mapped.at[k - 1]] : NULL;
	if (!b || b->at != at)
		return false;
	buffer_release(b);
	memmove(m->mapped.at + k - 1, m->mapped.at + k, (m->mapped.n - k) * sizeof *m->mapped.at);
	m->mapped.n--;
	return true;
}

/* ---- finding a buffer ------------------------------------------------------------------------ */

Buffer *
buffer_find(Sim *s, uint64_t at)
{
	Memory *m = s->memory;
	uint64_t page = (at - GLOBAL_BASE) >> PAGE_BITS;
	if (at >= GLOBAL_BASE && page < m->page.n)
		return m->page.at[page] ? &m->buffers.at[m->page.at[page]] : NULL;
	uint32_t k = count_mapped_before(m, at);
	Buffer *b = k ? &m->buffers.at[m->mapped.at[k - 1]] : NULL;
	return b && at - b->at < b->n ? b : NULL;
}

/* Returns the buffer that contains n bytes at an address; NULL if there is none. */
static Buffer *
buffer_with_range(Sim *s, uint64_t at, size_t n)
{
	Buffer *b = buffer_find(s, at);
	return b && b->bytes && at - b->at <= b->n && n <= b->n - (at - b->at) ? b : NULL;
}

uint8_t *
sim_bytes(Sim *s, uint64_t at, size_t n)
{
	const Memory *m = s->memory;
	if (at >= WIN_CONST && at < WIN_CONST + m->nconstants)
		return n <= WIN_CONST + m->nconstants - at ? m->constants + (at - WIN_CONST) : NULL;
	const Buffer *b = buffer_with_range(s, at, n);
	return b ? b->bytes + (at - b->at) : NULL;
}

size_t
sim_buffer(Sim *s, uint64_t at, uint64_t *start)
{
	const Buffer *b = buffer_with_range(s, at, 0);
	if (!b)
		return 0;
	*start = b->at;
	return b->n - (at - b->at);
}

bool
sim_only_buffer(uint64_t at)
{
	return (at >= GLOBAL_BASE && at < GLOBAL_END) ||
		(at >= WIN_CONST && at < WIN_CONST + WIN_BYTES);
}

void
sim_written(Sim *s, uint64_t at, size_t n)
{
	Buffer *b = buffer_with_range(s, at, n);
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
	Buffer *b = buffer_with_range(s, at, 0);
	if (!b || b->at != at || b->host)
		return false;
	buffer_release(b);
	return true;
}

void
sim_keep_newest(Sim *s, uint32_t n)
{
	Memory *m = s->memory;
	while (m->buffers.n > n + 1)
		buffer_release(vec_pop(&m->buffers));
	while (m->page.n && (m->page.at[m->page.n - 1] > n || !m->page.at[m->page.n - 1]))
		m->page.n--;
	uint32_t mapped = 0;
	for (uint32_t k = 0; k < m->mapped.n; k++)
		if (m->mapped.at[k] <= n)
			m->mapped.at[mapped++] = m->mapped.at[k];
	m->mapped.n = mapped;
}

void
buffer_release(Buffer *b)
{
	if (!b->host)
		free(b->bytes);
	shadow_free(b->shadow);
	for (uint32_t k = 0; k < b->nworkers; k++)
		shadow_free(b->workers[k]);
	xfree(b->workers);
	free(b->written);
	b->bytes = b->written = NULL;
	b->shadow = NULL;
	b->workers = NULL;
	b->nworkers = 0;
}

/* ---- initialised bytes: one bit each --------------------------------------------------------- */

bool
written_all(const uint8_t *bits, uint64_t at, uint32_t size)
{
	uint32_t mask = size < 8 ? ((1u << size) - 1) << (at & 7) : 0xff;
	bool all = true;
	for (uint32_t k = 0; k < size; k += 8)
		all = all && (bits[(at + k) / 8] & mask) == mask;
	return all;
}

void written_clear(uint8_t *bits, uint64_t at) { bits[at / 8] &= (uint8_t)~(1u << (at & 7)); }

void
written_set(uint8_t *bits, uint64_t at, uint32_t size)
{
	uint32_t mask = size < 8 ? ((1u << size) - 1) << (at & 7) : 0xff;
	for (uint32_t k = 0; k < size; k += 8)
		bits[(at + k) / 8] |= (uint8_t)mask;
}
