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
 * row together; short rows are laid end to end. If an iteration costs much more than that, so is
 * the rest of a long row that does not fill a warp (`rests`).
 *
 *   needs:    cfg dom loop live defuse uniform effects local region trips
 *   refuses:  inner loops that are not counted (trip_count.h), that carry a value between
 *             iterations other than induction variables and reductions, or that have other
 *             live-outs; what legal.c and motion_legality.c refuse for code that another lane
 *             executes
 *   correct:  docs/proofs/expand.md, invariants X1 to X13; lines of expand.tpl and rows.tpl
 *             cite them
 *   cost:     a round: 6 instructions, with rows about 30, and 30 for each 32 iterations of
 *             short rows, 4 of long ones, and a shuffle for each word of a row's values;
 *             registers: 16 and those values twice
 *   before / after: docs/transformation.md */
#include "analysis/cost/static_cost.h"
#include "analysis/dataflow/slice.h"
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

/* ---- code of helpers ------------------------------------------------------------------------- */

typedef struct {
	Plan *x;
	Part *k;
	const Trips *t;
	Bits blocks, runs;      /* runs: statements, by fn_local_stmt */
} Walk;

static bool
in_rows(const Walk *w, uint32_t def)
{
	uint32_t s = fn_def(w->x->fn, def)->stmt;

	return s && bits_has(w->blocks, fn_block(w->x->fn, s));
}

/* Whether the use reads an induction variable's value at the start of the iteration, which is
 * computed for each iteration. */
static bool
is_set_up(const Walk *w, uint32_t use)
{
	uint32_t inside = 0;

	if (trips_induction(w->t, fn_use(w->x->fn, use)->sym) == UINT32_MAX)
		return false;
	FN_REACH(w->x->fn, use, d)
		inside += in_rows(w, d);
	return inside < fn_use(w->x->fn, use)->ndef;
}

static bool
is_folded(const Walk *w, uint32_t local)
{
	const Task *t = &w->k->task;

	for (uint32_t i = 0; i < t->nsums; i++)
		if (bits_has(t->sums[i].web, local))
			return true;
	return false;
}

static Slice_step
is_run(void *user, const Slice_edge *e)
{
	const Walk *w = user;

	return in_rows(w, e->def) && !is_set_up(w, e->use) ? SLICE_TAKE : SLICE_HAVE;
}

/* Whether the statement updates or moves a reduction. */
static bool
folds(const Walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_STMT(fn, stmt, d)
		if (is_folded(w, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Whether helpers need the statement independently of its readers. */
static bool
matters(const Walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	return folds(w, stmt) ||
		(stmt != cfg_terminator(fn->cfg, w->t->last) &&
			(fn_stmt(fn, stmt)->kind != STMT_INSN ||
				!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_PURE)));
}

/* Selects the statements that helpers execute: effects, branches except the loop's exit,
 * reductions, and everything these read. */
static void
find_runs(Walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (matters(w, s))
				bits_set(w->runs, fn_local_stmt(fn, s));
	slice_close(fn, is_run, w, w->runs);
}

/* Computes the live-ins of the selected statements, and the registers that they define. */
static void
find_values(const Walk *w, Bits in, Bits defined)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->runs) {
		uint32_t s = fn->f->stmt + i;
		FN_DEFS_OF_STMT(fn, s, d)
			bits_set(defined, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, s, u)
			FN_REACH(fn, u, d)
				if (!in_rows(w, d))
					bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* ---- legality -------------------------------------------------------------------------------- */

static Verdict
not_counted(const Plan *x, const Trips *t)
{
	Verdict v = verdict(x->arena, D_LOOP, fn_stmt(x->fn, t->at)->at.pos, "%s", t->wrong);

	return t->advice ? verdict_note(v, x->arena, DIAG_NOWHERE, "%s", t->advice) : v;
}

/* Refuses registers that are carried between iterations and are neither induction variables nor
 * reductions. */
static Verdict
carries(const Walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t header = fn->loops->loops[w->t->loop].header;

	BITS_EACH(i, fn->live->in[header]) {
		uint32_t sym = fn_sym(fn, i);
		if (!fn_is_reg(fn, sym) || trips_induction(w->t, sym) != UINT32_MAX ||
			is_folded(w, i))
			continue;
		FN_DEFS_OF_SYM(fn, sym, d)
			if (in_rows(w, d))
				return verdict_note(
					verdict(w->x->arena, D_CARRIED,
						fn_stmt(fn, fn_def(fn, d)->stmt)->at.pos,
						"%s is carried from one of its iterations to the next",
						plan_value(w->x, sym, fn_def(fn, d)->stmt)),
					w->x->arena, DIAG_NOWHERE,
					"its iterations run at the same time: let them update memory with atomic operations instead");
	}
	return VERDICT_YES;
}

/* Handles a definition in the loop that is live after it: its value must follow from the trip
 * count, or it must be a reduction. */
static Verdict
flows_out(const Walk *w, Rounds *r, uint32_t def, bool once)
{
	const Fn *fn = w->x->fn;
	Task *t = &w->k->task;
	Trips_value value;
	Verdict v;

	if (once && trips_value(w->t, def, &value)) {
		r->ends[r->nends++] = def;
		return VERDICT_YES;
	}
	v = reduction_find(w->x, w->k, fn_def(fn, def)->sym, &t->sums[t->nsums]);
	if (!verdict_no(v)) {
		t->nsums++;
		return VERDICT_YES;
	}
	Verdict flows = verdict(w->x->arena, D_LIVE_OUT,
		fn_stmt(fn, fn_def(fn, def)->stmt)->at.pos,
		"%s is computed in it and used after it",
		plan_value(w->x, fn_def(fn, def)->sym, fn_def(fn, def)->stmt));
	flows.reorders = v.reorders;
	return verdict_note(flows, w->x->arena, v.pos, "no reduction: %s", v.text);
}

static Verdict
find_ends(const Walk *w, Rounds *r)
{
	const Fn *fn = w->x->fn;
	Verdict v = VERDICT_YES;

	r->ends = arena_array(w->x->arena, fn->f->nsym + 1, sizeof *r->ends);
	for (int inductions = 0; inductions < 2; inductions++)
		BITS_EACH(i, fn->live->in[w->t->behind]) {
			uint32_t sym = fn_sym(fn, i), inside = 0, def = 0;
			if (verdict_no(v) || !fn_is_reg(fn, sym) ||
				(trips_induction(w->t, sym) != UINT32_MAX) != inductions)
				continue;
			Reaching reach = defuse_reaching(fn, w->t->behind, sym);
			for (uint32_t k = 0; k < reach.n; k++)
				if (in_rows(w, reach.at[k])) {
					inside++;
					def = reach.at[k];
				}
			if (inside)
				v = flows_out(w, r, def, inside == 1);
		}
	return v;
}

/* Checks that code before a test at the top only computes. That code executes once more than the
 * trip count, and helpers omit that last execution. The same holds for reductions there, as in a
 * loop with its test in the middle. */
static Verdict
top_is_pure(const Walk *w)
{
	const Fn *fn = w->x->fn;

	if (!w->t->top)
		return VERDICT_YES;
	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (trips_is_top(w->t, b) && fn_stmt(fn, s)->kind == STMT_INSN &&
				s != cfg_terminator(fn->cfg, b) &&
				((folds(w, s) && ptx_op(fn->m, fn_stmt(fn, s)) != OP_MOV) ||
					!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE)))
				return verdict_note(
					verdict(w->x->arena, D_LOOP, fn_stmt(fn, s)->at.pos,
						"it does more than compare before its test"),
					w->x->arena, DIAG_NOWHERE, "let the bound be a variable");
	return VERDICT_YES;
}

/* Checks that shuffles can transfer all live-ins. */
static Verdict
slots_fit(const Plan *x, const Part *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].size > 8)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s has more than 64 bits and is live into it",
				plan_value(x, k->task.slots[i].sym, 0));
	return VERDICT_YES;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* Returns the number of instructions that helpers execute for an iteration. */
static uint32_t
instructions(const Walk *w)
{
	uint32_t n = 0;

	BITS_EACH(i, w->runs)
		n += w->x->fn->m->stmts[w->x->fn->f->stmt + i].kind == STMT_INSN;
	return n;
}

/* Whether iterations only read memory and compute. */
static bool
is_quiet(const Walk *w)
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
is_sparse(const Plan *x, const Part *k)
{
	const Fn *fn = x->fn;
	uint32_t asked = k->rounds->trips->top;

	for (uint32_t b = fn->dom->idom[k->path->entry]; loop_contains(fn->loops, x->site->loop, b);
		b = fn->dom->idom[b])
		asked += fn->cfg->blocks[b].nsucc > 1;
	return asked > 1;
}

Verdict
plan_expand(Plan *x, Part *k, bool chooses)
{
	const Fn *fn = x->fn;
	Rounds *r = arena_zalloc(x->arena, sizeof *r);
	Walk w = { .x = x, .k = k, .t = r->trips = trips_find(fn, k->path->loop, x->arena),
		.blocks = k->path->blocks, .runs = bits_new(x->arena, fn->f->nstmt) };
	Bits in = bits_new(x->scratch, fn->f->nsym), defined = bits_new(x->scratch, fn->f->nsym);
	bool heavy;
	Verdict v;

	k->rounds = r;
	r->chooses = chooses;
	task_begin(x, k, fn->f->nsym, fn->f->nsym);
	if (r->trips->wrong)
		return not_counted(x, r->trips);
	if (verdict_no(v = find_ends(&w, r)) || verdict_no(v = carries(&w)) ||
		verdict_no(v = top_is_pure(&w)))
		return v;
	find_runs(&w);
	r->runs = w.runs;
	find_values(&w, in, defined);
	v = task_values(x, k, in, defined);
	r->along = task_along(x, k, r->trips, in);
	heavy = k->path->cost > HEAVY * rows_collecting(k);
	r->rests = heavy && r->trips->bytes == 4;
	r->laps = !heavy && instructions(&w) <= SHORT ? LAPS : 1;
	r->quiet = is_quiet(&w);
	r->sparse = is_sparse(x, k);
	return verdict_no(v) ? v : slots_fit(x, k);
}

/* Reports other annotated inner loops and paths, which remain unchanged. */
static void
hint_others(Plan *x, const Region *rounds)
{
	for (uint32_t i = 1; i < x->site->nrounds; i++) {
		const Marker *k = &x->fn->m->markers[x->site->rounds[i]->marker];
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"loop left unchanged: the loop around it has a costlier one, and this version expands one");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (bits_has(x->site->paths[i]->blocks, rounds->entry))
			continue;
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"path left unchanged: a loop beside it is expanded, and this version does one or the other");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
}

Verdict
expand_plan(Plan *x, const Room *room)
{
	Part *k = x->parts = arena_zalloc(x->arena, sizeof *x->parts);
	const Region *rounds = x->site->rounds[0];
	Verdict v;

	(void)room;
	k->policy = x->policy;
	x->nparts = 1;
	k->path = plan_rounds(x, rounds);
	k->blocks = k->span = k->path->blocks;
	if (verdict_no(v = plan_target(x)))
		return v;
	if (x->fn->loops->loops[rounds->loop].parent != x->site->loop)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"it is not in the same loop as the annotated paths");
	if (verdict_no(v = plan_expand(x, k, x->asked.n != 0)) ||
		verdict_no(v = plan_legal(x, k)) || verdict_no(v = plan_ends(x)))
		return v;
	plan_spins(x);
	x->frame.threads = MAX_BLOCK;
	x->cost = (Cost){ .own = cost_blocks(x->fn, x->own, x->site->entry), .path = k->path->cost,
		.collecting = rows_collecting(k) };
	hint_others(x, rounds);
	return VERDICT_YES;
}
