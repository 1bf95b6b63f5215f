/* SPDX-License-Identifier: MIT */
/* Code that the emitters of all passes share: the frame of a site's text, and the exits of its
 * loop. See emit.h. */
#include <stdio.h>
#include "transform/emit/emit.h"
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"

/* ---- frame ----------------------------------------------------------------------------------- */

void
emit_begin(Emit *e, const Plan *x, Template_id id, Edits *edits)
{
	Tpl *t = e->t;

	*e = (Emit){ .x = x, .m = x->fn->m, .arena = x->arena, .t = t, .edits = edits };
	if (x->fn->locs)
		e->told = bits_new(x->arena, x->fn->f->nstmt);
	e->way_used = arena_array(x->arena, x->nways + 1, sizeof *e->way_used);
	snprintf(e->prefix, sizeof e->prefix, "ccc%u_", x->number);
	tpl_init(t, id, x->opt->omit, x->arena);
	tpl_begin(t, e->prefix);
	t->copy = COPY_OTHERS;
}

void
emit_end(Emit *e, const char *section)
{
	const Plan *x = e->x;
	const Marker *loop = plan_marker(x);
	Tpl *t = e->t;

	marks_done(x, e->edits);
	mark_done(e->m, loop, &t->out);
	buf_putc(&t->out, '\n');
	tpl_put(t, section);
	tpl_end(t);
	edit_replace(e->edits, e->m->stmts[loop->stmt].at, t->out.at, t->out.n - 1);
	if (x->opt->show[STEP_WRITE])
		buf_add(x->opt->shown, t->out.at, t->out.n);
	tpl_release(t);
}

static const char *
label(const Emit *e, char prefix, const char *word, uint32_t n)
{
	Buf b = { 0 };

	buf_printf(&b, "%c%s%u", prefix, word, n);
	const char *s = arena_strndup(e->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

const char *
emit_label(const Emit *e, const char *word, uint32_t n)
{
	return label(e, '^', word, n);
}

const char *
emit_site_label(const Emit *e, const char *word, uint32_t n)
{
	return label(e, '~', word, n);
}

/* ---- recomputed values ----------------------------------------------------------------------- */

void
emit_again_values(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->nagain; i++)
		copy_line(&e->entry, e->x->again[i]);
}

/* ---- exits ----------------------------------------------------------------------------------- */

void
emit_tell_retreat(Emit *e)
{
	const Retreat *r = &e->x->retreat;

	tpl_flag(e->t, "retreats", r->on);
	tpl_value(e->t, "start", "%d", r->start);
	tpl_value(e->t, "most", "%d", r->most);
	if (r->on)
		tpl_value(e->t, "as_it_was", "%s", emit_place(e, plan_header(e->x), e->x->nways));
	tpl_value(e->t, "saved", "%d", r->saved);
	tpl_value(e->t, "noted", "%d", r->noted);
	tpl_value(e->t, "batch", "%d", r->batch);
}

uint32_t
emit_way(const Plan *x, uint32_t block, uint32_t stmt)
{
	uint32_t k = 0;

	while (k < x->nways && (x->ways[k].block != block || x->ways[k].stmt != stmt))
		k++;
	ASSERT(k < x->nways);
	return k;
}

const char *
emit_exit_label(const Emit *e, uint32_t k)
{
	e->way_used[k] = true;
	return emit_site_label(e, e->early ? "early" : "exit", k);
}

void
emit_exits(void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->x->nways; k++) {
		if (!e->way_used[k])
			continue;
		e->way_used[k] = false;
		tpl_value(e->t, "k", "%u", k);
		tpl_put(e->t, "exit");
	}
}

/* Inserts a label before a block that has none. */
static void
label_block(const Emit *e, uint32_t b, uint32_t k)
{
	Buf text = { 0 };

	buf_printf(&text, "$ccc%u_out%u:\n\t", e->x->number, k);
	edit_insert(e->edits, fn_stmt(e->x->fn, e->x->fn->cfg->blocks[b].stmt)->at.pos, text.at,
		text.n);
	buf_free(&text);
}

const char *
emit_place(const Emit *e, uint32_t b, uint32_t k)
{
	uint32_t at = fn_label(e->x->fn, b);
	Buf name = { 0 };

	if (at)
		return copy_name(e->x->fn, at, e->arena);
	label_block(e, b, k);
	buf_printf(&name, "$~out%u", k);
	const char *s = arena_strndup(e->arena, name.at, name.n);
	buf_free(&name);
	return s;
}

void
emit_ways_out(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (uint32_t k = x->nways; k-- > 0;) {
		uint32_t b = x->ways[k].block;
		if (b)
			tpl_value(e->t, "go", "bra \t%s", emit_place(e, b, k));
		else
			tpl_value(e->t, "go", "%s",
				ptx_ops[ptx_op(e->m, fn_stmt(x->fn, x->ways[k].stmt))].name);
		tpl_value(e->t, "k", "%u", k);
		tpl_flag(e->t, "last", k == 0);
		tpl_put(e->t, "way_out");
	}
}
