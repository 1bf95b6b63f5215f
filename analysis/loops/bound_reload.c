/* SPDX-License-Identifier: MIT */
/* A bound that each iteration loads again; see trip_count.h. nvcc emits such code for
 *
 *	for (e = row[v]; e < row[v + 1]; e++)
 *
 * if the loop stores to memory, because the store might change row[v + 1]. */
#include "analysis/loops/trip_count.h"

/* loads: one of the statements loads from memory */
typedef struct { Trip_count *t; bool loads; } Reload_walk;

static bool
stmt_reads_time(const Fn *fn, uint32_t stmt)
{
	FN_READS(fn, stmt, r)
		if (fn_sreg_has(fn, r->sym, SREGF_TIME))
			return true;
	return false;
}

/* Whether the statement loads from memory that the loop may share with others. The other spaces are
 * constant, or hold the result of a call. */
static bool
stmt_is_load(const Module *m, const Stmt *s)
{
	Space space = ptx_space(m, s);

	return ptx_op(m, s) == OP_LD &&
		(space == SPACE_GLOBAL || space == SPACE_SHARED || space == SPACE_GENERIC);
}

/* Whether every iteration executes the statement, and its result depends only on its operands and
 * on the memory that it loads. */
static bool
stmt_is_repeatable(const Trip_count *t, uint32_t stmt)
{
	const Fn *fn = t->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	Bits carried = fn->live->in[fn->loops->loops[t->loop].header];

	if (s->kind != STMT_INSN || s->guard || stmt_reads_time(fn, stmt) ||
		ptx_flags(fn->m, s) & (OPF_VARIES | OPF_CARRY) ||
		(!stmt_is_load(fn->m, s) && !(ptx_flags(fn->m, s) & OPF_PURE)))
		return false;
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (!trip_count_def_is_in_every_iteration(t, d) ||
			bits_has(carried, fn_local(fn, fn_def(fn, d)->sym)))
			return false;
	return true;
}

/* Whether the iteration executes statement s before t. */
static bool
stmt_precedes(const Fn *fn, uint32_t s, uint32_t t)
{
	uint32_t from = fn_block(fn, s), to = fn_block(fn, t);

	return from == to ? s < t : dom_dominates(fn->dom, from, to);
}

/* Inserts a statement at its place in execution order: registers may be written several times. */
static void
insert_reload(Trip_count *t, uint32_t stmt)
{
	uint32_t i = t->nreloads++;

	for (; i && stmt_precedes(t->fn, stmt, t->reloads[i - 1]); i--)
		t->reloads[i] = t->reloads[i - 1];
	t->reloads[i] = stmt;
}

/* Adds the statements of the loop that compute what a use reads. depth: length of the chain of
 * statements up to the bound. */
static bool
add_reloads(Reload_walk *w, uint32_t use, uint32_t depth)
{
	Trip_count *t = w->t;
	const Fn *fn = t->fn;
	uint32_t stmt = 0;

	FN_REACH(fn, use, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && loop_contains(fn->loops, t->loop, fn_block(fn, s)))
			stmt = s;
	}
	if (!stmt || trip_count_is_reload(t, stmt))
		return true;
	if (depth == MOST_RELOADS || fn_use(fn, use)->ndef > 1 || !stmt_is_repeatable(t, stmt))
		return false;
	FN_USES_OF_STMT(fn, stmt, u)
		if (!add_reloads(w, u, depth + 1))
			return false;
	if (t->nreloads == MOST_RELOADS)
		return false;
	insert_reload(t, stmt);
	w->loads |= stmt_is_load(fn->m, fn_stmt(fn, stmt));
	return true;
}

bool
trip_count_find_reloads(Trip_count *t, uint32_t stmt)
{
	const Opnd *o = &t->fn->m->opnds[t->bound];
	Reload_walk w = { .t = t };

	if (o->kind != OPND_SYM || o->sel || !fn_is_reg(t->fn, o->sym) ||
		!add_reloads(&w, defuse_find_use(t->fn, stmt, o->sym), 0) || !w.loads)
		t->nreloads = 0;
	return t->nreloads > 0;
}

bool
trip_count_is_reload(const Trip_count *t, uint32_t stmt)
{
	for (uint32_t i = 0; i < t->nreloads; i++)
		if (t->reloads[i] == stmt)
			return true;
	return false;
}
