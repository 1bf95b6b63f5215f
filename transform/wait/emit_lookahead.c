/* SPDX-License-Identifier: MIT */
/* Emits policy `ahead` (emit_wait.c, wait.tpl): the look-ahead copy of the common code on
 * registers of its own, the induction variables of a selected iteration, and, if selected
 * iterations execute straight, the code up to the path. */
#include <stdlib.h>
#include <string.h>
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"
#include "transform/wait/emit_wait.h"

static bool
looks_at(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b) && !bound_beyond(x, b);
}

/* ---- registers ------------------------------------------------------------------------------- */

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

/* Whether this is the first entry for its register. */
static bool
is_first(const Bound *b, uint32_t i)
{
	return i == 0 || b->counts[i].sym != b->counts[i - 1].sym;
}

static const char *
own_name(const Emit *e, uint32_t sym)
{
	return copy_name(e->x->fn, sym, e->arena);
}

static uint32_t
size_of(const Emit *e, uint32_t sym)
{
	return ptx_type_size((Type)e->m->syms[sym].type);
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
	for (uint32_t i = 0; i < x->bound.ncounts; i++) {
		uint32_t sym = x->bound.counts[i].sym;
		if (is_first(&x->bound, i))
			tpl_text(e->t, "\t.reg .%s \t%s;\n",
				ptx_type_name((Type)e->m->syms[sym].type), emit_from(e, sym));
	}
}

/* ---- look-ahead with branches ---------------------------------------------------------------- */

/* Returns the part whose path starts with block b and is reachable from the common code; nparts:
 * none. */
static uint32_t
path_at(const Plan *x, uint32_t b)
{
	uint32_t k = 0;

	while (k < x->nparts && x->parts[k].path->entry != b)
		k++;
	return k;
}

/* Returns the label of the code that follows block b in the look-ahead copy. */
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
		return "^passed";
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
			tpl_value(e->t, "to", "%s", bound_side(x, k) ? "other" : "noted");
			tpl_put(e->t, "note");
			copy_branch(&e->look, b, x->bound.resume[k], look_behind(e, b));
		} else if (looks_at(x, b)) {
			copy_block(&e->look, b, emit_label(e, "l", b), look_behind(e, b));
		}
	}
}

/* ---- look-ahead in a row, without branches --------------------------------------------------- */

static const char *
look_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Bound *b = &e->x->bound;

	return b->group && !e->sure && bits_has(b->held, fn_local_stmt(e->x->fn, stmt)) ? "%^go" :
											  NULL;
}

/* Clears the destination of a load that is predicated by %^go. Otherwise the load would depend
 * on the register's old value, and wait for the previous look-ahead iteration. */
static bool
look_anew(void *user, uint32_t stmt)
{
	const Emit *e = user;

	if (!look_guard(user, stmt))
		return false;
	copy_new_line(e->t);
	FN_WRITES(e->x->fn, stmt, r)
		if (fn_is_reg(e->x->fn, r->sym) && size_of(e, r->sym) > 1)
			tpl_line(e->t, "\tmov.b%u %s, 0;", 8 * size_of(e, r->sym),
				look_name(user, r->sym, 0));
	buf_putc(&e->t->out, '\t');
	return false;
}

/* Omits pragmas, and line information except in the first iteration of a group. */
static bool
look_leaves_out(void *user, uint32_t stmt)
{
	const Emit *e = user;
	Stmt_kind kind = fn_stmt(e->x->fn, stmt)->kind;

	return e->x->bound.group && (kind == STMT_PRAGMA || (kind == STMT_LOC && e->chain > 0));
}

/* Whether the look-ahead iteration cannot leave the loop. With a test at the end, this does not
 * hold for the last one of a group, which may be the loop's last iteration. */
static bool
is_sure(const Emit *e)
{
	const Bound *b = &e->x->bound;

	return e->sure && (b->sure->top || e->chain + 1 < b->group);
}

/* Turns the branches at the end of block b into bits for the parts they lead to. Returns false
 * if there are none. */
static bool
note(Emit *e, uint32_t b)
{
	const Plan *x = e->x;
	bool any = false;

	for (uint32_t i = 0; i < x->nparts; i++) {
		const Cut *cut = &x->parts[i].cut;
		const Stmt *branch = fn_stmt(x->fn, cut->stmt);
		if (cut->block != b)
			continue;
		tpl_value(e->t, "p", "%s",
			look_name(e, branch->sym, 0) ? look_name(e, branch->sym, 0) :
						       own_name(e, branch->sym));
		tpl_value(e->t, "to", "%s", bound_side(x, i) ? "other" : "noted");
		tpl_value(e->t, "to_bits", "%s", bound_side(x, i) ? "others" : "bits");
		tpl_flag(e->t, "negated", (branch->guard == 2) != cut->want_falls);
		tpl_put(e->t, "note_one");
		any = true;
	}
	return any;
}

static void
stay(Emit *e, uint32_t b, uint32_t next)
{
	const Plan *x = e->x;
	uint32_t out, sym = fn_stmt(x->fn, cfg_terminator(x->fn->cfg, b))->sym;
	bool negated;

	if (!emit_leaves(e, b, next, &out, &negated))
		return;
	tpl_value(e->t, "p", "%s", look_name(e, sym, 0) ? look_name(e, sym, 0) : own_name(e, sym));
	tpl_flag(e->t, "negated", negated);
	tpl_put(e->t, "stay_one");
}

static void
put_row(Emit *e)
{
	const Bound *b = &e->x->bound;
	const Lockstep *l = &e->x->lockstep;

	tpl_flag(e->t, "sure", e->sure);
	for (e->chain = 0; e->chain < b->group; e->chain++) {
		tpl_value(e->t, "bit", "0x%x", UINT32_C(1) << e->chain);
		for (uint32_t i = 0; i < l->nchain; i++) {
			copy_straight(&e->look, l->chain[i]);
			if (!note(e, l->chain[i]) && !is_sure(e))
				stay(e, l->chain[i], l->chain[i + 1 < l->nchain ? i + 1 : 0]);
		}
		tpl_value(e->t, "passed", "%u", e->chain + 1);
		if (!is_sure(e))
			tpl_put(e->t, "look_one");
	}
	tpl_flag(e->t, "sure", b->sure);
}

static void
piece_row(void *user)
{
	put_row(user);
}

static void
piece_sure_row(void *user)
{
	Emit *e = user;

	e->sure = true;
	put_row(e);
	e->sure = false;
}

/* Emits the test of whether a whole group stays in the loop. It evaluates the loop's condition
 * in the iteration before the group or, with a test at the top, in its first iteration. If that
 * iteration stays in the loop, and the index is further from the bound than the group's last
 * iteration starts, all iterations of the group exist. A test at the top is then omitted from
 * the group, and a test at the end remains in the last iteration alone. */
static void
piece_is_sure(void *user)
{
	static const char *const cmps[] = { [TRIPS_LT] = "lt",
		[TRIPS_LE] = "le",
		[TRIPS_GT] = "gt",
		[TRIPS_GE] = "ge",
		[TRIPS_NE] = "ne" };
	Emit *e = user;
	const Trips *t = e->x->bound.sure;
	const Induction *i = &t->steps[t->tested.step];
	const Opnd *o = &e->m->opnds[t->bound];

	tpl_flag(e->t, "wide", t->bytes == 8);
	tpl_flag(e->t, "up", i->step > 0);
	tpl_value(e->t, "bits", "%u", 8 * t->bytes);
	tpl_value(e->t, "index", "%s", emit_again(e, i->sym));
	tpl_value(e->t, "plus", "%lld", (long long)(t->tested.plus - (t->top ? 0 : i->step)));
	tpl_value(e->t, "cmp", "%s.%c%u", cmps[t->cmp],
		t->is_signed || t->cmp == TRIPS_NE ? 's' : 'u', 8 * t->bytes);
	tpl_value(e->t, "bound", "%.*s", (int)(o->at.end - o->at.pos), e->m->src->text + o->at.pos);
	tpl_value(e->t, "far", "%lld", llabs(i->step) * (e->x->bound.group - 1));
	tpl_put(e->t, "is_sure");
}

/* ---- induction variables --------------------------------------------------------------------- */

/* Emits `to = from` for the register of each induction variable. */
static void
move_counts(const Emit *e, const char *(*to)(const Emit *, uint32_t),
	const char *(*from)(const Emit *, uint32_t))
{
	const Bound *b = &e->x->bound;

	for (uint32_t i = 0; i < b->ncounts; i++) {
		uint32_t sym = b->counts[i].sym;
		if (is_first(b, i))
			tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * size_of(e, sym), to(e, sym),
				from(e, sym));
	}
}

static void
piece_look_from(void *user)
{
	move_counts(user, emit_again, own_name);
}

/* The values are not taken from the look-ahead registers. If a look-ahead pointer flowed into
 * the original loop, ptxas would lose its known alignment in the row of look-ahead iterations,
 * and would not combine neighbouring loads. */
static void
piece_back_to(void *user)
{
	move_counts(user, own_name, emit_from);
}

static void
piece_batch_from(void *user)
{
	move_counts(user, emit_from, emit_again);
}

/* Whether the operand is a signed 32-bit literal, as mad.wide requires. */
static bool
is_narrow(const Emit *e, const Opnd *o)
{
	const char *at = e->m->src->text + o->at.pos;
	char *end;
	long long v = strtoll(at, &end, 0);

	return o->kind == OPND_IMM && end == e->m->src->text + o->at.end && v == (int32_t)v;
}

static void
piece_counts(void *user)
{
	Emit *e = user;
	const Bound *b = &e->x->bound;

	for (uint32_t i = 0; i < b->nanew; i++)
		copy_line(&e->own, b->anew[i]);
	for (uint32_t i = 0; i < b->ncounts; i++) {
		const Count *c = &b->counts[i];
		const Opnd *o = &e->m->opnds[c->by];
		uint32_t size = size_of(e, c->sym);
		tpl_flag(e->t, "half", size == 2);
		tpl_flag(e->t, "word", size == 4);
		tpl_flag(e->t, "wide", size == 8);
		tpl_flag(e->t, "minus", c->minus);
		tpl_flag(e->t, "narrow", is_narrow(e, o));
		tpl_value(e->t, "reg", "%s", own_name(e, c->sym));
		tpl_value(e->t, "from", "%s",
			is_first(b, i) ? emit_from(e, c->sym) : own_name(e, c->sym));
		tpl_value(e->t, "by", "%.*s", (int)(o->at.end - o->at.pos),
			e->m->src->text + o->at.pos);
		tpl_put(e->t, "count");
	}
}

/* ---- straight execution of a selected iteration ---------------------------------------------- */

static const char *
behind_path(const Plan *x)
{
	return x->bound.gathers ? "^run" : "^again";
}

static const char *
straight_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return bound_beyond(e->x, to) ? emit_label(e, "r", to) : behind_path(e->x);
}

/* Emits the blocks before the branch to the path, those between branch and path, and the path. */
static void
piece_to_path(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	const Cut *cut = &x->parts[0].cut;
	Bits beyond = x->bound.beyond;
	uint32_t b = bits_next(beyond, 0), i = 0;

	do
		copy_straight(&e->straight, x->lockstep.chain[i]);
	while (x->lockstep.chain[i++] != cut->block);
	BITS_EACH(p, cut->prefix)
		copy_straight(&e->straight, p);
	if (b != x->parts[0].path->entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "r", x->parts[0].path->entry));
	for (uint32_t next; b != UINT32_MAX; b = next) {
		next = bits_next(beyond, b + 1);
		copy_block(&e->straight, b, emit_label(e, "r", b),
			next != UINT32_MAX ? emit_label(e, "r", next) : behind_path(x));
	}
	if (x->bound.gathers)
		tpl_line(e->t, "\tbra.uni $^run;");
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Expands the section for the selected form of the look-ahead iterations. */
static void
piece_looks(void *user)
{
	Emit *e = user;

	tpl_put(e->t, e->x->bound.group ? "row" : "look");
}

static void
tell(Emit *e)
{
	const Bound *b = &e->x->bound;

	tpl_value(e->t, "look", "%s", emit_label(e, "l", b->meet));
	tpl_value(e->t, "end", "%u", b->n < 32 ? UINT32_C(1) << b->n : 0);
	tpl_value(e->t, "group", "%u", b->group);
	tpl_flag(e->t, "groups", b->group != b->n);
	tpl_flag(e->t, "sure", b->sure);
	tpl_value(e->t, "sure_of", "%u", b->group - (b->sure && !b->sure->top));
	tpl_flag(e->t, "straight", b->straight);
	tpl_flag(e->t, "gathers", b->gathers);
	tpl_flag(e->t, "unified", b->unified != 0);
}

void
emit_ahead(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", piece_registers },
		{ "look_from", piece_look_from },
		{ "back_to", piece_back_to },
		{ "batch_from", piece_batch_from },
		{ "looks", piece_looks },
		{ "look_blocks", piece_look_blocks },
		{ "row_of_looks", piece_row },
		{ "sure_looks", piece_sure_row },
		{ "sure_test", piece_is_sure },
		{ "counts", piece_counts },
		{ "to_path", piece_to_path },
	};
	const Plan *x = e->x;

	e->look = (Copy){ .user = e,
		.name = look_name,
		.way = look_way,
		.end = look_end,
		.guard = look_guard,
		.left_out = look_leaves_out,
		.other = look_anew,
		.table = "ltable" };
	e->straight =
		(Copy){ .user = e, .way = straight_way, .other = emit_constant, .table = "stable" };
	if (x->policy == POLICY_AHEAD && !x->bound.straight)
		e->own.other = emit_constant;
	copy_init(&e->look, x->fn, e->t, plan_marker(x)->stmt, &e->told);
	copy_init(&e->straight, x->fn, e->t, plan_marker(x)->stmt, &e->told);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tell(e);
}
