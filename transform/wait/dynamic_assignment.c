/* SPDX-License-Identifier: MIT */
/* Work assignment (`#pragma ccc assign`; Kato, Suda, Tamada: Optimization Techniques for
 * Reducing Branch Divergence on GPUs, dynamic work assignment). The iterations of all lanes of M
 * form a pool. A lane that has finished its iteration draws the next one, so lanes with short
 * iterations execute those of lanes with long ones.
 *
 * Each lane remains the owner of its iterations. Its registers hold the next iteration that was
 * not drawn yet, as at the loop's header in the original. The lane that draws it reads the
 * live-in values by shuffles, and executes the iteration on a second set of registers. The owner
 * then computes its next iteration by the *advance*: the statements that compute the loop's test
 * and its live-ins. In the end the owner's registers hold the live-outs of the original loop.
 *
 * The advance must be executable by itself: pure, executed once in each iteration, and computed
 * from nothing but itself. All values that are carried between iterations or are live out of the
 * loop must belong to it. The test at the end of an iteration must be the loop's only exit
 * (docs/proofs/wait.md, W8 to W11; validate/draws/ checks the text, W24). */
#include <stdlib.h>
#include "analysis/cost/static_cost.h"
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/task/task.h"
#include "transform/wait/wait.h"

typedef struct {
	Plan *x;
	Iteration_pool *p;
	Bits blocks;            /* the loop's blocks */
	Bits advance;           /* statements of the advance, by fn_local_stmt */
	Stmts list;
} Advance_walk;

static bool
stmt_is_in_loop(const Advance_walk *w, uint32_t stmt)
{
	return stmt && bits_has(w->blocks, fn_block(w->x->fn, stmt));
}

static bool
stmt_advances(const Advance_walk *w, uint32_t stmt)
{
	return stmt && bits_has(w->advance, fn_local_stmt(w->x->fn, stmt));
}

/* ---- test ------------------------------------------------------------------------------------ */

static Verdict
block_branches(const Plan *x, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t t = cfg_terminator(g, b), at = t ? t : g->blocks[b].stmt;
	Verdict v = verdict(x->arena, D_LOOP, fn_stmt(x->fn, at)->at.pos,
		"it has exits other than the test at the end of its iterations");

	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"its iterations are assigned to lanes: none may end the loop, by 'break' or 'return'");
}

/* Finds the block with the only exit edge of the loop. */
static Verdict
find_last(const Advance_walk *w)
{
	const Plan *x = w->x;
	Iteration_pool *p = w->p;

	BITS_EACH(b, w->blocks)
		FN_SUCC(x->fn, b, s) {
			uint32_t t = cfg_terminator(x->fn->cfg, b);
			if ((s && bits_has(w->blocks, s)) ||
				(!s && ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_TRAP))
				continue;
			if (!s || p->test_block || ptx_op(x->fn->m, fn_stmt(x->fn, t)) != OP_BRA)
				return block_branches(x, b);
			p->test_block = b;
			p->test = t;
			p->exit_block = s;
		}
	if (p->test_block)
		return VERDICT_YES;
	return verdict(x->arena, D_LOOP, fn_stmt(x->fn, plan_marker(x)->stmt)->at.pos,
		"it has no exit");
}

/* Checks that the test ends the iteration: only the back edge follows it. */
static Verdict
test_is_last(const Advance_walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t header = plan_header(w->x), to = 0, taken = 0;

	FN_SUCC(fn, w->p->test_block, s)
		if (bits_has(w->blocks, s))
			to = s;
	taken = to;
	to = region_first_nonempty(fn, w->x->site->loop, to);
	FN_PRED(fn, header, b)
		if (bits_has(w->blocks, b) && !dom_dominates(fn->dom, w->p->test_block, b))
			to = 0;
	if (to != header)
		return verdict_note(
			verdict(w->x->arena, D_LOOP, fn_stmt(fn, w->p->test)->at.pos,
				"its test is not at the end of the iteration"),
			w->x->arena, DIAG_NOWHERE,
			"the compiler moves a simple test, such as 'i < n', there");
	bool falls = taken == w->p->test_block + 1;
	w->p->loops_if_true = (fn_stmt(fn, w->p->test)->guard == 1) != falls;
	return VERDICT_YES;
}

/* ---- advance --------------------------------------------------------------------------------- */

/* Whether every iteration executes the statement exactly once. */
static bool
stmt_executes_once(const Advance_walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;
	uint32_t b = fn_block(fn, stmt);

	return fn->loops->loop_of[b] == w->x->site->loop &&
		dom_dominates(fn->dom, b, w->p->test_block);
}

/* Whether the definition can be part of the advance. */
static bool
def_can_advance(const Advance_walk *w, uint32_t def)
{
	const Fn *fn = w->x->fn;
	const Def *d = fn_def(fn, def);

	return !d->crowded && stmt_executes_once(w, d->stmt) &&
		(slice_def_is_pure(w->x, def) ||
			(slice_is_param_load(fn, d->stmt) &&
				!slice_register_is_declared_inside(w->x, d->sym)));
}

static Slice_step
edge_is_in_advance(void *user, const Slice_edge *e)
{
	const Advance_walk *w = user;
	const Def *d = fn_def(e->fn, e->def);

	if (!stmt_is_in_loop(w, d->stmt))
		return SLICE_HAVE;
	return def_can_advance(w, e->def) ? SLICE_ACCEPT : SLICE_NO;
}

/* Adds the backward slice of the statement. */
static bool
add_to_advance(Advance_walk *w, uint32_t stmt)
{
	uint32_t before = w->list.n;

	if (stmt_advances(w, stmt))
		return true;
	if (!slice_back(w->x->fn, stmt, edge_is_in_advance, w, &w->list) || w->list.n > SLICE_MAX)
		return false;
	for (uint32_t i = before; i < w->list.n; i++)
		bits_set(w->advance, fn_local_stmt(w->x->fn, w->list.at[i]));
	return true;
}

static bool
add_def_to_advance(Advance_walk *w, uint32_t def)
{
	return def_can_advance(w, def) && add_to_advance(w, fn_def(w->x->fn, def)->stmt);
}

static Verdict
refuse_dependence(const Advance_walk *w, uint32_t def, const char *where, const char *advice)
{
	const Fn *fn = w->x->fn;
	const Def *d = fn_def(fn, def);

	return verdict_note(
		verdict(w->x->arena, D_CARRIED, fn_stmt(fn, d->stmt)->at.pos, "%s %s",
			describe_value(w->x, d->sym, d->stmt), where),
		w->x->arena, DIAG_NOWHERE, "%s", advice);
}

/* Adds the values that the loop defines and that are live at the start of block `to`. */
static Verdict
add_live_ins(Advance_walk *w, uint32_t to, const char *where, const char *advice)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, fn->live->in[to]) {
		uint32_t sym = fn_sym(fn, i);
		if (!fn_is_reg(fn, sym))
			continue;
		FN_DEFS_OF_SYM(fn, sym, d) {
			if (!stmt_is_in_loop(w, fn_def(fn, d)->stmt))
				continue;
			Reaching r = defuse_reaching(fn, to, sym);
			uint32_t k = 0;
			while (k < r.n && r.at[k] != d)
				k++;
			if (k < r.n && !add_def_to_advance(w, d))
				return refuse_dependence(w, d, where, advice);
		}
	}
	return VERDICT_YES;
}

static int
by_place(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts the statements in execution order; their blocks dominate each other. */
static void
sort_advance(Advance_walk *w)
{
	const Fn *fn = w->x->fn;
	uint64_t *keys = arena_array(w->x->scratch, w->list.n + 1, sizeof *keys);
	Iteration_pool *p = w->p;

	p->advance = arena_array(w->x->arena, w->list.n + 1, sizeof *p->advance);
	for (uint32_t i = 0; i < w->list.n; i++)
		keys[i] = (uint64_t)fn->cfg->rpo_index[fn_block(fn, w->list.at[i])] << 32 |
			w->list.at[i];
	qsort(keys, w->list.n, sizeof *keys, by_place);
	for (uint32_t i = 0; i < w->list.n; i++)
		if ((uint32_t)keys[i] != p->test)
			p->advance[p->nadvance++] = (uint32_t)keys[i];
}

static Verdict
find_advance(Advance_walk *w)
{
	const Fn *fn = w->x->fn;
	Verdict v;

	if (!add_to_advance(w, w->p->test))
		return verdict_note(
			verdict(w->x->arena, D_LOOP, fn_stmt(fn, w->p->test)->at.pos,
				"its trip count depends on what its iterations do"),
			w->x->arena, DIAG_NOWHERE,
			"its iterations are assigned to lanes: their number must not depend on them");
	if (verdict_is_no(v = add_live_ins(w, plan_header(w->x),
			       "is carried from one iteration to the next, and is not an induction variable",
			       "its iterations are assigned to lanes: let them update memory with atomic operations instead")))
		return v;
	v = add_live_ins(w, w->p->exit_block, "is computed in it and used behind it",
		"its iterations are assigned to other lanes than before: let them update memory with atomic operations instead");
	if (!verdict_is_no(v))
		sort_advance(w);
	return v;
}

/* ---- code that the drawing lane executes ----------------------------------------------------- */

/* Whether a definition outside of the loop reaches the use. The value is then a live-in of the
 * iteration. */
static bool
use_is_initialised(const Advance_walk *w, uint32_t use)
{
	FN_REACH(w->x->fn, use, d)
		if (!stmt_is_in_loop(w, fn_def(w->x->fn, d)->stmt))
			return true;
	return false;
}

static Slice_step
edge_is_executed(void *user, const Slice_edge *e)
{
	const Advance_walk *w = user;
	uint32_t from = fn_def(e->fn, e->def)->stmt;

	return stmt_is_in_loop(w, from) &&
			!(stmt_advances(w, from) && use_is_initialised(w, e->use)) ?
		SLICE_ACCEPT :
		SLICE_HAVE;
}

/* Selects the statements of the loop, except those that only the advance needs. */
static void
find_executed_stmts(Advance_walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (s != w->p->test && !stmt_advances(w, s))
				bits_set(w->p->executed, fn_local_stmt(fn, s));
	slice_close(fn, edge_is_executed, w, w->p->executed);
}

static void
find_values(const Advance_walk *w, Bits in, Bits defined)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->p->executed) {
		uint32_t s = fn->f->stmt + i;
		FN_DEFS_OF_STMT(fn, s, d)
			bits_set(defined, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, s, u)
			if (use_is_initialised(w, u))
				bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* Checks that shuffles can transfer all live-ins. */
static Verdict
check_slots_fit(const Plan *x, const Task_region *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].size > 8)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s has more than 64 bits and is live into its iterations",
				describe_value(x, k->task.slots[i].sym, 0));
	return VERDICT_YES;
}

/* ---- when lanes vote and draw ---------------------------------------------------------------- */

enum { A_DRAW = 30, A_WORD = 3, AN_ASKING = 4, MOST_PATIENCE = WARP };
enum { A_MEETING = 20, AN_INNER_LOOP = 8000, MOST_STEPS = 8 };

static const Loop *
pool_inner_loop(const Plan *x)
{
	return &x->fn->loops->loops[wait_inner_loop(x)];
}

static double
inner_iteration_cost(const Plan *x)
{
	const Loop *inner = pool_inner_loop(x);

	return run_cost_of_blocks(x->fn, inner->blocks, inner->header).issue + 1;
}

/* Returns the trip count of the inner loop per lane that reaches it. If it is unknown, assumes a
 * fixed cost of the whole loop. */
static double
inner_trip_count(const Plan *x)
{
	const Region *r = x->site->inner_loops[0];
	const Execution_counts *f = pass_frequency(x->opt, x->fn, r);

	if (f && f->lanes)
		return (double)f->trips / (double)f->lanes;
	return pool_inner_loop(x)->trips ? pool_inner_loop(x)->trips :
					   AN_INNER_LOOP / inner_iteration_cost(x);
}

/* Returns the number of inner iterations between votes. A vote takes m issue slots, an iteration
 * c. A lane whose inner loop of t iterations has ended idles for (n - 1) / 2 iterations on
 * average before the next vote. So each iteration loses m / n + c (n - 1) / 2t, which is minimal
 * at n = sqrt(2tm / c). */
uint32_t
wait_inner_steps(const Plan *x)
{
	double squared = 2 * inner_trip_count(x) * A_MEETING / inner_iteration_cost(x);
	uint32_t n = 1;

	while (n < MOST_STEPS && 2.0 * n * n < squared) /* round to a power of two */
		n *= 2;
	return n;
}

/* Returns the delay of draws. A draw, with the code before and after the inner loop, takes d
 * issue slots, independently of the number of lanes that need it. A round of n inner iterations
 * takes c; each idle lane loses its share of it, and all lanes lose the test of the counter.
 * Drawing when this loss reaches d / 2 is close to the minimal loss, independently of how often
 * inner loops end. */
Draw_threshold
wait_draw_threshold(const Plan *x)
{
	if (x->policy != POLICY_FLATTEN)
		return (Draw_threshold){ 0 };
	const Fn *fn = x->fn;
	const Loop *outer = &fn->loops->loops[x->site->loop], *inner = pool_inner_loop(x);
	Bits own = bits_new(x->arena, fn->cfg->nblocks);
	bits_copy(own, outer->blocks);
	bits_and_not(own, inner->blocks);
	double c = x->wait->n * inner_iteration_cost(x),
	       d = A_DRAW + A_WORD * x->wait->pool->region->task.nslots +
		run_cost_of_blocks(fn, own, outer->header).issue;

	double start = WARP * d / c / 2;
	return (Draw_threshold){ .start = start < MOST_PATIENCE ? (uint32_t)start : MOST_PATIENCE,
		.round = WARP + (uint32_t)(WARP * AN_ASKING / c) };
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Returns the loop itself as a task region. It is not one of the plan's regions, because
 * nothing is cut out. */
static Task_region *
make_loop_region(const Plan *x)
{
	Task_region *k = arena_zalloc(x->arena, sizeof *k);
	Region *r = arena_zalloc(x->arena, sizeof *r);

	*r = (Region){ .kind = REGION_INNER_LOOP,
		.marker = x->site->marker,
		.loop = x->site->loop,
		.entry = plan_header(x),
		.blocks = x->fn->loops->loops[x->site->loop].blocks };
	k->path = r;
	k->task_blocks = k->blocks = r->blocks;
	k->policy = x->policy;
	return k;
}

Verdict
plan_iteration_pool(Plan *x, const Shared_budget *budget)
{
	const Fn *fn = x->fn;
	Iteration_pool *p = arena_zalloc(x->arena, sizeof *p);
	Advance_walk w = { .x = x, .p = p, .blocks = fn->loops->loops[x->site->loop].blocks,
		.advance = bits_new(x->scratch, fn->f->nstmt) };
	Bits in = bits_new(x->scratch, fn->f->nsym), defined = bits_new(x->scratch, fn->f->nsym);
	Verdict v;

	x->wait->pool = p;
	x->regions = p->region = make_loop_region(x);
	p->executed = bits_new(x->arena, fn->f->nstmt);
	if (verdict_is_no(v = find_last(&w)) || verdict_is_no(v = test_is_last(&w)) ||
		verdict_is_no(v = find_advance(&w)) ||
		verdict_is_no(v = blocks_check_legal(x, w.blocks, &p->region->scratch))) {
		vec_free(&w.list);
		return v;
	}
	vec_free(&w.list);
	find_executed_stmts(&w);
	find_values(&w, in, defined);
	if (x->clauses.of_block && verdict_is_no(v = plan_block_counts(x, p, in, defined)))
		return v;
	task_begin(x, p->region, fn->f->nsym, fn->f->nsym);
	v = task_make_values(x, p->region, in, defined);
	if (verdict_is_no(v))
		return v;
	return x->clauses.of_block ? plan_block_memory(x, p, budget) :
				     check_slots_fit(x, p->region);
}
