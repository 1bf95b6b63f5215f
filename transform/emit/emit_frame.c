/* SPDX-License-Identifier: MIT */
/* Code that the emitters of all passes share: the frame of a site's text, and the exits of its
 * loop. See emit.h. */
#include <stdio.h>
#include "transform/emit/emit.h"
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"

/* ---- frame ----------------------------------------------------------------------------------- */

void
emit_begin_site(Emit *e, const Plan *x, Template_id id, Edits *edits)
{
	Tpl *t = e->t;

	*e = (Emit){ .x = x, .m = x->fn->m, .arena = x->arena, .t = t, .edits = edits };
	if (x->fn->locs)
		e->named_locs = bits_new(x->arena, x->fn->f->nstmt);
	e->exit_used = arena_array(x->arena, x->common.nexits + 1, sizeof *e->exit_used);
	snprintf(e->prefix, sizeof e->prefix, "ccc%u_", x->number);
	tpl_init(t, id, x->opt->debug.omit, x->arena);
	t->cites = x->opt->explained && x->opt->explained->cites;
	tpl_begin(t, e->prefix);
	t->copy = COPY_PARTIAL;
	tpl_flag(t, "gathers", x->common.gathers);
}

void
emit_end_site(Emit *e, const char *section)
{
	const Plan *x = e->x;
	const Marker *loop = plan_marker(x);
	Tpl *t = e->t;

	markers_write_done(x, e->edits);
	marker_write_done(e->m, loop, &t->out);
	buf_putc(&t->out, '\n');
	tpl_write_section(t, section);
	tpl_end(t);
	edit_replace(e->edits, e->m->stmts[loop->stmt].at, t->out.at, t->out.n - 1);
	if (x->opt->debug.show[STEP_WRITE])
		buf_add(x->opt->debug.dump, t->out.at, t->out.n);
	tpl_release(t);
}

static const char *
make_label(const Emit *e, char prefix, const char *word, uint32_t n)
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
	return make_label(e, '^', word, n);
}

const char *
emit_site_label(const Emit *e, const char *word, uint32_t n)
{
	return make_label(e, '~', word, n);
}

/* ---- recomputed values ----------------------------------------------------------------------- */

void
emit_recompute_values(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->tasks.nrecomputed; i++)
		copy_line(&e->entry, e->x->tasks.recomputed[i]);
}

/* ---- exits ----------------------------------------------------------------------------------- */

void
emit_define_fallback(Emit *e)
{
	const Fallback *r = &e->x->fallback;

	tpl_flag(e->t, "has_fallback", r->enabled);
	tpl_value(e->t, "start", "%d", r->start);
	tpl_value(e->t, "most", "%d", r->max);
	if (r->enabled)
		tpl_value(e->t, "as_it_was", "%s", emit_block_label(e, plan_header(e->x), e->x->common.nexits));
	tpl_value(e->t, "saved", "%d", r->credit_saved);
	tpl_value(e->t, "noted", "%d", r->credit_selected);
	tpl_value(e->t, "batch", "%d", r->batch);
}

uint32_t
emit_exit_number(const Plan *x, uint32_t block, uint32_t stmt)
{
	const Common_code *c = &x->common;
	uint32_t k = 0;

	while (k < c->nexits && (c->exits[k].block != block || c->exits[k].stmt != stmt))
		k++;
	ASSERT(k < c->nexits);
	return k;
}

const char *
emit_exit_label(const Emit *e, uint32_t k)
{
	e->exit_used[k] = true;
	return emit_site_label(e, e->here.before_loop ? "early" : "exit", k);
}

void
emit_exits(void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->x->common.nexits; k++) {
		if (!e->exit_used[k])
			continue;
		e->exit_used[k] = false;
		tpl_value(e->t, "k", "%u", k);
		tpl_write_section(e->t, "exit");
	}
}

/* Inserts a label before a block that has none. */
static void
define_block_label(const Emit *e, uint32_t b, uint32_t k)
{
	Buf text = { 0 };

	buf_printf(&text, "$ccc%u_out%u:\n\t", e->x->number, k);
	edit_insert(e->edits, fn_stmt(e->x->fn, e->x->fn->cfg->blocks[b].stmt)->at.pos, text.at,
		text.n);
	buf_free(&text);
}

const char *
emit_block_label(const Emit *e, uint32_t b, uint32_t k)
{
	uint32_t at = fn_label(e->x->fn, b);
	Buf name = { 0 };

	if (at)
		return copy_name(e->x->fn, at, e->arena);
	define_block_label(e, b, k);
	buf_printf(&name, "$~out%u", k);
	const char *s = arena_strndup(e->arena, name.at, name.n);
	buf_free(&name);
	return s;
}

void
emit_exit_code(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (uint32_t k = x->common.nexits; k-- > 0;) {
		uint32_t b = x->common.exits[k].block, s = x->common.exits[k].stmt;
		if (b)
			tpl_value(e->t, "go", "bra \t%s", emit_block_label(e, b, k));
		else
			tpl_value(e->t, "go", "%s", ptx_ops[ptx_op(e->m, fn_stmt(x->fn, s))].name);
		tpl_value(e->t, "k", "%u", k);
		tpl_flag(e->t, "last", k == 0);
		tpl_write_section(e->t, "way_out");
	}
}
