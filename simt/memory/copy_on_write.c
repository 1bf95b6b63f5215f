/* SPDX-License-Identifier: MIT */
/* A worker's view of global memory while several workers run the blocks of one launch
 * (parallel_launch.c).
 *
 * Buffers are constant while the workers run: a worker copies a page before its first write and
 * uses the copy from then on. Bits record, for each word of four bytes, whether the worker has read
 * it from the buffer and whether it has written it. Afterwards these bits show whether one worker
 * touched a word that another one wrote. If none did, every worker saw what it would have seen had
 * all blocks run one after the other: what it read was written by its own blocks, which run in
 * order, or was never written. The written words are then copied back, in any order.
 *
 * Two blocks that write different bytes of a word count as a conflict, which may cost time but is
 * always correct. Page boundaries are multiples of PAGE in the address space, so an aligned access
 * lies within one page.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/memory/copy_on_write.h"
#include "simt/checks/race.h"

enum { PAGE = 4096, WORDS = PAGE / 4, GROUPS = WORDS / 64 };

typedef struct {
	uint64_t read[GROUPS], wrote[GROUPS];
	uint8_t *bytes;         /* the worker's copy; NULL: no write yet */
	uint8_t *written;       /* copy of the buffer's bits of initialised bytes; NULL: none */
} Page;

/* A page of a buffer. */
typedef struct { uint32_t buffer, page; } Page_place;

struct Overlay {
	const Memory *memory;
	uint32_t worker;
	bool shadowed;          /* accesses are recorded in Buffer.workers */
	Page ***pages;          /* by buffer, then by page; NULL: untouched */
	VEC(Page_place) touched;
};

/* ---- pages ----------------------------------------------------------------------------------- */

static void *
allocate_zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);
	if (!p)
		out_of_memory();
	return p;
}

/* Offset of a buffer's start in its first page. */
static uint64_t page_offset(const Buffer *b) { return b->at % PAGE; }

/* The bytes of a page that belong to the buffer: returns their offset in the page, and their number
 * in *n. */
static uint64_t
page_extent(const Buffer *b, uint64_t page, uint64_t *n)
{
	uint64_t from = page ? 0 : page_offset(b), end = page_offset(b) + b->n - page * PAGE;
	*n = (end < PAGE ? end : PAGE) - from;
	return from;
}

static Page *
find_page(Overlay *o, const Buffer *b, uint64_t page)
{
	uint32_t id = (uint32_t)(b - o->memory->buffers.at);
	if (!o->pages[id])
		o->pages[id] =
			allocate_zeroed((page_offset(b) + b->n) / PAGE + 1, sizeof *o->pages[id]);
	Page *p = o->pages[id][page];
	if (!p) {
		p = o->pages[id][page] = allocate_zeroed(1, sizeof *p);
		*vec_push(&o->touched) = (Page_place){ id, (uint32_t)page };
	}
	return p;
}

static void
copy_page(Page *p, const Buffer *b, uint64_t page)
{
	uint64_t n, from = page_extent(b, page, &n), at = page * PAGE + from - page_offset(b);
	p->bytes = xmalloc(PAGE + PAGE / 8);
	memcpy(p->bytes + from, b->bytes + at, n);
	if (!b->written)
		return;
	p->written = p->bytes + PAGE; /* such buffers are page-aligned */
	memcpy(p->written, b->written + at / 8, (n + 7) / 8);
}

/* ---- an access ------------------------------------------------------------------------------- */

/* The mask of an access's words within one 64-bit element of a page's bit sets. */
static uint64_t
word_bits(uint64_t at, uint32_t size)
{
	return ((UINT64_C(1) << (size + 3) / 4) - 1) << at / 4 % 64;
}

uint8_t *
overlay_at(Warp *w, const Access *x, Access_target *p)
{
	Overlay *o = w->sim->worker.overlay;
	const Buffer *b = p->buffer;
	uint64_t at = page_offset(b) + p->offset, group = at % PAGE / 256;
	if ((x->kind == ACCESS_ATOMIC && !p->reads) || x->reach) {
		block_queue_cancel(w->sim);
		return NULL;
	}
	Page *page = find_page(o, b, at / PAGE);
	if (x->kind <= ACCESS_READ)
		page->read[group] |= word_bits(at, x->size);
	else
		page->wrote[group] |= word_bits(at, x->size);
	if (x->kind > ACCESS_READ && !page->bytes)
		copy_page(page, b, at / PAGE);
	if (o->shadowed && !b->workers[o->worker])
		b->workers[o->worker] = shadow_new(b->n);
	p->shadow = o->shadowed ? b->workers[o->worker] : NULL;
	if (!page->bytes)
		return p->bytes;
	p->written = page->written;
	p->bit = at % PAGE;
	return p->bytes = page->bytes + at % PAGE;
}

/* ---- a launch -------------------------------------------------------------------------------- */

void
overlay_prepare(Memory *m, uint32_t workers)
{
	for (uint32_t k = 1; k < m->buffers.n; k++) {
		Buffer *b = &m->buffers.at[k];
		if (!b->bytes || b->nworkers >= workers)
			continue;
		b->workers = xrealloc(b->workers, workers * sizeof(Shadow *));
		while (b->nworkers < workers)
			b->workers[b->nworkers++] = NULL;
	}
}

Overlay *
overlay_new(const Memory *m, uint32_t worker, bool shadowed)
{
	Overlay *o = xmalloc(sizeof *o);
	*o = (Overlay){ .memory = m,
		.worker = worker,
		.shadowed = shadowed,
		.pages = allocate_zeroed(m->buffers.n, sizeof *o->pages) };
	return o;
}

void
overlay_free(Overlay *o)
{
	for (uint32_t k = 0; k < o->touched.n; k++) {
		const Page_place *t = &o->touched.at[k];
		xfree(o->pages[t->buffer][t->page]->bytes);
		free(o->pages[t->buffer][t->page]);
	}
	for (uint32_t k = 0; k < o->memory->buffers.n; k++)
		free(o->pages[k]);
	free(o->pages);
	vec_free(&o->touched);
	xfree(o);
}

bool
overlay_conflicts(const Overlay *o, const Overlay *other)
{
	for (uint32_t k = 0; k < o->touched.n; k++) {
		const Page_place *t = &o->touched.at[k];
		const Page *p = o->pages[t->buffer][t->page],
			   *q = other->pages[t->buffer] ? other->pages[t->buffer][t->page] : NULL;
		for (uint32_t g = 0; q && g < GROUPS; g++)
			if (p->wrote[g] & (q->wrote[g] | q->read[g]))
				return true;
	}
	return false;
}

/* Copies word n of a page to the buffer, with its bits of initialised bytes. */
static void
commit_word(const Page *p, const Buffer *b, uint64_t page, uint32_t n)
{
	uint64_t bytes, from = page_extent(b, page, &bytes), at = n * UINT64_C(4), end = at + 4;
	at = at < from ? from : at;
	end = end > from + bytes ? from + bytes : end;
	memcpy(b->bytes + page * PAGE + at - page_offset(b), p->bytes + at, end - at);
	if (!p->written)
		return;
	uint8_t *bits = b->written + (page * PAGE + at) / 8, mask = at & 4 ? 0xf0 : 0x0f;
	*bits = (uint8_t)((*bits & ~mask) | (p->written[at / 8] & mask));
}

void
overlay_commit(const Overlay *o)
{
	for (uint32_t k = 0; k < o->touched.n; k++) {
		const Page_place *t = &o->touched.at[k];
		const Page *p = o->pages[t->buffer][t->page];
		const Buffer *b = &o->memory->buffers.at[t->buffer];
		for (uint32_t g = 0; g < GROUPS && p->bytes; g++)
			for (uint64_t left = p->wrote[g]; left; left &= left - 1)
				commit_word(p, b, t->page,
					g * 64 + (uint32_t)__builtin_ctzll(left));
	}
}
