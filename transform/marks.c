/* SPDX-License-Identifier: MIT */
/* Markers of a transformed site say "done", so that a second run finds nothing to do
 * (docs/markers.md). */
#include <string.h>
#include "transform/plan.h"

void
mark_done(const Module *m, const Marker *k, Buf *out)
{
	Span at = m->stmts[k->stmt].at;
	const char *text = m->src->text + at.pos, *word = strstr(text, ".ccc") + 4;
	word += strspn(word, " \t");
	size_t lead = (size_t)(word - text), skip = lead + strcspn(word, " \t");
	buf_add(out, text, lead);
	buf_puts(out, "done");
	buf_add(out, text + skip, at.end - at.pos - skip);
}

/* Is the marker in the region, or one of its end markers? */
static bool
belongs(const Plan *x, const Marker *k)
{
	const Fn *fn = x->fn;
	const Marker *mine = &fn->m->markers[x->site->marker];
	uint32_t b = cfg_block_of(fn->cfg, k->stmt);
	if (k->done)
		return false;
	if (bits_has(x->site->blocks, b))
		return true;
	for (uint32_t i = 0; k->end && k->id == mine->id && i < fn->cfg->blocks[b].npred; i++)
		if (bits_has(x->site->blocks, cfg_pred(fn->cfg, b)[i]))
			return true;
	return false;
}

void
marks_done(const Plan *x, Edits *edits)
{
	const Module *m = x->fn->m;
	for (uint32_t i = x->fn->f->marker; i < x->fn->f->marker + x->fn->f->nmarkers; i++) {
		Buf text = { 0 };
		if (i == x->site->marker || !belongs(x, &m->markers[i]))
			continue;
		mark_done(m, &m->markers[i], &text);
		edit_replace(edits, m->stmts[m->markers[i].stmt].at, text.at, text.n);
		buf_free(&text);
	}
}
