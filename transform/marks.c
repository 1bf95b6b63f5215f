/* CCC: markers of a transformed site say "done", so that a second run finds nothing to do
 * (docs/markers.md). */
#include <string.h>
#include "transform/ccc.h"

void
ccc_done_marker(const Module *m, const Marker *k, Buf *out)
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
belongs(const Ccc *c, const Marker *k)
{
	const Fn *fn = c->fn;
	const Marker *mine = &fn->m->markers[c->site->r.marker];
	uint32_t b = cfg_block_of(fn->cfg, k->stmt);
	if (k->done)
		return false;
	if (bits_has(c->site->r.blocks, b))
		return true;
	for (uint32_t i = 0; k->end && k->id == mine->id && i < fn->cfg->blocks[b].npred; i++)
		if (bits_has(c->site->r.blocks, cfg_pred(fn->cfg, b)[i]))
			return true;
	return false;
}

void
ccc_mark_done(const Ccc *c, Edits *edits)
{
	const Module *m = c->fn->m;
	for (uint32_t i = c->fn->f->marker; i < c->fn->f->marker + c->fn->f->nmarkers; i++) {
		Buf text = { 0 };
		if (i == c->site->r.marker || !belongs(c, &m->markers[i]))
			continue;
		ccc_done_marker(m, &m->markers[i], &text);
		edit_replace(edits, m->stmts[m->markers[i].stmt].at, text.at, text.n);
		buf_free(&text);
	}
}
