/* SPDX-License-Identifier: MIT */
/* Aligns the instructions of corresponding nodes, and assigns places to registers. See meld.h. */
#include <string.h>
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/meld.h"

static const Arm_node *
arm_node(const Meld *x, uint32_t arm, uint32_t n)
{
	return &x->arm[arm].nodes.at[n];
}

/* ---- places of registers --------------------------------------------------------------------- */

uint32_t
meld_merged_register(const Meld *x, uint32_t arm, uint32_t sym)
{
	uint32_t p = ptx_has_sym(x->fn->f, sym) ? x->arm[arm].merged[fn_local(x->fn, sym)] : 0;

	return p && x->places.at[p].sym[0] == x->places.at[p].sym[1] ? 0 : p;
}

bool
meld_leaves_differ(const Meld *x, const Leaf *a, const Leaf *b)
{
	if (!meld_leaf_is_selectable(x->fn, a) || !meld_leaf_is_selectable(x->fn, b))
		return false;
	uint32_t p = meld_merged_register(x, 0, a->sym), q = meld_merged_register(x, 1, b->sym);
	return p != q || (!p && a->sym != b->sym);
}

/* Gives two registers a common place, if neither has one. */
static void
unify_registers(Meld *x, const Leaf *a, const Leaf *b)
{
	if (!meld_leaf_is_selectable(x->fn, a) || !meld_leaf_is_selectable(x->fn, b))
		return;
	uint32_t *p = &x->arm[0].merged[fn_local(x->fn, a->sym)];
	uint32_t *q = &x->arm[1].merged[fn_local(x->fn, b->sym)];
	if (*p || *q)
		return;
	if (x->places.n == 0)
		*vec_push(&x->places) = (Merged_register){ 0 };
	*vec_push(&x->places) = (Merged_register){ { a->sym, b->sym }, false };
	*p = *q = x->places.n - 1;
}

bool
meld_next_insns(const Fn *fn, const Insn_row *st, uint32_t *a, uint32_t *b)
{
	while (*a <= st->of[0].last && fn_stmt(fn, *a)->kind != STMT_INSN)
		++*a;
	while (*b <= st->of[1].last && fn_stmt(fn, *b)->kind != STMT_INSN)
		++*b;
	return *a <= st->of[0].last;
}

/* Shares places between the leaves of a common row: either those that are written, or the
 * others. */
static void
unify_row(Meld *x, const Insn_row *st, bool written)
{
	Leaf la[LEAVES], lb[LEAVES];

	for (uint32_t a = st->of[0].first, b = st->of[1].first; meld_next_insns(x->fn, st, &a, &b);
		a++, b++) {
		uint32_t n = meld_pair_leaves(x, (const uint32_t[2]){ a, b }, la, lb);
		for (uint32_t i = 0; i < n; i++)
			if (la[i].written == written)
				unify_registers(x, &la[i], &lb[i]);
	}
}

uint32_t
meld_count_selects(const Meld *x, const Insn_row *st)
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t sum = 0;

	for (uint32_t a = st->of[0].first, b = st->of[1].first; meld_next_insns(x->fn, st, &a, &b);
		a++, b++) {
		uint32_t n = meld_pair_leaves(x, (const uint32_t[2]){ a, b }, la, lb);
		for (uint32_t i = 0; i < n; i++) {
			if (la[i].written && meld_leaves_differ(x, &la[i], &lb[i]))
				return UINT32_MAX;
			sum += meld_leaves_differ(x, &la[i], &lb[i]);
		}
	}
	return sum;
}

/* ---- alignment ------------------------------------------------------------------------------- */

uint64_t
meld_unit_cost(const Fn *fn, Meld_unit u)
{
	uint64_t sum = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		sum += cost_stmt(fn, s);
	return sum;
}

enum { LIKENESS = 8 }; /* fractions of an issue slot */

/* Returns a statement that defines a value which the instruction reads; 0: none. */
static uint32_t
find_computing_stmt(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_USES_OF_STMT (fn, stmt, u)
		if (fn_use(fn, u)->sym == sym)
			FN_REACH (fn, u, d)
				return fn_def(fn, d)->stmt;
	return 0;
}

/* Returns how similar the sources of two matching instructions are, below LIKENESS. It breaks
 * ties between partners with the same gain in favour of the one with the same purpose. */
static uint32_t
operand_likeness(const Fn *fn, Meld_unit a, Meld_unit b)
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t sum = 0;

	if (a.first != a.last || b.first != b.last || fn_stmt(fn, a.first)->kind != STMT_INSN)
		return 0;
	uint32_t n = meld_leaves(fn->m, fn_stmt(fn, a.first), la);
	meld_leaves(fn->m, fn_stmt(fn, b.first), lb);
	for (uint32_t i = 0; i < n; i++) {
		if (!la[i].sym || !lb[i].sym || la[i].written)
			continue;
		uint32_t s = find_computing_stmt(fn, a.first, la[i].sym),
			 t = find_computing_stmt(fn, b.first, lb[i].sym);
		sum += la[i].sym == lb[i].sym ||
			(s && t && ptx_op(fn->m, fn_stmt(fn, s)) == ptx_op(fn->m, fn_stmt(fn, t)));
	}
	return sum < LIKENESS ? sum : LIKENESS - 1;
}

/* Returns the gain of merging two units, including their likeness. 0: no gain, or they do not
 * match. */
static uint32_t
pairing_gain(const Meld *x, Meld_unit a, Meld_unit b, bool first)
{
	if (!meld_units_match(x->fn, a, b))
		return 0;
	uint64_t cost = meld_unit_cost(x->fn, a);
	uint32_t n = first ? 0 : meld_count_selects(x, &(Insn_row){ .of = { a, b } });
	if (n == UINT32_MAX || cost < (uint64_t)n * MELD_SELECT)
		return 0;
	return (uint32_t)(cost - n * MELD_SELECT) * LIKENESS + operand_likeness(x->fn, a, b);
}

/* The gains of aligning two nodes (Needleman and Wunsch). best[i][j]: of the units from i and j on;
 * both[i][j]: of merging the units i and j; rows have `width` entries. */
typedef struct {
	uint32_t *best, *both, width;
} Alignment;

static bool
compute_gains(const Meld *x, const Meld_units *a, const Meld_units *b, bool first, Alignment *t)
{
	uint32_t w = b->n + 1;

	if ((uint64_t)(a->n + 1) * w > MELD_MOST_CELLS)
		return false;
	*t = (Alignment){ arena_array(x->arena, (a->n + 1) * w, sizeof *t->best),
		arena_array(x->arena, (a->n + 1) * w, sizeof *t->both), w };
	for (uint32_t i = a->n; i-- > 0;)
		for (uint32_t j = b->n; j-- > 0;) {
			uint32_t g = t->both[i * w + j] =
				pairing_gain(x, a->at[i], b->at[j], first);
			uint32_t one = t->best[(i + 1) * w + j], other = t->best[i * w + j + 1];
			uint32_t together = g ? g + t->best[(i + 1) * w + j + 1] : 0;
			t->best[i * w + j] = together > one && together > other ? together :
				one > other                                     ? one :
										  other;
		}
	return true;
}

uint32_t
meld_node_gain(const Meld *x, uint32_t a, uint32_t b)
{
	Arena_mark mark = arena_mark(x->arena);
	Alignment t;
	uint32_t gain = 0;

	if (compute_gains(x, &arm_node(x, 0, a)->units, &arm_node(x, 1, b)->units, true, &t))
		gain = t.best[0] / LIKENESS;
	arena_release(x->arena, mark);
	return gain;
}

/* Aligns the units of two nodes for the greatest gain. */
static bool
align_units(Meld *x, Node_pair *p, bool first)
{
	const Meld_units *a = &arm_node(x, 0, p->node[0])->units,
			 *b = &arm_node(x, 1, p->node[1])->units;
	Arena_mark mark = arena_mark(x->arena);
	Alignment t;

	if (!compute_gains(x, a, b, first, &t))
		return false;
	p->rows.n = 0;
	for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
		Insn_row s = { 0 };
		uint32_t here = i * t.width + j;
		bool go = i < a->n && j < b->n && t.both[here] &&
			t.best[here] == t.both[here] + t.best[here + t.width + 1];
		bool left =
			!go && i < a->n && (j == b->n || t.best[here] == t.best[here + t.width]);
		if (go || left)
			s.of[0] = a->at[i++];
		if (go || !left)
			s.of[1] = b->at[j++];
		*vec_push(&p->rows) = s;
	}
	arena_release(x->arena, mark);
	return true;
}

bool
meld_row_is_shared(const Insn_row *s)
{
	return s->of[0].first && s->of[1].first;
}

/* Splits common rows that turned out to write to different places. */
static void
split_rows(Meld *x, Node_pair *p)
{
	VEC(Insn_row) rows = { 0 };

	for (uint32_t i = 0; i < p->rows.n; i++) {
		Insn_row s = p->rows.at[i];
		if (meld_row_is_shared(&s) && meld_count_selects(x, &s) == UINT32_MAX) {
			*vec_push(&rows) = (Insn_row){ .of[0] = s.of[0] };
			s.of[0] = (Meld_unit){ 0 };
		}
		*vec_push(&rows) = s;
	}
	vec_free(&p->rows);
	p->rows.at = rows.at;
	p->rows.n = rows.n;
	p->rows.cap = rows.cap;
}

/* Shares the predicates by which corresponding nodes branch. */
static void
unify_branch_predicates(Meld *x, const Node_pair *p)
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t a = arm_node(x, 0, p->node[0])->branch, b = arm_node(x, 1, p->node[1])->branch;

	if (!a || !b)
		return;
	meld_leaves(x->fn->m, fn_stmt(x->fn, a), la);
	meld_leaves(x->fn->m, fn_stmt(x->fn, b), lb);
	unify_registers(x, &la[0], &lb[0]);
}

/* Assigns places to the registers of all pairs, innermost loops first. */
static void
assign_registers(Meld *x, bool written)
{
	for (uint32_t depth = 8; depth-- > 0;)
		for (uint32_t i = 0; i < x->pairs.n; i++) {
			const Node_pair *p = &x->pairs.at[i];
			uint32_t d = meld_depth(x, p);
			if ((d < 8 ? d : 7) != depth)
				continue;
			for (uint32_t k = 0; k < p->rows.n; k++)
				if (meld_row_is_shared(&p->rows.at[k]))
					unify_row(x, &p->rows.at[k], written);
			if (!written)
				unify_branch_predicates(x, p);
		}
}

bool
meld_align_pairs(Meld *x, bool first)
{
	for (uint32_t i = 0; i < x->pairs.n; i++)
		if (!align_units(x, &x->pairs.at[i], first))
			return false;
	x->places.n = 0;
	for (uint32_t arm = 0; arm < 2; arm++)
		memset(x->arm[arm].merged, 0, x->fn->f->nsym * sizeof *x->arm[arm].merged);
	assign_registers(x, true);
	assign_registers(x, false);
	for (uint32_t i = 0; i < x->pairs.n; i++)
		split_rows(x, &x->pairs.at[i]);
	return true;
}
