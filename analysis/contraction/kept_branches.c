/* SPDX-License-Identifier: MIT */
/* Branches that ptxas keeps between a product and an addition: assumption I2 of
 * docs/proofs/contraction.md. */
#include "analysis/contraction/internal.h"

/* ---- branches that ptxas keeps --------------------------------------------------------------- */

/* Whether definitions from both inside and outside the loop reach what the statement reads. If so,
 * it may change between iterations. */
static bool
loop_phi_at_use(const Fn *fn, uint32_t loop, uint32_t stmt)
{
	FN_USES_OF_STMT(fn, stmt, u) {
		bool inside = false;
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			inside |= s && loop_contains(fn->loops, loop, fn_block(fn, s));
		}
		if (inside && fn_use(fn, u)->ndef > 1)
			return true;
	}
	return false;
}

/* Whether the value of a statement cannot be part of a trip count. */
static bool
stmt_is_data(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, s);

	return flags & (OPF_LOAD | OPF_ATOMIC | OPF_CALL | OPF_CROSS | OPF_EFFECT) ||
		contraction_is_float(fn->m, s);
}

/* Adds the definitions in the loop that the statement reads. */
static void
add_sources(Contraction_finder *w, uint32_t loop, uint32_t stmt, Ids *slice)
{
	const Fn *fn = w->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (!s || bits_has(w->seen, d) ||
				!loop_contains(fn->loops, loop, fn_block(fn, s)))
				continue;
			bits_set(w->seen, d);
			*vec_push(slice) = d;
		}
}

/* Whether a value that changes between iterations reaches definition d within the slice. */
static bool
reads_changing(const Contraction_finder *w, uint32_t loop, uint32_t d, Bits changing)
{
	uint32_t stmt = fn_def(w->fn, d)->stmt;

	if (loop_phi_at_use(w->fn, loop, stmt))
		return true;
	FN_USES_OF_STMT(w->fn, stmt, u)
		FN_REACH(w->fn, u, from)
			if (bits_has(changing, from))
				return true;
	return false;
}

/* Whether the branch depends on data that changes in the loop, so that no trip count can replace
 * it. */
static bool
tests_data(Contraction_finder *w, uint32_t loop, uint32_t branch)
{
	Ids slice = { 0 };
	Arena_mark mark = arena_mark(w->scratch);
	Bits changing = bits_new(w->scratch, w->fn->defuse->ndefs);
	bool more = true, data = false;

	bits_clear(w->seen);
	add_sources(w, loop, branch, &slice);
	for (uint32_t i = 0; i < slice.n; i++)
		add_sources(w, loop, fn_def(w->fn, slice.at[i])->stmt, &slice);
	while (more) {
		more = false;
		for (uint32_t i = slice.n; i-- > 0;) {
			uint32_t d = slice.at[i];
			if (bits_has(changing, d) || !reads_changing(w, loop, d, changing))
				continue;
			bits_set(changing, d);
			more = true;
		}
	}
	for (uint32_t i = 0; i < slice.n; i++)
		data |= bits_has(changing, slice.at[i]) &&
			stmt_is_data(w->fn, fn_def(w->fn, slice.at[i])->stmt);
	vec_free(&slice);
	arena_release(w->scratch, mark);
	return data;
}

static bool
edge_leaves_loop(const Fn *fn, uint32_t b, uint32_t loop)
{
	FN_SUCC(fn, b, to)
		if (!to || !loop_contains(fn->loops, loop, to))
			return true;
	return false;
}

/* Whether each branch out of the loop depends on data that changes in it. */
static bool
exits_test_data(Contraction_finder *w, uint32_t loop)
{
	FN_BLOCKS(w->fn, b)
		if (loop_contains(w->fn->loops, loop, b) && edge_leaves_loop(w->fn, b, loop)) {
			uint32_t t = cfg_terminator(w->fn->cfg, b);
			if (!t || !tests_data(w, loop, t))
				return false;
		}
	return true;
}

bool
contraction_loop_tests_data(Contraction_finder *w, uint32_t loop)
{
	if (!w->examined[loop])
		w->tests_data[loop] = exits_test_data(w, loop);
	w->examined[loop] = true;
	return w->tests_data[loop];
}

/* Whether block b ends with a branch that ptxas cannot resolve when a value flows from block `from`
 * to block `to`. ptxas unrolls the loops around both. */
static bool
has_branch_between(Contraction_finder *w, uint32_t b, uint32_t from, uint32_t to)
{
	const Fn *fn = w->fn;
	uint32_t stmt = cfg_terminator(fn->cfg, b), first = 0;
	bool ways = false, varies = false;

	FN_SUCC(fn, b, s) {
		ways |= first && s + 1 != first;
		first = s + 1;
	}
	if (!ways || !stmt)
		return false;
	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d)
			varies |= bits_has(w->varying, d);
	if (!varies)
		return false;
	for (uint32_t l = fn->loops->loop_of[b]; l; l = fn->loops->loops[l].parent)
		if (loop_contains(fn->loops, l, from) && loop_contains(fn->loops, l, to) &&
			edge_leaves_loop(fn, b, l) && !tests_data(w, l, stmt))
			return false;
	return true;
}

/* Whether control reaches block `at` without passing block `from`, from a branch that ptxas keeps.
 * If so, `at` stays after the point where both paths meet. */
static bool
merges_other_control(Contraction_finder *w, uint32_t from, uint32_t at, uint32_t to)
{
	uint32_t over = dom_common(w->fn->dom, from, at);

	return over && over != from && over != at && has_branch_between(w, over, from, to);
}

/* Whether control flows from block `from` to block `to` on some path along which ptxas may leave
 * neither a branch nor a point where other control meets. It unrolls, rotates and peels loops, so a
 * loop header separates nothing. */
static bool
may_flow_straight(Contraction_finder *w, uint32_t from, uint32_t to)
{
	const Fn *fn = w->fn;
	Ids todo = { 0 };
	bool straight = false;

	bits_clear(w->forward);
	*vec_push(&todo) = from;
	while (todo.n && !straight) {
		uint32_t b = todo.at[--todo.n];
		if (has_branch_between(w, b, from, to))
			continue;
		FN_SUCC(fn, b, s) {
			if (!s || bits_has(w->forward, s) || merges_other_control(w, from, s, to))
				continue;
			bits_set(w->forward, s);
			straight |= s == to;
			if (s != from)
				*vec_push(&todo) = s;
		}
	}
	vec_free(&todo);
	return straight;
}

/* Before it fuses, ptxas replaces predicates of memory accesses and of instructions with effects by
 * branches, and divisions and roots by code with branches. */
Block_end
contraction_block_end(const Module *m, const Stmt *s, bool guarded)
{
	Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(m, s) : 0;
	bool divides = op == OP_DIV || op == OP_REM;

	if (s->kind != STMT_INSN)
		return BLOCK_CONTINUES;
	if (op == OP_CALL || op == OP_MEMBAR || op == OP_FENCE ||
		(guarded && !(flags & (OPF_PURE | OPF_BRANCH))))
		return BLOCK_ENDS;
	if (divides && !contraction_is_float(m, s))
		return ptx_has_any(m, s, (const char *const[]){ "s32", "u64", "s64", NULL }) ?
			BLOCK_ENDS :
			BLOCK_MAY_END;
	if ((divides || op == OP_RCP || op == OP_SQRT) && contraction_has_rounding(m, s))
		return BLOCK_ENDS;
	return flags & OPF_CROSS || (flags & OPF_EFFECT && !(flags & (OPF_LOAD | OPF_STORE))) ?
		BLOCK_MAY_END :
		BLOCK_CONTINUES;
}

Block_end
contraction_end_between(const Fn *fn, uint32_t first, uint32_t last)
{
	Block_end most = BLOCK_CONTINUES;

	for (uint32_t s = first + 1; s < last && most != BLOCK_ENDS; s++) {
		const Stmt *st = fn_stmt(fn, s);
		Block_end end = contraction_block_end(fn->m, st, st->guard != 0);
		most = end > most ? end : most;
	}
	return most;
}

bool
contraction_stays_apart(Contraction_finder *w, uint32_t from, uint32_t product, uint32_t sum)
{
	uint32_t to = fn_block(w->fn, sum);

	if (from == to && from == fn_block(w->fn, product) && product < sum)
		return contraction_end_between(w->fn, product, sum) == BLOCK_ENDS;
	if ((from == to && from != fn_block(w->fn, product)) || w->npaths++ >= MOST_PATHS)
		return false;
	return !may_flow_straight(w, from, to);
}

/* Computes `forward` and `back`. Blocks in both lie on a path from one block to the other that
 * passes through neither in between. */
static void
contraction_find_branches(Contraction_finder *w, uint32_t from, uint32_t to)
{
	const Fn *fn = w->fn;

	bits_clear(w->forward);
	bits_clear(w->back);
	bits_unset(w->all, from);
	FN_SUCC(fn, from, s)
		cfg_flood(fn->cfg, s, false, w->all, w->forward);
	bits_unset(w->all, to);
	FN_PRED(fn, to, p)
		cfg_flood(fn->cfg, p, true, w->all, w->back);
	bits_set(w->all, from);
	bits_set(w->all, to);
}

void
contraction_note_unknown(Contraction_finder *w, uint32_t product, uint32_t reader)
{
	uint32_t from = fn_block(w->fn, product), to = fn_block(w->fn, reader);

	w->c->unknown[from] = w->c->unknown[to] = product;
	if (from == to && product < reader)
		return;
	if (w->npaths++ >= MOST_PATHS) { /* treat all blocks as between the two */
		FN_BLOCKS(w->fn, b)
			w->c->unknown[b] = product;
		return;
	}
	contraction_find_branches(w, from, to);
	BITS_EACH(b, w->back)
		if (bits_has(w->forward, b))
			w->c->unknown[b] = product;
}
