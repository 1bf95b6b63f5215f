/* SPDX-License-Identifier: MIT */
/* Melded texts. See melds.h. */
#include <string.h>
#include "transform/melds.h"

struct Melds_text {
	Melds_text *before;
	Edits *edits;           /* that made it */
	Buf text;
	Source src;
	Module *m;
};

/* Makes the next text. False: there is nothing to meld any more. */
static bool
next_text(Melds *x, const Pass_options *opt)
{
	Melds_text *t = arena_zalloc(x->arena, sizeof *t);
	uint32_t told = x->told.n;

	*t = (Melds_text){ .before = x->last, .edits = edit_new(x->arena) };
	if (distribute_run(x->now, opt, x->arena, &x->told, t->edits)) {
		edit_apply(t->edits, x->now->src, &t->text);
		source_from(&t->src, x->now->src->name, t->text.at, t->text.n);
		Diags *d = diags_new(&t->src);
		t->m = ptx_parse(&t->src, d);
		diags_free(d);
	}
	for (uint32_t i = told; i < x->told.n; i++)
		if (x->told.at[i].why.pos != DIAG_NOWHERE)
			x->told.at[i].why.pos = melds_origin(x, x->told.at[i].why.pos);
	if (!t->m) {
		edit_release(t->edits);
		buf_free(&t->text);
		source_release(&t->src);
		return false;
	}
	x->last = t;
	x->now = t->m;
	return true;
}

void
melds_make(Melds *x, const Module *m, const Pass_options *opt, Arena *a)
{
	*x = (Melds){ .m = m, .now = m, .arena = a };
	while (next_text(x, opt))
		;
}

void
melds_release(Melds *x)
{
	for (Melds_text *t = x->last; t; t = t->before) {
		ptx_free(t->m);
		edit_release(t->edits);
		source_release(&t->src);
		buf_free(&t->text);
	}
	vec_free(&x->told);
}

uint32_t
melds_origin(void *melds, uint32_t pos)
{
	const Melds *x = melds;

	for (const Melds_text *t = x->last; t; t = t->before)
		pos = edit_origin(t->edits, pos);
	return pos;
}

bool
melds_changed(const Melds *x, uint32_t func)
{
	for (uint32_t i = 0; i < x->told.n; i++)
		if (x->told.at[i].func == func && !verdict_no(x->told.at[i].why))
			return true;
	return false;
}

void
melds_tell(const Melds *x, Report *r, Diags *d)
{
	for (uint32_t i = 0; i < x->told.n; i++) {
		const Arms *k = &x->told.at[i];
		bool done = !verdict_no(k->why);
		*vec_push(&r->branches) = (Report_branch){ .func = k->func,
			.at = report_place(r->arena, x->m->markers[k->marker[0]].cuda),
			.done = done,
			.total = k->total,
			.both = k->both,
			.before = k->before,
			.after = k->after,
			.why = verdict_copy(&k->why, r->arena) };
		if (!done)
			verdict_report(&k->why, d, x->m->markers[k->marker[0]].cuda, "branch left as it was: ");
		for (uint32_t arm = 0; arm < 2 && done; arm++) {
			const Marker *m = &x->m->markers[k->marker[arm]];
			*vec_push(&r->met) = report_annotation(r->arena, m, false);
			*vec_push(&r->met) = report_annotation(r->arena, m, true);
		}
	}
}
