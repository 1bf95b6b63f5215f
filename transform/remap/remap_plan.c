/* SPDX-License-Identifier: MIT */
/* Thread-data remapping: before a divergent branch the threads of a block exchange which of them
 * executes which path (Lin, Wang, Liu: On-GPU Thread-Data Remapping for Branch Divergence
 * Reduction, ACM TACO 15(3), 2018: WAGNERR). This file decides whether all threads of the block
 * reach the branch, and which values a task takes and returns.
 *
 * The *paths* are the annotated statements, each with the code after it up to the *join*, the
 * post-dominator of the branch. A thread that reaches a path has a *task*. It *meets* the
 * threads that bypass all paths. A thread is *held* if it leaves the code before the branch for
 * good; it meets the others without a task.
 *
 *   needs:    cfg dom loop live defuse uniform effects local region
 *   refuses:  functions that are no kernels; paths that legal.c and motion_legality.c do not
 *             let other lanes execute; edges into or out of the paths except at their entry
 *             and to the join; before them, block barriers and warp-synchronous code that not
 *             all threads reach, calls that may hide these or end the thread, and loops that
 *             poll memory
 *   correct:  docs/proofs/remap.md, invariants R1 to R11; lines of remap.tpl cite them
 *   cost:     15 instructions, 5 for each path and 6 for each warp of the block; two barriers,
 *             and one more if code follows that needs it */
#include <string.h>
#include "transform/legality/legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"
#include "transform/task/task.h"
#include "transform/task/task_inputs.h"

static Verdict
refuse_block(const Plan *x, Diag_kind kind, uint32_t block, const char *text)
{
	return verdict(
		x->arena, kind, fn_stmt(x->fn, x->fn->cfg->blocks[block].stmt)->at.pos, "%s", text);
}

static Bits
empty_blocks(const Plan *x)
{
	return bits_new(x->arena, x->fn->cfg->nblocks);
}

Bits
remap_blocks_except(const Plan *x, uint32_t block)
{
	Bits all = bits_new(x->scratch, x->fn->cfg->nblocks);

	bits_fill(all, 1, x->fn->cfg->nblocks);
	bits_unset(all, block);
	return all;
}

Bits
remap_path_blocks(const Plan *x, const Remap_path *paths, uint32_t n)
{
	Bits within = remap_blocks_except(x, x->remap->join),
	     seen = bits_new(x->scratch, x->fn->cfg->nblocks);

	for (uint32_t i = 0; i < n; i++)
		cfg_flood(x->fn->cfg, paths[i].entry, false, within, seen);
	return seen;
}

/* ---- branch ---------------------------------------------------------------------------------- */

/* Returns the block whose branch separates the arms: their last common dominator with several
 * successors. */
static uint32_t
find_head(const Plan *x)
{
	const Remap *k = x->remap;
	const Dom *d = x->fn->dom;
	uint32_t h = d->idom[k->arms[0]->entry];

	for (uint32_t i = 1; i < k->narms; i++)
		while (h && !dom_dominates(d, h, k->arms[i]->entry))
			h = d->idom[h];
	while (h && x->fn->cfg->blocks[h].nsucc < 2)
		h = d->idom[h];
	return h;
}

const Region *
remap_arm_of(const Remap *k, uint32_t path)
{
	for (uint32_t i = 0; i < k->narms; i++)
		if (k->paths[path].statement == k->arms[i])
			return k->arms[i];
	return NULL;
}

uint32_t
remap_path_at(const Remap *k, uint32_t block)
{
	uint32_t i = 0;

	while (i < k->npaths && k->paths[i].entry != block)
		i++;
	return i;
}

uint32_t
remap_path_of_edge(const Plan *x, Remap_edge edge)
{
	const Remap *k = x->remap;
	uint32_t i = 0;

	while (i < k->npaths &&
		(k->paths[i].entry != edge.to ||
			(k->paths[i].begin != edge.to &&
				!dom_dominates(x->fn->dom, k->paths[i].begin, edge.from))))
		i++;
	return i;
}

static bool
begins_task(const Remap *k, uint32_t block)
{
	for (uint32_t i = 0; i < k->npaths; i++)
		if (k->paths[i].begin == block)
			return true;
	return false;
}

/* Refuses a block of the paths that is entered from outside, but not where a path begins; and one
 * of an arm's marker that is entered from a path. */
static Verdict
check_entered(const Plan *x, uint32_t b)
{
	const Remap *k = x->remap;
	uint32_t path = remap_path_at(k, b);
	bool begins = begins_task(k, b), at_marker = path < k->npaths && remap_arm_of(k, path);

	FN_PRED(x->fn, b, p) {
		if (x->fn->cfg->rpo_index[p] == UINT32_MAX)
			continue;
		bool inside = bits_has(x->regions[0].task_blocks, p);
		if (at_marker && inside)
			return refuse_block(x, D_REMAP, b, "one of its statements continues in another");
		if (!inside && !(begins && (at_marker || bits_has(k->decides, p))))
			return refuse_block(
				x, D_REMAP, b, "a branch enters one of its statements from outside");
	}
	return VERDICT_YES;
}

/* Computes the blocks of the paths, up to the join. */
static Verdict
find_paths(Plan *x)
{
	const Remap *k = x->remap;
	Task_region *region = &x->regions[0];
	Bits within = remap_blocks_except(x, k->join);
	Verdict v = VERDICT_YES;

	for (uint32_t i = 0; i < k->npaths; i++)
		cfg_flood(x->fn->cfg, k->paths[i].begin, false, within, region->task_blocks);
	if (bits_has(region->task_blocks, k->head))
		return refuse_block(x, D_REMAP, k->head,
			"its statements do not end in one place inside the loop around it");
	BITS_EACH(b, region->task_blocks)
		if (!verdict_is_no(v))
			v = check_entered(x, b);
	return v;
}

static uint32_t
edges_of(const Fn *fn, Bits blocks)
{
	uint32_t n = 0;

	BITS_EACH(b, blocks)
		n += fn->cfg->blocks[b].nsucc;
	return n;
}

/* Finds the conditions, and their edges past all paths and to those without a marker. */
static void
find_conditions(Plan *x)
{
	Remap *k = x->remap;
	Bits within = remap_blocks_except(x, k->join);

	for (uint32_t i = 0; i < k->npaths; i++)
		bits_unset(within, k->paths[i].entry);
	k->decides = empty_blocks(x);
	cfg_flood(x->fn->cfg, k->head, false, within, k->decides);
	uint32_t most = edges_of(x->fn, k->decides);
	k->bypass.at = arena_array(x->arena, most + 1, sizeof *k->bypass.at);
	k->enter.at = arena_array(x->arena, most + 1, sizeof *k->enter.at);
	BITS_EACH(b, k->decides)
		FN_SUCC(x->fn, b, s) {
			const Remap_edge edge = { .from = b, .to = s };
			uint32_t path = remap_path_of_edge(x, edge);
			if (path < k->npaths && !remap_arm_of(k, path))
				k->enter.at[k->enter.n++] = edge;
			else if (s == k->join)
				k->bypass.at[k->bypass.n++] = edge;
		}
}

static Verdict
find_branch(Plan *x)
{
	Remap *k = x->remap;
	uint32_t entry = k->arms[0]->entry;
	Verdict v = VERDICT_YES;

	if (k->key.buckets)
		v = remap_find_key(x);
	else if (!(k->head = find_head(x)))
		v = refuse_block(x, D_REMAP, entry, "the compiler left no branch there");
	else
		k->join = x->fn->dom->ipdom[k->head];
	if (verdict_is_no(v))
		return v;
	if (!k->join)
		return verdict_note(refuse_block(x, D_REMAP, entry, "its statements do not end in one place"),
			x->arena, DIAG_NOWHERE, "no 'return' in a part of them");
	k->paths = arena_array(x->arena, k->narms, sizeof *k->paths);
	for (; k->npaths < k->narms; k->npaths++)
		k->paths[k->npaths] = (Remap_path){ k->arms[k->npaths]->entry,
			k->arms[k->npaths]->entry, k->arms[k->npaths] };
	if (k->nest.try)
		remap_find_leaves(x);
	remap_defer_prefixes(x);
	find_conditions(x);
	return find_paths(x);
}

/* ---- whether all threads reach the branch ---------------------------------------------------- */

/* Whether only some threads of the thread block may execute the block. */
static bool
block_is_divergent(const Plan *x, uint32_t block)
{
	return bits_has(x->fn->uniform->block, block);
}

/* Adds an edge by which threads leave. */
static void
add_held_edge(Plan *x, uint32_t from, uint32_t to)
{
	const Remap *k = x->remap;
	Common_code *c = &x->common;
	uint32_t t = cfg_terminator(x->fn->cfg, from), i = 0;
	bool ends = !to;

	if (ends && ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_TRAP)
		return;
	x->remap->held.at[x->remap->held.n++] =
		(Remap_edge){ .from = from, .to = to, .stmt = ends ? t : 0 };
	while (i < c->nexits &&
		(c->exits[i].block != to ||
			(ends && c->exits[i].stmt != k->held.at[k->held.n - 1].stmt)))
		i++;
	if (i == c->nexits)
		c->exits[c->nexits++] = (Exit_edge){ .block = to, .stmt = ends ? t : 0 };
}

/* Finds the edges by which threads leave the code before the branch for good. */
static void
find_held_edges(Plan *x, Bits before)
{
	Remap *k = x->remap;
	uint32_t cap = edges_of(x->fn, before);

	k->held.at = arena_array(x->arena, cap + 1, sizeof *k->held.at);
	x->common.exits = arena_array(x->arena, cap + 1, sizeof *x->common.exits);
	BITS_EACH(b, before) {
		if (b == k->head || bits_has(k->decides, b) ||
			bits_has(x->regions[0].task_blocks, b) ||
			(k->arrival == ARRIVE_ONCE && !block_is_divergent(x, b) &&
				!bits_has(x->fn->uniform->branch, b)))
			continue;
		FN_SUCC(x->fn, b, s)
			if (!bits_has(before, s))
				add_held_edge(x, b, s);
	}
}

static Verdict
find_arrival(Plan *x)
{
	Remap *k = x->remap;
	Bits before = empty_blocks(x);

	k->arrival = plan_threads_arrive_together(x, k->head) ? ARRIVE_TOGETHER :
		x->fn->loops->loop_of[k->head]       ? ARRIVE_REPEATEDLY :
							       ARRIVE_ONCE;
	if (k->arrival != ARRIVE_TOGETHER && bits_has(x->fn->loops->irreducible, k->head))
		return refuse_block(x, D_REMAP, k->head,
			"it is in irreducible control flow: a cycle with several entries");
	cfg_flood(x->fn->cfg, k->head, true, remap_blocks_except(x, 0), before);
	if (k->arrival != ARRIVE_TOGETHER)
		find_held_edges(x, before);
	return remap_check_barriers(x, before);
}

/* Refuses polling before the meeting, in a condition or in a path: the thread may wait for one that
 * waits for it (docs/proofs/remap.md, R3). */
static Verdict
no_polling(const Plan *x)
{
	Bits before = empty_blocks(x);

	cfg_flood(x->fn->cfg, x->remap->head, true, remap_blocks_except(x, 0), before);
	bits_or(before, x->remap->decides);
	bits_or(before, x->regions[0].task_blocks);
	return plan_polls_nothing(x, before);
}

/* Checks that the emitted labels are in scope at all edges that are redirected to them. */
static Verdict
check_scopes(const Plan *x)
{
	const Remap *k = x->remap;
	const Fn *fn = x->fn;
	uint32_t at = fn_depth(fn, plan_marker(x)->stmt);
	bool same = fn_depth(fn, fn->cfg->blocks[k->join].stmt) == at &&
		fn_depth(fn, fn->cfg->blocks[k->head].stmt) == at;

	for (uint32_t i = 0; i < k->held.n; i++)
		same &= fn_depth(fn, fn->cfg->blocks[k->held.at[i].from].stmt) == at;
	return same ? VERDICT_YES :
		      refuse_block(x, D_REMAP, k->arms[0]->entry, "it is inside a nested scope");
}

/* ---- exchanged values ------------------------------------------------------------------------ */

/* Whether all threads have executed every write to the register equally often when they meet. */
static bool
writes_are_uniform(const Plan *x, uint32_t sym)
{
	const Loops *l = x->fn->loops;

	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t s = fn_def(x->fn, d)->stmt, b = s ? fn_block(x->fn, s) : 0;
		if (!s)
			continue;
		if (block_is_divergent(x, b))
			return false;
		for (uint32_t i = l->loop_of[x->remap->head];
			x->remap->arrival == ARRIVE_REPEATEDLY && i; i = l->loops[i].parent)
			if (loop_contains(l, i, b))
				return false;
	}
	return true;
}

/* Whether all threads have the same value of the register, from one of these definitions. */
static bool
is_common(const Plan *x, const uint32_t *defs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!fn_def(x->fn, defs[i])->stmt)
			return false;
	return n > 0 && writes_are_uniform(x, fn_def(x->fn, defs[0])->sym);
}

/* Finds the registers that the paths write and that are live after them. */
static void
find_results(Plan *x, Bits in, Bits defined)
{
	const Fn *fn = x->fn;
	Remap *k = x->remap;

	k->results = arena_array(x->arena, bits_count(defined) + 1, sizeof *k->results);
	BITS_EACH(i, defined) {
		if (!bits_has(fn->live->in[k->join], i))
			continue;
		k->results[k->nresults++] = (Remap_result){ .sym = fn_sym(fn, i) };
		for (uint32_t p = 0; p < k->npaths; p++)
			if (bits_has(fn->live->in[k->paths[p].begin], i))
				bits_set(in, i);
	}
}

static Verdict
results_fit(const Plan *x)
{
	const Module *m = x->fn->m;

	for (uint32_t i = 0; i < x->remap->nresults; i++)
		if (m->syms[x->remap->results[i].sym].vec > 1)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s is in a vector register and flows out of it",
				describe_value(x, x->remap->results[i].sym, 0));
	return VERDICT_YES;
}

/* Whether code after the join accesses memory, or lets other threads see that this thread has
 * reached it. */
static bool
continues_with_effects(const Plan *x)
{
	const Fn *fn = x->fn;
	Bits seen = empty_blocks(x);

	cfg_flood(fn->cfg, x->remap->join, false, remap_blocks_except(x, 0), seen);
	for (uint32_t i = 0; i < x->common.nexits; i++) {
		uint32_t to = x->common.exits[i].block;
		if (to)
			cfg_flood(fn->cfg, to, false, remap_blocks_except(x, 0), seen);
	}
	BITS_EACH(b, seen)
		FN_BLOCK_STMTS(fn, b, s) {
			uint32_t flags = fn_stmt(fn, s)->kind == STMT_INSN ?
				ptx_flags(fn->m, fn_stmt(fn, s)) :
				0;
			if (flags && !(flags & (OPF_PURE | OPF_BRANCH | OPF_EXIT)) &&
				!(flags & OPF_LOAD &&
					ptx_space(fn->m, fn_stmt(fn, s)) == SPACE_PARAM))
				return true;
		}
	return false;
}

static Verdict
find_values(Plan *x)
{
	Bits defined, in = region_live_ins(x->fn, x->regions[0].task_blocks, &defined, x->scratch);
	Verdict v;

	find_results(x, in, defined);
	if (verdict_is_no(v = results_fit(x)))
		return v;
	task_begin(x, &x->regions[0], bits_count(in), bits_count(defined));
	x->remap->is_common = is_common;
	x->remap->waits_for_helpers = x->remap->nresults || x->fn->loops->loop_of[x->remap->head] ||
		continues_with_effects(x);
	return task_make_values(x, &x->regions[0], in, defined);
}

/* ---- entry point ----------------------------------------------------------------------------- */

static Verdict
check_remappable(const Plan *x)
{
	uint32_t entry = x->remap->arms[0]->entry;

	if (!x->fn->f->entry)
		return verdict_note(refuse_block(x, D_CALL, entry, "it is in a function that is called"),
			x->arena, DIAG_NOWHERE,
			"all threads of the block must reach it: make the function inline");
	if (x->remap->narms > REMAP_MOST_PATHS)
		return verdict(x->arena, D_REMAP, DIAG_NOWHERE,
			"it has %u statements, more than %u", x->remap->narms, REMAP_MOST_PATHS);
	return plan_check_target(x);
}

Verdict
remap_plan(Plan *x, const Shared_budget *budget)
{
	Task_region *k = &x->regions[0];
	Verdict v;

	x->common.blocks = empty_blocks(x);
	k->task_blocks = k->blocks = empty_blocks(x);
	if (verdict_is_no(v = check_remappable(x)) || verdict_is_no(v = find_branch(x)) ||
		verdict_is_no(v = find_arrival(x)) || verdict_is_no(v = no_polling(x)) ||
		verdict_is_no(v = check_scopes(x)) ||
		verdict_is_no(v = blocks_check_legal(x, k->task_blocks, &k->scratch)) ||
		verdict_is_no(v = find_values(x)) ||
		(x->remap->selects_policy && verdict_is_no(v = remap_select_policy(x, budget))))
		return v;
	return remap_layout(x, budget);
}
