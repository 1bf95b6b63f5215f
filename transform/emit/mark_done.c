/* SPDX-License-Identifier: MIT */
/* Rewrites the markers of a transformed site to "done", so that a second run of the compiler
 * ignores them (docs/markers.md). */
#include <string.h>
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"

void
marker_write_done(const Module *m, const Marker *k, Buf *out)
{
	Span at = m->stmts[k->stmt].at;
	const char *text = m->src->text + at.pos, *word = strstr(text, ".ccc") + 4;
	word += strspn(word, " \t");
	size_t lead = (size_t)(word - text), skip = lead + strcspn(word, " \t");
	buf_add(out, text, lead);
	buf_puts(out, "done");
	buf_add(out, text + skip, at.end - at.pos - skip);
}

void
marker_queue_done(const Module *m, const Marker *k, Edits *e)
{
	Buf text = { 0 };

	marker_write_done(m, k, &text);
	edit_replace(e, m->stmts[k->stmt].at, text.at, text.n);
	buf_free(&text);
}

/* Returns the marker at the start of block b, or NULL. */
static const Marker *
marker_at(const Fn *fn, uint32_t b)
{
	const Block *k = &fn->cfg->blocks[b];

	if (k->stmt == k->end || fn_stmt(fn, k->stmt)->kind != STMT_MARKER)
		return NULL;
	return &fn->m->markers[fn_stmt(fn, k->stmt)->sym];
}

/* Whether marker k of block b belongs to the region, or is one of its end markers. Block b is in
 * the region or a successor of it. */
static bool
marker_is_of_site(const Plan *x, const Marker *k, uint32_t b)
{
	return !k->done &&
		(bits_has(x->site->blocks, b) || (k->end && k->id == plan_marker(x)->id));
}

void
markers_write_done(const Plan *x, Edits *edits)
{
	const Module *m = x->fn->m;
	Arena_mark mark = arena_mark(x->arena);
	Bits near = bits_new(x->arena, x->fn->cfg->nblocks);

	bits_copy(near, x->site->blocks);
	BITS_EACH(b, x->site->blocks)
		FN_SUCC(x->fn, b, to)
			if (to)
				bits_set(near, to);
	BITS_EACH(b, near) {
		const Marker *k = marker_at(x->fn, b);
		if (k && k != plan_marker(x) && marker_is_of_site(x, k, b))
			marker_queue_done(m, k, edits);
	}
	arena_release(x->arena, mark);
}
