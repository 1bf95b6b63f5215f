/* SPDX-License-Identifier: MIT */
/* Context compression: what a lane can compute from the rest of a task's context, it computes, and
 * what its owner can keep for all tasks, it keeps; neither is saved (the former: Khorasani, Gupta,
 * Bhuyan, MICRO-48 2015, section 4.1; docs/design.md 5.3).
 *
 * The *values* are the registers that would be saved, those that they are computed from, and so on.
 * Each may be saved, or computed again by its statement, if that is pure and cheap, from values
 * that are saved or computed again themselves and from what every lane has anyway. Which of both,
 * and which of those that the path does not read are worth it (a row's index instead of three
 * pointers into it), is a minimum cut: saving costs by the byte, computing by the instruction. What
 * the loop does not change need not go through the tasks either: its owner can keep it in shared
 * memory, in a slot of its own (IN_KEPT, emit_lane_invariants.c), for a load in each run, once a
 * task names its owner. That has a price too, unless a reduction asks for it anyway. Of a row
 * (expand_plan.c) the cut is where its first iteration begins, and what is saved comes by shuffles.
 *
 * Correct because what is computed is what the owner's register holds at the path's entry, the
 * *cut*:
 *   - Of a value that is computed one definition D alone reaches the cut (all cuts, where a part
 *   has several entries). "Not defined since the function's entry" is one too, so
 *     every way to the cut comes by D, and what the register holds there is what the last run of D
 *     gave it.
 *   - On no way from D to the cut, but by D once more, stands a definition of what D reads. So at
 *   the cut those registers hold what
 *     that run of D read; D, being pure, gives the same from them.
 *   - Each of them is at hand: saved as it is at the cut, computed by the same argument, or one
 *   that every lane has: uniform
 *     both for D and at the cut, and either computed again at the entry, or under its own name
 *     (IN_COMMON) written nowhere in the
 *     annotated loop, whichever way a lane left it.
 *   - The statements run behind the pop and in front of the path, in an order that goes down the
 *   dominator tree, on registers
 *     of the path's own: no lane's own registers change.
 *   - A value that is saved now though the path does not read it is in its owner's register at the
 *   cut: a register keeps what it
 *     holds until it is written, whether it is live or not.
 *   - What an owner keeps nothing in the annotated region writes, so its register holds at the cut,
 *   in each iteration, what it held at the begin marker, where the owner has stored it (`keep` of
 *   collect.tpl). All of M come by there, behind the barrier of `early`. Who runs a task reads it
 *   behind `run`, in the row of lane %^owner: its own number (`take_own`), or popped with the
 *   task. docs/proofs/collect.md, C12, says which barriers are in between.
 */
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
	/* what saving costs, where an instruction of one issue slot costs */
	A_BYTE = 4,
	A_SLOT = 2,
	A_BIT = 8,
	/* what is kept is half of it: a load, and no store in each round; the owner's lane, in each
	 * task, and addresses */
	KEPT = 2,
	/* and so is what a row's helpers fetch: a shuffle */
	FETCHED = 2,
	AN_OWNER = 24
};

/* In the order in which they are found: what is needed first. */
typedef struct {
	uint32_t sym;
	uint32_t def;           /* that computes it; 0: it can only be saved */
	bool needed;            /* the path reads it */
	bool lasts;             /* it does not change while the loop runs */
	uint32_t reads[MOST_READS], nreads; /* values, by number */
	uint32_t free[MOST_READS], nfree;   /* registers that every lane has */
} Value;

typedef struct {
	Plan *x;
	Part *k;
	Bits defined;           /* in the path */
	Value *values; uint32_t n;
	/* blocks: all; those on ways from a definition to the cut, behind its block `from` */
	Bits all, between;
	uint32_t from;
} Values;

/* ---- what can be computed again -------------------------------------------------------------- */

/* The definition that alone reaches the path's entry; 0: there are several, or none. */
static uint32_t
def_at_cut(const Values *w, uint32_t sym)
{
	uint32_t d = context_only_def(w->x, w->k, sym);

	return d && fn_def(w->x->fn, d)->stmt ? d : 0;
}

/* May the register stand in the path's copy under a name of its own? */
static bool
can_rename(const Values *w, uint32_t sym)
{
	return w->x->fn->m->syms[sym].vec <= 1 && !slice_declared_inside(w->x, sym) &&
		!context_is_reduced(&w->k->task, fn_local(w->x->fn, sym));
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

/* Is it written where a lane goes that may help later, or by what it runs then? */
static bool
is_written(const Values *w, uint32_t sym)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && bits_has(w->x->site->blocks, fn_block(fn, s)))
			return true;
	}
	return false;
}

/* Does every lane have what the statement reads there? */
static bool
is_free(Values *w, uint32_t use)
{
	uint32_t sym = fn_use(w->x->fn, use)->sym, nagain = w->x->nagain;

	if (bits_has(w->x->fn->uniform->use, use) ||
		bits_has(w->defined, fn_local(w->x->fn, sym)))
		return false;
	In in = context_classify(w->x, w->k, sym, false);
	context_again_only(w->x, nagain);
	return in.how == IN_AGAIN || (in.how == IN_COMMON && !is_written(w, sym));
}

/* May its owner keep it? Where tasks wait in the warp's shared memory there is a place for that. */
static bool
lasts(const Values *w, uint32_t sym)
{
	return w->k->slots && can_rename(w, sym) && !is_written(w, sym);
}

/* The value of the register; it is a new one, if it is none yet. UINT32_MAX: there are too many. */
static uint32_t
value_of(Values *w, uint32_t sym)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->values[i].sym == sym)
			return i;
	if (w->n == MOST_VALUES)
		return UINT32_MAX;
	w->values[w->n] = (Value){ .sym = sym, .lasts = lasts(w, sym) };
	return w->n++;
}

/* Does the owner have it at the cut, though its task may not need it? Where rows stand in a path
 * that is collected, the owner has what that path's task brings, and what the path defines. */
static bool
owner_has(const Values *w, uint32_t sym)
{
	const Fn *fn = w->x->fn;
	const Part *around = w->k->outer ? &w->x->parts[w->k->outer - 1] : NULL;

	if (!around || task_how(&around->task, sym) != IN_NOT)
		return true;
	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && !bits_has(around->span, fn_block(fn, s)))
			return false;
	}
	return true;
}

/* Fills `between` for definitions in a block. */
static void
find_between(Values *w, uint32_t block)
{
	const Cfg *g = w->x->fn->cfg;

	w->from = block;
	bits_clear(w->between);
	bits_unset(w->all, block);
	for (uint32_t i = 0; i < context_entries(w->x); i++)
		CFG_PRED(g, context_entry(w->x, w->k, i), p)
			if (!context_behind_cut(w->x, w->k, p))
				cfg_flood(g, p, true, w->all, w->between);
	bits_set(w->all, block);
}

/* Does block b lie on a way from the block to the cut, behind it? If the block dominates the cut it
 * dominates all of them, which spares most questions the walk. */
static bool
is_between(Values *w, uint32_t block, uint32_t b)
{
	const Fn *fn = w->x->fn;
	bool above = fn->cfg->rpo_index[b] != UINT32_MAX;

	for (uint32_t i = 0; i < context_entries(w->x); i++)
		above = above &&
			dom_dominates(fn->dom, block, context_entry(w->x, w->k, i));
	if (b == block || (above && !dom_dominates(fn->dom, block, b)))
		return false;
	if (w->from != block)
		find_between(w, block);
	return bits_has(w->between, b);
}

/* May the register be written between the statement and the cut? */
static bool
changes_after(Values *w, uint32_t stmt, uint32_t sym)
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

/* Notes what the value is read from; false: at the cut that is not there. */
static bool
read_operand(Values *w, Value *v, uint32_t use)
{
	const Use *u = fn_use(w->x->fn, use);

	if (v->nreads == MOST_READS || v->nfree == MOST_READS || !can_rename(w, u->sym) ||
		changes_after(w, u->stmt, u->sym))
		return false;
	if (is_free(w, use)) {
		v->free[v->nfree++] = u->sym;
		return true;
	}
	uint32_t i = value_of(w, u->sym);
	if (i == UINT32_MAX || !(w->values[i].needed || owner_has(w, u->sym)))
		return false;
	v->reads[v->nreads++] = i;
	return true;
}

/* Finds out how the value can be computed. */
static void
look_at(Values *w, Value *v)
{
	const Fn *fn = w->x->fn;
	uint32_t d = def_at_cut(w, v->sym), stmt = d ? fn_def(fn, d)->stmt : 0;

	if (!d || !can_rename(w, v->sym) || !slice_pure(w->x, d) ||
		!is_cheap(fn, fn_stmt(fn, stmt)) || bits_has(w->k->span, fn_block(fn, stmt)) ||
		fn_effects(fn, stmt) & EFF_LANE)
		return;
	FN_DEFS_OF_STMT(fn, stmt, other)
		if (other != d)
			return;
	FN_USES_OF_STMT(fn, stmt, u)
		if (!read_operand(w, v, u)) {
			v->nreads = v->nfree = 0;
			return;
		}
	v->def = d;
}

static void
find_values(Values *w)
{
	for (uint32_t i = 0; i < w->k->task.nin; i++) {
		uint32_t v = w->k->task.in[i].how != IN_SAVED ? UINT32_MAX :
								value_of(w, w->k->task.in[i].sym);
		if (v != UINT32_MAX)
			w->values[v].needed = true;
	}
	for (uint32_t v = 0; v < w->n; v++)
		look_at(w, &w->values[v]);
}

/* ---- what is computed again ------------------------------------------------------------------ */

/* Two nodes for each value: on the source's side are the first of those that a task must have, and
 * the second of those that are computed again. */
static uint32_t had(uint32_t v) { return MINCUT_FIRST + 2 * v; }
static uint32_t made(uint32_t v) { return MINCUT_FIRST + 2 * v + 1; }

/* Of a value that a task must have: to have it, and to compute it. A product that ptxas fuses with
 * what reads it has no value of its own. */
static uint32_t
price_to_have(const Values *w, const Value *v, bool keeps)
{
	uint32_t bytes = context_size(w->x->fn->m, v->sym);

	if (v->def && contraction_of(w->x->fn, fn_def(w->x->fn, v->def)->stmt) == CONTRACT_ALWAYS)
		return MINCUT_NEVER;
	return (bytes ? A_BYTE * bytes : A_BIT) /
		(keeps && v->lasts ? KEPT : w->k->rounds ? FETCHED : 1);
}

static uint32_t
price_to_compute(const Values *w, const Value *v)
{
	return A_SLOT * (uint32_t)cost_stmt(w->x->fn, fn_def(w->x->fn, v->def)->stmt);
}

static bool is_had(const Values *w, Bits chosen, const Value *v)
{
	return bits_has(chosen, had((uint32_t)(v - w->values)));
}

static bool is_made(const Values *w, Bits chosen, const Value *v)
{
	return is_had(w, chosen, v) && bits_has(chosen, made((uint32_t)(v - w->values)));
}

/* keeps: lanes keep what the loop does not change. */
static Bits
cheapest(const Values *w, bool keeps)
{
	Mincut *n = mincut_new(MINCUT_FIRST + 2 * w->n, (3 + MOST_READS) * w->n, w->x->scratch);

	for (uint32_t i = 0; i < w->n; i++) {
		const Value *v = &w->values[i];
		if (v->needed)
			mincut_edge(n, MINCUT_SOURCE, had(i), MINCUT_NEVER);
		mincut_edge(n, had(i), made(i), price_to_have(w, v, keeps));
		mincut_edge(n, made(i), MINCUT_SINK,
			v->def ? price_to_compute(w, v) : MINCUT_NEVER);
		for (uint32_t k = 0; k < v->nreads; k++)
			mincut_edge(n, made(i), had(v->reads[k]), MINCUT_NEVER);
	}
	return mincut_find(n);
}

static uint32_t
price(const Values *w, Bits chosen, bool keeps)
{
	uint32_t sum = keeps && !task_has_owner(&w->k->task) ? AN_OWNER : 0;

	for (const Value *v = w->values; v < w->values + w->n; v++)
		sum += is_made(w, chosen, v) ? price_to_compute(w, v) :
			is_had(w, chosen, v) ? price_to_have(w, v, keeps) :
					       0;
	return sum;
}

/* Is there anything that lanes could keep? */
static bool
any_lasts(const Values *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->values[i].lasts)
			return true;
	return false;
}

static Bits
choose(const Values *w, bool *keeps)
{
	Bits without = cheapest(w, false);

	*keeps = false;
	if (!any_lasts(w))
		return without;
	Bits with = cheapest(w, true);
	*keeps = price(w, with, true) < price(w, without, false);
	return *keeps ? with : without;
}

/* "computed again from %r1 and %rd2" */
static const char *
computed_from(const Values *w, const Value *v)
{
	const Module *m = w->x->fn->m;
	Buf b = { 0 };
	uint32_t n = v->nreads + v->nfree;

	buf_puts(&b, n ? "computed again from" : "computed again from literals");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sym = i < v->nreads ? w->values[v->reads[i]].sym : v->free[i - v->nreads];
		buf_printf(&b, "%s %.*s", !i ? "" : i + 1 < n ? "," : " and", PTX_NAME(m, sym));
	}
	const char *why = arena_strndup(w->x->arena, b.at, b.n);
	buf_free(&b);
	return why;
}

/* Puts it into the list of what comes in, in the order of the symbols, or in the place of what
 * stands there. */
static void
put_in(Values *w, In in)
{
	Task *t = &w->k->task;
	uint32_t i = t->nin;

	while (i > 0 && t->in[i - 1].sym > in.sym)
		i--;
	if (i > 0 && t->in[i - 1].sym == in.sym) {
		t->in[i - 1] = in;
		return;
	}
	memmove(&t->in[i + 1], &t->in[i], (t->nin - i) * sizeof *t->in);
	t->in[i] = in;
	t->nin++;
}

/* Adds a statement in the order in which they run. */
static void
put_computed(Values *w, uint32_t stmt)
{
	const Cfg *g = w->x->fn->cfg;
	Task *t = &w->k->task;
	uint32_t i = t->ncomputed++, at = g->rpo_index[cfg_block_of(g, stmt)];

	for (; i > 0; i--) {
		uint32_t before = t->computed[i - 1], b = g->rpo_index[cfg_block_of(g, before)];
		if (b < at || (b == at && before < stmt))
			break;
		t->computed[i] = before;
	}
	t->computed[i] = stmt;
}

static void
compute(Values *w, const Value *v)
{
	put_in(w, (In){ v->sym, IN_COMPUTED, computed_from(w, v) });
	put_computed(w, fn_def(w->x->fn, v->def)->stmt);
	bits_set(w->k->task.own, fn_local(w->x->fn, v->sym));
	for (uint32_t i = 0; i < v->nfree; i++)
		if (task_how(&w->k->task, v->free[i]) == IN_NOT)
			put_in(w, context_classify(w->x, w->k, v->free[i], false));
}

static void
make_room(Values *w)
{
	Task *t = &w->k->task;
	In *in = arena_array(w->x->arena, t->nin + MOST_VALUES * (1 + MOST_READS), sizeof *in);

	memcpy(in, t->in, t->nin * sizeof *in);
	t->in = in;
	t->computed = arena_array(w->x->arena, MOST_VALUES, sizeof *t->computed);
}

void
task_compress(Plan *x, Part *k, Bits defined)
{
	Values w = { .x = x, .k = k, .defined = defined };
	bool keeps;

	if (x->opt->no_compress || (k->outer && !k->rounds))
		return;
	w.values = arena_array(x->scratch, MOST_VALUES, sizeof *w.values);
	w.between = bits_new(x->scratch, x->fn->cfg->nblocks);
	w.all = bits_new(x->scratch, x->fn->cfg->nblocks);
	bits_fill(w.all, 1, x->fn->cfg->nblocks);
	find_values(&w);
	Bits chosen = choose(&w, &keeps);
	make_room(&w);
	for (const Value *v = w.values; v < w.values + w.n; v++) {
		if (is_made(&w, chosen, v))
			compute(&w, v);
		else if (is_had(&w, chosen, v) && keeps && v->lasts)
			put_in(&w, (In){ v->sym, IN_KEPT, "the loop does not change it" });
		else if (is_had(&w, chosen, v) && !v->needed)
			put_in(&w, (In){ v->sym, IN_SAVED, "others are computed from it" });
	}
}
