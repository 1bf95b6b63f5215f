/* SPDX-License-Identifier: MIT */
/* Aligns the instructions of corresponding blocks, and assigns places to registers. See meld.h,
 * and arm_graph.c, cfg_match.c (corresponding blocks) and insn_match.c. */
#include <string.h>
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/meld.h"

enum { MOST_CELLS = 4 << 20, ALIGN_ROUNDS = 3 };

static const Arm_node *
arm_node(const Meld *x, uint32_t arm, uint32_t n)
{
	return &x->arm[arm].nodes.at[n];
}

/* Returns the loop depth, within the arms, of a pair's nodes. */
static uint32_t
depth_of(const Meld *x, const Node_pair *p)
{
	uint32_t arm = p->node[0] ? 0 : 1;

	return arm_node(x, arm, p->node[arm])->depth;
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

/* Returns the number of operands that lanes must select in a common row. UINT32_MAX: it writes
 * to different places. */
static uint32_t
count_selects(const Meld *x, const Insn_row *st)
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

static uint64_t
unit_cost(const Fn *fn, Meld_unit u)
{
	uint64_t sum = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		sum += cost_stmt(fn, s);
	return sum;
}

enum { SELECT = 2, LIKENESS = 8 }; /* issue slots; fractions of a slot */

/* Returns a statement that defines a value which the instruction reads; 0: none. */
static uint32_t
find_computing_stmt(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_USES_OF_STMT(fn, stmt, u)
		if (fn_use(fn, u)->sym == sym)
			FN_REACH(fn, u, d)
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
	uint64_t cost = unit_cost(x->fn, a);
	uint32_t n = first ? 0 : count_selects(x, &(Insn_row){ .of = { a, b } });
	if (n == UINT32_MAX || cost < (uint64_t)n * SELECT)
		return 0;
	return (uint32_t)(cost - n * SELECT) * LIKENESS + operand_likeness(x->fn, a, b);
}

/* Aligns the units of two nodes for the greatest gain (Needleman and Wunsch). best[i][j] is the
 * gain of the units from i and j on. */
static bool
align_units(Meld *x, Node_pair *p, bool first)
{
	const Meld_units *a = &arm_node(x, 0, p->node[0])->units,
			 *b = &arm_node(x, 1, p->node[1])->units;
	uint32_t w = b->n + 1;

	if ((uint64_t)(a->n + 1) * w > MOST_CELLS)
		return false;
	Arena_mark mark = arena_mark(x->arena);
	uint32_t *best = arena_array(x->arena, (a->n + 1) * w, sizeof *best);
	uint32_t *both = arena_array(x->arena, (a->n + 1) * w, sizeof *both);
	for (uint32_t i = a->n; i-- > 0;)
		for (uint32_t j = b->n; j-- > 0;) {
			uint32_t g = both[i * w + j] = pairing_gain(x, a->at[i], b->at[j], first);
			uint32_t one = best[(i + 1) * w + j], other = best[i * w + j + 1];
			uint32_t together = g ? g + best[(i + 1) * w + j + 1] : 0;
			best[i * w + j] = together > one && together > other ? together :
				one > other                                  ? one :
									       other;
		}
	p->rows.n = 0;
	for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
		Insn_row s = { 0 };
		uint32_t here = i * w + j;
		bool go = i < a->n && j < b->n && both[here] &&
			best[here] == both[here] + best[here + w + 1];
		bool left = !go && i < a->n && (j == b->n || best[here] == best[here + w]);
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
		if (meld_row_is_shared(&s) && count_selects(x, &s) == UINT32_MAX) {
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
			uint32_t d = depth_of(x, p);
			if ((d < 8 ? d : 7) != depth)
				continue;
			for (uint32_t k = 0; k < p->rows.n; k++)
				if (meld_row_is_shared(&p->rows.at[k]))
					unify_row(x, &p->rows.at[k], written);
			if (!written)
				unify_branch_predicates(x, p);
		}
}

/* Aligns all pairs, using the places of the previous round, and assigns places again. */
static bool
align_all_pairs(Meld *x, bool first)
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

/* ---- entry point ----------------------------------------------------------------------------- */

static uint32_t
count_insns(const Fn *fn, Meld_unit u)
{
	uint32_t n = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		n += fn_stmt(fn, s)->kind == STMT_INSN;
	return n;
}

static void
add_pair_cost(Meld *x, const Node_pair *p)
{
	uint64_t weight = 1;

	for (uint32_t d = depth_of(x, p); d > 0 && weight < 1 << 24; d--)
		weight *= COST_LOOP_WEIGHT;
	x->after += p->other ? weight * SELECT : 0;
	for (uint32_t i = 0; i < p->rows.n; i++) {
		const Insn_row *s = &p->rows.at[i];
		uint64_t a = unit_cost(x->fn, s->of[0]), b = unit_cost(x->fn, s->of[1]);
		x->before += weight * (a + b);
		x->after +=
			weight * (meld_row_is_shared(s) ? a + SELECT * count_selects(x, s) : a + b);
		x->total += count_insns(x->fn, s->of[0]) + count_insns(x->fn, s->of[1]);
		x->both += meld_row_is_shared(s) ? 2 * count_insns(x->fn, s->of[0]) : 0;
	}
}

/* Adds the moves: one for each place that is live into or out of an arm. */
static void
add_copy_cost(Meld *x)
{
	const Live *live = x->fn->live;

	for (uint32_t i = 1; i < x->places.n; i++)
		for (uint32_t arm = 0; arm < 2; arm++) {
			const Region *r = x->arm[arm].region;
			uint32_t sym = fn_local(x->fn, x->places.at[i].sym[arm]);
			if (!meld_merged_register(x, arm, x->places.at[i].sym[arm]))
				continue;
			x->after += (uint64_t)SELECT * bits_has(live->in[r->entry], sym);
			x->after +=
				(uint64_t)SELECT * (r->next && bits_has(live->in[r->next], sym));
		}
}

/* Records the registers that a row writes on lanes of one arm only, without an earlier row, in
 * its node or the first, that writes them on all lanes. A branch around the row's run, which alone
 * reads them, ends their live ranges as well. */
static void
find_weak_writes(Meld *x, const Insn_row *row, Bits strong)
{
	bool all = meld_row_is_shared(row) || row->execution == EXECUTE_ALL;

	for (uint32_t arm = 0; arm < 2; arm++)
		for (uint32_t s = row->of[arm].first; s && s <= row->of[arm].last; s++) {
			bool ends = all && !fn_stmt(x->fn, s)->guard;
			FN_WRITES(x->fn, s, r) {
				if (!fn_is_reg(x->fn, r->sym))
					continue;
				uint32_t p = meld_merged_register(x, arm, r->sym);
				uint32_t k = fn_local(x->fn, r->sym);
				uint32_t first =
					p ? fn_local(x->fn, x->places.at[p].sym[0]) : k;
				if (ends)
					bits_set(strong, first);
				else if (all || bits_has(strong, first) ||
					!bits_has(x->carried, k))
					continue;
				else if (p)
					x->places.at[p].partial = true;
				else if (meld_register_is_movable(x->fn, r->sym) &&
					fn_depth(x->fn, x->fn->m->syms[r->sym].decl) == 0)
					bits_set(x->weak, k);
			}
		}
}

static void
find_all_weak_writes(Meld *x)
{
	Bits first = bits_new(x->arena, x->fn->f->nsym);
	Bits strong = bits_new(x->arena, x->fn->f->nsym);

	x->weak = bits_new(x->arena, x->fn->f->nsym);
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		bits_copy(strong, first);
		for (uint32_t k = 0; k < x->pairs.at[i].rows.n; k++)
			find_weak_writes(x, &x->pairs.at[i].rows.at[k], strong);
		if (i == 0)
			bits_copy(first, strong);
	}
}

Verdict
meld_make(Meld *x, const Fn *fn, const Region *then, const Region *other, Arena *a)
{
	uint32_t pos = fn_stmt(fn, fn->m->markers[then->marker].stmt)->at.pos;
	Verdict v;

	*x = (Meld){ .fn = fn, .arena = a, .arm = { { .region = then }, { .region = other } } };
	if (fn->m->registers)
		return verdict(a, D_CONTEXT, pos,
			"the module declares registers outside of functions");
	if (verdict_is_no(v = meld_build_arm(x, &x->arm[0])) ||
		verdict_is_no(v = meld_build_arm(x, &x->arm[1])))
		return v;
	if (!meld_match_graphs(x))
		return verdict_note(verdict(a, D_DISTRIBUTE, pos,
					    "the arms' branches and loops have different shapes"),
			a, DIAG_NOWHERE, "annotate the parts of the arms that are alike");
	for (uint32_t round = 0; round < ALIGN_ROUNDS; round++)
		if (!align_all_pairs(x, round == 0))
			return verdict(a, D_DISTRIBUTE, pos, "the arms are too long");
	for (uint32_t i = 0; i < x->pairs.n; i++)
		add_pair_cost(x, &x->pairs.at[i]);
	add_copy_cost(x);
	meld_select_predication(x);
	find_all_weak_writes(x);
	if (x->after >= x->before)
		return verdict(a, D_DISTRIBUTE, pos,
			"nothing would be gained: of %u instructions %u are in both arms", x->total,
			x->both);
	return VERDICT_YES;
}

static bool
unit_calls(const Fn *fn, Meld_unit u)
{
	for (uint32_t s = u.first; s <= u.last; s++)
		if (fn_stmt(fn, s)->kind == STMT_INSN && ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL)
			return true;
	return false;
}

const Insn_row *
meld_call_row(const Meld *x)
{
	bool ends = false;

	for (uint32_t i = 1; i < x->arm[0].nodes.n; i++)
		ends |= x->arm[0].nodes.at[i].exit_block != 0;
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		const Node_pair *p = &x->pairs.at[i];
		for (uint32_t k = 0; ends && depth_of(x, p) == 0 && k < p->rows.n; k++)
			if (meld_row_is_shared(&p->rows.at[k]) &&
				unit_calls(x->fn, p->rows.at[k].of[0]))
				return &p->rows.at[k];
	}
	return NULL;
}

void
meld_release(Meld *x)
{
	for (uint32_t arm = 0; arm < 2; arm++) {
		for (uint32_t i = 0; i < x->arm[arm].nodes.n; i++)
			vec_free(&x->arm[arm].nodes.at[i].units);
		vec_free(&x->arm[arm].nodes);
	}
	for (uint32_t i = 0; i < x->pairs.n; i++)
		vec_free(&x->pairs.at[i].rows);
	vec_free(&x->pairs);
	vec_free(&x->places);
}
