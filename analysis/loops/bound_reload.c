/* SPDX-License-Identifier: MIT */
/* A bound that each iteration loads again; see trip_count.h. nvcc emits such code for
 *
 *	for (e = row[v]; e < row[v + 1]; e++)
 *
 * if the loop stores to memory, because the store might change row[v + 1]. If only one branch of
 * the body stores, it may load the bound there, and before the loop. */
#include <string.h>
#include "analysis/loops/trip_count.h"

/* Blocks between a load and the loop. */
enum { MOST_BLOCKS = 8 };
enum {
	CHANGES_MEMORY = EFF_WRITE | EFF_BARRIER | EFF_SPIN | EFF_UNKNOWN | EFF_EXTERN |
		EFF_INDIRECT
};

/* loads: one of the statements loads from memory */
typedef struct { Trip_count *t; bool loads; } Reload_walk;

static bool
def_is_in_loop(const Trip_count *t, uint32_t def)
{
	uint32_t s = fn_def(t->fn, def)->stmt;

	return s && loop_contains(t->fn->loops, t->loop, fn_block(t->fn, s));
}

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

	FN_REACH(fn, use, d)
		if (def_is_in_loop(t, d))
			stmt = fn_def(fn, d)->stmt;
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

/* ---- a bound that was loaded before the loop too --------------------------------------------- */

static bool
same_text(const Module *m, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
	return a_end - a == b_end - b && !memcmp(m->src->text + a, m->src->text + b, a_end - a);
}

static uint32_t
only_def(const Fn *fn, uint32_t use)
{
	return fn->defuse->reach[fn_use(fn, use)->def];
}

/* Whether two loads are the same instruction with the same address, which the loop does not
 * change. */
static bool
same_load(const Trip_count *t, uint32_t a, uint32_t b)
{
	const Fn *fn = t->fn;
	const Module *m = fn->m;
	const Stmt *x = fn_stmt(fn, a), *y = fn_stmt(fn, b);
	const Opnd *p = &m->opnds[ptx_operand(m, x, 1)], *q = &m->opnds[ptx_operand(m, y, 1)];

	if (x->nopnd != 2 || y->nopnd != 2 ||
		!same_text(m, x->head, x->head_end, y->head, y->head_end) ||
		!same_text(m, p->at.pos, p->at.end, q->at.pos, q->at.end))
		return false;
	FN_USES_OF_STMT(fn, a, u) {
		uint32_t v = defuse_find_use(fn, b, fn_use(fn, u)->sym);
		if (!v || fn_use(fn, u)->ndef != 1 || fn_use(fn, v)->ndef != 1 ||
			only_def(fn, u) != only_def(fn, v) || def_is_in_loop(t, only_def(fn, u)))
			return false;
	}
	return true;
}

/* Returns the unguarded load of a single value that the definition is, or copies; 0 if there is
 * none. Adds the statements of the loop up to there to t->reloads. */
static uint32_t
trace_to_load(Trip_count *t, uint32_t def)
{
	const Fn *fn = t->fn;

	for (uint32_t n = 0; n < MOST_RELOADS && fn_def(fn, def)->stmt; n++) {
		uint32_t stmt = fn_def(fn, def)->stmt, use = 0;
		const Stmt *s = fn_stmt(fn, stmt);
		if (s->kind != STMT_INSN || s->guard || !fn_def(fn, def)->kills)
			return 0;
		if (def_is_in_loop(t, def) && !trip_count_is_reload(t, stmt)) {
			if (t->nreloads == MOST_RELOADS)
				return 0;
			t->reloads[t->nreloads++] = stmt;
		}
		if (stmt_is_load(fn->m, s))
			return stmt;
		if (ptx_op(fn->m, s) != OP_MOV)
			return 0;
		FN_USES_OF_STMT(fn, stmt, u)
			use = u;
		if (!use || fn_use(fn, use)->ndef != 1)
			return 0;
		def = only_def(fn, use);
	}
	return 0;
}

/* Whether nothing writes memory between the statement and the loop, which only it leads to. */
static bool
memory_is_kept_to_loop(const Trip_count *t, uint32_t stmt)
{
	const Fn *fn = t->fn;
	uint32_t from = fn_block(fn, stmt), b = fn->loops->loops[t->loop].header;

	for (uint32_t n = 0; n < MOST_BLOCKS; n++) {
		uint32_t before = 0, npred = 0;
		FN_PRED(fn, b, p)
			if (!loop_contains(fn->loops, t->loop, p)) {
				before = p;
				npred++;
			}
		if (npred != 1 || !before)
			return false;
		b = before;
		FN_BLOCK_STMTS(fn, b, s)
			if ((b != from || s > stmt) && fn_effects(fn, s) & CHANGES_MEMORY)
				return false;
		if (b == from)
			return true;
	}
	return false;
}

/* Whether the definition is the load, or copies it; *load is 0 before the first one. Before the
 * loop the memory must be the same as in it. */
static bool
def_is_load(Trip_count *t, uint32_t def, uint32_t *load)
{
	uint32_t l = trace_to_load(t, def), same = *load ? *load : l;

	*load = l;
	return l && same_load(t, same, l) &&
		(def_is_in_loop(t, def) || memory_is_kept_to_loop(t, l));
}

/* Whether all definitions that reach the use or the loop are the same load, some of them before
 * the loop. */
static bool
find_repeated_loads(Trip_count *t, uint32_t use)
{
	const Fn *fn = t->fn;
	const Reaching start = defuse_reaching(
		fn, fn->loops->loops[t->loop].header, fn_use(fn, use)->sym);
	uint32_t before = 0, load = 0;

	FN_REACH(fn, use, d)
		if (!def_is_load(t, d, &load))
			return false;
	for (uint32_t i = 0; i < start.n; i++) {
		if (!def_is_load(t, start.at[i], &load))
			return false;
		before += !def_is_in_loop(t, start.at[i]);
	}
	return before > 0;
}

bool
trip_count_find_reloads(Trip_count *t, uint32_t stmt)
{
	const Opnd *o = &t->fn->m->opnds[t->bound];
	uint32_t use = o->kind == OPND_SYM && !o->sel && fn_is_reg(t->fn, o->sym) ?
		defuse_find_use(t->fn, stmt, o->sym) :
		0;
	Reload_walk w = { .t = t };

	if (!use)
		return false;
	if (add_reloads(&w, use, 0) && w.loads)
		return true;
	t->nreloads = 0;
	t->bound_is_loaded = find_repeated_loads(t, use);
	t->nreloads = t->bound_is_loaded ? t->nreloads : 0;
	return t->bound_is_loaded;
}

bool
trip_count_is_reload(const Trip_count *t, uint32_t stmt)
{
	for (uint32_t i = 0; i < t->nreloads; i++)
		if (t->reloads[i] == stmt)
			return true;
	return false;
}
