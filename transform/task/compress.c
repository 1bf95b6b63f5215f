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
 *   the register holds the result of the last execution of D.
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
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/task/task_inputs.h"

enum {
	MOST_VALUES = 128,
	MOST_READS = 4,         /* registers that a statement reads */
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

/* A candidate value. In order of discovery: those that the path reads come first. */
typedef struct {
	uint32_t sym;
	uint32_t def;           /* definition that recomputes it; 0: it can only be saved */
	bool needed;            /* the path reads it */
	bool is_invariant;      /* a lane invariant */
	uint32_t reads[MOST_READS], nreads; /* values that `def` reads, by index */
	uint32_t free[MOST_READS], nfree;   /* registers that `def` reads and every lane has */
} Derived_value;

typedef struct {
	Plan *x;
	Task_region *k;
	Bits defined;           /* by the path */
	Derived_value *values; uint32_t n;
	/* blocks: all; those on paths from a definition to the cut, after its block */
	Bits all, between;
	uint32_t from;
} Derivation;

/* ---- recomputable values --------------------------------------------------------------------- */

/* Returns the only definition that reaches the path's entry; 0 if there are several or none. */
static uint32_t
only_def_at_entry(const Derivation *w, uint32_t sym)
{
	uint32_t d = task_input_only_def(w->x, w->k, sym);

	return d && fn_def(w->x->fn, d)->stmt ? d : 0;
}

/* Whether the register can be renamed in the path's copy. */
static bool
register_is_renamable(const Derivation *w, uint32_t sym)
{
	return w->x->fn->m->syms[sym].vec <= 1 && !slice_register_is_declared_inside(w->x, sym) &&
		!task_input_is_reduction(&w->k->task, fn_local(w->x->fn, sym));
}

static bool
is_cheap(const Fn *fn, const Stmt *s)
{
	switch (ptx_ops[ptx_op(fn->m, s)].cost) {
	case COST_NONE:
	case COST_ALU:
	case COST_MUL:
	case COST_FMA:
	case COST_CVT: return true;
	default: return false;
	}
}

/* Whether the register is written by code that a lane executes before it may help, or as a
 * helper. */
static bool
register_is_written_later(const Derivation *w, uint32_t sym)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && bits_has(w->x->site->blocks, fn_block(fn, s)))
			return true;
	}
	return false;
}

/* Whether every lane has the register that the use reads. */
static bool
use_is_available(Derivation *w, uint32_t use)
{
	uint32_t sym = fn_use(w->x->fn, use)->sym, nagain = w->x->tasks.nrecomputed;

	if (bits_has(w->x->fn->uniform->use, use) ||
		bits_has(w->defined, fn_local(w->x->fn, sym)))
		return false;
	Task_input in = task_input_classify(w->x, w->k, sym, false);
	task_input_truncate_recomputed(w->x, nagain);
	return in.kind == INPUT_RECOMPUTED ||
		(in.kind == INPUT_UNIFORM && !register_is_written_later(w, sym));
}

/* Whether the owner can keep the value. Requires tasks in the warp's shared memory. */
static bool
is_lane_invariant(const Derivation *w, uint32_t sym)
{
	return w->k->slots && register_is_renamable(w, sym) && !register_is_written_later(w, sym);
}

/* Returns the index of the register's value, adding it if necessary; UINT32_MAX if there are too
 * many. */
static uint32_t
find_value(Derivation *w, uint32_t sym)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->values[i].sym == sym)
			return i;
	if (w->n == MOST_VALUES)
		return UINT32_MAX;
	w->values[w->n] = (Derived_value){ .sym = sym, .is_invariant = is_lane_invariant(w, sym) };
	return w->n++;
}

/* Whether the owner has the register at the cut even if its task does not need it. For a lane loop
 * in a collected path, the owner has the inputs of the path's task and the path's definitions. */
static bool
owner_holds(const Derivation *w, uint32_t sym)
{
	const Fn *fn = w->x->fn;
	const Task_region *around = w->k->outer ? &w->x->regions[w->k->outer - 1] : NULL;

	if (!around || task_input_kind(&around->task, sym) != INPUT_ABSENT)
		return true;
	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && !bits_has(around->task_blocks, fn_block(fn, s)))
			return false;
	}
	return true;
}

/* Computes `between` for definitions in a block that dominates the cut. */
static void
find_blocks_between(Derivation *w, uint32_t block)
{
	const Cfg *g = w->x->fn->cfg;

	w->from = block;
	bits_clear(w->between);
	bits_unset(w->all, block);
	for (uint32_t i = 0; i < task_input_entries(w->x); i++)
		CFG_PRED(g, task_input_entry(w->x, w->k, i), p)
			if (!task_input_in_later_iteration(w->x, w->k, p))
				cfg_flood(g, p, true, w->all, w->between);
	bits_set(w->all, block);
}

/* Whether b, which the block dominates, comes after the cut in reverse post-order, and is in no
 * loop that the block dominates. Then control reaches the cut again only through the block. */
static bool
is_after_cut(const Derivation *w, uint32_t block, uint32_t b)
{
	const Fn *fn = w->x->fn;
	uint32_t loop = fn->loops->loop_of[b], header = fn->loops->loops[loop].header;

	if (bits_any(fn->loops->irreducible) ||
		(loop && header != block && dom_dominates(fn->dom, block, header)))
		return false;
	for (uint32_t i = 0; i < task_input_entries(w->x); i++)
		if (fn->cfg->rpo_index[b] < fn->cfg->rpo_index[task_input_entry(w->x, w->k, i)])
			return false;
	return true;
}

/* Whether block b lies on a path from the block to the cut, after the block. A block that dominates
 * the cut dominates every such b, which answers most questions without a walk. */
static bool
is_between(Derivation *w, uint32_t block, uint32_t b)
{
	const Fn *fn = w->x->fn;
	bool above = fn->cfg->rpo_index[b] != UINT32_MAX;

	for (uint32_t i = 0; i < task_input_entries(w->x); i++)
		above = above &&
			dom_dominates(fn->dom, block, task_input_entry(w->x, w->k, i));
	if (b == block ||
		(above && (!dom_dominates(fn->dom, block, b) || is_after_cut(w, block, b))))
		return false;
	if (w->from != block)
		find_blocks_between(w, block);
	return bits_has(w->between, b);
}

/* Whether the register may be written between the statement and the cut. */
static bool
is_written_between(Derivation *w, uint32_t stmt, uint32_t sym)
{
	const Fn *fn = w->x->fn;
	uint32_t block = fn_block(fn, stmt);

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt, b = s ? fn_block(fn, s) : 0;
		if (s && ((b == block && s >= stmt) || is_between(w, block, b)))
			return true;
	}
	return false;
}

/* Records a register that the value's definition reads; false if it is not available at the cut. */
static bool
note_operand(Derivation *w, Derived_value *v, uint32_t use)
{
	const Use *u = fn_use(w->x->fn, use);

	if (v->nreads == MOST_READS || v->nfree == MOST_READS ||
		!register_is_renamable(w, u->sym) || is_written_between(w, u->stmt, u->sym))
		return false;
	if (use_is_available(w, use)) {
		v->free[v->nfree++] = u->sym;
		return true;
	}
	uint32_t i = find_value(w, u->sym);
	if (i == UINT32_MAX || !(w->values[i].needed || owner_holds(w, u->sym)))
		return false;
	v->reads[v->nreads++] = i;
	return true;
}

/* Determines how the value can be recomputed. */
static void
analyse_value(Derivation *w, Derived_value *v)
{
	const Fn *fn = w->x->fn;
	uint32_t d = only_def_at_entry(w, v->sym), stmt = d ? fn_def(fn, d)->stmt : 0;

	if (!d || !register_is_renamable(w, v->sym) || !slice_def_is_pure(w->x, d) ||
		!is_cheap(fn, fn_stmt(fn, stmt)) ||
		bits_has(w->k->task_blocks, fn_block(fn, stmt)) || fn_effects(fn, stmt) & EFF_LANE)
		return;
	FN_DEFS_OF_STMT(fn, stmt, other)
		if (other != d)
			return;
	FN_USES_OF_STMT(fn, stmt, u)
		if (!note_operand(w, v, u)) {
			v->nreads = v->nfree = 0;
			return;
		}
	v->def = d;
}

static void
find_values(Derivation *w)
{
	for (uint32_t i = 0; i < w->k->task.ninputs; i++) {
		uint32_t v = w->k->task.inputs[i].kind != INPUT_SAVED ?
			UINT32_MAX :
			find_value(w, w->k->task.inputs[i].sym);
		if (v != UINT32_MAX)
			w->values[v].needed = true;
	}
	for (uint32_t v = 0; v < w->n; v++)
		analyse_value(w, &w->values[v]);
}

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
	return A_SLOT * (uint32_t)cost_stmt(w->x->fn, fn_def(w->x->fn, v->def)->stmt);
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
	uint32_t i = t->nderived++, at = g->rpo_index[cfg_block_of(g, stmt)];

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
	t->derived = arena_array(w->x->arena, MOST_VALUES, sizeof *t->derived);
}

void
task_derive_inputs(Plan *x, Task_region *k, Bits defined)
{
	Derivation w = { .x = x, .k = k, .defined = defined };
	bool keeps;

	if (x->opt->no_compress || (k->outer && !k->lane_loop))
		return;
	w.values = arena_array(x->scratch, MOST_VALUES, sizeof *w.values);
	w.between = bits_new(x->scratch, x->fn->cfg->nblocks);
	w.all = bits_new(x->scratch, x->fn->cfg->nblocks);
	bits_fill(w.all, 1, x->fn->cfg->nblocks);
	find_values(&w);
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
