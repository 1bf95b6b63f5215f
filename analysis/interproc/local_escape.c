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
typedef enum { LOCAL_MEMORY, OTHER_MEMORY, MEMORIES } Memory_class;

/* Facts about a function. */
typedef struct {
	uint32_t func;
	uint32_t held;                  /* start of its symbols in Locals.held */
	Address_origin finds[MEMORIES]; /* what it may load from memory */
} Function_state;

struct Locals {
	const Module *m;
	uint32_t func;
	Bits runs;              /* nodes of the call graph that its threads may reach */
	bool outside;           /* other modules can reach func */
	uint32_t *state_of;     /* by node: index into states */
	Function_state *states; uint32_t nstates;
	Address_origin *origins; /* by symbol; [0]: any register of the module (old PTX) */
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
	/* address that it reads: as a value, as the base of an access */
	Address_origin value, base;
	uint32_t place;         /* .param variable or parameter that it accesses */
	Address_origin result;  /* address that it results in */
	Nodes list;             /* scratch */
	bool changed;
} Address_walk;

/* Returns the entry of a symbol in held; NULL if the symbol cannot hold an address. */
static Address_origin *
origin_slot(const Locals *l, uint32_t sym)
{
	const Sym *y = &l->m->syms[sym];

	if (!ptx_is_reg(l->m, sym) && y->space != SPACE_PARAM)
		return NULL;
	if (!y->func)
		return l->origins;
	uint32_t first = l->states[l->state_of[y->func]].held;
	return &l->origins[first + ptx_local_sym(&l->m->funcs[y->func], sym)];
}

Address_origin
address_origin_of(const Locals *l, uint32_t sym)
{
	const Address_origin *h = origin_slot(l, sym);

	return h ? *h : (Address_origin){ 0 };
}

static Address_origin
current_function_state(const Address_walk *w)
{
	return (Address_origin){ w->func, w->stmt };
}

static Address_origin
join_origins(Address_origin a, Address_origin b)
{
	return a.func ? a : b;
}

static void
set_origin(Address_walk *w, uint32_t sym, Address_origin from)
{
	Address_origin *h = origin_slot(w->l, sym);

	if (!from.func || !h || h->func)
		return;
	*h = from;
	w->changed = true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static Address_origin
memory_origin(const Locals *l, uint32_t func, Memory_class k)
{
	return l->states[l->state_of[func]].finds[k];
}

/* Records that a node and all nodes reachable from it may load an address from there. */
static void
propagate_memory_origin(Address_walk *w, Memory_class k, uint32_t node, Address_origin from)
{
	w->list.n = 0;
	threads_flood(&w->t->calls.succ, node, w->l->runs, w->l->sees[k], &w->list);
	for (uint32_t i = 0; i < w->list.n; i++)
		w->l->states[w->l->state_of[w->list.at[i]]].finds[k] = from;
	w->changed |= w->list.n > 0;
}

/* Records that the current function stores an address there: everything that its callers call may
 * load it. */
static void
record_store_origin(Address_walk *w, Memory_class k, Address_origin from)
{
	Nodes callers = { 0 };

	threads_flood(&w->t->calls.pred, w->func, w->l->runs, w->l->above[k], &callers);
	for (uint32_t i = 0; i < callers.n; i++)
		propagate_memory_origin(w, k, callers.at[i], from);
	vec_free(&callers);
}

/* ---- what a statement reads and writes ------------------------------------------------------- */

/* Whether the operand is inside brackets: an address of an access, not a value. */
static bool
operand_is_address(const Address_walk *w, uint32_t opnd)
{
	for (uint32_t k = 0, o = w->s->opnd; k < w->s->nopnd; k++, o += w->m->opnds[o].tree)
		if (w->m->opnds[o].kind == OPND_ADDR && opnd > o && opnd < o + w->m->opnds[o].tree)
			return true;
	return false;
}

/* Records that the address of a .param variable or parameter is taken: its contents are then in
 * memory. */
static void
mark_param_address_taken(Address_walk *w, uint32_t sym)
{
	if (w->m->syms[sym].kind == SYM_PARAM && w->m->funcs[w->func].entry)
		return;
	w->value = join_origins(w->value, current_function_state(w));
	if (address_origin_of(w->l, sym).func)
		record_store_origin(w, LOCAL_MEMORY, address_origin_of(w->l, sym));
	set_origin(w, sym,
		join_origins(memory_origin(w->l, w->func, LOCAL_MEMORY),
			memory_origin(w->l, w->func, OTHER_MEMORY)));
}

static void
read_symbol(Address_walk *w, uint32_t sym, bool base)
{
	const Sym *y = &w->m->syms[sym];
	Address_origin from = address_origin_of(w->l, sym);

	if (y->space == SPACE_PARAM && base) {
		w->place = sym;
		return;
	}
	if (y->space == SPACE_PARAM) {
		mark_param_address_taken(w, sym);
		return;
	}
	if (y->space == SPACE_LOCAL)
		from = current_function_state(w);
	else if (from.func && y->func != w->func)
		bits_set(w->l->trades, w->func);
	if (base)
		w->base = join_origins(w->base, from);
	else
		w->value = join_origins(w->value, from);
}

/* Assigns the statement's result to a register. */
static void
write_result(Address_walk *w, uint32_t sym)
{
	const Sym *y = &w->m->syms[sym];

	if (!ptx_is_reg(w->m, sym) || ptx_type_size((Type)y->type) < 4)
		return;
	set_origin(w, sym, w->result);
	if (w->result.func && y->func != w->func)
		bits_set(w->l->trades, w->func);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static Address_origin
loaded_origin(const Address_walk *w)
{
	Space space = ptx_space(w->m, w->s);
	Address_origin kept = memory_origin(w->l, w->func, LOCAL_MEMORY),
		       stored = memory_origin(w->l, w->func, OTHER_MEMORY);

	if (space == SPACE_PARAM && w->place)
		return address_origin_of(w->l, w->place);
	if (space == SPACE_LOCAL || w->base.func)
		return join_origins(kept, stored);
	return space == SPACE_CONST || space == SPACE_PARAM ? (Address_origin){ 0 } : stored;
}

static void
record_store(Address_walk *w)
{
	Space space = ptx_space(w->m, w->s);

	if (space == SPACE_PARAM && w->place)
		set_origin(w, w->place, w->value);
	else if (space == SPACE_PARAM || space == SPACE_LOCAL || w->base.func)
		record_store_origin(w, LOCAL_MEMORY, current_function_state(w));
	else
		record_store_origin(w, OTHER_MEMORY, current_function_state(w));
}

static void
walk_stmt(Address_walk *w)
{
	Op op = ptx_op(w->m, w->s);
	uint32_t flags = ptx_flags(w->m, w->s);

	w->value = w->base = (Address_origin){ 0 };
	w->place = 0;
	PTX_REFS(w->m, w->s, r)
		if (!r.written)
			read_symbol(w, r.sym, r.opnd && operand_is_address(w, r.opnd));
	if (op == OP_CVTA && ptx_has(w->m, w->s, "local") && !ptx_has(w->m, w->s, "to"))
		w->value = join_origins(w->value, current_function_state(w));
	if (op == OP_ALLOCA)
		w->value = join_origins(w->value, current_function_state(w));
	if (op == OP_UNKNOWN)
		flags |= OPF_STORE;
	if (flags & OPF_STORE && w->value.func)
		record_store(w);
	w->result = flags & OPF_LOAD ? loaded_origin(w) : w->value;
	if (op == OP_UNKNOWN)
		w->result = join_origins(w->result, loaded_origin(w));
	PTX_REFS(w->m, w->s, r)
		if (r.written && w->result.func)
			write_result(w, r.sym);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Calls see with k for the functions of this module that the current call may reach. Returns
 * whether it may also reach other code. */
typedef void Callee_visit(Address_walk *w, uint32_t func, uint32_t k);

static bool
visit_callees(Address_walk *w, Callee_visit *see, uint32_t k)
{
	uint32_t callee = effects_callee(w->m, w->stmt);

	if (callee && w->m->funcs[callee].body)
		see(w, callee, k);
	if (callee)
		return !w->m->funcs[callee].body;
	BITS_EACH(f, w->t->address_taken)
		see(w, f, k);
	return w->t->open;
}

/* Passes w->value as argument k. */
static void
pass_argument(Address_walk *w, uint32_t func, uint32_t k)
{
	const Func *f = &w->m->funcs[func];

	if (k < f->nparam)
		set_origin(w, f->param + k, w->value);
	else
		record_store_origin(w, OTHER_MEMORY, current_function_state(w));
	bits_set(w->l->trades, func);
}

/* Receives result k. */
static void
receive_result(Address_walk *w, uint32_t func, uint32_t k)
{
	const Func *f = &w->m->funcs[func];

	if (k >= f->nret || !address_origin_of(w->l, f->ret + k).func)
		return;
	w->result = join_origins(w->result, address_origin_of(w->l, f->ret + k));
	bits_set(w->l->trades, func);
}

static void
walk_argument(Address_walk *w, const Opnd *o, uint32_t k)
{
	if (o->kind != OPND_SYM || !address_origin_of(w->l, o->sym).func)
		return;
	w->value = address_origin_of(w->l, o->sym);
	if (w->value.func == w->func)
		w->value = current_function_state(w);
	bits_set(w->l->trades, w->func);
	if (visit_callees(w, pass_argument, k))
		record_store_origin(w, OTHER_MEMORY, current_function_state(w));
}

static void
walk_result(Address_walk *w, const Opnd *o, uint32_t k)
{
	w->result = (Address_origin){ 0 };
	if (o->kind != OPND_SYM)
		return;
	if (visit_callees(w, receive_result, k))
		w->result = join_origins(w->result, memory_origin(w->l, w->func, OTHER_MEMORY));
	if (!w->result.func)
		return;
	bits_set(w->l->trades, w->func);
	if (ptx_is_reg(w->m, o->sym))
		write_result(w, o->sym);
	else
		set_origin(w, o->sym, w->result);
}

/* The list of arguments follows the callee operand, the list of results precedes it. The runtime's
 * own functions keep no pointer and return none. */
static void
walk_call(Address_walk *w)
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
				walk_argument(w, &list[i], n);
			else
				walk_result(w, &list[i], n);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

static void
walk_function(Address_walk *w, uint32_t func)
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

/* Finds the functions of the threads that may run func, and whether other modules can reach it. */
static void
find_threads(Address_walk *w, Arena *a)
{
	Locals *l = w->l;
	Bits above = bits_new(a, w->m->nfuncs);
	Nodes callers = { 0 };

	l->runs = bits_new(a, w->m->nfuncs);
	threads_flood(&w->t->calls.pred, l->func, w->t->all, above, &callers);
	for (uint32_t i = 0; i < callers.n; i++) {
		l->outside |= bits_has(w->t->outside, callers.at[i]);
		threads_flood(&w->t->calls.succ, callers.at[i], w->t->all, l->runs, &w->list);
	}
	vec_free(&callers);
	l->outside |= w->t->open && bits_has(l->runs, THREADS_UNSEEN);
}

/* Allocates the tables of the functions, in an order that does not depend on func. */
static void
allocate_function_states(Address_walk *w, Arena *a)
{
	Locals *l = w->l;
	uint32_t held = 1;

	l->states = arena_array(a, bits_count(l->runs), sizeof *l->states);
	BITS_EACH(f, l->runs) {
		l->state_of[f] = l->nstates;
		l->states[l->nstates++] = (Function_state){ .func = f, .held = held };
		held += w->m->funcs[f].nsym;
	}
	l->origins = arena_array(a, held, sizeof *l->origins);
}

/* Adds the addresses that other modules may pass. */
static void
seed_external(Address_walk *w)
{
	for (uint32_t i = 0; i < w->l->nstates; i++) {
		uint32_t g = w->l->states[i].func;
		const Func *f = &w->m->funcs[g];
		Address_origin from = { g, 0 };
		if (!bits_has(w->t->outside, g))
			continue;
		for (uint32_t k = 0; k < f->nparam; k++)
			set_origin(w, f->param + k, from);
		bits_set(w->l->trades, g);
		propagate_memory_origin(w, OTHER_MEMORY, g, from);
	}
}

Locals *
local_build(const Module *m, const Threads *t, uint32_t func, Arena *a)
{
	Locals *l = arena_zalloc(a, sizeof *l);
	Address_walk w = { .m = m, .t = t, .l = l };

	l->m = m;
	l->func = func;
	l->state_of = arena_array(a, m->nfuncs, sizeof *l->state_of);
	l->trades = bits_new(a, m->nfuncs);
	for (Memory_class k = LOCAL_MEMORY; k < MEMORIES; k++) {
		l->above[k] = bits_new(a, m->nfuncs);
		l->sees[k] = bits_new(a, m->nfuncs);
	}
	find_threads(&w, a);
	allocate_function_states(&w, a);
	if (l->outside)
		seed_external(&w);
	do {
		w.changed = false;
		for (uint32_t i = 0; i < l->nstates; i++)
			walk_function(&w, l->states[i].func);
	} while (w.changed);
	vec_free(&w.list);
	return l;
}

const Locals *
local_share(const Locals *of, const Threads *t, uint32_t func, Arena *a)
{
	Locals *l = arena_zalloc(a, sizeof *l);
	Address_walk w = { .m = of->m, .t = t, .l = l };

	l->func = func;
	find_threads(&w, a);
	vec_free(&w.list);
	if (l->outside != of->outside || !bits_within(l->runs, of->runs) ||
		!bits_within(of->runs, l->runs))
		return NULL;
	*l = *of;
	l->func = func;
	return l;
}

/* ---- queries -------------------------------------------------------------------------------- */

Address_origin
local_address_is_stored(const Locals *l)
{
	return memory_origin(l, l->func, OTHER_MEMORY);
}

bool
local_memory_is_private(const Locals *l)
{
	return !local_address_is_stored(l).func && !bits_has(l->trades, l->func);
}
