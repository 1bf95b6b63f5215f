/* SPDX-License-Identifier: MIT */
/* Which functions one thread may run; see thread_reachability.h.
 *
 * Code of other modules can call functions that are .visible or .weak or have an .alias and,
 * through a pointer, any function. But calls between modules must be linked. A module that exports
 * no function, and uses no function or variable of others, was compiled as a whole (nvcc then gives
 * its functions no linkage): no other module has pointers to its functions, and its own pointers
 * refer to them only. An .entry is not called: a thread begins there. */
#include "analysis/interproc/thread_reachability.h"

typedef struct {
	const Module *m;
	Threads *t;
	uint32_t *func_of;      /* by interned name: the function of that name, 0: none */
	Nodes from, to;         /* edges */
} Thread_graph_builder;

/* ---- functions whose address is taken -------------------------------------------------------- */

/* Returns the operand that names the callee of a call; 0 for other statements. */
static uint32_t
callee_operand(const Module *m, const Stmt *s)
{
	for (uint32_t k = 0; s->kind == STMT_INSN && ptx_op(m, s) == OP_CALL && k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind != OPND_LIST)
			return ptx_operand(m, s, k);
	return 0;
}

static void
mark_address_taken(Thread_graph_builder *b, uint32_t sym)
{
	if (b->m->syms[sym].kind == SYM_FUNC && !b->m->funcs[b->m->syms[sym].func].entry)
		bits_set(b->t->address_taken, b->m->syms[sym].func);
}

static void
note_addresses_in_stmt(Thread_graph_builder *b, const Stmt *s)
{
	uint32_t callee = callee_operand(b->m, s), o = s->opnd;

	if (s->kind != STMT_INSN && s->kind != STMT_TARGETS)
		return;
	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t end = o + b->m->opnds[o].tree; o < end; o++)
			if (b->m->opnds[o].kind == OPND_SYM && o != callee)
				mark_address_taken(b, b->m->opnds[o].sym);
}

static bool
in_word(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
		c == '%' || (!first && c >= '0' && c <= '9');
}

/* Adds the functions that a piece of text names to a set. */
static void
named_in(const Thread_graph_builder *b, Span at, Bits set)
{
	const char *text = b->m->src->text;

	for (uint32_t i = at.pos; i < at.end;) {
		uint32_t from = i;
		while (i < at.end && in_word(text[i], i == from))
			i++;
		uint32_t name = i > from ? intern_find(b->m->names, text + from, i - from) : 0;
		if (name && b->func_of[name])
			bits_set(set, b->func_of[name]);
		i += i == from;
	}
}

static void
find_address_taken(Thread_graph_builder *b)
{
	for (uint32_t i = 1; i < b->m->nstmts; i++)
		note_addresses_in_stmt(b, &b->m->stmts[i]);
	for (uint32_t i = 0; i < b->m->nvars; i++)
		named_in(b, b->m->vars[i].init, b->t->address_taken);
}

/* ---- other modules --------------------------------------------------------------------------- */

static void
find_outside(Thread_graph_builder *b)
{
	const Module *m = b->m;
	Threads *t = b->t;

	for (uint32_t i = 1; i < m->nfuncs; i++) {
		const Func *f = &m->funcs[i];
		uint32_t def = m->syms[f->sym].func;
		if (f->entry)
			continue;
		if (m->funcs[def].body && f->linkage != LINK_NONE)
			bits_set(t->outside, def);
		t->open |= !m->funcs[def].body && !effects_is_runtime(m, def);
	}
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_ALIAS)
			named_in(b, m->items[i].spec, t->outside);
	for (uint32_t i = 0; i < m->nvars; i++)
		t->open |= m->vars[i].linkage == LINK_EXTERN &&
			m->syms[m->vars[i].sym].space != SPACE_SHARED;
	t->open |= bits_any(t->outside);
	if (t->open)
		bits_or(t->outside, t->address_taken);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void
add_call_edge(Thread_graph_builder *b, uint32_t from, uint32_t to)
{
	*vec_push(&b->from) = from;
	*vec_push(&b->to) = to;
}

static void
find_edges(Thread_graph_builder *b, const Effects *e)
{
	for (uint32_t f = 1; f < b->m->nfuncs; f++) {
		for (uint32_t i = e->callee_of[f]; i < e->callee_of[f + 1]; i++)
			add_call_edge(b, f, e->callees[i]);
		if (e->func[f] & (EFF_INDIRECT | EFF_EXTERN))
			add_call_edge(b, f, THREADS_UNSEEN);
		if (bits_has(b->t->address_taken, f) || bits_has(b->t->outside, f))
			add_call_edge(b, THREADS_UNSEEN, f);
	}
}

Threads *
threads_build(const Module *m, const Effects *e, Arena *a)
{
	Arena *tmp = arena_new();
	Thread_graph_builder b = { .m = m, .t = arena_zalloc(a, sizeof *b.t) };

	b.t->all = bits_new(a, m->nfuncs);
	for (uint32_t f = 0; f < m->nfuncs; f++)
		bits_set(b.t->all, f);
	b.t->address_taken = bits_new(a, m->nfuncs);
	b.t->outside = bits_new(a, m->nfuncs);
	b.func_of = arena_array(tmp, intern_count(m->names) + 1u, sizeof *b.func_of);
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (!m->funcs[i].entry)
			b.func_of[m->syms[m->funcs[i].sym].name] = m->syms[m->funcs[i].sym].func;
	find_address_taken(&b);
	find_outside(&b);
	find_edges(&b, e);
	b.t->calls = graph_new(m->nfuncs, b.from.at, b.to.at, b.from.n, a);
	vec_free(&b.from);
	vec_free(&b.to);
	arena_free(tmp);
	return b.t;
}

static void
flood_from(uint32_t node, Bits within, Bits seen, Nodes *list)
{
	if (!bits_has(within, node) || bits_has(seen, node))
		return;
	bits_set(seen, node);
	*vec_push(list) = node;
}

void
threads_flood(const Adj *edges, uint32_t from, Bits within, Bits seen, Nodes *list)
{
	uint32_t i = list->n;

	for (flood_from(from, within, seen, list); i < list->n; i++) {
		uint32_t node = list->at[i];
		IDS_EACH(edges->to, edges->first[node], edges->first[node + 1], to)
			flood_from(to, within, seen, list);
	}
}
