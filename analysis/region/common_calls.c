/* SPDX-License-Identifier: MIT */
/* Which predicted statements call the same function on the sides of a branch. See
 * common_calls.h.
 *
 * The lanes of two sides reconverge after the branch. If every side calls the function, they can
 * meet at one call instead, which all of them execute. So two calls become one only if no lane
 * passes by: the sides of their branch that call the function not in these two statements do so in
 * others, which are to follow. */
#include "analysis/region/common_calls.h"
#include "base/demangle.h"
#include "base/vec.h"

typedef VEC(const Region *) Call_regions;

/* Whether one iteration of the innermost loop around both can execute block a and later block b. */
static bool
block_reaches(const Fn *fn, uint32_t a, uint32_t b)
{
	uint32_t loop = fn->loops->loop_of[dom_common(fn->dom, a, b)];
	Arena_mark mark = arena_mark(fn->arena);
	Bits within = bits_new(fn->arena, fn->cfg->nblocks),
	     seen = bits_new(fn->arena, fn->cfg->nblocks);

	FN_BLOCKS(fn, k)
		if (!loop || k == a || k != fn->loops->loops[loop].header)
			bits_set(within, k);
	cfg_flood(fn->cfg, a, false, within, seen);
	bool reached = bits_has(seen, b);
	arena_release(fn->arena, mark);
	return reached;
}

bool
regions_are_exclusive(const Fn *fn, const Region *a, const Region *b)
{
	return !dom_dominates(fn->dom, a->entry, b->entry) &&
		!dom_dominates(fn->dom, b->entry, a->entry) &&
		!block_reaches(fn, a->entry, b->entry) && !block_reaches(fn, b->entry, a->entry);
}

/* Returns the function that a predicted statement calls first. 0: it calls none, or indirectly,
 * or r is no predicted statement. */
static uint32_t
first_callee(const Fn *fn, const Region *r)
{
	const Marker *k = &fn->m->markers[r->marker];

	if (r->kind != REGION_PATH || k->annot.kind != ANNOT_PREDICT ||
		r->entry != fn_block(fn, k->stmt))
		return 0;
	FN_BLOCKS(fn, b) {
		if (!bits_has(r->blocks, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL)
				return effects_callee(fn->m, s);
	}
	return 0;
}

/* Adds the statements in the same loop and region that call r's function in other iterations. */
static void
find_other_sides(const Fn *fn, const Region *r, Bits taken, Call_regions *found)
{
	uint32_t callee = first_callee(fn, r);

	for (const Region *o = r->parent->child; callee && o; o = o->sibling)
		if (o != r && first_callee(fn, o) == callee && !bits_has(taken, o->marker) &&
			fn->loops->loop_of[o->entry] == fn->loops->loop_of[r->entry] &&
			regions_are_exclusive(fn, r, o))
			*vec_push(found) = o;
}

static uint32_t
branch_around(const Fn *fn, const Region *a, const Region *b)
{
	return dom_common(fn->dom, a->entry, b->entry);
}

/* Whether every lane that reaches the branch executes r or one of the others in that iteration. If
 * some lanes pass by, the lanes of the sides reconverge after the branch only, so they would still
 * execute the call one side after the other. */
static bool
all_sides_call(const Fn *fn, uint32_t branch, const Region *r, const Call_regions *others)
{
	uint32_t loop = fn->loops->loop_of[branch];
	Arena_mark mark = arena_mark(fn->arena);
	Bits within = bits_new(fn->arena, fn->cfg->nblocks),
	     seen = bits_new(fn->arena, fn->cfg->nblocks);
	bool all = true;

	FN_BLOCKS(fn, k)
		if (!loop || loop_contains(fn->loops, loop, k))
			bits_set(within, k);
	bits_unset(within, r->entry);
	for (uint32_t i = 0; i < others->n; i++)
		bits_unset(within, others->at[i]->entry);
	cfg_flood(fn->cfg, branch, false, within, seen);
	BITS_EACH(k, seen) {
		uint32_t successors = 0;
		FN_SUCC(fn, k, s) {
			successors += s != 0;
			if (!s || (loop && (s == fn->loops->loops[loop].header ||
						   !loop_contains(fn->loops, loop, s))))
				all = false;
		}
		all &= successors > 0;
	}
	arena_release(fn->arena, mark);
	return all;
}

/* Returns the innermost branch that has r and another statement on different sides, and calls the
 * function on every side; 0: none. */
static uint32_t
innermost_branch(const Fn *fn, const Region *r, const Call_regions *others)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < others->n; i++) {
		uint32_t at = branch_around(fn, r, others->at[i]);
		if ((!found || !dom_dominates(fn->dom, at, found)) &&
			all_sides_call(fn, at, r, others))
			found = at;
	}
	return found;
}

const Region *
common_call_partner(const Fn *fn, const Region *r, Bits taken)
{
	Call_regions others = { 0 }, theirs = { 0 };
	const Region *partner = NULL;

	find_other_sides(fn, r, taken, &others);
	uint32_t at = innermost_branch(fn, r, &others);
	for (uint32_t i = 0; at && i < others.n && !partner; i++)
		if (others.at[i]->marker > r->marker && branch_around(fn, r, others.at[i]) == at)
			partner = others.at[i];
	if (partner) {
		find_other_sides(fn, partner, taken, &theirs);
		if (innermost_branch(fn, partner, &theirs) != at)
			partner = NULL;
	}
	vec_free(&others);
	vec_free(&theirs);
	return partner;
}

bool
common_call_continues(const Fn *fn, const Region *a, const Region *b)
{
	Call_regions others = { 0 };
	uint32_t first = branch_around(fn, a, b), n = 0;
	bool found = false;

	find_other_sides(fn, a, bits_new(fn->arena, fn->m->nmarkers + 1), &others);
	for (uint32_t i = 0; i < others.n; i++)
		if (others.at[i] == b || regions_are_exclusive(fn, others.at[i], b))
			others.at[n++] = others.at[i];
	others.n = n;
	for (uint32_t i = 0; i < n && !found; i++)
		found = others.at[i] != b &&
			all_sides_call(fn, dom_common(fn->dom, first, others.at[i]->entry), a,
				&others);
	vec_free(&others);
	return found;
}

/* ---- advice ---------------------------------------------------------------------------------- */

static const char *
func_name(const Module *m, uint32_t func, Arena *a)
{
	size_t len;
	const char *s = ptx_name(m, m->funcs[func].sym, &len);

	return demangle(a, s, len);
}

/* Returns the function that is called first after a begin marker, in the order of the text; 0:
 * none, or indirectly. */
static uint32_t
callee_after(const Module *m, const Marker *k)
{
	const Func *f = &m->funcs[k->func];

	for (uint32_t s = k->stmt + 1; s < f->stmt + f->nstmt; s++) {
		const Stmt *st = &m->stmts[s];
		if (st->kind == STMT_MARKER && m->markers[st->sym].end &&
			m->markers[st->sym].id == k->id)
			return 0;
		if (st->kind == STMT_INSN && ptx_op(m, st) == OP_CALL)
			return effects_callee(m, s);
	}
	return 0;
}

/* Whether the function calls that one, possibly by others. */
static bool
function_calls(const Fn *fn, uint32_t func, uint32_t callee, Arena *a)
{
	Bits seen = bits_new(a, fn->m->nfuncs);

	effects_flood(fn->effects, func, seen);
	return bits_has(seen, callee);
}

static const Region *
region_of_marker(const Region *r, uint32_t marker)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		const Region *found = c->marker == marker ? c : region_of_marker(c, marker);
		if (found)
			return found;
	}
	return NULL;
}

/* Returns why two statements of a function that call the same function did not become one; NULL if
 * the reason is in their code. */
static const char *
advice_for_pair(const Fn *fn, const Region *r, const Region *o)
{
	Call_regions others = { 0 };
	const char *advice = NULL;

	find_other_sides(fn, r, bits_new(fn->arena, fn->m->nmarkers + 1), &others);
	if (fn->loops->loop_of[r->entry] != fn->loops->loop_of[o->entry])
		advice = "is in another loop: only calls in the same loop become one";
	else if (!regions_are_exclusive(fn, r, o))
		advice = "can be executed by the same iteration: only calls on the sides of a branch become one";
	else if (r->parent != o->parent)
		advice = "is in another annotated statement: only calls beside each other become one";
	else if (!innermost_branch(fn, r, &others))
		advice = "is on the other side of a branch where lanes can pass by both: annotate such a call on each side, "
			 "or move the call behind the branch";
	vec_free(&others);
	return advice;
}

/* Notes what to do about r and the annotated call of another function, which calls this one or
 * is called by it. */
static bool
note_other_function(const Fn *fn, const Region *r, const Marker *k, Diags *d, Arena *a)
{
	const Module *m = fn->m;
	uint32_t callee = first_callee(fn, r);
	bool down = function_calls(fn, fn->func, k->func, a);

	if (callee_after(m, k) != callee ||
		(!down && !function_calls(fn, k->func, fn->func, a)))
		return false;
	diag_note(d, DIAG_NOWHERE,
		"the call of '%s' annotated in line %u is in another function, but only calls in one function become one: make '%s' '__forceinline__'",
		func_name(m, callee, a), k->cuda.line,
		func_name(m, down ? k->func : fn->func, a));
	return true;
}

/* The same for an annotated call in this function, of the same function or of one that calls it or
 * is called by it. */
static bool
note_same_function(const Fn *fn, const Region *r, const Marker *k, Diags *d, Arena *a)
{
	const Module *m = fn->m;
	uint32_t mine = first_callee(fn, r), theirs = callee_after(m, k);
	const Region *root = r;

	while (root->parent)
		root = root->parent;
	const Region *o = region_of_marker(root, (uint32_t)(k - m->markers));
	const char *pair = theirs == mine && o ? advice_for_pair(fn, r, o) : NULL;
	if (pair)
		diag_note(d, DIAG_NOWHERE, "the call of '%s' annotated in line %u %s",
			func_name(m, mine, a), k->cuda.line, pair);
	if (!theirs || theirs == mine)
		return pair;
	bool down = function_calls(fn, theirs, mine, a);
	if (!down && !function_calls(fn, mine, theirs, a))
		return false;
	const char *helper = func_name(m, down ? theirs : mine, a);
	diag_note(d, DIAG_NOWHERE,
		"'%s' calls '%s', too: make '%s' '__forceinline__', and annotate the call in it",
		helper, func_name(m, down ? mine : theirs, a), helper);
	return true;
}

void
common_call_note(const Fn *fn, const Region *r, Diags *d)
{
	const Module *m = fn->m;
	Arena *a = arena_new();
	bool noted = !first_callee(fn, r);

	for (uint32_t i = 1; i < 2 * m->nmarkers && !noted; i++) {
		const Marker *k = &m->markers[i % m->nmarkers];
		bool here = k->func == fn->func;
		if (k->end || k->done || k->annot.kind != ANNOT_PREDICT ||
			k->id == m->markers[r->marker].id || here != (i < m->nmarkers))
			continue;
		noted = (here ? note_same_function : note_other_function)(fn, r, k, d, a);
	}
	arena_free(a);
}
