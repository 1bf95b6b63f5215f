/* SPDX-License-Identifier: MIT */
/* Expansion of inner loops: the iterations of all lanes' inner loops are distributed over the
 * lanes (docs/design.md 6.10).
 *
 *	for (v = ...; v < n; v += stride)               each lane has its own values of v
 *		if (...)
 *			for (k = row[v]; k < row[v + 1]; k++)   `for var`: trip counts differ
 *				visit(k);
 *
 * A *row* is the inner loop of one iteration of one lane, its owner. All lanes execute a long
 * row together; short rows are laid end to end. If an iteration costs much more than this,
 * the remainder of a long row, which does not fill a warp, is laid end to end with them (`packs`).
 *
 *   needs:    cfg dom loop live defuse uniform effects local region trips
 *   refuses:  inner loops that are not counted (trip_count.h), whose bound may change
 *             (stable_bound.c), that carry a value between iterations other than induction
 *             variables and reductions, or that have other live-outs; what
 *             legal.c and motion_legality.c refuse for code that another lane executes
 *   correct:  docs/proofs/expand.md, invariants X1 to X14; lines of expand.tpl and rows.tpl
 *             cite them
 *   cost:     a round: 6 instructions, with rows about 30, and 30 for each 32 iterations of
 *             short rows, 4 of long ones, and a shuffle for each word of a row's values;
 *             registers: 16 and those values twice
 *   before / after: docs/transformation.md */
#include "analysis/cost/static_cost.h"
#include "analysis/dataflow/slice.h"
#include "analysis/loops/reduction.h"
#include "analysis/loops/unroll_predict.h"
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"
#include "transform/task/task.h"
#include "transform/task/task_inputs.h"

/* Iterations with at most SHORT instructions are emitted LAPS times in a row, since they are
 * usually bound by memory latency. nvcc unrolls such loops, but not if they are annotated. */
enum { SHORT = 24, LAPS = 4 };
/* The rest of a long row that does not fill a warp is laid end to end with short rows if an
 * iteration costs more than HEAVY times that exchange. */
enum { HEAVY = 2 };
/* nvcc unrolls a counted loop by four if an iteration has at most about FOURFOLD instructions, and
 * by two up to TWOFOLD. */
enum { FOURFOLD = 28, TWOFOLD = 48 };

/* ---- code of helpers ------------------------------------------------------------------------- */

typedef struct {
	Plan *x;
	Task_region *k;
	const Trip_count *t;
	Bits blocks, runs;      /* runs: statements, by fn_local_stmt */
} Expansion_walk;

static bool
def_is_in_loop(const Expansion_walk *w, uint32_t def)
{
	uint32_t s = fn_def(w->x->fn, def)->stmt;

	return s && bits_has(w->blocks, fn_block(w->x->fn, s));
}

/* Whether the definition loads the loop's bound again, and the owner has its value. */
static bool
def_is_reload(const Expansion_walk *w, uint32_t def)
{
	const Def *d = fn_def(w->x->fn, def);

	return trip_count_is_reload(w->t, d->stmt) &&
		(!w->t->bound_is_loaded || d->sym == w->x->fn->m->opnds[w->t->bound].sym);
}

/* Whether the use reads an induction variable's value at the start of the iteration, which is
 * computed for each iteration. */
static bool
use_is_initialised(const Expansion_walk *w, uint32_t use)
{
	uint32_t inside = 0;

	if (trip_count_induction(w->t, fn_use(w->x->fn, use)->sym) == UINT32_MAX)
		return false;
	FN_REACH(w->x->fn, use, d)
		inside += def_is_in_loop(w, d);
	return inside < fn_use(w->x->fn, use)->ndef;
}

static bool
register_is_folded(const Expansion_walk *w, uint32_t local)
{
	const Task *t = &w->k->task;

	for (uint32_t i = 0; i < t->nreductions; i++)
		if (bits_has(t->reductions[i].web, local))
			return true;
	return false;
}

static Slice_step
edge_is_executed(void *user, const Slice_edge *e)
{
	const Expansion_walk *w = user;

	return def_is_in_loop(w, e->def) && !use_is_initialised(w, e->use) ? SLICE_ACCEPT :
									     SLICE_HAVE;
}

/* Whether the statement updates or moves a reduction. */
static bool
stmt_folds(const Expansion_walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_STMT(fn, stmt, d)
		if (register_is_folded(w, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Whether helpers need the statement independently of its readers. */
static bool
stmt_has_effect(const Expansion_walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	return stmt_folds(w, stmt) ||
		(!trip_count_is_reload(w->t, stmt) && stmt != cfg_terminator(fn->cfg, w->t->last) &&
			(fn_stmt(fn, stmt)->kind != STMT_INSN ||
				!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_PURE)));
}

/* Selects the statements that helpers execute: effects, branches except the loop's exit,
 * reductions, and everything these read. */
static void
find_executed_stmts(Expansion_walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (stmt_has_effect(w, s))
				bits_set(w->runs, fn_local_stmt(fn, s));
	slice_close(fn, edge_is_executed, w, w->runs);
}

/* Computes the live-ins of the selected statements, and the registers that they define. */
static void
find_values(const Expansion_walk *w, Bits in, Bits defined)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->runs) {
		uint32_t s = fn->f->stmt + i;
		FN_DEFS_OF_STMT(fn, s, d)
			bits_set(defined, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, s, u)
			FN_REACH(fn, u, d)
				if (!def_is_in_loop(w, d))
					bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* ---- legality -------------------------------------------------------------------------------- */

static Verdict
not_counted(const Plan *x, const Trip_count *t)
{
	Verdict v = verdict(x->arena, D_LOOP, fn_stmt(x->fn, t->at)->at.pos, "%s", t->wrong);

	return t->advice ? verdict_note(v, x->arena, DIAG_NOWHERE, "%s", t->advice) : v;
}

/* Adds to a refusal of a register what to write instead, if the loop keeps the best value so far in
 * it; otherwise the note that is given. */
static Verdict
note_extreme(const Expansion_walk *w, Verdict v, uint32_t sym, Verdict otherwise)
{
	Extreme e = reduction_extreme(w->x->fn, w->t->loop, sym);

	if (!e.compare)
		return verdict_note(v, w->x->arena, otherwise.pos, "%s", otherwise.text);
	return verdict_note(v, w->x->arena, DIAG_NOWHERE, "%s", reduction_advice(&e));
}

/* Refuses registers that are carried between iterations and are neither induction variables nor
 * reductions. */
static Verdict
find_loop_carried(const Expansion_walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t header = fn->loops->loops[w->t->loop].header;

	BITS_EACH(i, fn->live->in[header]) {
		uint32_t sym = fn_sym(fn, i);
		if (!fn_is_reg(fn, sym) || trip_count_induction(w->t, sym) != UINT32_MAX ||
			register_is_folded(w, i))
			continue;
		FN_DEFS_OF_SYM(fn, sym, d)
			if (def_is_in_loop(w, d) && !def_is_reload(w, d))
				return note_extreme(w,
					verdict(w->x->arena, D_CARRIED,
						fn_stmt(fn, fn_def(fn, d)->stmt)->at.pos,
						"%s is carried from one of its iterations to the next",
						describe_value(w->x, sym, fn_def(fn, d)->stmt)),
					sym,
					verdict(w->x->arena, D_CARRIED, DIAG_NOWHERE,
						"its iterations run at the same time: let them update memory with atomic operations instead"));
	}
	return VERDICT_YES;
}

/* Handles a definition in the loop that is live after it: its value must follow from the trip
 * count, or it must be a reduction. */
static Verdict
check_live_out(const Expansion_walk *w, Lane_loop *r, uint32_t def, bool once)
{
	const Fn *fn = w->x->fn;
	Task *t = &w->k->task;
	Trip_value value;
	Verdict v;

	if (once && trip_count_value(w->t, def, &value)) {
		r->live_outs[r->nlive_outs++] = def;
		return VERDICT_YES;
	}
	v = reduction_find(w->x, w->k, fn_def(fn, def)->sym, &t->reductions[t->nreductions]);
	if (!verdict_is_no(v)) {
		t->nreductions++;
		return VERDICT_YES;
	}
	Verdict flows = verdict(w->x->arena, D_LIVE_OUT,
		fn_stmt(fn, fn_def(fn, def)->stmt)->at.pos,
		"%s is computed in it and used after it",
		describe_value(w->x, fn_def(fn, def)->sym, fn_def(fn, def)->stmt));
	flows.reorders = v.reorders;
	return note_extreme(w, flows, fn_def(fn, def)->sym,
		verdict(w->x->arena, D_LIVE_OUT, v.pos, "no reduction: %s", v.text));
}

static Verdict
find_live_outs(const Expansion_walk *w, Lane_loop *r)
{
	const Fn *fn = w->x->fn;
	Verdict v = VERDICT_YES;

	r->live_outs = arena_array(w->x->arena, fn->f->nsym + 1, sizeof *r->live_outs);
	for (int inductions = 0; inductions < 2; inductions++)
		BITS_EACH(i, fn->live->in[w->t->exit_block]) {
			uint32_t sym = fn_sym(fn, i), inside = 0, def = 0;
			if (verdict_is_no(v) || !fn_is_reg(fn, sym) ||
				(trip_count_induction(w->t, sym) != UINT32_MAX) != inductions)
				continue;
			Reaching reach = defuse_reaching(fn, w->t->exit_block, sym);
			for (uint32_t k = 0; k < reach.n; k++)
				if (def_is_in_loop(w, reach.at[k]) &&
					!def_is_reload(w, reach.at[k])) {
					inside++;
					def = reach.at[k];
				}
			if (inside)
				v = check_live_out(w, r, def, inside == 1);
		}
	return v;
}

/* Checks that code before a test at the top only computes. That code executes once more than the
 * trip count, and helpers omit that last execution. The same holds for reductions there, as in a
 * loop with its test in the middle. */
static Verdict
top_is_pure(const Expansion_walk *w)
{
	const Fn *fn = w->x->fn;

	if (!w->t->top)
		return VERDICT_YES;
	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (trip_count_test_is_at_top(w->t, b) &&
				fn_stmt(fn, s)->kind == STMT_INSN &&
				s != cfg_terminator(fn->cfg, b) &&
				!trip_count_is_reload(w->t, s) &&
				((stmt_folds(w, s) && ptx_op(fn->m, fn_stmt(fn, s)) != OP_MOV) ||
					!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE)))
				return verdict_note(
					verdict(w->x->arena, D_LOOP, fn_stmt(fn, s)->at.pos,
						"it does more than compare before its test"),
					w->x->arena, DIAG_NOWHERE, "let the bound be a variable");
	return VERDICT_YES;
}

/* Checks that shuffles can transfer all live-ins. */
static Verdict
check_slots_fit(const Plan *x, const Task_region *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].size > 8)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s has more than 64 bits and is live into it",
				describe_value(x, k->task.slots[i].sym, 0));
	return VERDICT_YES;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* Returns the number of instructions that helpers execute for an iteration. */
static uint32_t
count_insns(const Expansion_walk *w)
{
	uint32_t n = 0;

	BITS_EACH(i, w->runs)
		n += w->x->fn->m->stmts[w->x->fn->f->stmt + i].kind == STMT_INSN;
	return n;
}

/* Whether iterations only read memory and compute. */
static bool
loop_is_read_only(const Expansion_walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->runs)
		if (fn_effects(fn, fn->f->stmt + i) & (EFF_WRITE | EFF_SPIN))
			return false;
	return true;
}

/* Whether the common code can bypass the inner loop by a branch other than the test for its
 * first iteration. Some lanes are then expected to have no row. */
static bool
loop_is_conditional(const Plan *x, const Task_region *k)
{
	const Fn *fn = x->fn;
	uint32_t asked = k->lane_loop->trips->top;

	for (uint32_t b = fn->dom->idom[k->path->entry]; loop_contains(fn->loops, x->site->loop, b);
		b = fn->dom->idom[b])
		asked += fn->cfg->blocks[b].nsucc > 1;
	return asked > 1;
}

/* One iteration on all lanes costs the path; a distributed one costs the path and its share of the
 * exchange. */
static uint32_t
imbalance_limit(const Task_region *k)
{
	uint64_t path = k->path->cost, w = 16 * (path + expansion_overhead(k)) / (path ? path : 1);

	return w < 64 ? (uint32_t)w : 64;
}

/* Returns the unroll factor of a row that stays with its owner: nvcc's factor, if the annotation
 * kept nvcc from unrolling the loop. 1 if the loop branches: its loads would not overlap. */
static uint32_t
owner_unroll_factor(const Expansion_walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t n = 0;
	bool rolled = false, branches = false;

	BITS_EACH(b, w->blocks) {
		branches |= b != w->t->last && fn->cfg->blocks[b].nsucc != 1;
		FN_BLOCK_STMTS(fn, b, s) {
			n += fn_stmt(fn, s)->kind == STMT_INSN;
			rolled |= unroll_pragma_forbids(fn->m, fn_stmt(fn, s));
		}
	}
	return w->t->top || branches || !rolled || n > TWOFOLD ? 1 : n > FOURFOLD ? 2 : 4;
}

Verdict
plan_lane_loop(Plan *x, Task_region *k, bool chooses)
{
	const Fn *fn = x->fn;
	Lane_loop *r = arena_zalloc(x->arena, sizeof *r);
	Expansion_walk w = { .x = x,
		.k = k,
		.t = r->trips = trip_count_analyse(fn, k->path->loop, x->arena),
		.blocks = k->path->blocks,
		.runs = bits_new(x->arena, fn->f->nstmt) };
	Bits in = bits_new(x->scratch, fn->f->nsym), defined = bits_new(x->scratch, fn->f->nsym);
	bool heavy;
	Verdict v;

	k->lane_loop = r;
	r->most_uneven = chooses ? imbalance_limit(k) : 0;
	task_begin(x, k, fn->f->nsym, fn->f->nsym);
	if (r->trips->wrong && !r->trips->nreloads)
		return not_counted(x, r->trips);
	if (verdict_is_no(v = plan_check_reloads(x, r->trips)) ||
		verdict_is_no(v = find_live_outs(&w, r)) ||
		verdict_is_no(v = find_loop_carried(&w)) || verdict_is_no(v = top_is_pure(&w)))
		return v;
	find_executed_stmts(&w);
	r->executed = w.runs;
	find_values(&w, in, defined);
	v = task_make_values(x, k, in, defined);
	r->stepped = task_stepped_values(x, k, r->trips, in);
	heavy = k->path->cost > HEAVY * expansion_overhead(k);
	r->packs = heavy && r->trips->bytes == 4;
	r->unroll = !heavy && count_insns(&w) <= SHORT ? LAPS : 1;
	r->owner_unroll = chooses ? owner_unroll_factor(&w) : 1;
	r->read_only = loop_is_read_only(&w);
	r->conditional = loop_is_conditional(x, k);
	return verdict_is_no(v) ? v : check_slots_fit(x, k);
}

/* Reports other annotated inner loops and paths, which remain unchanged. */
static void
hint_unused_annotations(Plan *x, const Region *inner)
{
	for (uint32_t i = 1; i < x->site->ninner_loops; i++) {
		const Marker *k = &x->fn->m->markers[x->site->inner_loops[i]->marker];
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"loop left unchanged: the loop around it has a costlier one, and this version expands one");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (bits_has(x->site->paths[i]->blocks, inner->entry))
			continue;
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"path left unchanged: a loop beside it is expanded, and this version does one or the other");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
}

Verdict
expand_plan(Plan *x, const Shared_budget *budget)
{
	Task_region *k = x->regions = arena_zalloc(x->arena, sizeof *x->regions);
	const Region *inner = x->site->inner_loops[0];
	Verdict v;

	(void)budget;
	k->policy = x->policy;
	x->nregions = 1;
	k->path = inner_loop_region(x, inner);
	k->blocks = k->task_blocks = k->path->blocks;
	if (verdict_is_no(v = plan_check_target(x)))
		return v;
	if (x->fn->loops->loops[inner->loop].parent != x->site->loop)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"it is not in the same loop as the annotated paths");
	if (verdict_is_no(v = plan_lane_loop(x, k, x->request.n != 0)) ||
		verdict_is_no(v = plan_check_legal(x, k)) ||
		verdict_is_no(v = plan_check_exit_in_time(x)))
		return v;
	plan_warn_spin_loops(x);
	x->tasks.frame.threads = MAX_BLOCK;
	x->cost = (Cost){ .common = cost_blocks(x->fn, x->common.blocks, x->site->entry),
		.path = k->path->cost,
		.collecting = expansion_overhead(k) };
	hint_unused_annotations(x, inner);
	return VERDICT_YES;
}
