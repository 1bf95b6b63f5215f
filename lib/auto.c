/* SPDX-License-Identifier: MIT */
/* Option --auto. See auto.h. */
#include "lib/auto.h"
#include "suggest/auto_annotate.h"
#include "suggest/auto_markers.h"

/* Returns the module of a text, in the heap of the job; it is this program's own text. */
static const Module *
parse_text(const Module *m, const Buf *text)
{
	Source *src = xmalloc(sizeof *src);

	source_from(src, m->src->name, text->at, text->n);
	return ptx_parse(src, diags_new(src));
}

/* Returns m with the markers of the remaining sites; NULL if there are none. */
static const Module *
parse_with_markers(const Auto_markers *w, const Module *m, Edits *e)
{
	const Module *marked = NULL;
	Buf text = { 0 };

	if (auto_markers_insert(w, e)) {
		edit_apply(e, m->src, &text);
		marked = parse_text(m, &text);
	}
	buf_free(&text);
	return marked;
}

static uint32_t
position_without_markers(void *edits, uint32_t pos)
{
	return edit_origin(edits, pos);
}

void
auto_output_make(ptxccc *c, const Module *m, const Pass_options *pass, Diags *d, Output *out)
{
	Auto_markers *w = auto_markers_select(m, pass);
	const uint32_t mark = diags_mark(d);
	Pass_options opt = *pass;
	bool again;

	do {
		Arena *a = arena_new();
		Edits *e = edit_new(a);
		const Module *marked = parse_with_markers(w, m, e);
		diags_rewind(d, mark);
		if (marked)
			diags_set_base(d, position_without_markers, e);
		opt.measured.inserted_from = marked ? auto_markers_first(w) : 0;
		output_make(marked ? marked : m, &opt, c->assemble ? context_assemble : NULL, c, d,
			out);
		diags_set_base(d, NULL, NULL);
		again = marked && auto_markers_drop_refused(w, &out->report);
		if (again)
			output_release(out);
		edit_release(e);
		arena_free(a);
	} while (again);
	auto_markers_report(w, &out->report, d);
	auto_markers_free(w);
}

const Module *
auto_layers(const Module *m, const Pass_options *pass)
{
	const Module *layers = NULL;
	Buf text = { 0 };

	auto_annotate_layers(m, pass, &text);
	if (text.n)
		layers = parse_text(m, &text);
	buf_free(&text);
	return layers ? layers : m;
}
