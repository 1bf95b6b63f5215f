/* SPDX-License-Identifier: MIT */
/* Emits the iteration draw of `assign` (dynamic_assignment.c, wait.tpl). The loop's code runs on
 * a second set of registers, which are set from the owner's; the owner's own registers advance
 * to its next iteration. */
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"
#include "transform/wait/emit_wait.h"
#include "transform/wait/wait.h"

static const char *
common_register(const Emit *e, uint32_t sym)
{
	return copy_name(e->x->fn, sym, e->arena);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool
stmt_is_omitted(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return !bits_has(e->x->wait->pool->executed, fn_local_stmt(e->x->fn, stmt));
}

/* Predicates a statement of the advance if its result is live at the header or after the loop.
 * All lanes execute the other statements. */
static const char *
advance_guard(void *user, uint32_t stmt)
{
	const Plan *x = ((const Emit *)user)->x;
	if (x->wait->pool->of_block) /* each lane counts its own */
		return NULL;
	Bits next = x->fn->live->in[plan_header(x)];
	Bits behind = x->fn->live->in[x->wait->pool->exit_block];

	FN_DEFS_OF_STMT(x->fn, stmt, d) {
		uint32_t sym = fn_local(x->fn, fn_def(x->fn, d)->sym);
		if (bits_has(next, sym) || bits_has(behind, sym))
			return "%^given";
	}
	return NULL;
}

static const char *
fetch_guard(void *user, uint32_t stmt)
{
	(void)user;
	(void)stmt;
	return "%^got";
}

void
emit_iteration_pool(Emit *e)
{
	e->here.region = e->x->wait->pool->region;
	emit_init_copies(e);
	e->path.is_omitted = stmt_is_omitted;
	e->slice = (Copy){ .user = e, .guard = advance_guard };
	e->second_path.guard = fetch_guard;
	copy_init(&e->slice, e->x->fn, e->t, plan_marker(e->x)->stmt, &e->named_locs);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void
declare_register(Emit *e, uint32_t sym, const char *name)
{
	const Sym *y = &e->m->syms[sym];
	const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";

	tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, ptx_type_name((Type)y->type), name);
}

static bool
slot_is_special_register(const Emit *e, const Context_slot *s)
{
	return e->m->syms[s->sym].kind == SYM_SPECIAL;
}

static void
piece_registers(void *user)
{
	Emit *e = user;
	const Task *t = &e->here.region->task;

	for (uint32_t i = 0; i < t->nslots; i++)
		if (slot_is_special_register(e, &t->slots[i]))
			tpl_line(e->t, "\t.reg .b32 %s;",
				emit_region_register(
					e, e->here.region, t->slots[i].sym, t->slots[i].sel));
	BITS_EACH(i, t->renamed)
		declare_register(e, fn_sym(e->x->fn, i),
			emit_region_register(e, e->here.region, fn_sym(e->x->fn, i), 0));
	BITS_EACH(i, e->x->tasks.recomputed_syms)
		declare_register(
			e, fn_sym(e->x->fn, i), emit_recomputed_register(e, fn_sym(e->x->fn, i)));
}

static void
emit_shuffle(Emit *e, const char *what)
{
	tpl_line(e->t, "\tshfl.sync.idx.b32 %s, %s, %%^from, 31, %s;", what, what,
		e->here.full ? "0xffffffff" : "%^mask");
}

/* Splits one of the owner's values into the words %^lo and %^hi. */
static void
split_into_words(Emit *e, const Context_slot *s)
{
	const char *from = common_register(e, s->sym);

	if (slot_is_special_register(e, s) && s->sel)
		tpl_line(e->t, "\tmov.u32 %%^lo, %s.%c;", from, s->sel);
	else if (slot_is_special_register(e, s))
		tpl_line(e->t, "\tmov.u32 %%^lo, %s;", from);
	else if (s->size == 8)
		tpl_line(e->t, "\tmov.b64 {%%^lo, %%^hi}, %s;", from);
	else if (s->size == 4)
		tpl_line(e->t, "\tmov.b32 %%^lo, %s;", from);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 %%^lo, {%s, %s};", from, from);
	else if (s->size == 1)
		tpl_line(e->t, "\tcvt.u32.u8 %%^lo, %s;", from);
	else
		tpl_line(e->t, "\tselp.b32 %%^lo, 1, 0, %s;", from);
}

static void
join_words(Emit *e, const Context_slot *s)
{
	const char *to = emit_region_register(e, e->here.region, s->sym, s->sel);

	if (s->size == 8)
		tpl_line(e->t, "\t@%%^got mov.b64 %s, {%%^lo, %%^hi};", to);
	else if (s->size == 4)
		tpl_line(e->t, "\t@%%^got mov.b32 %s, %%^lo;", to);
	else if (s->size == 2)
		tpl_line(e->t, "\t@%%^got mov.b32 {%s, %%^half}, %%^lo;", to);
	else if (s->size == 1)
		tpl_line(e->t, "\t@%%^got cvt.u8.u32 %s, %%^lo;", to);
	else
		tpl_line(e->t, "\t@%%^got setp.ne.u32 %s, %%^lo, 0;", to);
}

/* Fetches the live-ins of the iteration of lane %^from, on the lanes that drew it. */
static void
piece_fetch_inputs(void *user)
{
	Emit *e = user;
	const Task *t = &e->here.region->task;

	for (uint32_t i = 0; i < t->nslots; i++) {
		split_into_words(e, &t->slots[i]);
		emit_shuffle(e, "%^lo");
		if (t->slots[i].size == 8)
			emit_shuffle(e, "%^hi");
		join_words(e, &t->slots[i]);
	}
}

static void
piece_compute(void *user)
{
	Emit *e = user;
	const Task *t = &e->here.region->task;

	for (uint32_t i = 0; i < t->nderived; i++)
		copy_line(&e->second_path, t->derived[i]);
}

static void
piece_advance(void *user)
{
	Emit *e = user;
	const Iteration_pool *p = e->x->wait->pool;

	for (uint32_t i = 0; i < p->nadvance; i++)
		copy_line(&e->slice, p->advance[i]);
}

void
emit_define_pool_pieces(Emit *e, const Buffer *b)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "registers", piece_registers }, { "again", emit_recompute_values },
		{ "fetch", piece_fetch_inputs }, { "compute", piece_compute },
		{ "advance", piece_advance },
	};
	const Plan *x = e->x;
	const Iteration_pool *p = x->wait->pool;
	const Draw_threshold patience = wait_draw_threshold(x);

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_value(e->t, "p", "%s", common_register(e, fn_stmt(x->fn, p->test)->sym));
	tpl_value(e->t, "header", "%s", emit_label(e, "b", plan_header(x)));
	tpl_value(e->t, "way", "%u", emit_exit_number(x, p->exit_block, 0));
	tpl_value(e->t, "all_in", "%s",
		x->wait->rule == RULE_NONE ? emit_label(e, "b", x->wait->meeting) : "^drawn");
	tpl_value(e->t, "patience", "%u", patience.start);
	tpl_value(e->t, "asking", "%u", patience.round);
	tpl_flag(e->t, "delays_draw", patience.start > 1);
	tpl_flag(e->t, "loops_if_true", p->loops_if_true);
	if (p->of_block)
		emit_define_block_pool(e, b);
	tpl_flag(e->t, "before_meet", x->wait->meeting != plan_header(x));
}
