/* SPDX-License-Identifier: MIT */
/* Work assignment (`#pragma ccc assign`; Kato, Suda, Tamada: Optimization Techniques for Reducing
 * Branch Divergence on GPUs, dynamic work assignment). The iterations of all lanes of M are one
 * sequence, from which a lane takes the next one as soon as it has done with its own. So a lane
 * whose iterations are short runs those of lanes whose are long.
 *
 * Each lane stays the *owner* of its part of the sequence: its registers hold the next iteration
 * that nobody has taken, as they would where the loop begins it. Whoever takes it gets what the
 * iteration reads by shuffles, and runs it on registers of its own; the owner goes on to its next
 * one by what the loop computes for that alone, the *advance*, which ends with the loop's test. In
 * the end the owner's registers hold what they would behind its loop.
 *
 * So the advance must be a part of the loop that can be run by itself: pure, once in each
 * iteration, and from nothing but itself; all that goes from one iteration to the next, or is used
 * behind the loop, must come from it. And the test behind an iteration must be the only way out.
 */
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
	Pool *p;
	Bits blocks;            /* of the loop */
	Bits advance;           /* statements, by fn_local_stmt */
	Stmts list;
} Walk;

static bool
in_loop(const Walk *w, uint32_t stmt)
{
	return stmt && bits_has(w->blocks, fn_block(w->x->fn, stmt));
}

static bool
advances(const Walk *w, uint32_t stmt)
{
	return stmt && bits_has(w->advance, fn_local_stmt(w->x->fn, stmt));
}

/* ---- the test -------------------------------------------------------------------------------- */

static Verdict
two_ways(const Plan *x, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t t = cfg_terminator(g, b), at = t ? t : g->blocks[b].stmt;
	Verdict v = verdict(x->arena, D_LOOP, fn_stmt(x->fn, at)->at.pos,
		"it has exits other than the test at the end of its iterations");

	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"its iterations are assigned to lanes: none may end the loop, by 'break' or 'return'");
}

/* The block by which the loop is left, if there is but one. */
static Verdict
find_last(const Walk *w)
{
	const Plan *x = w->x;
	Pool *p = w->p;

	BITS_EACH(b, w->blocks)
		FN_SUCC(x->fn, b, s) {
			uint32_t t = cfg_terminator(x->fn->cfg, b);
			if ((s && bits_has(w->blocks, s)) ||
				(!s && ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_TRAP))
				continue;
			if (!s || p->last || ptx_op(x->fn->m, fn_stmt(x->fn, t)) != OP_BRA)
				return two_ways(x, b);
			p->last = b;
			p->test = t;
			p->behind = s;
		}
	if (p->last)
		return VERDICT_YES;
	return verdict(x->arena, D_LOOP, fn_stmt(x->fn, plan_marker(x)->stmt)->at.pos,
		"it has no exit");
}

/* The test must stand at the end: behind it nothing but the way back. */
static Verdict
test_is_last(const Walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t header = plan_header(w->x), to = 0, taken = 0;

	FN_SUCC(fn, w->p->last, s)
		if (bits_has(w->blocks, s))
			to = s;
	taken = to;
	to = region_resolve(fn, w->x->site->loop, to);
	FN_PRED(fn, header, b)
		if (bits_has(w->blocks, b) && !dom_dominates(fn->dom, w->p->last, b))
			to = 0;
	if (to != header)
		return verdict_note(
			verdict(w->x->arena, D_LOOP, fn_stmt(fn, w->p->test)->at.pos,
				"its test is not at the end of the iteration"),
			w->x->arena, DIAG_NOWHERE,
			"the compiler moves a simple test, such as 'i < n', there");
	bool falls = taken == w->p->last + 1;
	w->p->stays = (fn_stmt(fn, w->p->test)->guard == 1) != falls;
	return VERDICT_YES;
}

/* ---- the advance ----------------------------------------------------------------------------- */

/* Does every iteration run the statement once? */
static bool
once(const Walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;
	uint32_t b = fn_block(fn, stmt);

	return fn->loops->loop_of[b] == w->x->site->loop && dom_dominates(fn->dom, b, w->p->last);
}

/* Can the definition belong to the advance? */
static bool
may_advance(const Walk *w, uint32_t def)
{
	const Fn *fn = w->x->fn;
	const Def *d = fn_def(fn, def);

	return !d->crowded && once(w, d->stmt) &&
		(slice_pure(w->x, def) || (slice_param_load(fn, d->stmt) &&
						  !slice_declared_inside(w->x, d->sym)));
}

static Slice_step
from_itself(void *user, const Slice_edge *e)
{
	const Walk *w = user;
	const Def *d = fn_def(e->fn, e->def);

	if (!in_loop(w, d->stmt))
		return SLICE_HAVE;
	return may_advance(w, e->def) ? SLICE_TAKE : SLICE_NO;
}

/* Adds what the statement comes from. */
static bool
add(Walk *w, uint32_t stmt)
{
	uint32_t before = w->list.n;

	if (advances(w, stmt))
		return true;
	if (!slice_back(w->x->fn, stmt, from_itself, w, &w->list) || w->list.n > SLICE_MOST)
		return false;
	for (uint32_t i = before; i < w->list.n; i++)
		bits_set(w->advance, fn_local_stmt(w->x->fn, w->list.at[i]));
	return true;
}

static bool
add_def(Walk *w, uint32_t def)
{
	return may_advance(w, def) && add(w, fn_def(w->x->fn, def)->stmt);
}

static Verdict
depends(const Walk *w, uint32_t def, const char *where, const char *advice)
{
	const Fn *fn = w->x->fn;
	const Def *d = fn_def(fn, def);

	return verdict_note(
		verdict(w->x->arena, D_CARRIED, fn_stmt(fn, d->stmt)->at.pos, "%s %s",
			plan_value(w->x, d->sym, d->stmt), where),
		w->x->arena, DIAG_NOWHERE, "%s", advice);
}

/* Adds what of the loop is live at the begin of block `to`. */
static Verdict
add_live(Walk *w, uint32_t to, const char *where, const char *advice)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, fn->live->in[to]) {
		uint32_t sym = fn_sym(fn, i);
		if (!fn_is_reg(fn, sym))
			continue;
		FN_DEFS_OF_SYM(fn, sym, d) {
			if (!in_loop(w, fn_def(fn, d)->stmt))
				continue;
			Reaching r = defuse_reaching(fn, to, sym);
			uint32_t k = 0;
			while (k < r.n && r.at[k] != d)
				k++;
			if (k < r.n && !add_def(w, d))
				return depends(w, d, where, advice);
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

/* In the order in which an iteration runs them: their blocks dominate each other. */
static void
put_in_order(Walk *w)
{
	const Fn *fn = w->x->fn;
	uint64_t *keys = arena_array(w->x->scratch, w->list.n + 1, sizeof *keys);
	Pool *p = w->p;

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
find_advance(Walk *w)
{
	const Fn *fn = w->x->fn;
	Verdict v;

	if (!add(w, w->p->test))
		return verdict_note(
			verdict(w->x->arena, D_LOOP, fn_stmt(fn, w->p->test)->at.pos,
				"its trip count depends on what its iterations do"),
			w->x->arena, DIAG_NOWHERE,
			"its iterations are assigned to lanes: their number must not depend on them");
	if (verdict_no(v = add_live(w, plan_header(w->x),
			       "is carried from one iteration to the next, and is not an induction variable",
			       "its iterations are assigned to lanes: let them update memory with atomic operations instead")))
		return v;
	v = add_live(w, w->p->behind, "is computed in it and used behind it",
		"its iterations are assigned to other lanes than before: let them update memory with atomic operations instead");
	if (!verdict_no(v))
		put_in_order(w);
	return v;
}

/* ---- what whoever draws runs ----------------------------------------------------------------- */

/* Does something reach the use from outside, or from an earlier iteration? Then it is set up. */
static bool
is_set_up(const Walk *w, uint32_t use)
{
	FN_REACH(w->x->fn, use, d)
		if (!in_loop(w, fn_def(w->x->fn, d)->stmt))
			return true;
	return false;
}

static Slice_step
is_run(void *user, const Slice_edge *e)
{
	const Walk *w = user;
	uint32_t from = fn_def(e->fn, e->def)->stmt;

	return in_loop(w, from) && !(advances(w, from) && is_set_up(w, e->use)) ? SLICE_TAKE :
										   SLICE_HAVE;
}

/* All but what the advance alone is for. */
static void
find_runs(Walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (s != w->p->test && !advances(w, s))
				bits_set(w->p->runs, fn_local_stmt(fn, s));
	slice_close(fn, is_run, w, w->p->runs);
}

static void
find_values(const Walk *w, Bits in, Bits defined)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->p->runs) {
		uint32_t s = fn->f->stmt + i;
		FN_DEFS_OF_STMT(fn, s, d)
			bits_set(defined, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, s, u)
			if (is_set_up(w, u))
				bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* What a shuffle can bring. */
static Verdict
slots_fit(const Plan *x, const Part *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].size > 8)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s has more than 64 bits and is live into its iterations",
				plan_value(x, k->task.slots[i].sym, 0));
	return VERDICT_YES;
}

/* ---- when they meet, and draw ---------------------------------------------------------------- */

enum { A_DRAW = 30, A_WORD = 3, AN_ASKING = 4, MOST_PATIENCE = WARP };
enum { A_MEETING = 20, AN_INNER_LOOP = 8000, MOST_STEPS = 8 };

static const Loop *
inner_loop(const Plan *x)
{
	return &x->fn->loops->loops[bound_inner(x)];
}

static double
an_inner_iteration(const Plan *x)
{
	const Loop *inner = inner_loop(x);

	return effort_blocks(x->fn, inner->blocks, inner->header).issue + 1;
}

/* Of a lane that comes to the inner loop. Where nobody knows, all loops take about as long. */
static double
trips(const Plan *x)
{
	const Region *r = x->site->rounds[0];
	const Frequency *f = pass_frequency(x->opt, x->fn, r);

	if (f && f->lanes)
		return (double)f->trips / (double)f->lanes;
	return inner_loop(x)->trips ? inner_loop(x)->trips : AN_INNER_LOOP / an_inner_iteration(x);
}

/* A meeting takes m issue slots, an iteration c; of t iterations a lane that has come to the end of
 * its inner loop idles for (n - 1) / 2 in the mean, until the next meeting. So in each iteration
 * m / n + c (n - 1) / 2t is lost, which is least for the root of 2tm / c. */
uint32_t
bound_steps(const Plan *x)
{
	double squared = 2 * trips(x) * A_MEETING / an_inner_iteration(x);
	uint32_t n = 1;

	while (n < MOST_STEPS && 2.0 * n * n < squared) /* the nearest power of two */
		n *= 2;
	return n;
}

/* A draw, and what comes in front of the inner loop and behind it, takes d issue slots, however
 * many lanes need it. A round, n iterations of the inner loop, takes c; each idle lane loses a
 * share of it, and all lose what it takes to ask. If lanes draw when that comes to half of d, it is
 * little more than the least that could be lost, however often inner loops end. */
Patience
bound_patience(const Plan *x)
{
	if (x->policy != POLICY_FLATTEN)
		return (Patience){ 0 };
	const Fn *fn = x->fn;
	const Loop *outer = &fn->loops->loops[x->site->loop], *inner = inner_loop(x);
	Bits own = bits_new(x->arena, fn->cfg->nblocks);
	bits_copy(own, outer->blocks);
	bits_and_not(own, inner->blocks);
	double c = x->bound.n * an_inner_iteration(x),
	       d = A_DRAW + A_WORD * x->bound.pool->part->task.nslots +
		effort_blocks(fn, own, outer->header).issue;

	double start = WARP * d / c / 2;
	return (Patience){ .start = start < MOST_PATIENCE ? (uint32_t)start : MOST_PATIENCE,
		.round = WARP + (uint32_t)(WARP * AN_ASKING / c) };
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The loop as what is run in another's stead. Not one of the plan's parts: nothing is cut out. */
static Part *
part_of_loop(const Plan *x)
{
	Part *k = arena_zalloc(x->arena, sizeof *k);
	Region *r = arena_zalloc(x->arena, sizeof *r);

	*r = (Region){ .kind = REGION_ROUNDS,
		.marker = x->site->marker,
		.loop = x->site->loop,
		.entry = plan_header(x),
		.blocks = x->fn->loops->loops[x->site->loop].blocks };
	k->path = r;
	k->span = k->blocks = r->blocks;
	k->policy = x->policy;
	return k;
}

Verdict
plan_pool(Plan *x)
{
	const Fn *fn = x->fn;
	Pool *p = arena_zalloc(x->arena, sizeof *p);
	Walk w = { .x = x, .p = p, .blocks = fn->loops->loops[x->site->loop].blocks,
		.advance = bits_new(x->scratch, fn->f->nstmt) };
	Bits in = bits_new(x->scratch, fn->f->nsym), defined = bits_new(x->scratch, fn->f->nsym);
	Verdict v;

	x->bound.pool = p;
	x->parts = p->part = part_of_loop(x);
	p->runs = bits_new(x->arena, fn->f->nstmt);
	if (verdict_no(v = find_last(&w)) || verdict_no(v = test_is_last(&w)) ||
		verdict_no(v = find_advance(&w)) ||
		verdict_no(v = blocks_legal(x, w.blocks, &p->part->scratch))) {
		vec_free(&w.list);
		return v;
	}
	vec_free(&w.list);
	find_runs(&w);
	find_values(&w, in, defined);
	task_begin(x, p->part, fn->f->nsym, fn->f->nsym);
	v = task_values(x, p->part, in, defined);
	return verdict_no(v) ? v : slots_fit(x, p->part);
}
