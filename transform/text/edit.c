/* SPDX-License-Identifier: MIT */
/* The edit list. See edit.h. Applying n edits to a text of length t takes O(n log n + t). */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/vec.h"
#include "transform/text/edit.h"

typedef struct {
	Span at; /* replaced span; empty for an insertion */
	uint32_t order;
	const char *text;
	size_t len;
	size_t to; /* after edit_apply(): where the text begins in the edited text */
} Edit;

struct Edits {
	Arena *arena;
	VEC(Edit) list;
};

Edits *
edit_new(Arena *a)
{
	Edits *e = arena_zalloc(a, sizeof *e);
	e->arena = a;
	return e;
}

void
edit_release(Edits *e)
{
	vec_free(&e->list);
}

void
edit_replace(Edits *e, Span at, const char *text, size_t len)
{
	Edit *x = vec_push(&e->list);
	*x = (Edit){ at, e->list.n, arena_strndup(e->arena, text, len), len, 0 };
}

void
edit_insert(Edits *e, uint32_t pos, const char *text, size_t len)
{
	edit_replace(e, (Span){ pos, pos }, text, len);
}

bool
edit_any(const Edits *e)
{
	return e->list.n != 0;
}

static int
by_place(const void *a, const void *b)
{
	const Edit *x = a, *y = b;
	bool ix = x->at.pos == x->at.end, iy = y->at.pos == y->at.end;
	if (x->at.pos != y->at.pos)
		return x->at.pos < y->at.pos ? -1 : 1;
	if (ix != iy)
		return ix ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
edit_apply(Edits *e, const Source *src, Buf *out)
{
	const size_t begin = out->n;
	uint32_t pos = 0;
	if (e->list.n)
		qsort(e->list.at, e->list.n, sizeof *e->list.at, by_place);
	for (uint32_t i = 0; i < e->list.n; i++) {
		Edit *x = &e->list.at[i];
		if (x->at.pos < pos || x->at.end > src->len)
			die("edits overlap at byte %u", x->at.pos);
		buf_add(out, src->text + pos, x->at.pos - pos);
		x->to = out->n - begin;
		buf_add(out, x->text, x->len);
		pos = x->at.end;
	}
	buf_add(out, src->text + pos, src->len - pos);
}

/* Maps a position of the edited text back. fresh: whether the byte there is new. */
static uint32_t
map_back(const Edits *e, uint32_t pos, bool *fresh)
{
	uint32_t n = 0; /* edits at or before the position */

	for (uint32_t most = e->list.n; n < most;) {
		uint32_t mid = n + (most - n) / 2;
		if (e->list.at[mid].to <= pos)
			n = mid + 1;
		else
			most = mid;
	}
	*fresh = false;
	if (n == 0)
		return pos;
	const Edit *x = &e->list.at[n - 1];
	*fresh = pos < x->to + x->len;
	return *fresh ? x->at.pos : x->at.end + (uint32_t)(pos - x->to - x->len);
}

uint32_t
edit_origin(const Edits *e, uint32_t pos)
{
	bool fresh;

	return map_back(e, pos, &fresh);
}

bool
edit_is_new(const Edits *e, uint32_t pos)
{
	bool fresh;

	map_back(e, pos, &fresh);
	return fresh;
}
