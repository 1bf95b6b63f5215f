/* SPDX-License-Identifier: MIT */
/* Decides how instructions of one arm are kept from the lanes of the other. See meld.h.
 *
 * A few instructions are predicated, more are skipped by a branch. Side-effect-free instructions
 * whose results are dead in the other arm may be executed by all lanes. This is better for live
 * ranges: a predicated write does not end one, so its register would be live from before the
 * branch and around each loop, and must be set to 0 (find_weak_writes() in meld.c).
 *
 * While the instructions of one arm execute, the lanes of the other are between two of their own
 * instructions. A backward walk over the rows computes the registers that are live there. After
 * a common row, the first arm's rows precede the second's. */
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/meld.h"

enum {
	FEW = 4,     /* most instructions of one arm that are predicated one by one */
	FEW_FREE = 8, /* and that all lanes execute */
	CHEAP = 2    /* issue slots of each of these */
};

typedef struct { Meld *x; Node_pair *pair; Bits live[2]; } Predication_walk;

/* Updates the live registers from after a unit to before it. */
static void
live_in_of_unit(const Fn *fn, Meld_unit u, Bits live)
{
	for (uint32_t s = u.last; u.first && s >= u.first; s--) {
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		bool ends = !fn_stmt(fn, s)->guard;
		FN_WRITES(fn, s, r)
			if (ends && fn_is_reg(fn, r->sym))
				bits_unset(live, fn_local(fn, r->sym));
		FN_READS(fn, s, r)
			if (fn_is_reg(fn, r->sym))
				bits_set(live, fn_local(fn, r->sym));
	}
}

/* Whether lanes of the other arm read the register of this arm, or its place, where they are. */
static bool
is_read_by_other_arm(const Predication_walk *w, uint32_t arm, uint32_t sym)
{
	const Meld *x = w->x;
	uint32_t p = meld_merged_register(x, arm, sym);

	if (!p && meld_merged_register(x, 1 - arm, sym))
		return false;
	return bits_has(w->live[1 - arm], fn_local(x->fn, p ? x->places.at[p].sym[1 - arm] : sym));
}

/* Whether lanes of the other arm may execute the unit too. */
static bool
unit_is_harmless(const Predication_walk *w, uint32_t arm, Meld_unit u)
{
	const Fn *fn = w->x->fn;
	const Stmt *s = fn_stmt(fn, u.first);

	if (u.first != u.last || s->kind != STMT_INSN || s->guard)
		return false;
	uint32_t flags = ptx_flags(fn->m, s);
	if (!(flags & OPF_PURE) || flags & (OPF_VARIES | OPF_CARRY) ||
		cost_stmt(fn, u.first) > CHEAP)
		return false;
	FN_WRITES(fn, u.first, r)
		if (!fn_is_reg(fn, r->sym) || fn_depth(fn, fn->m->syms[r->sym].decl) != 0 ||
			is_read_by_other_arm(w, arm, r->sym))
			return false;
	return true;
}

static bool
unit_is_predicable(const Fn *fn, Meld_unit u)
{
	const Stmt *s = fn_stmt(fn, u.first);

	return u.first == u.last && s->kind == STMT_INSN && !s->guard &&
		!(ptx_flags(fn->m, s) & OPF_CALL);
}

/* Selects the way of this arm's rows between run[0] and run[1]. On entry `way` holds the result
 * of is_free(). */
static void
choose_execution(Node_pair *p, const Fn *fn, uint32_t arm, const uint32_t run[2])
{
	bool predicate = true, free = true;
	uint32_t n = 0;

	for (uint32_t i = run[0]; i < run[1]; i++) {
		if (!p->rows.at[i].of[arm].first)
			continue;
		n++;
		free &= p->rows.at[i].execution == EXECUTE_ALL;
		predicate &= unit_is_predicable(fn, p->rows.at[i].of[arm]);
	}
	predicate &= n <= FEW;
	free &= n <= FEW_FREE;
	for (uint32_t i = run[0]; i < run[1]; i++)
		if (p->rows.at[i].of[arm].first && !free)
			p->rows.at[i].execution = !predicate     ? EXECUTE_BRANCHED :
				p->rows.at[i].execution == EXECUTE_ALL ? EXECUTE_ALL :
								EXECUTE_PREDICATED;
}

static void
carry_written(Meld *x, Meld_unit u)
{
	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		FN_WRITES(x->fn, s, r)
			if (fn_is_reg(x->fn, r->sym))
				bits_set(x->carried, fn_local(x->fn, r->sym));
}

/* Records what this arm's rows between run[0] and run[1] carry. `after`: what is live after them;
 * before them, it is w->live. */
static void
carry_run(Predication_walk *w, uint32_t arm, const uint32_t run[2], Bits after)
{
	for (uint32_t i = run[0]; i < run[1]; i++) {
		const Insn_row *row = &w->pair->rows.at[i];
		if (row->of[arm].first && row->execution == EXECUTE_BRANCHED) {
			bits_or(w->x->carried, after);
			bits_or(w->x->carried, w->live[arm]);
			return;
		}
		carry_written(w->x, row->of[arm]);
	}
}

/* Selects the ways of the rows from run[0] to run[1], which belong to one arm each. */
static void
choose_run_execution(Predication_walk *w, const uint32_t run[2])
{
	const Fn *fn = w->x->fn;

	for (uint32_t arm = 2; arm-- > 0;) {
		Bits after = bits_new(w->x->arena, fn->f->nsym);
		bits_copy(after, w->live[arm]);
		for (uint32_t i = run[1]; i-- > run[0];) {
			Insn_row *row = &w->pair->rows.at[i];
			if (!row->of[arm].first)
				continue;
			row->execution = unit_is_harmless(w, arm, row->of[arm]) ?
				EXECUTE_ALL :
				EXECUTE_PREDICATED;
			live_in_of_unit(fn, row->of[arm], w->live[arm]);
		}
		choose_execution(w->pair, fn, arm, run);
		carry_run(w, arm, run, after);
	}
}

static void
choose_shared_execution(Predication_walk *w)
{
	const Fn *fn = w->x->fn;
	Node_pair *p = w->pair;
	uint32_t end = p->rows.n;

	for (uint32_t arm = 0; arm < 2; arm++) {
		const Arm_node *n = &w->x->arm[arm].nodes.at[p->node[arm]];
		if (!n->last)
			return;
		w->live[arm] = live_out_of(fn->live, fn->cfg, n->last, w->x->arena);
		uint32_t branch = n->cut ? w->x->arm[arm].nodes.at[n->to[0]].branch : n->branch;
		if (branch)
			live_in_of_unit(fn, (Meld_unit){ branch, branch }, w->live[arm]);
	}
	while (end > 0) {
		uint32_t from = end;
		while (from > 0 && !meld_row_is_shared(&p->rows.at[from - 1]))
			from--;
		choose_run_execution(w, (uint32_t[2]){ from, end });
		if (from > 0)
			for (uint32_t arm = 0; arm < 2; arm++)
				live_in_of_unit(fn, p->rows.at[from - 1].of[arm], w->live[arm]);
		end = from > 0 ? from - 1 : 0;
	}
}

/* Adds the registers that are live before a node of the arm. */
static void
carry_live(Meld *x, uint32_t arm, uint32_t node)
{
	const Fn *fn = x->fn;
	const Arm_node *n = &x->arm[arm].nodes.at[node];

	if (!n->is_cut) {
		bits_or(x->carried, fn->live->in[n->exit_block ? n->exit_block : n->first]);
		return;
	}
	Bits live = live_out_of(fn->live, fn->cfg, n->last, x->arena);
	live_in_of_unit(fn, (Meld_unit){ n->branch, n->branch }, live);
	bits_or(x->carried, live);
}

/* Handles a node of one arm: the other arm's lanes branch around its piece, or pass through it
 * predicated. Other registers than those that are live before or behind the piece end in it. */
static void
choose_unpaired_execution(Meld *x, Node_pair *p)
{
	const Fn *fn = x->fn;
	uint32_t arm = p->node[0] ? 0 : 1;
	const Node_pair *over = &x->pairs.at[p->over];
	bool predicate = p->other && p->to[0] == p->over && !p->to[1] && p->rows.n <= FEW;

	for (uint32_t i = 0; i < p->rows.n; i++)
		predicate &= unit_is_predicable(fn, p->rows.at[i].of[arm]);
	for (uint32_t i = 0; i < p->rows.n; i++) {
		p->rows.at[i].execution = predicate ? EXECUTE_PREDICATED : EXECUTE_OWN_ARM;
		if (predicate)
			carry_written(x, p->rows.at[i].of[arm]);
	}
	p->jumps = p->other && !predicate;
	if (p->jumps) {
		carry_live(x, arm, p->node[arm]);
		carry_live(x, arm, over->node[arm] ? over->node[arm] : over->other);
	}
}

void
meld_select_predication(Meld *x)
{
	x->carried = bits_new(x->arena, x->fn->f->nsym);
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		Predication_walk w = { .x = x, .pair = &x->pairs.at[i] };
		if (meld_node_is_unpaired(w.pair))
			choose_unpaired_execution(x, w.pair);
		else
			choose_shared_execution(&w);
	}
}
