/* SPDX-License-Identifier: MIT */
/* Underlying objects of accesses; see underlying_objects.h.
 *
 * Follows the address register back along the definitions that reach it, through moves and
 * additions of pointers; the factors of a product, for example, are not pointers. The walk ends at
 * a parameter of a kernel, a variable's address, a call of malloc, an index, or a pointer that may
 * be any: one that was loaded, exchanged, or came from another call or a caller. */
#include "analysis/memory/underlying_objects.h"
#include "analysis/dataflow/def_use.h"
#include "base/vec.h"

enum { MOST_STEPS = 2000 };

typedef struct {
	const Fn *fn;
	Underlying_objects *base;
	Bits seen;              /* definitions */
	VEC(uint32_t) todo;     /* definitions to visit */
	bool any;
} Object_trace;

/* False if there is no room for another object. */
static bool
add_object(Underlying_objects *b, uint64_t of)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->of[i] == of)
			return true;
	if (b->n == BASE_MOST)
		return false;
	b->of[b->n++] = of;
	return true;
}

bool
objects_add_variable(Underlying_objects *b, const Module *m, uint32_t sym)
{
	const Var *v = m->syms[sym].space == SPACE_SHARED ? ptx_var(m, sym) : NULL;

	b->dynamic |= v && v->linkage == LINK_EXTERN;
	return add_object(b, (uint64_t)sym << 32);
}

/* Adds an object; sym 0: the call of malloc at statement `offset`. */
static void
trace_address(Object_trace *t, uint32_t sym, int64_t offset)
{
	t->any |= !add_object(t->base, (uint64_t)sym << 32 | (uint32_t)offset);
}

/* Whether `def` is executed before every execution of `use`, since the last one. */
static bool
def_is_always_before(const Fn *fn, uint32_t def, uint32_t use)
{
	uint32_t d = fn_block(fn, def), u = fn_block(fn, use);
	return d == u ? def < use : dom_dominates(fn->dom, d, u);
}

/* Continues from an operand of a statement to the definitions of its register. */
static void
trace_operand(Object_trace *t, uint32_t stmt, uint32_t opnd)
{
	const Module *m = t->fn->m;
	const Opnd *o = &m->opnds[opnd];
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	t->any |= o->kind == OPND_VEC; /* assembled from parts */
	if (o->kind != OPND_SYM)
		return;
	if (m->syms[o->sym].kind == SYM_VAR)
		t->any |= !objects_add_variable(t->base, m, o->sym);
	if (!ptx_is_reg(m, o->sym))
		return;
	uint32_t u = defuse_find_use(t->fn, stmt, o->sym);
	t->any |= !u; /* a register of the module */
	FN_REACH(t->fn, u, d) {
		bool entry = !fn_def(t->fn, d)->stmt;
		t->any |= entry && m->syms[o->sym].kind == SYM_PARAM;
		if (entry || bits_has(t->seen, d))
			continue;
		t->base->merged |= !def_is_always_before(t->fn, fn_def(t->fn, d)->stmt, stmt);
		bits_set(t->seen, d);
		*vec_push(&t->todo) = d;
	}
}

/* Whether operand k of a call is a list that names sym. */
static bool
list_names_symbol(const Module *m, const Stmt *call, uint32_t k, uint32_t sym)
{
	const Opnd *list = &m->opnds[ptx_operand(m, call, k)];
	for (uint32_t i = 1; list->kind == OPND_LIST && i < list->tree; i++)
		if (list[i].kind == OPND_SYM && list[i].sym == sym)
			return true;
	return false;
}

/* Returns the call of malloc whose result a load of .param variable sym reads; 0 if it is another
 * call. */
static uint32_t
find_allocation(const Fn *fn, uint32_t load, uint32_t sym)
{
	uint32_t first = fn->cfg->blocks[fn_block(fn, load)].stmt;
	for (uint32_t s = load; s-- > first;)
		if (ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL &&
			list_names_symbol(fn->m, fn_stmt(fn, s), 0, sym))
			return effects_allocates(fn->m, effects_callee(fn->m, s)) ? s : 0;
	return 0;
}

/* Handles a loaded value: a kernel's parameter, a call's result, or else a pointer if it is wide
 * enough, otherwise an index. */
static void
trace_loaded(Object_trace *t, uint32_t stmt)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
	int64_t offset = 0;
	bool param = ptx_space(m, s) == SPACE_PARAM && from->kind == OPND_ADDR && from->tree > 1 &&
		from[1].kind == OPND_SYM;
	uint32_t call = param ? find_allocation(t->fn, stmt, from[1].sym) : 0;
	if (call)
		trace_address(t, 0, call);
	else if (param && t->fn->f->entry && m->syms[from[1].sym].kind == SYM_PARAM &&
		ptx_offset(m, from, &offset))
		trace_address(t, from[1].sym, offset);
	else
		t->any |= ptx_type_size(ptx_insn_type(m, s)) * 8 >= m->address_size;
}

/* Continues from a definition to the operands that may be pointers. */
static void
trace_definition(Object_trace *t, uint32_t stmt)
{
	const Stmt *s = fn_stmt(t->fn, stmt);
	uint32_t first = 1;
	switch (ptx_op(t->fn->m, s)) {
	case OP_LD: trace_loaded(t, stmt); return;
	case OP_ATOM: case OP_CALL: t->any = true; return;
	case OP_MAD: first = 3; break;
	case OP_MOV:
	case OP_CVTA:
	case OP_ADD:
	case OP_SUB:
	case OP_SELP:
	case OP_MIN:
	case OP_MAX:
	case OP_AND:
	case OP_OR:
		break;
	default: return;
	}
	for (uint32_t k = first; k < s->nopnd; k++)
		trace_operand(t, stmt, ptx_operand(t->fn->m, s, k));
}

/* Walks until the work list is empty. */
static void
trace_all(Object_trace *t)
{
	for (uint32_t steps = 0; t->todo.n && !t->any; t->any |= ++steps == MOST_STEPS)
		trace_definition(t, fn_def(t->fn, *vec_pop(&t->todo))->stmt);
	if (t->any)
		t->base->n = 0;
	vec_free(&t->todo);
}

Space
access_space(const Module *m, const Stmt *s)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->nopnd; k++)
		n += m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR;
	return n > 1 ? SPACE_GENERIC : ptx_space(m, s);
}

/* ---- cache ----------------------------------------------------------------------------------- */

typedef struct { bool known; Underlying_objects objects; } Cached_objects;

/* number: by statement of the function, from 1; 0: it accesses no memory. */
struct Object_cache { uint32_t *number; Cached_objects *at; };

Object_cache *
object_cache_build(const Fn *fn, Arena *a)
{
	uint32_t n = 0;

	if (!fn->does)
		return NULL;
	Object_cache *c = arena_zalloc(a, sizeof *c);
	c->number = arena_array(a, fn->f->nstmt + 1u, sizeof *c->number);
	FN_STMTS(fn, s)
		if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE))
			c->number[ptx_local_stmt(fn->f, s)] = ++n;
	c->at = arena_zalloc(a, (n + 1u) * sizeof *c->at);
	return c;
}

static Underlying_objects
find_objects(const Fn *fn, uint32_t stmt, Arena *a)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Arena_mark mark = arena_mark(a);
	Underlying_objects base = { .space = access_space(m, s) };
	Object_trace t = { .fn = fn, .base = &base, .seen = bits_new(a, fn->defuse->ndefs) };
	for (uint32_t k = 0; k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR)
			trace_operand(&t, stmt, ptx_operand(m, s, k));
	trace_all(&t);
	arena_release(a, mark);
	return base;
}

Underlying_objects
objects_of_access(const Fn *fn, uint32_t stmt, Arena *a)
{
	uint32_t number = fn->objects ? fn->objects->number[ptx_local_stmt(fn->f, stmt)] : 0;

	if (!number)
		return find_objects(fn, stmt, a);
	Cached_objects *c = &fn->objects->at[number - 1];
	if (!c->known)
		*c = (Cached_objects){ true, find_objects(fn, stmt, a) };
	return c->objects;
}

/* ---- freed memory -------------------------------------------------------------------------- */

/* Returns the operand of a call's only argument; 0 if it has no or several arguments. */
static uint32_t
only_argument(const Module *m, const Stmt *call)
{
	uint32_t last = call->nopnd ? ptx_operand(m, call, call->nopnd - 1u) : 0;
	return last && m->opnds[last].kind == OPND_LIST && m->opnds[last].tree == 2 ? last + 1 : 0;
}

/* Returns the store before a call that writes .param variable sym; 0 if there is none in its
 * block. */
static uint32_t
find_argument_store(const Fn *fn, uint32_t call, uint32_t sym)
{
	const Module *m = fn->m;
	uint32_t first = fn->cfg->blocks[fn_block(fn, call)].stmt;
	for (uint32_t s = call; s-- > first;) {
		const Stmt *st = fn_stmt(fn, s);
		const Opnd *to = &m->opnds[ptx_operand(m, st, 0)];
		if (ptx_op(m, st) == OP_ST && to->kind == OPND_ADDR && to->tree > 1 &&
			to[1].sym == sym)
			return s;
	}
	return 0;
}

Underlying_objects
objects_freed_by_call(const Fn *fn, uint32_t call, Arena *a)
{
	const Module *m = fn->m;
	uint32_t argument = only_argument(m, fn_stmt(fn, call));
	uint32_t sym = argument ? m->opnds[argument].sym : 0;
	uint32_t store = sym ? find_argument_store(fn, call, sym) : 0;
	Arena_mark mark = arena_mark(a);
	Underlying_objects base = { .space = SPACE_GLOBAL };
	Object_trace t = { .fn = fn, .base = &base, .seen = bits_new(a, fn->defuse->ndefs) };
	if (store)
		trace_operand(&t, store, ptx_operand(m, fn_stmt(fn, store), 1));
	else if (sym && m->syms[sym].kind == SYM_REG)
		trace_operand(&t, call, argument);
	trace_all(&t);
	arena_release(a, mark);
	return base;
}

bool
objects_may_alias(const Underlying_objects *a, const Underlying_objects *b)
{
	if (a->space != b->space && a->space != SPACE_GENERIC && b->space != SPACE_GENERIC)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (a->of[i] == b->of[k])
				return true;
	return !a->n || !b->n || (a->dynamic && b->dynamic);
}

static bool
is_allocated(const Underlying_objects *b)
{
	bool some = b->n == 0;
	for (uint32_t i = 0; i < b->n; i++)
		some |= object_malloc_call(b->of[i]) != 0;
	return some;
}

bool
freed_may_alias(const Underlying_objects *freed, const Underlying_objects *access)
{
	return objects_may_alias(freed, access) && (freed->n || is_allocated(access));
}
