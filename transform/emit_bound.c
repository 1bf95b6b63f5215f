/* SPDX-License-Identifier: MIT */
/* The text of a bound plan: bound.tpl's values, flags and pieces. The loop's code is copied as it stands, with other ways: those to
 * the meeting place, to the path and out of the loop lead to the template's labels. In `ahead` its own part is copied once more, on
 * registers of its own, as the code that looks. */
#include "transform/emit.h"
#include "transform/passes.h"

static bool
in_own(const Plan *x, uint32_t b)
{
	return bits_has(x->own, b) || plan_in_path(x, b);
}

static bool
looks_at(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b) && !bound_beyond(x, b);
}

/* ---- the loop's code -------------------------------------------------------------------------------------------------------- */

static const char *
loop_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	if (plan_in_path(x, from) && !in_own(x, to)) /* an empty block behind the path */
		to = region_resolve(x->fn, x->site->loop, to);
	if (to == x->bound.meet)
		return "^meet";
	if (to == x->bound.cut)
		return "^cut";
	return in_own(x, to) ? emit_label(e, "b", to) : emit_exit_label(e, emit_way(x, to, 0));
}

static const char *
loop_end(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_way(e->x, 0, stmt));
}

static void
piece_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	bool first = true;

	FN_BLOCKS(x->fn, b) {
		if (!in_own(x, b))
			continue;
		if (first && b != x->site->entry)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "b", x->site->entry));
		first = false;
		copy_block(&e->own, b, emit_label(e, "b", b), emit_label(e, "b", b + 1));
	}
}

/* The section of the policy. */
static void
piece_policy(void *user)
{
	Emit *e = user;
	Annot_policy p = e->x->policy;

	tpl_put(e->t, p == POLICY_AHEAD ? "ahead" : e->x->bound.cut ? "wait" : "converge");
}

/* ---- looking ahead ---------------------------------------------------------------------------------------------------------- */

static const char *
look_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;
	const Fn *fn = e->x->fn;

	(void)sel;
	return fn_is_reg(fn, sym) && bits_has(e->x->bound.looks, fn_local(fn, sym)) ?
		emit_again(e, sym) :
		NULL;
}

/* The part whose path begins with block b, and which the own part can come to; nparts: none. */
static uint32_t
path_at(const Plan *x, uint32_t b)
{
	uint32_t k = 0;

	while (k < x->nparts && x->parts[k].path->entry != b)
		k++;
	return k;
}

/* The label of what stands in the text behind block b, in the code that looks. */
static const char *
look_behind(const Emit *e, uint32_t b)
{
	const Plan *x = e->x;
	Bits loop = x->fn->loops->loops[x->site->loop].blocks;
	uint32_t unit = bits_next(loop, b + 1), note = x->nparts;

	while (unit != UINT32_MAX && bound_beyond(x, unit))
		unit = bits_next(loop, unit + 1);
	for (uint32_t k = x->nparts; k-- > 0;)
		if (x->parts[k].path->entry > b && x->parts[k].path->entry <= unit) {
			unit = x->parts[k].path->entry;
			note = k;
		}
	if (unit == UINT32_MAX)
		return "^last";
	return note < x->nparts ? emit_label(e, "note", note) : emit_label(e, "l", unit);
}

static const char *
look_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	(void)from;
	if (path_at(x, to) < x->nparts)
		return emit_label(e, "note", path_at(x, to));
	if (to == x->bound.meet)
		return "^looked";
	return looks_at(x, to) ? emit_label(e, "l", to) : "^last";
}

static const char *
look_end(void *user, uint32_t stmt)
{
	(void)user;
	(void)stmt;
	return "^last";
}

static void
piece_look_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	bool first = true;

	FN_BLOCKS(x->fn, b) {
		uint32_t k = path_at(x, b);
		if (first && looks_at(x, b) && b != x->bound.meet)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "l", x->bound.meet));
		first &= k == x->nparts && !looks_at(x, b);
		if (k < x->nparts) {
			copy_new_line(e->t);
			tpl_text(e->t, "$%s:\n", emit_label(e, "note", k));
			tpl_put(e->t, "note");
			copy_branch(&e->look, b, x->bound.resume[k], look_behind(e, b));
		} else if (looks_at(x, b)) {
			copy_block(&e->look, b, emit_label(e, "l", b), look_behind(e, b));
		}
	}
}

static void
piece_registers(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	if (x->policy != POLICY_AHEAD)
		return;
	BITS_EACH(i, x->bound.looks) {
		uint32_t sym = fn_sym(x->fn, i);
		const Sym *y = &e->m->syms[sym];
		const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";
		tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, ptx_type_name((Type)y->type),
			emit_again(e, sym));
	}
}

/* What is carried from iteration to iteration are counts. */
static void
piece_look_from(void *user)
{
	Emit *e = user;
	const Bound *b = &e->x->bound;

	for (uint32_t i = 0; i < b->ncounts; i++)
		if (i == 0 || b->counts[i].sym != b->counts[i - 1].sym)
			tpl_line(e->t, "\tmov.b%u %s, %s;",
				8 * ptx_type_size((Type)e->m->syms[b->counts[i].sym].type),
				emit_again(e, b->counts[i].sym),
				copy_name(e->x->fn, b->counts[i].sym, e->arena));
}

static void
piece_counts(void *user)
{
	Emit *e = user;
	const Bound *b = &e->x->bound;

	for (uint32_t i = 0; i < b->ncounts; i++) {
		const Count *c = &b->counts[i];
		const Opnd *o = &e->m->opnds[c->by];
		uint32_t size = ptx_type_size((Type)e->m->syms[c->sym].type);
		tpl_flag(e->t, "half", size == 2);
		tpl_flag(e->t, "word", size == 4);
		tpl_flag(e->t, "wide", size == 8);
		tpl_value(e->t, "op", "%s", c->minus ? "sub" : "add");
		tpl_value(e->t, "reg", "%s", copy_name(e->x->fn, c->sym, e->arena));
		tpl_value(e->t, "by", "%.*s", (int)(o->at.end - o->at.pos), e->m->src->text + o->at.pos);
		tpl_put(e->t, "count");
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

static void
tell_values(Emit *e)
{
	const Plan *x = e->x;
	const Bound *b = &x->bound;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[x->policy].name);
	tpl_value(e->t, "meet", "%s", emit_label(e, "b", b->meet));
	tpl_value(e->t, "cut", "%s", emit_label(e, "b", b->cut));
	tpl_value(e->t, "look", "%s", emit_label(e, "l", b->meet));
	tpl_value(e->t, "n", "%u", b->n);
	tpl_value(e->t, "end", "%u", b->n < 32 ? UINT32_C(1) << b->n : 0);
	tpl_flag(e->t, "ahead", x->policy == POLICY_AHEAD);
	tpl_flag(e->t, "wait", b->cut != 0);
	tpl_flag(e->t, "majority", x->policy == POLICY_MAJORITY);
	tpl_flag(e->t, "many_exits", x->nways > 1);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "registers", piece_registers }, { "blocks", piece_blocks }, { "exits", emit_exits },
		{ "round", piece_policy }, { "look_from", piece_look_from },
		{ "look_blocks", piece_look_blocks }, { "counts", piece_counts },
		{ "ways_out", emit_ways_out },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
}

void
bound_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	(void)b;
	emit_begin(&e, x, TEMPLATE_BOUND, edits);
	e.own = (Copy){ .user = &e, .way = loop_way, .end = loop_end, .table = "table" };
	e.look = (Copy){ .user = &e, .name = look_name, .way = look_way, .end = look_end,
		.table = "ltable" };
	copy_init(&e.own, x->fn, &t, plan_marker(x)->stmt, &e.told);
	copy_init(&e.look, x->fn, &t, plan_marker(x)->stmt, &e.told);
	tell_values(&e);
	tell_pieces(&e);
	emit_end(&e, "loop");
}
