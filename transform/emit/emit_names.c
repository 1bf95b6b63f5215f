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
in_arena(const Emit *e, Buf *b)
{
	const char *s = arena_strndup(e->arena, b->at, b->n);

	buf_free(b);
	return s;
}

/* Returns the name of the new register for sym (or its component sel). part: the part it belongs
 * to, from 1, or 0 for the site; tag separates families of names. */
static const char *
renamed(const Emit *e, uint32_t part, uint32_t sym, uint8_t sel, const char *tag)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len), *mark = *name == '%' ? "%" : "";
	uint32_t inner = inner_declaration(e->x->fn, sym);
	Buf b = { 0 };

	buf_puts(&b, mark);
	buf_add(&b, e->prefix, strlen(e->prefix) - 1);
	if (part && e->x->nparts + e->x->nrows > 1)
		buf_printf(&b, "p%u", part);
	buf_puts(&b, tag);
	if (inner)
		buf_printf(&b, "b%u", inner);
	buf_putc(&b, '$');
	buf_add(&b, name + strlen(mark), len - strlen(mark));
	if (sel) {
		buf_putc(&b, '_');
		buf_putc(&b, (char)sel);
	}
	return in_arena(e, &b);
}

const char *
emit_own(const Emit *e, const Part *k, uint32_t sym, uint8_t sel)
{
	uint32_t part = (uint32_t)(k - e->x->parts) + 1;

	return renamed(e, part, sym, sel, e->m->syms[sym].kind == SYM_SPECIAL ? "s" : "");
}

const char *
emit_waiting(const Emit *e, const Part *k, uint32_t sym)
{
	char tag[16];

	snprintf(tag, sizeof tag, "w%u", e->turn);
	return renamed(e, (uint32_t)(k - e->x->parts) + 1, sym, 0, tag);
}

const char *
emit_turned(const Emit *e, uint32_t sym)
{
	char tag[16];

	snprintf(tag, sizeof tag, "t%u", e->turn);
	return renamed(e, 0, sym, 0, tag);
}

/* Returns the name of sym in the current iteration of a batch; NULL: its original name. */
static const char *
name_in_turn(const Emit *e, uint32_t sym)
{
	const Fn *fn = e->x->fn;

	return e->turn && fn_is_reg(fn, sym) && bits_has(e->x->turned, fn_local(fn, sym)) ?
		emit_turned(e, sym) :
		NULL;
}

static const char *
own_name(void *user, uint32_t sym, uint8_t sel)
{
	(void)sel;
	return name_in_turn(user, sym);
}

const char *
emit_again(const Emit *e, uint32_t sym)
{
	return renamed(e, 0, sym, 0, "u");
}

const char *
emit_from(const Emit *e, uint32_t sym)
{
	return renamed(e, 0, sym, 0, "f");
}

const char *
emit_vote(const Emit *e)
{
	Buf b = { 0 };

	buf_puts(&b, e->prefixes[1]);
	buf_puts(&b, "vote");
	return in_arena(e, &b);
}

const char *
emit_of_part(const Emit *e, uint32_t part, const char *word)
{
	Buf b = { 0 };

	buf_puts(&b, e->prefixes[part]);
	buf_puts(&b, word);
	return in_arena(e, &b);
}

const char *
emit_want(const Emit *e, const Part *k)
{
	return emit_of_part(e, (uint32_t)(k - e->x->parts) + 1, "want");
}

const char *
emit_end_of_path(const Emit *e)
{
	const Part *rows = plan_rows_in(e->x, e->part);

	return rows ? emit_of_part(e, (uint32_t)(rows - e->x->parts) + 1, "idle") : emit_behind(e);
}

/* ---- names and branch targets of the copies -------------------------------------------------- */

static const char *
entry_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;
	const Fn *fn = e->x->fn;

	(void)sel;
	return fn_is_reg(fn, sym) && bits_has(e->x->again_syms, fn_local(fn, sym)) ?
		emit_again(e, sym) :
		NULL;
}

/* Returns the name of sym in the copy of part k's path; NULL: its original name. */
static const char *
name_in_part(const Emit *e, const Part *k, uint32_t sym, uint8_t sel)
{
	const Fn *fn = e->x->fn;
	const Sym *y = &e->m->syms[sym];

	if (y->kind == SYM_SPECIAL && ptx_sregs[y->aux].flags & SREGF_LANE)
		return emit_own(e, k, sym, sel);
	if (!fn_is_reg(fn, sym))
		return NULL;
	if (bits_has(k->task.own, fn_local(fn, sym)))
		return emit_own(e, k, sym, 0);
	return task_how(&k->task, sym) == IN_AGAIN ? emit_again(e, sym) : NULL;
}

static const char *
path_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;

	return name_in_part(e, e->k, sym, sel);
}

static const char *
name_at_owner(const Emit *e, uint32_t sym, uint8_t sel)
{
	return e->k->outer ? name_in_part(e, &e->x->parts[e->k->outer - 1], sym, sel) :
			     name_in_turn(e, sym);
}

static const char *
owner_name(void *user, uint32_t sym, uint8_t sel)
{
	return name_at_owner(user, sym, sel);
}

const char *
emit_in_chain(const Emit *e, uint32_t sym)
{
	const char *name = name_in_turn(e, sym);

	return name ? name : copy_name(e->x->fn, sym, e->arena);
}

const char *
emit_owner(const Emit *e, uint32_t sym, uint8_t sel)
{
	const char *name = name_at_owner(e, sym, sel);

	return name ? name : copy_name(e->x->fn, sym, e->arena);
}

const char *
emit_block(const Emit *e, uint32_t b)
{
	return emit_label(e, e->k->join ? "t" : "b", b);
}

const char *
emit_behind(const Emit *e)
{
	return e->k->task.nsums ? "^fold" : e->turns || e->k->steps ? "^done" : "^ran";
}

static const char *
path_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Part *inner = plan_cut_at(e->x, to, e->part);

	(void)from;
	if (inner)
		return emit_want(e, inner);
	if (e->k->steps && to == e->k->path->entry)
		return "^again";
	return bits_has(e->k->blocks, to) ? emit_block(e, to) : emit_end_of_path(e);
}

/* Whether the task omits the statement, because only its owner needs the result. */
static bool
path_left_out(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return e->k->join && bits_has(e->k->idle, fn_local_stmt(e->x->fn, stmt));
}

static const char *
own_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;
	const Part *k = plan_cut_at(x, to, 0);

	if (k)
		return emit_want(e, k);
	if (to == plan_header(x) && !e->lockstep)
		return loop_contains(x->fn->loops, x->site->loop, from) ? emit_vote(e) : "~round";
	return bits_has(x->own, to) ? emit_site_label(e, "b", to) :
				      emit_exit_label(e, emit_way(x, to, 0));
}

static const char *
own_end(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_way(e->x, 0, stmt));
}

static const char *
own_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Lockstep *l = &e->x->lockstep;

	if (!e->lockstep || !bits_has(l->predicated, fn_local_stmt(e->x->fn, stmt)))
		return NULL;
	return bits_has(l->prefix, e->own.block) ? "%^want" : "%~in";
}

static const char *
slice_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;

	(void)stmt;
	return emit_kept(e) ? NULL : "%^want";
}

/* ---- copies ---------------------------------------------------------------------------------- */

void
emit_copies(Emit *e)
{
	uint32_t begin = plan_marker(e->x)->stmt;
	Copy *all[] = { &e->own, &e->path, &e->again_path, &e->entry, &e->slice, &e->lap,
		&e->kept, &e->rest };

	e->own = (Copy){ .user = e,
		.name = own_name,
		.way = own_way,
		.end = own_end,
		.guard = own_guard,
		.table = "table" };
	e->path = (Copy){ .user = e, .name = path_name, .way = path_way, .left_out = path_left_out,
		.table = plan_jumps(e->x) ? "ttable" : "table" };
	e->again_path = (Copy){ .user = e,
		.name = path_name,
		.way = path_way,
		.left_out = path_left_out,
		.table = "dtable" };
	e->rest = (Copy){ .user = e, .name = path_name, .left_out = path_left_out };
	e->entry = (Copy){ .user = e, .name = entry_name };
	e->slice = (Copy){ .user = e, .name = owner_name, .guard = slice_guard };
	e->lap = (Copy){ .user = e, .name = path_name, .table = "table" };
	e->kept = (Copy){ .user = e, .name = owner_name, .table = "ktable" };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		copy_init(all[i], e->x->fn, e->t, begin, &e->told);
}
