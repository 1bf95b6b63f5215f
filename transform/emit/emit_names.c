/* SPDX-License-Identifier: MIT */
/* Names of registers and labels in the copies of a loop's code, and the targets of branches in
 * these copies. See emit.h. */
#include <stdio.h>
#include <string.h>
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns the number in the function of the statement that declares sym inside a nested scope,
 * or 0 if it is declared outside of all. Nested scopes may reuse a name, so the number makes it
 * unique. */
static uint32_t
inner_declaration(const Fn *fn, uint32_t sym)
{
	uint32_t s = fn->m->syms[sym].decl;

	if (s < fn->f->stmt || s >= fn->f->stmt + fn->f->nstmt || fn_depth(fn, s) == 0)
		return 0;
	return fn_local_stmt(fn, s);
}

static const char *
arena_string(const Emit *e, Buf *b)
{
	const char *s = arena_strndup(e->arena, b->at, b->n);

	buf_free(b);
	return s;
}

/* Returns the name of the new register for sym (or its component sel). number: its task
 * region's, from 1, or 0 for the site; tag separates families of names. */
static const char *
register_name(const Emit *e, uint32_t number, uint32_t sym, uint8_t sel, const char *tag)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len), *mark = *name == '%' ? "%" : "";
	uint32_t inner = inner_declaration(e->x->fn, sym);
	Buf b = { 0 };

	buf_puts(&b, mark);
	buf_add(&b, e->prefix, strlen(e->prefix) - 1);
	if (number && e->x->nregions + e->x->nexpansions > 1)
		buf_printf(&b, "p%u", number);
	buf_puts(&b, tag);
	if (inner)
		buf_printf(&b, "b%u", inner);
	buf_putc(&b, '$');
	buf_add(&b, name + strlen(mark), len - strlen(mark));
	if (sel) {
		buf_putc(&b, '_');
		buf_putc(&b, (char)sel);
	}
	return arena_string(e, &b);
}

const char *
emit_region_register(const Emit *e, const Task_region *k, uint32_t sym, uint8_t sel)
{
	uint32_t number = (uint32_t)(k - e->x->regions) + 1;

	return register_name(e, number, sym, sel, e->m->syms[sym].kind == SYM_SPECIAL ? "s" : "");
}

const char *
emit_waiting_register(const Emit *e, const Task_region *k, uint32_t sym)
{
	char tag[16];

	snprintf(tag, sizeof tag, "w%u", e->here.batch_index);
	return register_name(e, (uint32_t)(k - e->x->regions) + 1, sym, 0, tag);
}

const char *
emit_batch_register(const Emit *e, uint32_t sym)
{
	char tag[16];

	snprintf(tag, sizeof tag, "t%u", e->here.batch_index);
	return register_name(e, 0, sym, 0, tag);
}

/* Returns the name of sym in the current iteration of a batch; NULL: its original name. */
static const char *
name_in_batch(const Emit *e, uint32_t sym)
{
	const Fn *fn = e->x->fn;

	return e->here.batch_index && fn_is_reg(fn, sym) &&
			bits_has(e->x->collect->batch_registers, fn_local(fn, sym)) ?
		emit_batch_register(e, sym) :
		NULL;
}

static const char *
common_name(void *user, uint32_t sym, uint8_t sel)
{
	(void)sel;
	return name_in_batch(user, sym);
}

const char *
emit_recomputed_register(const Emit *e, uint32_t sym)
{
	return register_name(e, 0, sym, 0, "u");
}

const char *
emit_batch_start_register(const Emit *e, uint32_t sym)
{
	return register_name(e, 0, sym, 0, "f");
}

const char *
emit_first_vote_label(const Emit *e)
{
	Buf b = { 0 };

	buf_puts(&b, e->prefixes[1]);
	buf_puts(&b, "vote");
	return arena_string(e, &b);
}

const char *
emit_region_label(const Emit *e, uint32_t number, const char *word)
{
	Buf b = { 0 };

	buf_puts(&b, e->prefixes[number]);
	buf_puts(&b, word);
	return arena_string(e, &b);
}

const char *
emit_wanted_label(const Emit *e, const Task_region *k)
{
	return emit_region_label(e, (uint32_t)(k - e->x->regions) + 1, "want");
}

/* Returns the label at which an execution of the current path ends: emit_after_path_label(), or the
 * expanded inner loop's meeting point. */
static const char *
emit_path_end_label(const Emit *e)
{
	const Task_region *rows = plan_expansion_in(e->x, e->here.region_number);

	return rows ? emit_region_label(e, (uint32_t)(rows - e->x->regions) + 1, "idle") : emit_after_path_label(e);
}

/* ---- names and branch targets of the copies -------------------------------------------------- */

static const char *
entry_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;
	const Fn *fn = e->x->fn;

	(void)sel;
	return fn_is_reg(fn, sym) && bits_has(e->x->tasks.recomputed_syms, fn_local(fn, sym)) ?
		emit_recomputed_register(e, sym) :
		NULL;
}

/* Returns the name of sym in the copy of region k's path; NULL: its original name. */
static const char *
name_in_region(const Emit *e, const Task_region *k, uint32_t sym, uint8_t sel)
{
	const Fn *fn = e->x->fn;
	const Sym *y = &e->m->syms[sym];

	if (y->kind == SYM_SPECIAL && ptx_sregs[y->aux].flags & SREGF_LANE)
		return emit_region_register(e, k, sym, sel);
	if (!fn_is_reg(fn, sym))
		return NULL;
	if (bits_has(k->task.renamed, fn_local(fn, sym)))
		return emit_region_register(e, k, sym, 0);
	return task_input_kind(&k->task, sym) == INPUT_RECOMPUTED ?
		emit_recomputed_register(e, sym) :
		NULL;
}

static const char *
path_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;

	return name_in_region(e, e->here.region, sym, sel);
}

static const char *
owner_symbol(const Emit *e, uint32_t sym, uint8_t sel)
{
	return e->here.region->outer ?
		name_in_region(e, &e->x->regions[e->here.region->outer - 1], sym, sel) :
		name_in_batch(e, sym);
}

static const char *
owner_name(void *user, uint32_t sym, uint8_t sel)
{
	return owner_symbol(user, sym, sel);
}

const char *
emit_chain_register(const Emit *e, uint32_t sym)
{
	const char *name = name_in_batch(e, sym);

	return name ? name : copy_name(e->x->fn, sym, e->arena);
}

const char *
emit_owner_register(const Emit *e, uint32_t sym, uint8_t sel)
{
	const char *name = owner_symbol(e, sym, sel);

	return name ? name : copy_name(e->x->fn, sym, e->arena);
}

const char *
emit_path_block_label(const Emit *e, uint32_t b)
{
	return emit_label(e, e->here.region->tail_end ? "t" : "b", b);
}

const char *
emit_after_path_label(const Emit *e)
{
	return e->here.region->task.nreductions ? "^fold" : e->here.batch || e->here.region->by_iteration ? "^done" : "^ran";
}

static const char *
path_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Task_region *inner = plan_region_entered_at(e->x, to, e->here.region_number);

	(void)from;
	if (inner)
		return emit_wanted_label(e, inner);
	if (e->here.region->by_iteration && to == e->here.region->path->entry)
		return "^again";
	return bits_has(e->here.region->blocks, to) ? emit_path_block_label(e, to) :
						 emit_path_end_label(e);
}

/* Whether the task omits the statement, because only its owner needs the result. */
static bool
path_omits(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Task_region *k = e->here.region;

	return k->tail_end && bits_has(k->dead, fn_local_stmt(e->x->fn, stmt));
}

static const char *
common_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;
	const Task_region *k = plan_region_entered_at(x, to, 0);

	if (k)
		return emit_wanted_label(e, k);
	if (to == plan_header(x) && !e->here.lockstep)
		return loop_contains(x->fn->loops, x->site->loop, from) ? emit_first_vote_label(e) : "~round";
	return bits_has(x->common.blocks, to) ? emit_site_label(e, "b", to) :
				      emit_exit_label(e, emit_exit_number(x, to, 0));
}

static const char *
common_end_label(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_exit_number(e->x, 0, stmt));
}

static const char *
common_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Collect_plan *c = e->x->collect;

	if (!e->here.lockstep || !bits_has(c->lockstep.predicated, fn_local_stmt(e->x->fn, stmt)))
		return NULL;
	return bits_has(c->lockstep.prefix, e->common.block) ? "%^want" : "%~in";
}

static const char *
slice_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;

	(void)stmt;
	return emit_task_waits_in_registers(e) ? NULL : "%^want";
}

/* ---- copies ---------------------------------------------------------------------------------- */

void
emit_init_copies(Emit *e)
{
	uint32_t begin = plan_marker(e->x)->stmt;
	Copy *all[] = { &e->common, &e->path, &e->second_path, &e->entry, &e->slice, &e->pass_copy,
		&e->original_loop, &e->tail };

	e->common = (Copy){ .user = e,
		.symbol_name = common_name,
		.edge_label = common_edge_label,
		.end_label = common_end_label,
		.guard = common_guard,
		.table = "table" };
	e->path = (Copy){ .user = e,
		.symbol_name = path_name,
		.edge_label = path_edge_label,
		.is_omitted = path_omits,
		.table = plan_has_tail_capture(e->x) ? "ttable" : "table" };
	e->second_path = (Copy){ .user = e,
		.symbol_name = path_name,
		.edge_label = path_edge_label,
		.is_omitted = path_omits,
		.table = "dtable" };
	e->tail = (Copy){ .user = e, .symbol_name = path_name, .is_omitted = path_omits };
	e->entry = (Copy){ .user = e, .symbol_name = entry_name };
	e->slice = (Copy){ .user = e, .symbol_name = owner_name, .guard = slice_guard };
	e->pass_copy = (Copy){ .user = e, .symbol_name = path_name, .table = "table" };
	e->original_loop = (Copy){ .user = e, .symbol_name = owner_name, .table = "ktable" };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		copy_init(all[i], e->x->fn, e->t, begin, &e->named_locs);
}
