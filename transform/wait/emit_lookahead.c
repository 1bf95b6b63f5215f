/* SPDX-License-Identifier: MIT */
/* Emits policy `ahead` (emit_wait.c, wait.tpl): the look-ahead copy of the common code on separate
 * registers, the induction variables of a selected iteration, and, if a selected iteration runs
 * only the path, the slice that leads to it. */
#include <stdlib.h>
#include <string.h>
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"
#include "transform/wait/emit_wait.h"

static bool
block_is_looked_at(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b) && !block_is_path_only(x, b);
}

/* ---- registers ------------------------------------------------------------------------------- */

static const char *
lookahead_register(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;
	const Fn *fn = e->x->fn;

	(void)sel;
	return fn_is_reg(fn, sym) && bits_has(e->x->lookahead->copied, fn_local(fn, sym)) ?
		emit_recomputed_register(e, sym) :
		NULL;
}

/* Whether this is the first entry for its register. */
static bool
is_first_counter(const Lookahead_plan *a, uint32_t i)
{
	return i == 0 || a->counts[i].sym != a->counts[i - 1].sym;
}

static const char *
common_register(const Emit *e, uint32_t sym)
{
	return copy_name(e->x->fn, sym, e->arena);
}

static uint32_t
register_bytes(const Emit *e, uint32_t sym)
{
	return ptx_type_size((Type)e->m->syms[sym].type);
}

static void
piece_registers(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	if (!x->lookahead)
		return;
	BITS_EACH(i, x->lookahead->copied) {
		uint32_t sym = fn_sym(x->fn, i);
		const Sym *y = &e->m->syms[sym];
		const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";
		tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, ptx_type_name((Type)y->type),
			emit_recomputed_register(e, sym));
	}
	for (uint32_t i = 0; i < x->lookahead->ncounts; i++) {
		uint32_t sym = x->lookahead->counts[i].sym;
		if (is_first_counter(x->lookahead, i))
			tpl_text(e->t, "\t.reg .%s \t%s;\n",
				ptx_type_name((Type)e->m->syms[sym].type),
				emit_batch_start_register(e, sym));
	}
}

/* ---- look-ahead with branches ---------------------------------------------------------------- */

/* Returns the region whose path starts with block b and is reachable from the common code;
 * nregions: none. */
static uint32_t
region_entered_at(const Plan *x, uint32_t b)
{
	uint32_t k = 0;

	while (k < x->nregions && x->regions[k].path->entry != b)
		k++;
	return k;
}

/* Returns the label of the code that follows block b in the look-ahead copy. */
static const char *
lookahead_label_after(const Emit *e, uint32_t b)
{
	const Plan *x = e->x;
	Bits loop = x->fn->loops->loops[x->site->loop].blocks;
	uint32_t unit = bits_next(loop, b + 1), note = x->nregions;

	while (unit != UINT32_MAX && block_is_path_only(x, unit))
		unit = bits_next(loop, unit + 1);
	for (uint32_t k = x->nregions; k-- > 0;)
		if (x->regions[k].path->entry > b && x->regions[k].path->entry <= unit) {
			unit = x->regions[k].path->entry;
			note = k;
		}
	if (unit == UINT32_MAX)
		return "^last";
	return note < x->nregions ? emit_label(e, "note", note) : emit_label(e, "l", unit);
}

static const char *
lookahead_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	(void)from;
	if (region_entered_at(x, to) < x->nregions)
		return emit_label(e, "note", region_entered_at(x, to));
	if (to == x->wait->meeting)
		return "^passed";
	return block_is_looked_at(x, to) ? emit_label(e, "l", to) : "^last";
}

static const char *
lookahead_end_label(void *user, uint32_t stmt)
{
	(void)user;
	(void)stmt;
	return "^last";
}

static void
piece_lookahead_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	bool first = true;

	FN_BLOCKS(x->fn, b) {
		uint32_t k = region_entered_at(x, b);
		if (first && block_is_looked_at(x, b) && b != x->wait->meeting)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "l", x->wait->meeting));
		first &= k == x->nregions && !block_is_looked_at(x, b);
		if (k < x->nregions) {
			copy_new_line(e->t);
			tpl_text(e->t, "$%s:\n", emit_label(e, "note", k));
			tpl_value(e->t, "to", "%s", unify_side(x, k) ? "other" : "noted");
			tpl_write_section(e->t, "note");
			copy_branch(&e->lookahead, b, x->lookahead->resume[k],
				lookahead_label_after(e, b));
		} else if (block_is_looked_at(x, b)) {
			copy_block(&e->lookahead, b, emit_label(e, "l", b), lookahead_label_after(e, b));
		}
	}
}

/* ---- look-ahead in a row, without branches --------------------------------------------------- */

static const char *
lookahead_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Lookahead_plan *a = e->x->lookahead;

	return a->group_size && !e->here.stays && bits_has(a->guarded, fn_local_stmt(e->x->fn, stmt)) ? "%^go" :
											  NULL;
}

/* Clears the destination of a load that is predicated by %^go. Otherwise the load would depend
 * on the register's old value, and wait for the previous look-ahead iteration. */
static bool
reset_guarded_load(void *user, uint32_t stmt)
{
	const Emit *e = user;

	if (!lookahead_guard(user, stmt))
		return false;
	copy_new_line(e->t);
	FN_WRITES(e->x->fn, stmt, r)
		if (fn_is_reg(e->x->fn, r->sym) && register_bytes(e, r->sym) > 1)
			tpl_line(e->t, "\tmov.b%u %s, 0;", 8 * register_bytes(e, r->sym),
				lookahead_register(user, r->sym, 0));
	buf_putc(&e->t->out, '\t');
	return false;
}

/* Omits late statements; in groups pragmas, and line information except in the first iteration. */
static bool
lookahead_omits(void *user, uint32_t stmt)
{
	const Emit *e = user;
	Stmt_kind kind = fn_stmt(e->x->fn, stmt)->kind;

	return stmt_is_late(e->x, stmt) || (e->x->lookahead->group_size &&
		(kind == STMT_PRAGMA || (kind == STMT_LOC && e->here.chain > 0)));
}

/* Whether the look-ahead iteration cannot leave the loop. With a test at the end, this does not
 * hold for the last one of a group, which may be the loop's last iteration. */
static bool
stays_in_loop(const Emit *e)
{
	const Lookahead_plan *a = e->x->lookahead;

	return e->here.stays && (a->known_trips->top || e->here.chain + 1 < a->group_size);
}

/* Turns the branches at the end of block b into bits for the regions they lead to. Returns false
 * if there are none. */
static bool
emit_select(Emit *e, uint32_t b)
{
	const Plan *x = e->x;
	bool any = false;

	for (uint32_t i = 0; i < x->nregions; i++) {
		const Vote_branch *vote = &x->regions[i].vote_branch;
		const Stmt *branch = fn_stmt(x->fn, vote->stmt);
		if (vote->block != b)
			continue;
		tpl_value(e->t, "p", "%s",
			lookahead_register(e, branch->sym, 0) ?
				lookahead_register(e, branch->sym, 0) :
				common_register(e, branch->sym));
		tpl_value(e->t, "to", "%s", unify_side(x, i) ? "other" : "noted");
		tpl_value(e->t, "to_bits", "%s", unify_side(x, i) ? "others" : "bits");
		tpl_flag(e->t, "negated", (branch->guard == 2) != vote->path_falls_through);
		tpl_write_section(e->t, "note_one");
		any = true;
	}
	return any;
}

static void
emit_stay(Emit *e, uint32_t b, uint32_t next)
{
	const Plan *x = e->x;
	uint32_t out, sym = fn_stmt(x->fn, cfg_terminator(x->fn->cfg, b))->sym;
	bool negated;

	if (!emit_branch_exits_loop(e, b, next, &out, &negated))
		return;
	tpl_value(e->t, "p", "%s", lookahead_register(e, sym, 0) ? lookahead_register(e, sym, 0) : common_register(e, sym));
	tpl_flag(e->t, "negated", negated);
	tpl_write_section(e->t, "stay_one");
}

static void
emit_lookahead_row(Emit *e)
{
	const Lookahead_plan *a = e->x->lookahead;
	const Lockstep *l = &e->x->lookahead->lockstep;

	tpl_flag(e->t, "known_to_stay", e->here.stays);
	for (e->here.chain = 0; e->here.chain < a->group_size; e->here.chain++) {
		tpl_value(e->t, "bit", "0x%x", UINT32_C(1) << e->here.chain);
		for (uint32_t i = 0; i < l->nchain; i++) {
			copy_block_body(&e->lookahead, l->chain[i]);
			if (!emit_select(e, l->chain[i]) && !stays_in_loop(e))
				emit_stay(e, l->chain[i], l->chain[i + 1 < l->nchain ? i + 1 : 0]);
		}
		tpl_value(e->t, "passed", "%u", e->here.chain + 1);
		if (!stays_in_loop(e))
			tpl_write_section(e->t, "look_one");
	}
	tpl_flag(e->t, "known_to_stay", a->known_trips);
}

static void
piece_lookahead_row(void *user)
{
	emit_lookahead_row(user);
}

static void
piece_staying_row(void *user)
{
	Emit *e = user;
	const Here outer = e->here;

	e->here.stays = true;
	emit_lookahead_row(e);
	e->here = outer;
}

/* Emits the test of whether a whole group stays in the loop. It evaluates the loop's condition
 * in the iteration before the group or, with a test at the top, in its first iteration. If that
 * iteration stays in the loop, and the index is further from the bound than the group's last
 * iteration starts, all iterations of the group exist. A test at the top is then omitted from
 * the group, and a test at the end remains in the last iteration alone. */
static void
piece_test_staying(void *user)
{
	static const char *const cmps[] = { [TRIPS_LT] = "lt",
		[TRIPS_LE] = "le",
		[TRIPS_GT] = "gt",
		[TRIPS_GE] = "ge",
		[TRIPS_NE] = "ne" };
	Emit *e = user;
	const Trip_count *t = e->x->lookahead->known_trips;
	const Induction *i = &t->steps[t->tested.step];
	const Opnd *o = &e->m->opnds[t->bound];

	tpl_flag(e->t, "wide", t->bytes == 8);
	tpl_flag(e->t, "up", i->step > 0);
	tpl_value(e->t, "bits", "%u", 8 * t->bytes);
	tpl_value(e->t, "index", "%s", emit_recomputed_register(e, i->sym));
	tpl_value(e->t, "plus", "%lld", (long long)(t->tested.plus - (t->top ? 0 : i->step)));
	tpl_value(e->t, "cmp", "%s.%c%u", cmps[t->cmp],
		t->is_signed || t->cmp == TRIPS_NE ? 's' : 'u', 8 * t->bytes);
	tpl_value(e->t, "bound", "%.*s", (int)(o->at.end - o->at.pos), e->m->src->text + o->at.pos);
	tpl_value(e->t, "far", "%lld", llabs(i->step) * (e->x->lookahead->group_size - 1));
	tpl_write_section(e->t, "is_sure");
}

/* ---- induction variables --------------------------------------------------------------------- */

/* Emits `to = from` for the register of each induction variable. */
static void
emit_counter_moves(const Emit *e, const char *(*to)(const Emit *, uint32_t),
	const char *(*from)(const Emit *, uint32_t))
{
	const Lookahead_plan *a = e->x->lookahead;

	for (uint32_t i = 0; i < a->ncounts; i++) {
		uint32_t sym = a->counts[i].sym;
		if (is_first_counter(a, i))
			tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * register_bytes(e, sym), to(e, sym),
				from(e, sym));
	}
}

static void
piece_lookahead_start(void *user)
{
	emit_counter_moves(user, emit_recomputed_register, common_register);
}

/* The values are not taken from the look-ahead registers. If a look-ahead pointer flowed into
 * the original loop, ptxas would lose its known alignment in the row of look-ahead iterations,
 * and would not combine neighbouring loads. */
static void
piece_restore_counters(void *user)
{
	emit_counter_moves(user, common_register, emit_batch_start_register);
}

static void
piece_batch_start(void *user)
{
	emit_counter_moves(user, emit_batch_start_register, emit_recomputed_register);
}

/* Whether the operand is a signed 32-bit literal, as mad.wide requires. */
static bool
literal_fits_mad(const Emit *e, const Opnd *o)
{
	const char *at = e->m->src->text + o->at.pos;
	char *end;
	long long v = strtoll(at, &end, 0);

	return o->kind == OPND_IMM && end == e->m->src->text + o->at.end && v == (int32_t)v;
}

static void
piece_advance_counters(void *user)
{
	Emit *e = user;
	const Lookahead_plan *a = e->x->lookahead;

	for (uint32_t i = 0; i < a->nrecomputed; i++)
		copy_line(&e->common, a->recomputed[i]);
	for (uint32_t i = 0; i < a->ncounts; i++) {
		const Loop_counter *c = &a->counts[i];
		const Opnd *o = &e->m->opnds[c->by];
		uint32_t size = register_bytes(e, c->sym);
		tpl_flag(e->t, "half", size == 2);
		tpl_flag(e->t, "word", size == 4);
		tpl_flag(e->t, "wide", size == 8);
		tpl_flag(e->t, "minus", c->subtracts);
		tpl_flag(e->t, "narrow", literal_fits_mad(e, o));
		tpl_value(e->t, "reg", "%s", common_register(e, c->sym));
		tpl_value(e->t, "from", "%s",
			is_first_counter(a, i) ? emit_batch_start_register(e, c->sym) :
						 common_register(e, c->sym));
		tpl_value(e->t, "by", "%.*s", (int)(o->at.end - o->at.pos),
			e->m->src->text + o->at.pos);
		tpl_write_section(e->t, "count");
	}
}

/* ---- straight execution of a selected iteration ---------------------------------------------- */

static const char *
block_after_path(const Plan *x)
{
	return x->lookahead->meets_before_run ? "^run" : "^again";
}

static const char *
path_only_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return block_is_path_only(e->x, to) ? emit_label(e, "r", to) : block_after_path(e->x);
}

/* Emits the blocks before the branch to the path, those between branch and path, and the path. */
static void
piece_path_only(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	const Vote_branch *vote = &x->regions[0].vote_branch;
	Bits beyond = x->lookahead->path_only;
	uint32_t b = bits_next(beyond, 0), i = 0;

	do
		copy_block_body(&e->straight, x->lookahead->lockstep.chain[i]);
	while (x->lookahead->lockstep.chain[i++] != vote->block);
	BITS_EACH(p, vote->prefix)
		copy_block_body(&e->straight, p);
	if (b != x->regions[0].path->entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "r", x->regions[0].path->entry));
	for (uint32_t next; b != UINT32_MAX; b = next) {
		next = bits_next(beyond, b + 1);
		copy_block(&e->straight, b, emit_label(e, "r", b),
			next != UINT32_MAX ? emit_label(e, "r", next) : block_after_path(x));
	}
	if (x->lookahead->meets_before_run)
		tpl_line(e->t, "\tbra.uni $^run;");
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Expands the section for the selected form of the look-ahead iterations. */
static void
piece_select_lookahead(void *user)
{
	Emit *e = user;

	tpl_write_section(e->t, e->x->lookahead->group_size ? "row" : "look");
}

static void
define_names(Emit *e)
{
	static const Lookahead_plan none;
	const Wait_plan *b = e->x->wait;
	const Lookahead_plan *a = e->x->lookahead ? e->x->lookahead : &none;

	tpl_value(e->t, "look", "%s", emit_label(e, "l", b->meeting));
	tpl_value(e->t, "end", "%u", b->n < 32 ? UINT32_C(1) << b->n : 0);
	tpl_value(e->t, "group", "%u", a->group_size);
	tpl_flag(e->t, "grouped_lookahead", a->group_size != b->n);
	tpl_flag(e->t, "known_to_stay", a->known_trips);
	tpl_value(e->t, "sure_of", "%u", a->group_size - (a->known_trips && !a->known_trips->top));
	tpl_flag(e->t, "path_alone", a->path_alone);
	tpl_flag(e->t, "meets_before_run", a->meets_before_run);
	tpl_flag(e->t, "unified", a->unified != 0);
}

void
emit_lookahead(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", piece_registers },
		{ "look_from", piece_lookahead_start },
		{ "back_to", piece_restore_counters },
		{ "batch_from", piece_batch_start },
		{ "looks", piece_select_lookahead },
		{ "look_blocks", piece_lookahead_blocks },
		{ "row_of_looks", piece_lookahead_row },
		{ "sure_looks", piece_staying_row },
		{ "sure_test", piece_test_staying },
		{ "counts", piece_advance_counters },
		{ "to_path", piece_path_only },
	};
	const Plan *x = e->x;

	e->lookahead = (Copy){ .user = e,
		.symbol_name = lookahead_register,
		.edge_label = lookahead_edge_label,
		.end_label = lookahead_end_label,
		.guard = lookahead_guard,
		.is_omitted = lookahead_omits,
		.rewrite = reset_guarded_load,
		.table = "ltable" };
	e->straight =
		(Copy){ .user = e, .edge_label = path_only_edge_label, .rewrite = emit_constant_load, .table = "stable" };
	if (x->lookahead && !x->lookahead->path_alone)
		e->common.rewrite = emit_constant_load;
	copy_init(&e->lookahead, x->fn, e->t, plan_marker(x)->stmt, &e->named_locs);
	copy_init(&e->straight, x->fn, e->t, plan_marker(x)->stmt, &e->named_locs);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	define_names(e);
}
