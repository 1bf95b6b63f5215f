/* SPDX-License-Identifier: MIT */
/* Backward walk of slices: depth first, a statement after those that it depends on. See slice.h. */
#include "analysis/dataflow/slice.h"

/* A statement whose uses are being followed. */
typedef struct { uint32_t stmt, use, reach; } Slice_visit;

typedef struct {
	const Fn *fn;
	Bits seen;              /* statements, by ptx_local_stmt */
	VEC(Slice_visit) stack;
} Slice_walk;

static void
push_stmt(Slice_walk *w, uint32_t stmt)
{
	uint32_t i = fn_local_stmt(w->fn, stmt);

	if (bits_has(w->seen, i))
		return;
	bits_set(w->seen, i);
	*vec_push(&w->stack) = (Slice_visit){ .stmt = stmt, .use = w->fn->defuse->use_of_stmt[i] };
}

/* Returns the next definition that reaches a use of the statement, and sets v->use to that use; 0
 * if there is no other. */
static uint32_t
next_def(const Fn *fn, Slice_visit *v)
{
	const Defuse *du = fn->defuse;
	uint32_t end = du->use_of_stmt[fn_local_stmt(fn, v->stmt) + 1];

	for (; v->use < end; v->use++, v->reach = 0)
		if (v->reach < du->uses[v->use].ndef)
			return du->reach[du->uses[v->use].def + v->reach++];
	return 0;
}

/* Follows the statements on the stack. Returns false if the rule rejects an edge. */
static bool
walk_slice(Slice_walk *w, Slice_rule *rule, void *user, Stmts *out)
{
	while (w->stack.n) {
		Slice_visit *v = &w->stack.at[w->stack.n - 1];
		uint32_t d = next_def(w->fn, v), stmt = d ? fn_def(w->fn, d)->stmt : 0;
		if (!d) {
			*vec_push(out) = vec_pop(&w->stack)->stmt;
			continue;
		}
		bool taken = stmt && bits_has(w->seen, fn_local_stmt(w->fn, stmt));
		Slice_step step = rule(user, &(Slice_edge){ w->fn, v->use, d, taken });
		if (step == SLICE_NO)
			return false;
		if (step == SLICE_ACCEPT)
			push_stmt(w, stmt);
	}
	return true;
}

bool
slice_back(const Fn *fn, uint32_t stmt, Slice_rule *rule, void *user, Stmts *out)
{
	Arena_mark mark = arena_mark(fn->arena);
	Slice_walk w = { .fn = fn, .seen = bits_new(fn->arena, fn->f->nstmt) };
	uint32_t before = out->n;

	for (uint32_t i = 0; i < before; i++)
		bits_set(w.seen, fn_local_stmt(fn, out->at[i]));
	push_stmt(&w, stmt);
	bool found = walk_slice(&w, rule, user, out);
	if (!found)
		out->n = before;
	vec_free(&w.stack);
	arena_release(fn->arena, mark);
	return found;
}

void
slice_close(const Fn *fn, Slice_rule *rule, void *user, Bits stmts)
{
	Slice_walk w = { .fn = fn, .seen = stmts };
	Stmts found = { 0 };

	BITS_EACH(i, stmts)
		*vec_push(&w.stack) = (Slice_visit){ .stmt = fn->f->stmt + i,
			.use = fn->defuse->use_of_stmt[i] };
	walk_slice(&w, rule, user, &found);
	vec_free(&found);
	vec_free(&w.stack);
}
