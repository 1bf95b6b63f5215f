/* SPDX-License-Identifier: MIT */
/* Addresses of thread-local memory; see local_escape.h.
 *
 * Seeds: a .local variable or a .func's parameter named as a value, cvta.local, alloca. From there
 * addresses are followed through every instruction that computes (the predicate of a comparison
 * holds no address), from arguments to parameters and from results to what a call writes, symbol by
 * symbol. An address may be split into halves of 32 bits, but not further. Passes over the
 * functions repeat until nothing changes, usually three or four times.
 *
 * An address is only useful to the thread that owns the memory, while the function runs whose frame
 * it is in. So only functions matter that may run in the same thread as the given one: its direct
 * and indirect callers, and everything that those call (thread_reachability.h). Other functions run
 * in other threads, even if they call the same functions, and what they store is not visible to
 * this thread. The same holds for memory: what a function stores may be loaded by its callers of
 * any depth and by everything that those call. Values in .local memory may come back by any load
 * from there, values elsewhere by any load at all.
 *
 * Unseen code only knows the addresses that the functions here pass to it or that it loads, and may
 * return all of them. Addresses of its own frame are only valid for functions that it calls, since
 * the frame is gone when it returns. A function that other modules can call may get such an address
 * in every argument and in memory, if that call can lead to the given function. */
#include "analysis/interproc/local_escape.h"
#include "analysis/interproc/thread_reachability.h"

/* Kind of memory: .local, or all other. */
typedef enum { KEPT, STORED, MEMORIES } Memory;

/* Facts about a function. */
typedef struct {
	uint32_t func;
	uint32_t held;                  /* start of its symbols in Locals.held */
	Local_from finds[MEMORIES];     /* what it may load from memory */
} Part;

struct Locals {
	const Module *m;
	uint32_t func;
	Bits runs;              /* nodes of the call graph that its threads may reach */
	uint32_t *part_of;      /* by node: index into parts */
	Part *parts; uint32_t nparts;
	Local_from *held;       /* by symbol; [0]: any register of the module (old PTX) */
	Bits above[MEMORIES];   /* nodes from which a node is reachable that stores there */
	Bits sees[MEMORIES];    /* nodes that are reachable from those */
	Bits trades;            /* functions that pass or are passed an address */
};

typedef struct {
	const Module *m;
	const Threads *t;
	Locals *l;
	uint32_t func, stmt;    /* current statement */
	const Stmt *s;
	Local_from value, base; /* address that it reads: as a value, as the base of an access */
	uint32_t place;         /* .param variable or parameter that it accesses */
	Local_from result;      /* address that it results in */
	Nodes list;             /* scratch */
	bool changed;
} Walk;

/* Returns the entry of a symbol in held; NULL if the symbol cannot hold an address. */
static Local_from *
holder(const Locals *l, uint32_t sym)
{
	const Sym *y = &l->m->syms[sym];

	if (!ptx_is_reg(l->m, sym) && y->space != SPACE_PARAM)
		return NULL;
	if (!y->func)
		return l->held;
	uint32_t first = l->parts[l->part_of[y->func]].held;
	return &l->held[first + ptx_local_sym(&l->m->funcs[y->func], sym)];
}

Local_from
local_held(const Locals *l, uint32_t sym)
{
	const Local_from *h = holder(l, sym);

	return h ? *h : (Local_from){ 0 };
}

static Local_from
here(const Walk *w)
{
	return (Local_from){ w->func, w->stmt };
}

static Local_from
either(Local_from a, Local_from b)
{
	return a.func ? a : b;
}

static void
hold(Walk *w, uint32_t sym, Local_from from)
{
	Local_from *h = holder(w->l, sym);

	if (!from.func || !h || h->func)
		return;
	*h = from;
	w->changed = true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static Local_from
found(const Locals *l, uint32_t func, Memory k)
{
	return l->parts[l->part_of[func]].finds[k];
}

/* Records that a node and all nodes reachable from it may load an address from there. */
static void
see_from(Walk *w, Memory k, uint32_t node, Local_from from)
{
	w->list.n = 0;
	threads_flood(&w->t->calls.succ, node, w->l->runs, w->l->sees[k], &w->list);
	for (uint32_t i = 0; i < w->list.n; i++)
		w->l->parts[w->l->part_of[w->list.at[i]]].finds[k] = from;
	w->changed |= w->list.n > 0;
}

/* Records that the current function stores an address there: everything that its callers call may
 * load it. */
static void
put_in(Walk *w, Memory k, Local_from from)
{
	Nodes callers = { 0 };

	threads_flood(&w->t->calls.pred, w->func, w->l->runs, w->l->above[k], &callers);
	for (uint32_t i = 0; i < callers.n; i++)
		see_from(w, k, callers.at[i], from);
	vec_free(&callers);
}

/* ---- what a statement reads and writes ------------------------------------------------------- */

/* Whether the operand is inside brackets: an address of an access, not a value. */
static bool
in_brackets(const Walk *w, uint32_t opnd)
{
	for (uint32_t k = 0, o = w->s->opnd; k < w->s->nopnd; k++, o += w->m->opnds[o].tree)
		if (w->m->opnds[o].kind == OPND_ADDR && opnd > o && opnd < o + w->m->opnds[o].tree)
			return true;
	return false;
}

/* Records that the address of a .param variable or parameter is taken: its contents are then in
 * memory. */
static void
take_param(Walk *w, uint32_t sym)
{
	if (w->m->syms[sym].kind == SYM_PARAM && w->m->funcs[w->func].entry)
		return;
	w->value = either(w->value, here(w));
	if (local_held(w->l, sym).func)
		put_in(w, KEPT, local_held(w->l, sym));
	hold(w, sym, either(found(w->l, w->func, KEPT), found(w->l, w->func, STORED)));
}

static void
see_read(Walk *w, uint32_t sym, bool base)
{
	const Sym *y = &w->m->syms[sym];
	Local_from from = local_held(w->l, sym);

	if (y->space == SPACE_PARAM && base) {
		w->place = sym;
		return;
	}
	if (y->space == SPACE_PARAM) {
		take_param(w, sym);
		return;
	}
	if (y->space == SPACE_LOCAL)
		from = here(w);
	else if (from.func && y->func != w->func)
		bits_set(w->l->trades, w->func);
	if (base)
		w->base = either(w->base, from);
	else
		w->value = either(w->value, from);
}

/* Assigns the statement's result to a register. */
static void
put_result(Walk *w, uint32_t sym)
{
	const Sym *y = &w->m->syms[sym];

	if (!ptx_is_reg(w->m, sym) || ptx_type_size((Type)y->type) < 4)
		return;
	hold(w, sym, w->result);
	if (w->result.func && y->func != w->func)
		bits_set(w->l->trades, w->func);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static Local_from
loaded(const Walk *w)
{
	Space space = ptx_space(w->m, w->s);
	Local_from kept = found(w->l, w->func, KEPT), stored = found(w->l, w->func, STORED);

	if (space == SPACE_PARAM && w->place)
		return local_held(w->l, w->place);
	if (space == SPACE_LOCAL || w->base.func)
		return either(kept, stored);
	return space == SPACE_CONST || space == SPACE_PARAM ? (Local_from){ 0 } : stored;
}

static void
store(Walk *w)
{
	Space space = ptx_space(w->m, w->s);

	if (space == SPACE_PARAM && w->place)
		hold(w, w->place, w->value);
	else if (space == SPACE_PARAM || space == SPACE_LOCAL || w->base.func)
		put_in(w, KEPT, here(w));
	else
		put_in(w, STORED, here(w));
}

static void
walk_stmt(Walk *w)
{
	Op op = ptx_op(w->m, w->s);
	uint32_t flags = ptx_flags(w->m, w->s);

	w->value = w->base = (Local_from){ 0 };
	w->place = 0;
	PTX_REFS(w->m, w->s, r)
		if (!r.written)
			see_read(w, r.sym, r.opnd && in_brackets(w, r.opnd));
	if (op == OP_CVTA && ptx_has(w->m, w->s, "local") && !ptx_has(w->m, w->s, "to"))
		w->value = either(w->value, here(w));
	if (op == OP_ALLOCA)
		w->value = either(w->value, here(w));
	if (op == OP_UNKNOWN)
		flags |= OPF_STORE;
	if (flags & OPF_STORE && w->value.func)
		store(w);
	w->result = flags & OPF_LOAD ? loaded(w) : w->value;
	if (op == OP_UNKNOWN)
		w->result = either(w->result, loaded(w));
	PTX_REFS(w->m, w->s, r)
		if (r.written && w->result.func)
			put_result(w, r.sym);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Calls see with k for the functions of this module that the current call may reach. Returns
 * whether it may also reach other code. */
typedef void See_callee(Walk *w, uint32_t func, uint32_t k);

static bool
each_callee(Walk *w, See_callee *see, uint32_t k)
{
	uint32_t callee = effects_callee(w->m, w->stmt);

	if (callee && w->m->funcs[callee].body)
		see(w, callee, k);
	if (callee)
		return !w->m->funcs[callee].body;
	BITS_EACH(f, w->t->taken)
		see(w, f, k);
	return w->t->open;
}

/* Passes w->value as argument k. */
static void
give(Walk *w, uint32_t func, uint32_t k)
{
	const Func *f = &w->m->funcs[func];

	if (k < f->nparam)
		hold(w, f->param + k, w->value);
	else
		put_in(w, STORED, here(w));
	bits_set(w->l->trades, func);
}

/* Receives result k. */
static void
take_back(Walk *w, uint32_t func, uint32_t k)
{
	const Func *f = &w->m->funcs[func];

	if (k >= f->nret || !local_held(w->l, f->ret + k).func)
		return;
	w->result = either(w->result, local_held(w->l, f->ret + k));
	bits_set(w->l->trades, func);
}

static void
argument(Walk *w, const Opnd *o, uint32_t k)
{
	if (o->kind != OPND_SYM || !local_held(w->l, o->sym).func)
		return;
	w->value = local_held(w->l, o->sym);
	if (w->value.func == w->func)
		w->value = here(w);
	bits_set(w->l->trades, w->func);
	if (each_callee(w, give, k))
		put_in(w, STORED, here(w));
}

static void
returned(Walk *w, const Opnd *o, uint32_t k)
{
	w->result = (Local_from){ 0 };
	if (o->kind != OPND_SYM)
		return;
	if (each_callee(w, take_back, k))
		w->result = either(w->result, found(w->l, w->func, STORED));
	if (!w->result.func)
		return;
	bits_set(w->l->trades, w->func);
	if (ptx_is_reg(w->m, o->sym))
		put_result(w, o->sym);
	else
		hold(w, o->sym, w->result);
}

/* The list of arguments follows the callee operand, the list of results precedes it. The runtime's
 * own functions keep no pointer and return none. */
static void
walk_call(Walk *w)
{
	bool behind = false;

	if (effects_is_runtime(w->m, effects_callee(w->m, w->stmt)))
		return;
	for (uint32_t k = 0, o = w->s->opnd; k < w->s->nopnd; k++, o += w->m->opnds[o].tree) {
		const Opnd *list = &w->m->opnds[o];
		if (list->kind != OPND_LIST) {
			behind = true;
			continue;
		}
		for (uint32_t i = 1, n = 0; i < list->tree; i += list[i].tree, n++)
			if (behind)
				argument(w, &list[i], n);
			else
				returned(w, &list[i], n);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

static void
walk_function(Walk *w, uint32_t func)
{
	const Func *f = &w->m->funcs[func];

	w->func = func;
	for (w->stmt = f->stmt; w->stmt < f->stmt + f->nstmt; w->stmt++) {
		w->s = &w->m->stmts[w->stmt];
		if (w->s->kind != STMT_INSN)
			continue;
		if (ptx_op(w->m, w->s) == OP_CALL)
			walk_call(w);
		else
			walk_stmt(w);
	}
}

/* Finds the functions of the threads that may run func. Returns whether other modules can reach
 * it. */
static bool
find_threads(Walk *w, Arena *a)
{
	Locals *l = w->l;
	Bits above = bits_new(a, w->m->nfuncs);
	Nodes callers = { 0 };
	bool outside = false;

	threads_flood(&w->t->calls.pred, l->func, w->t->all, above, &callers);
	for (uint32_t i = 0; i < callers.n; i++) {
		outside |= bits_has(w->t->outside, callers.at[i]);
		threads_flood(&w->t->calls.succ, callers.at[i], w->t->all, l->runs, &w->list);
	}
	vec_free(&callers);
	return outside || (w->t->open && bits_has(l->runs, THREADS_UNSEEN));
}

/* Allocates the tables of the functions. */
static void
make_parts(Walk *w, Arena *a)
{
	Locals *l = w->l;
	uint32_t held = 1;

	l->nparts = w->list.n;
	l->parts = arena_array(a, l->nparts, sizeof *l->parts);
	for (uint32_t i = 0; i < l->nparts; i++) {
		l->part_of[w->list.at[i]] = i;
		l->parts[i].func = w->list.at[i];
		l->parts[i].held = held;
		held += w->m->funcs[w->list.at[i]].nsym;
	}
	l->held = arena_array(a, held, sizeof *l->held);
}

/* Adds the addresses that other modules may pass. */
static void
seed(Walk *w)
{
	for (uint32_t i = 0; i < w->l->nparts; i++) {
		uint32_t g = w->l->parts[i].func;
		const Func *f = &w->m->funcs[g];
		Local_from from = { g, 0 };
		if (!bits_has(w->t->outside, g))
			continue;
		for (uint32_t k = 0; k < f->nparam; k++)
			hold(w, f->param + k, from);
		bits_set(w->l->trades, g);
		see_from(w, STORED, g, from);
	}
}

Locals *
local_build(const Module *m, const Threads *t, uint32_t func, Arena *a)
{
	Locals *l = arena_zalloc(a, sizeof *l);
	Walk w = { .m = m, .t = t, .l = l };

	l->m = m;
	l->func = func;
	l->runs = bits_new(a, m->nfuncs);
	l->part_of = arena_array(a, m->nfuncs, sizeof *l->part_of);
	l->trades = bits_new(a, m->nfuncs);
	for (Memory k = KEPT; k < MEMORIES; k++) {
		l->above[k] = bits_new(a, m->nfuncs);
		l->sees[k] = bits_new(a, m->nfuncs);
	}
	bool outside = find_threads(&w, a);
	make_parts(&w, a);
	if (outside)
		seed(&w);
	do {
		w.changed = false;
		for (uint32_t i = 0; i < l->nparts; i++)
			walk_function(&w, l->parts[i].func);
	} while (w.changed);
	vec_free(&w.list);
	return l;
}

/* ---- queries -------------------------------------------------------------------------------- */

Local_from
local_stored(const Locals *l)
{
	return found(l, l->func, STORED);
}

bool
local_private(const Locals *l)
{
	return !local_stored(l).func && !bits_has(l->trades, l->func);
}
