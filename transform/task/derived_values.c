/* SPDX-License-Identifier: MIT */
/* The values of a task, and how each can be recomputed. See compress.c, which has the argument why
 * a recomputed value is right, and carried_function.c for loop-carried registers. */
#include "transform/task/derivation.h"
#include "transform/task/slice.h"

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
	if (w->n == MOST_VALUES || bits_has(w->temporaries, fn_local(w->x->fn, sym)))
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

/* Records a register that the value's definition reads, and that is not written between there and
 * the cut; false if it is not available at the cut. */
static bool
note_operand(Derivation *w, Derived_value *v, uint32_t use)
{
	const Use *u = fn_use(w->x->fn, use);

	if (v->nreads == MOST_READS || v->nfree == MOST_READS || !register_is_renamable(w, u->sym))
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

/* Whether a register that the statement writes is a value, or another input. Those of a scope
 * around it are none. */
static bool
writes_input(const Derivation *w, uint32_t stmt)
{
	FN_DEFS_OF_STMT(w->x->fn, stmt, d) {
		uint32_t sym = fn_def(w->x->fn, d)->sym;
		if (task_def_is_scoped(w->x->fn, d))
			continue;
		if (task_input_kind(&w->k->task, sym) != INPUT_ABSENT ||
			!register_is_renamable(w, sym))
			return true;
		for (uint32_t i = 0; i < w->n; i++)
			if (w->values[i].sym == sym)
				return true;
	}
	return false;
}

/* The same for a loop-carried register. */
static void
analyse_carried_value(Derivation *w, Derived_value *v)
{
	Carried_function f;

	if (!task_carried_function(w->x, w->k, v->sym, &f))
		return;
	uint32_t last = fn_def(w->x->fn, f.def)->stmt;
	for (uint32_t i = 0; i < f.nstmts; i++)
		if (f.stmts[i] != last && writes_input(w, f.stmts[i]))
			return;
	for (uint32_t i = 0; i < f.nleaves; i++)
		if (!note_operand(w, v, f.leaves[i])) {
			v->nreads = v->nfree = 0;
			return;
		}
	v->def = f.def;
	for (uint32_t i = 0; i < f.nstmts; i++) {
		if (f.stmts[i] == last)
			continue;
		v->others[v->nothers++] = f.stmts[i];
		FN_DEFS_OF_STMT(w->x->fn, f.stmts[i], d)
			bits_set(w->temporaries, fn_local(w->x->fn, fn_def(w->x->fn, d)->sym));
	}
}

/* Determines how the value can be recomputed. */
static void
analyse_value(Derivation *w, Derived_value *v)
{
	const Fn *fn = w->x->fn;
	uint32_t d = only_def_at_entry(w, v->sym), stmt = d ? fn_def(fn, d)->stmt : 0;

	if (!register_is_renamable(w, v->sym))
		return;
	if (!d) {
		analyse_carried_value(w, v);
		return;
	}
	if (!task_def_is_computable(w->x, d) || bits_has(w->k->task_blocks, fn_block(fn, stmt)))
		return;
	FN_USES_OF_STMT(fn, stmt, u)
		if (is_written_between(w, stmt, fn_use(fn, u)->sym) || !note_operand(w, v, u)) {
			v->nreads = v->nfree = 0;
			return;
		}
	v->def = d;
}

void
derivation_find_values(Derivation *w)
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
