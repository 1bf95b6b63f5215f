/* SPDX-License-Identifier: MIT */
/* Context compression: values that the helper can recompute, or that the owner can keep for all
 * tasks, are not saved (recomputation: Khorasani, Gupta, Bhuyan, MICRO-48 2015, section 4.1;
 * docs/design.md 5.3).
 *
 * The *values* are the registers to be saved, the registers that those are computed from, and so
 * on. Each is either saved, or recomputed by its statement, if that is pure and cheap, from other
 * values and from registers that every lane has. The cheapest choice is a minimum cut: saving costs
 * by the byte, recomputing by the instruction. It may include values that the path does not read
 * (the index of a row instead of three pointers into it). A lane invariant need not be part of the
 * tasks: its owner keeps it in a slot of its own (INPUT_INVARIANT, emit_lane_invariants.c). Each
 * run then loads it, and tasks must name their owner, which has a price unless a reduction requires
 * it anyway. For a lane loop (expand_plan.c) the cut point is the beginning of its first iteration,
 * and saved values arrive by shuffles.
 *
 * Correctness: a recomputed value equals the owner's register at the path's entry, the *cut*:
 * - Exactly one definition D of the register reaches the cut (all cuts, if a region has several
 *   entries). The function's entry counts as a definition, so every path to the cut passes D, and
 *   the register holds the result of the last execution of D. carried_function.c has the argument
 *   for several definitions.
 * - No register that D reads is redefined between D and the cut without another execution of D. So
 *   at the cut these registers hold what that execution read, and D, being pure, computes the same
 *   result.
 * - Each of these registers is available to the helper: saved as it is at the cut; recomputed by
 *   this argument; or common to all lanes: uniform both at D and at the cut, and either recomputed
 *   at the entry or under its own name (INPUT_UNIFORM) written nowhere in the annotated region,
 *   whichever way a lane left it.
 * - The statements run between the pop and the path, in an order that descends the dominator tree,
 *   on registers of the path's copy: no lane's own registers change.
 * - A value that is saved although the path does not read it is in its owner's register at the cut,
 *   since a register keeps its value until it is written, live or not.
 * - A lane invariant is not written in the annotated region, so its register holds in each
 *   iteration what it held at the begin marker, where the owner stored it (`keep` in collect.tpl).
 *   All of M pass there after the barrier of `barrier_before_vote`. A helper reads it after `run`
 *   from the row of lane %^owner: its own number (`take_own`), or the one popped with the task.
 *   docs/proofs/collect.md, C12, lists the barriers around it. */
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "analysis/cost/static_cost.h"
#include "base/mincut.h"
#include "transform/task/derivation.h"

enum {
	/* prices: of saving a byte; of an issue slot; of saving a predicate */
	A_BYTE = 4,
	A_SLOT = 2,
	A_BIT = 8,
	/* a lane invariant costs half: a load, and no store in each round; the owner's number costs
	 * AN_OWNER in each task, including addresses */
	INVARIANT_COST = 2,
	/* and so does a value of a lane loop: a shuffle */
	FETCHED = 2,
	AN_OWNER = 24
};

/* ---- minimum cut ----------------------------------------------------------------------------- */

/* Each value has two nodes. The first is on the source's side if a task must have the value, the
 * second if it is recomputed. */
static uint32_t save_node(uint32_t v) { return MINCUT_FIRST + 2 * v; }
static uint32_t compute_node(uint32_t v) { return MINCUT_FIRST + 2 * v + 1; }

/* Costs of saving and of recomputing a value. A product that ptxas fuses with its reader has no
 * separate value. */
static uint32_t
save_cost(const Derivation *w, const Derived_value *v, bool keeps)
{
	uint32_t bytes = task_slot_bytes(w->x->fn->m, v->sym);

	if (v->def && contraction_of(w->x->fn, fn_def(w->x->fn, v->def)->stmt) == CONTRACT_ALWAYS)
		return MINCUT_NEVER;
	return (bytes ? A_BYTE * bytes : A_BIT) /
		(keeps && v->is_invariant ? INVARIANT_COST : w->k->lane_loop ? FETCHED : 1);
}

static uint32_t
compute_cost(const Derivation *w, const Derived_value *v)
{
	uint64_t slots = cost_stmt(w->x->fn, fn_def(w->x->fn, v->def)->stmt);

	for (uint32_t i = 0; i < v->nothers; i++)
		slots += cost_stmt(w->x->fn, v->others[i]);
	return A_SLOT * (uint32_t)slots;
}

static bool is_saved(const Derivation *w, Bits chosen, const Derived_value *v)
{
	return bits_has(chosen, save_node((uint32_t)(v - w->values)));
}

static bool is_computed(const Derivation *w, Bits chosen, const Derived_value *v)
{
	return is_saved(w, chosen, v) && bits_has(chosen, compute_node((uint32_t)(v - w->values)));
}

/* keeps: whether lanes keep their invariants. */
static Bits
minimum_cut(const Derivation *w, bool keeps)
{
	Mincut *n = mincut_new(MINCUT_FIRST + 2 * w->n, (3 + MOST_READS) * w->n, w->x->scratch);

	for (uint32_t i = 0; i < w->n; i++) {
		const Derived_value *v = &w->values[i];
		if (v->needed)
			mincut_edge(n, MINCUT_SOURCE, save_node(i), MINCUT_NEVER);
		mincut_edge(n, save_node(i), compute_node(i), save_cost(w, v, keeps));
		mincut_edge(n, compute_node(i), MINCUT_SINK,
			v->def ? compute_cost(w, v) : MINCUT_NEVER);
		for (uint32_t k = 0; k < v->nreads; k++)
			mincut_edge(n, compute_node(i), save_node(v->reads[k]), MINCUT_NEVER);
	}
	return mincut_find(n);
}

static uint32_t
cut_cost(const Derivation *w, Bits chosen, bool keeps)
{
	uint32_t sum = keeps && !task_names_owner(&w->k->task) ? AN_OWNER : 0;

	for (const Derived_value *v = w->values; v < w->values + w->n; v++)
		sum += is_computed(w, chosen, v) ? compute_cost(w, v) :
			is_saved(w, chosen, v) ? save_cost(w, v, keeps) :
					       0;
	return sum;
}

/* Whether there is any lane invariant. */
static bool
has_lane_invariants(const Derivation *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->values[i].is_invariant)
			return true;
	return false;
}

static Bits
choose_cut(const Derivation *w, bool *keeps)
{
	Bits without = minimum_cut(w, false);

	*keeps = false;
	if (!has_lane_invariants(w))
		return without;
	Bits with = minimum_cut(w, true);
	*keeps = cut_cost(w, with, true) < cut_cost(w, without, false);
	return *keeps ? with : without;
}

/* Returns a description: "recomputed from %r1 and %rd2" */
static const char *
describe_sources(const Derivation *w, const Derived_value *v)
{
	const Module *m = w->x->fn->m;
	Buf b = { 0 };
	uint32_t n = v->nreads + v->nfree;

	buf_puts(&b, n ? "recomputed from" : "recomputed from literals");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sym = i < v->nreads ? w->values[v->reads[i]].sym : v->free[i - v->nreads];
		buf_printf(&b, "%s %.*s", !i ? "" : i + 1 < n ? "," : " and", PTX_NAME(m, sym));
	}
	const char *why = arena_strndup(w->x->arena, b.at, b.n);
	buf_free(&b);
	return why;
}

/* Inserts into the list of inputs by symbol, or replaces the entry of the same symbol. */
static void
insert_input(Derivation *w, Task_input in)
{
	Task *t = &w->k->task;
	uint32_t i = t->ninputs;

	while (i > 0 && t->inputs[i - 1].sym > in.sym)
		i--;
	if (i > 0 && t->inputs[i - 1].sym == in.sym) {
		t->inputs[i - 1] = in;
		return;
	}
	memmove(&t->inputs[i + 1], &t->inputs[i], (t->ninputs - i) * sizeof *t->inputs);
	t->inputs[i] = in;
	t->ninputs++;
}

/* Inserts a statement in execution order. */
static void
insert_computed(Derivation *w, uint32_t stmt)
{
	const Cfg *g = w->x->fn->cfg;
	Task *t = &w->k->task;
	uint32_t i, at = g->rpo_index[cfg_block_of(g, stmt)];

	for (i = 0; i < t->nderived; i++)
		if (t->derived[i] == stmt)
			return;
	i = t->nderived++;

	for (; i > 0; i--) {
		uint32_t before = t->derived[i - 1], b = g->rpo_index[cfg_block_of(g, before)];
		if (b < at || (b == at && before < stmt))
			break;
		t->derived[i] = before;
	}
	t->derived[i] = stmt;
}

static void
mark_computed(Derivation *w, const Derived_value *v)
{
	insert_input(w, (Task_input){ v->sym, INPUT_DERIVED, describe_sources(w, v) });
	for (uint32_t i = 0; i < v->nothers; i++) {
		insert_computed(w, v->others[i]);
		FN_DEFS_OF_STMT(w->x->fn, v->others[i], d)
			if (!task_def_is_scoped(w->x->fn, d))
				bits_set(w->k->task.renamed,
					fn_local(w->x->fn, fn_def(w->x->fn, d)->sym));
	}
	insert_computed(w, fn_def(w->x->fn, v->def)->stmt);
	bits_set(w->k->task.renamed, fn_local(w->x->fn, v->sym));
	for (uint32_t i = 0; i < v->nfree; i++)
		if (task_input_kind(&w->k->task, v->free[i]) == INPUT_ABSENT)
			insert_input(w, task_input_classify(w->x, w->k, v->free[i], false));
}

static void
allocate_tables(Derivation *w)
{
	Task *t = &w->k->task;
	Task_input *in =
		arena_array(w->x->arena, t->ninputs + MOST_VALUES * (1 + MOST_READS), sizeof *in);

	memcpy(in, t->inputs, t->ninputs * sizeof *in);
	t->inputs = in;
	t->derived = arena_array(w->x->arena, MOST_VALUES * MOST_CARRIED, sizeof *t->derived);
}

void
task_derive_inputs(Plan *x, Task_region *k, Bits defined)
{
	Derivation w = { .x = x, .k = k, .defined = defined };
	bool keeps;

	if (x->opt->no_compress || (k->outer && !k->lane_loop))
		return;
	w.values = arena_array(x->scratch, MOST_VALUES, sizeof *w.values);
	w.temporaries = bits_new(x->scratch, x->fn->f->nsym);
	w.between = bits_new(x->scratch, x->fn->cfg->nblocks);
	w.all = bits_new(x->scratch, x->fn->cfg->nblocks);
	bits_fill(w.all, 1, x->fn->cfg->nblocks);
	derivation_find_values(&w);
	Bits chosen = choose_cut(&w, &keeps);
	allocate_tables(&w);
	for (const Derived_value *v = w.values; v < w.values + w.n; v++) {
		if (is_computed(&w, chosen, v))
			mark_computed(&w, v);
		else if (is_saved(&w, chosen, v) && keeps && v->is_invariant)
			insert_input(&w, (Task_input){ v->sym, INPUT_INVARIANT, "the loop does not change it" });
		else if (is_saved(&w, chosen, v) && !v->needed)
			insert_input(&w, (Task_input){ v->sym, INPUT_SAVED, "others are computed from it" });
	}
}
