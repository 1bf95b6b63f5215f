/* SPDX-License-Identifier: MIT */
/* What registers and labels of a loop's code are called in its copies, and where their branches lead. See emit.h. */
#include <string.h>
#include "transform/emit.h"

/* ---- names -------------------------------------------------------------------------------------------------------------- */

/* The declaration of a register inside braces, as a statement's number in the function: others of its name may stand in
 * other braces. 0: it is declared outside of all. */
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

/* The new register that stands for sym (a component of it, if special); tag tells families apart. */
static const char *
renamed(const Emit *e, uint32_t sym, uint8_t sel, const char *tag)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len), *mark = *name == '%' ? "%" : "";
	uint32_t inner = inner_declaration(e->x->fn, sym);
	Buf b = { 0 };

	buf_printf(&b, "%sccc%u%s", mark, e->x->number, tag);
	if (inner)
		buf_printf(&b, "b%u", inner);
	buf_printf(&b, "$%.*s", (int)(len - strlen(mark)), name + strlen(mark));
	if (sel)
		buf_printf(&b, "_%c", sel);
	return in_arena(e, &b);
}

const char *
emit_own(const Emit *e, uint32_t sym, uint8_t sel)
{
	return renamed(e, sym, sel, e->m->syms[sym].kind == SYM_SPECIAL ? "s" : "");
}

const char *
emit_again(const Emit *e, uint32_t sym)
{
	return renamed(e, sym, 0, "u");
}

/* ---- names and ways of the copies ------------------------------------------------------------------------------------------- */

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

static const char *
path_name(void *user, uint32_t sym, uint8_t sel)
{
	const Emit *e = user;
	const Fn *fn = e->x->fn;
	const Sym *y = &e->m->syms[sym];

	if (y->kind == SYM_SPECIAL && ptx_sregs[y->aux].flags & SREGF_LANE)
		return emit_own(e, sym, sel);
	if (!fn_is_reg(fn, sym))
		return NULL;
	if (bits_has(e->k->task.own, fn_local(fn, sym)))
		return emit_own(e, sym, 0);
	return e->k->task.from[fn_local(fn, sym)] == IN_AGAIN ? emit_again(e, sym) : NULL;
}

static const char *
path_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return part_has(e->k, to) ? emit_label(e, "b", to) : "^ran";
}

static const char *
again_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return part_has(e->k, to) ? emit_label(e, "d", to) : "^done";
}

static const char *
own_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	if (to == e->k->path->entry)
		return "^want";
	if (to == plan_header(x) && loop_contains(x->fn->loops, x->site->loop, from) &&
		!x->lockstep.on)
		return "^vote";
	return bits_has(x->own, to) ? emit_label(e, "b", to) : emit_exit_label(e, emit_way(x, to, 0));
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

	if (!l->on || !bits_has(l->predicated, fn_local_stmt(e->x->fn, stmt)))
		return NULL;
	return bits_has(l->prefix, e->own.block) ? "%^want" : "%^in";
}

static const char *
slice_guard(void *user, uint32_t stmt)
{
	const Emit *e = user;

	(void)stmt;
	return e->x->lockstep.on ? "%^want" : NULL;
}

/* ---- the copies ----------------------------------------------------------------------------------------------------------- */

void
emit_copies(Emit *e)
{
	uint32_t begin = plan_marker(e->x)->stmt;
	Copy *all[] = { &e->own, &e->path, &e->again_path, &e->entry, &e->slice };

	e->own = (Copy){
		.user = e, .way = own_way, .end = own_end, .guard = own_guard, .table = "table"
	};
	e->path = (Copy){ .user = e, .name = path_name, .way = path_way, .table = "table" };
	e->again_path = (Copy){ .user = e, .name = path_name, .way = again_way, .table = "dtable" };
	e->entry = (Copy){ .user = e, .name = entry_name };
	e->slice = (Copy){ .user = e, .guard = slice_guard };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		copy_init(all[i], e->x->fn, e->t, begin, &e->told);
}
