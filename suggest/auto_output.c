/* SPDX-License-Identifier: MIT */
/* Inserts annotations and transforms the text. See auto_output.h.
 *
 * The transformation of all sites together may refuse one that was planned alone, for instance
 * because of the kernel's registers. It is then repeated without that site, because its markers
 * would remain in the text. */
#include <string.h>
#include "suggest/auto_annotate.h"
#include "suggest/auto_markers.h"
#include "suggest/auto_output.h"

typedef struct { Arena *arena; Edits *edits; Source src; Module *m; } Marked_text;

/* Parses a text that this program wrote. */
static Module *
parse_text(const char *name, const Buf *text, Source *src)
{
	source_from(src, name, text->at, text->n);
	Diags *d = diags_new(src);
	Module *m = ptx_parse(src, d);
	diags_free(d);
	return m;
}

/* Makes the text of m with the markers of the remaining sites. Its module, which refers to t->src,
 * is NULL if there are none. */
static void
insert_markers(Marked_text *t, const Auto_markers *w, const Module *m)
{
	Buf text = { 0 };

	*t = (Marked_text){ .arena = arena_new() };
	t->edits = edit_new(t->arena);
	if (auto_markers_insert(w, t->edits)) {
		edit_apply(t->edits, m->src, &text);
		t->m = parse_text(m->src->name, &text, &t->src);
	}
	buf_free(&text);
}

static void
release_text(Marked_text *t)
{
	ptx_free(t->m);
	source_release(&t->src);
	edit_release(t->edits);
	arena_free(t->arena);
}

static uint32_t
position_without_markers(void *edits, uint32_t pos)
{
	return edit_origin(edits, pos);
}

/* Keeps the text that the page of --explain shows as the input. */
static void
keep_explained(const Pass_options *opt, const Output *out)
{
	Explained *e = opt->explained;

	if (e && e->in)
		e->in = arena_strndup(out->report.arena, e->in, e->in_len);
}

void
auto_output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user,
	Diags *d, Output *out)
{
	Auto_markers *w = auto_markers_select(m, opt);
	const uint32_t mark = diags_mark(d);
	Pass_options own = *opt;
	bool again;

	do {
		Marked_text t;
		insert_markers(&t, w, m);
		diags_rewind(d, mark);
		if (t.m)
			diags_set_base(d, position_without_markers, t.edits);
		own.measured.inserted_from = t.m ? auto_markers_first(w) : 0;
		output_make(t.m ? t.m : m, &own, assemble, user, d, out);
		diags_set_base(d, NULL, NULL);
		again = t.m && auto_markers_drop_refused(w, &out->report);
		if (again)
			output_release(out);
		else
			keep_explained(opt, out);
		release_text(&t);
	} while (again);
	auto_markers_report(w, &out->report, d);
	auto_markers_free(w);
}

Module *
auto_layers(const Module *m, const Pass_options *opt, Source *src)
{
	static const char VARIABLE[] = "__ccc_profile"; /* of annotate/ccc_profile.h */
	const Pass_options defaults = { 0 };
	Module *layers = NULL;
	Buf text = { 0 };

	auto_annotate_layers(m, opt ? opt : &defaults, &text);
	if (text.n && !strstr(text.at, VARIABLE))
		buf_printf(&text, "\n.visible .global .align 8 .u64 %s[8];\n", VARIABLE);
	if (text.n)
		layers = parse_text(m->src->name, &text, src);
	buf_free(&text);
	return layers;
}
