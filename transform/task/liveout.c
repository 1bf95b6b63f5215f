/* SPDX-License-Identifier: MIT */
/* Live-outs of the path (docs/design.md 6.6).
 *
 * A register that R defines and that its owner reads later is legal in two cases. It is a pure
 * function of the owner's state at the path's entry, computed on every path through R: the owner
 * then runs that slice itself. Or it is a reduction (reduction.h). Everything else is refused. A
 * live-out that is both, such as a sum that the owner could compute, too, is treated as a slice
 * unless that is much work.
 *
 * Slices are correct because every statement of a slice is the only definition in R of each
 * register that it writes, dominates every exit of R, is in no loop inside R, and reads only what
 * the owner has at the entry or what the slice computes. Executed at the entry, in dominance order,
 * the slice computes what R would. If the tasks are iterations of an inner loop, no statement is in
 * a slice, since all are in a loop. */
#include "analysis/cost/static_cost.h"
#include "analysis/loops/reduction.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"
#include "transform/task/slice.h"
#include "transform/task/task.h"

enum { SMALL_SLICE = 8 }; /* statements */

/* Whether every path from the path's entry out of the task executes the block exactly once. */
static bool
executes_once_before_exit(const Plan *x, const Task_region *k, uint32_t block)
{
	const Cfg *g = x->fn->cfg;
	Bits seen = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);

	if (x->fn->loops->loop_of[block] != x->site->loop)
		return false;
	if (block == k->path->entry)
		return true;
	bits_copy(within, k->task_blocks);
	bits_unset(within, block);
	cfg_flood(g, k->path->entry, false, within, seen);
	BITS_EACH(b, seen)
		FN_SUCC(x->fn, b, to)
			if (!bits_has(k->task_blocks, to))
				return false;
	return true;
}

static bool
def_is_in_path(const Plan *x, const Task_region *k, uint32_t def)
{
	uint32_t s = fn_def(x->fn, def)->stmt;
	return s && bits_has(k->task_blocks, fn_block(x->fn, s));
}

/* Whether control may flow from statement a to statement b, which is in no loop of the path, within
 * one run of the path. */
static bool
stmt_reaches_stmt(const Plan *x, const Task_region *k, uint32_t a, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t from = fn_block(x->fn, a), to = fn_block(x->fn, b);
	Bits seen = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);
	if (from == to)
		return a < b;
	bits_copy(within, k->task_blocks);
	if (!k->by_iteration) /* otherwise a run may return to the entry */
		bits_unset(within, k->path->entry);
	FN_SUCC(x->fn, from, next)
		cfg_flood(g, next, false, within, seen);
	return bits_has(seen, to);
}

static bool
only_def_in_path(const Plan *x, const Task_region *k, uint32_t sym)
{
	uint32_t n = 0;

	FN_DEFS_OF_SYM(x->fn, sym, d)
		n += def_is_in_path(x, k, d);
	return n == 1;
}

/* Whether the owner can execute the definition's statement at the path's entry. */
static bool
owner_can_run(const Plan *x, const Task_region *k, uint32_t def)
{
	uint32_t stmt = fn_def(x->fn, def)->stmt;

	if (!slice_def_is_pure(x, def) &&
		(!slice_is_param_load(x->fn, stmt) ||
			slice_register_is_declared_inside(x, fn_def(x->fn, def)->sym)))
		return false;
	if (!executes_once_before_exit(x, k, fn_block(x->fn, stmt)))
		return false;
	FN_DEFS_OF_STMT(x->fn, stmt, d)
		if (!only_def_in_path(x, k, fn_def(x->fn, d)->sym))
			return false;
	return true;
}

/* Slice rule: from values that the owner has at the path's entry or computes itself. */
static Slice_step
edge_is_available_to_owner(void *user, const Slice_edge *e)
{
	const Stmt_slice *s = user;
	uint32_t def = fn_def(e->fn, e->def)->stmt, use = fn_use(e->fn, e->use)->stmt;

	if (!def_is_in_path(s->x, s->k, e->def) || !stmt_reaches_stmt(s->x, s->k, def, use))
		return SLICE_HAVE;
	return e->taken || owner_can_run(s->x, s->k, e->def) ? SLICE_ACCEPT : SLICE_NO;
}

/* Sorts by reverse post-order of blocks, then text order: the statements of a slice dominate one
 * another in a chain. */
static void
sort_slice(const Plan *x, const Task *t)
{
	const Cfg *g = x->fn->cfg;
	for (uint32_t i = 1; i < t->nslice; i++)
		for (uint32_t j = i; j > 0; j--) {
			uint32_t a = t->slice[j - 1], b = t->slice[j];
			uint32_t ra = g->rpo_index[fn_block(x->fn, a)],
				 rb = g->rpo_index[fn_block(x->fn, b)];
			if (ra < rb || (ra == rb && a < b))
				break;
			t->slice[j - 1] = b;
			t->slice[j] = a;
		}
}

/* Returns a use outside the path that the definition reaches; 0 if none. */
static uint32_t
find_outside_use(const Plan *x, const Task_region *k, uint32_t def)
{
	FN_USES(x->fn, def, u)
		if (!bits_has(k->task_blocks, fn_block(x->fn, fn_use(x->fn, u)->stmt)))
			return fn_use(x->fn, u)->stmt;
	return 0;
}

/* Names source lines where they are known, since register names mean nothing to CUDA
 * programmers. */
static Verdict
refuse_outside_use(const Plan *x, uint32_t def, uint32_t used)
{
	const Fn *fn = x->fn;
	uint32_t stmt = fn_def(fn, def)->stmt, pos = fn_stmt(fn, stmt)->at.pos;
	Cuda_pos a = ptx_place(fn->m, stmt).at,
		 b = used ? ptx_place(fn->m, used).at : (Cuda_pos){ 0 };

	if (a.file && b.file)
		return verdict(x->arena, D_LIVE_OUT, pos,
			"the value computed at %s:%u is used at %s:%u", a.file, a.line, b.file,
			b.line);
	if (a.file)
		return verdict(x->arena, D_LIVE_OUT, pos,
			"the value computed at %s:%u is used outside it", a.file, a.line);
	return verdict(x->arena, D_LIVE_OUT, pos, "%s is computed in it and used outside it",
		describe_value(x, fn_def(fn, def)->sym, stmt));
}

/* Returns the verdict for a live-out that is neither slice nor reduction. no: why it is no
 * reduction. */
static Verdict
refuse_live_out(const Plan *x, const Task_region *k, uint32_t def, const Verdict *no)
{
	const Fn *fn = x->fn;
	uint32_t stmt = fn_def(fn, def)->stmt, sym = fn_def(fn, def)->sym;
	uint32_t used = find_outside_use(x, k, def);
	Verdict v = refuse_outside_use(x, def, used);

	v.reorders = no->reorders;
	if (used)
		v = verdict_note(v, x->arena, fn_stmt(fn, used)->at.pos, "used here");
	if (no->pos == DIAG_NOWHERE)
		return verdict_note(v, x->arena, DIAG_NOWHERE, "%s", no->text);
	if (reduction_is(fn, stmt, sym) && (!used || fn_stmt(fn, used)->at.pos != no->pos))
		v = verdict_note(
			v, x->arena, no->pos, "it looks like a reduction, but %s", no->text);
	Extreme e = reduction_extreme(fn, x->site->loop, sym);
	return verdict_note(v, x->arena, DIAG_NOWHERE, "%s", e.compare ? reduction_advice(&e) :
		"let the path store its result to memory, or widen the annotated statement to what uses it");
}

static uint64_t
task_region_cost(const Plan *x, const Task_region *k)
{
	return k->tail_end ? cost_blocks(x->fn, k->task_blocks, k->path->entry) : k->path->cost;
}

/* Refuses a slice of more than half the path, which would leave little for the task. A plain
 * instruction costs two. */
static Verdict
slice_is_worthwhile(const Plan *x, const Task_region *k)
{
	const Task *t = &k->task;

	if (t->nslice <= SMALL_SLICE || 4 * (uint64_t)t->nslice <= task_region_cost(x, k))
		return VERDICT_YES;
	return verdict_note(verdict(x->arena, D_LIVE_OUT, fn_stmt(x->fn, t->slice[0])->at.pos,
				    "most of what it computes is used outside it"),
		x->arena, DIAG_NOWHERE,
		"let the path store its result to memory, or widen the annotated statement to what uses it");
}

/* Adds the statements that the owner needs to compute a register at a point that these definitions
 * reach. Returns 0 if the slice contains them, else a definition that prevents it. */
static uint32_t
add_defs_to_slice(const Plan *x, Task_region *k, Reaching r)
{
	for (uint32_t i = 0; i < r.n; i++) {
		if (!def_is_in_path(x, k, r.at[i]))
			continue;
		Stmt_slice s = { x, k, k->task.slice, k->task.nslice };
		if (slice_has(&s, fn_def(x->fn, r.at[i])->stmt))
			continue;
		if (!owner_can_run(x, k, r.at[i]) ||
			!slice_add(&s, r.at[i], edge_is_available_to_owner))
			return r.at[i];
		k->task.nslice = s.n;
	}
	return 0;
}

/* The same for a register at the successors of the join. */
static uint32_t
add_after_join(const Plan *x, Task_region *k, uint32_t sym)
{
	const Fn *fn = x->fn;
	uint32_t t = cfg_terminator(fn->cfg, k->tail_end),
		 use = t ? defuse_find_use(fn, t, sym) : 0, def = 0;

	if (use)
		def = add_defs_to_slice(x, k,
			(Reaching){
				fn->defuse->reach + fn_use(fn, use)->def, fn_use(fn, use)->ndef });
	FN_SUCC(fn, k->tail_end, to)
		if (!def && to && bits_has(fn->live->in[to], fn_local(fn, sym)))
			def = add_defs_to_slice(x, k, defuse_reaching(fn, to, sym));
	return def;
}

/* The same for a register where its owner continues. */
static uint32_t
add_owner_slice(const Plan *x, Task_region *k, uint32_t sym)
{
	uint32_t n = k->task.nslice;
	uint32_t def = k->tail_end ?
		add_after_join(x, k, sym) :
		add_defs_to_slice(x, k, defuse_reaching(x->fn, k->path->next, sym));

	if (def)
		k->task.nslice = n;
	return def;
}

static Verdict
add_reduction(const Plan *x, Task_region *k, uint32_t sym)
{
	Reduction r;
	Verdict v = reduction_find(x, k, sym, &r);

	if (!verdict_is_no(v))
		k->task.reductions[k->task.nreductions++] = r;
	return v;
}

/* Handles a register that the path defines and its owner may read later. */
static Verdict
handle_live_out(const Plan *x, Task_region *k, uint32_t sym, bool reductions_first)
{
	uint32_t def;
	Verdict v;

	if (reductions_first && !verdict_is_no(add_reduction(x, k, sym)))
		return VERDICT_YES;
	if (!(def = add_owner_slice(x, k, sym)) || !verdict_is_no(v = add_reduction(x, k, sym)))
		return VERDICT_YES;
	return refuse_live_out(x, k, def, &v);
}

static Verdict
handle_live_outs(Plan *x, Task_region *k, Bits defined, bool reductions_first)
{
	Bits live = task_region_live_out(x, k);
	Verdict v = VERDICT_YES;

	k->task.nslice = k->task.nreductions = 0;
	BITS_EACH(i, defined)
		if (!verdict_is_no(v) && bits_has(live, i))
			v = handle_live_out(x, k, fn_sym(x->fn, i), reductions_first);
	if (verdict_is_no(v))
		return v;
	sort_slice(x, &k->task);
	return slice_is_worthwhile(x, k);
}

Verdict
task_live_outs(Plan *x, Task_region *k, Bits defined)
{
	Verdict v = handle_live_outs(x, k, defined, false);

	if (verdict_is_no(v) && !verdict_is_no(handle_live_outs(x, k, defined, true)))
		return VERDICT_YES;
	return v;
}
