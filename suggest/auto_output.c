/* SPDX-License-Identifier: MIT */
/* Inserts annotations and transforms the text. See auto_output.h.
 *
 * The transformation of all sites together may refuse one that was planned alone, for instance
 * because of the kernel's registers. It is then repeated without that site, because its markers
 * would remain in the text. */
#include <string.h>
#include "suggest/auto_layers.h"
#include "suggest/auto_markers.h"
#include "suggest/auto_output.h"
#include "transform/output/clone_function.h"

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

/* Makes the text of m with the markers of the remaining sites; other functions have the bodies of
 * module `plain`, unless it is NULL. Its module, which refers to t->src, is NULL if no site
 * remains. */
static void
insert_markers(Marked_text *t, const Auto_markers *w, const Module *m, const Module *plain)
{
	Buf text = { 0 };

	*t = (Marked_text){ .arena = arena_new() };
	t->edits = edit_new(t->arena);
	if (auto_markers_insert(w, t->edits)) {
		Bits sites = bits_new(t->arena, m->nfuncs);
		auto_markers_functions(w, sites);
		if (plain)
			replace_by_plain_bodies(m, plain, sites, t->edits);
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
original_position(const void *edits, uint32_t pos)
{
	return edit_origin(edits, pos);
}

static uint32_t
position_without_markers(void *edits, uint32_t pos)
{
	return edit_origin(edits, pos);
}

/* Makes the result the text of module `plain`: no site was transformed. */
static void
take_plain_text(const Module *m, const Module *plain, Output *out)
{
	if (!plain || m->nmarkers > 1)
		return;
	out->text.n = 0;
	buf_add(&out->text, plain->src->text, plain->src->len);
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
		insert_markers(&t, w, m, opt->unannotated);
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
		if (!t.m)
			take_plain_text(m, opt->unannotated, out);
		release_text(&t);
	} while (again);
	auto_markers_report(w, &out->report, d);
	auto_markers_free(w);
}

/* Sets, by statement of the layers, the original statement; 0: it was inserted. Text inserted
 * before a statement has the same origin, so the last one is the statement itself. */
static void
find_origins(Auto_layers *to, const Edits *e)
{
	const Module *m = to->of;
	uint32_t k = 0;

	to->origin = xmalloc((to->m->nstmts + 1u) * sizeof *to->origin);
	memset(to->origin, 0, (to->m->nstmts + 1u) * sizeof *to->origin);
	for (uint32_t i = to->m->nstmts; i-- > 1;) {
		const uint32_t pos = edit_origin(e, to->m->stmts[i].at.pos);
		while (k < m->nstmts - 1 && m->stmts[m->nstmts - 1 - k].at.pos > pos)
			k++;
		const uint32_t stmt = m->nstmts - 1 - k;
		if (stmt && m->stmts[stmt].at.pos == pos) {
			to->origin[i] = stmt;
			k++;
		}
	}
}

bool
auto_layers_make(const Module *m, const Pass_options *opt, Auto_layers *to)
{
	static const char VARIABLE[] = "__ccc_profile"; /* of annotate/ccc_profile.h */
	const Pass_options defaults = { 0 };
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	Buf text = { 0 };

	*to = (Auto_layers){ .of = m };
	if (auto_layers_queue(m, opt ? opt : &defaults, e)) {
		edit_apply(e, m->src, &text);
		if (!strstr(text.at, VARIABLE))
			buf_printf(&text, "\n.visible .global .align 8 .u64 %s[8];\n", VARIABLE);
		to->m = parse_text(m->src->name, &text, &to->src);
	}
	if (to->m) {
		find_origins(to, e);
		source_show_lines_of(&to->src, m->src, original_position, e);
	}
	buf_free(&text);
	edit_release(e);
	arena_free(a);
	return to->m != NULL;
}

void
auto_layers_release(Auto_layers *l)
{
	ptx_free(l->m);
	source_release(&l->src);
	xfree(l->origin);
	*l = (Auto_layers){ 0 };
}
