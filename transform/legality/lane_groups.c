/* SPDX-License-Identifier: MIT */
/* Whether all lanes of a warp reach the annotated loop together (docs/proofs/README.md, L5).
 *
 * Machine code lets lanes leave a loop without the others if the loop polls memory, or might:
 * ptxas emits YIELD in loops with accesses that return what other threads wrote. Two groups of
 * lanes may then execute one transformed loop at the same time and block each other, if that loop
 * has such accesses, too. So the text begins with a barrier of all lanes, where each lane that has
 * not ended provably reaches it. Elsewhere the loop is refused.
 *
 * All lanes begin together. Call a block *waiting* if it has a barrier or warp-synchronous
 * instruction, polls memory, calls unknown code, or begins another annotated loop. A lane in a
 * block from which neither the entry E nor a waiting block is reachable runs on and ends; such
 * blocks are left out. In the rest, consider branches from which E is reachable and on which lanes
 * may disagree: E and the waiting blocks must not be reachable before the immediate
 * post-dominator. Then the lanes that do not end execute the same sequence of E and the waiting
 * blocks, so all of them arrive at each. A lane that polls memory may wait for an action of another
 * lane after E, so a loop that polls before E is refused.
 */
#include "analysis/dataflow/constants.h"
#include "analysis/progress/polling.h"
#include "analysis/region/region.h"
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

/* ---- loops that lanes leave in groups -------------------------------------------------------- */

/* Whether ptxas may emit YIELD in a loop with this statement (docs/measurements/verification.md).
 * Stores and reductions in global memory return nothing. */
static bool
stmt_separates(const Fn *fn, uint32_t stmt)
{
	static const char *const cached[] = { "ca", "cg", "cs", "lu", "cv", NULL };
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags;

	if (s->kind != STMT_INSN)
		return false;
	flags = ptx_flags(fn->m, s);
	if (ptx_op(fn->m, s) == OP_NANOSLEEP ||
		((flags & OPF_LOAD) && ptx_has_any(fn->m, s, cached)))
		return true;
	if (!(fn_effects(fn, stmt) & EFF_SPIN))
		return false;
	if (flags & OPF_ATOMIC)
		return ptx_op(fn->m, s) != OP_RED || ptx_space(fn->m, s) != SPACE_GLOBAL;
	return !(flags & OPF_STORE);
}

/* Whether the statement is `bar.warp.sync` of all lanes. */
static bool
stmt_is_full_barrier(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Constant mask = { 0 };

	if (s->kind != STMT_INSN || ptx_op(fn->m, s) != OP_BAR_WARP || s->guard)
		return false;
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, s, 0)];
	if (o->kind == OPND_IMM)
		mask = constant_immediate(fn->m, o);
	else
		FN_USES_OF_STMT(fn, stmt, u)
			mask = constant_use(fn, u);
	return mask.known && !mask.sym && (uint32_t)mask.n == UINT32_MAX;
}

/* Returns the last barrier of all lanes in the block; 0 if there is none. */
static uint32_t
last_full_barrier(const Fn *fn, uint32_t b)
{
	uint32_t last = 0;

	FN_BLOCK_STMTS(fn, b, s)
		if (stmt_is_full_barrier(fn, s))
			last = s;
	return last;
}

/* Returns a statement of the block, after `from`, that separates lanes; 0 if there is none. */
static uint32_t
find_separating(const Fn *fn, uint32_t b, uint32_t from)
{
	FN_BLOCK_STMTS(fn, b, s)
		if (s > from && stmt_separates(fn, s))
			return s;
	return 0;
}

/* Returns a statement of the transformed loop that separates lanes; 0 if there is none. */
static uint32_t
find_separating_inside(const Plan *x)
{
	const uint32_t loop = x->site->loop;
	uint32_t found = 0;

	if (loop)
		BITS_EACH(b, x->fn->loops->loops[loop].blocks)
			if ((found = find_separating(x->fn, b, 0)))
				return found;
	BITS_EACH(b, x->site->blocks)
		if (plan_block_is_executed(x, b) && (found = find_separating(x->fn, b, 0)))
			return found;
	return 0;
}

/* Whether lanes of function f may call a function in `above`, through which they reach the loop, in
 * groups or several times. */
static bool
func_separates(const Plan *x, uint32_t f, Bits above)
{
	const Module *m = x->fn->m;
	const Cfg *g = cfg_build(m, f, x->scratch);
	Bits all = bits_new(x->scratch, g->nblocks);
	uint32_t calls = 0;

	bits_fill(all, 1, g->nblocks);
	for (uint32_t b = 1; b < g->nblocks; b++) {
		Bits after = bits_new(x->scratch, g->nblocks);
		CFG_SUCC(g, b, to)
			if (to)
				cfg_flood(g, to, false, all, after);
		CFG_STMTS(g, b, s) {
			bool call = m->stmts[s].kind == STMT_INSN &&
				ptx_op(m, &m->stmts[s]) == OP_CALL;
			uint32_t callee = call ? effects_callee(m, s) : 0;
			bool leads = call && (!callee || bits_has(above, callee));
			calls += leads;
			if ((leads || effects_stmt(m, x->fn->effects, s) & EFF_SPIN) &&
				(bits_has(after, b) || (call && !leads)))
				return true;
		}
	}
	return calls > 1;
}

/* Whether the lanes that call the function of the loop may have been separated. */
static bool
callers_separate(const Plan *x)
{
	const Fn *fn = x->fn;
	Bits above = bits_new(x->scratch, fn->m->nfuncs);

	if (fn->f->linkage != LINK_NONE)
		return true;
	effects_flood_callers(fn->m, fn->effects, fn->func, above);
	BITS_EACH(f, above)
		if (f != fn->func && func_separates(x, f, above))
			return true;
	return false;
}

/* Returns a statement by which lanes may reach the loop in groups, unless a barrier of all lanes
 * follows on each path to the loop; 0 if there is none. The callers of a function may have
 * separated its lanes; the statement is then `inside`. */
static uint32_t
find_separating_before(const Plan *x, uint32_t inside)
{
	const Fn *fn = x->fn;
	Bits open = bits_new(x->scratch, fn->cfg->nblocks),
	     before = bits_new(x->scratch, fn->cfg->nblocks);
	uint32_t found = 0;

	FN_BLOCKS(fn, b)
		if (!last_full_barrier(fn, b))
			bits_set(open, b);
	FN_PRED(fn, x->site->entry, p)
		cfg_flood(fn->cfg, p, true, open, before);
	if (!fn->f->entry && (x->site->entry == 1 || bits_has(before, 1)) && callers_separate(x))
		found = inside;
	FN_BLOCKS(fn, b) {
		bool reaches = bits_has(before, b);
		FN_SUCC(fn, b, to)
			reaches |= to == x->site->entry || bits_has(before, to);
		if (!found && reaches && fn->loops->loop_of[b])
			found = find_separating(fn, b, last_full_barrier(fn, b));
	}
	return found;
}

/* ---- whether all lanes reach the loop's entry ------------------------------------------------ */

/* The part of the function in which lanes may wait for each other. */
typedef struct {
	const Plan *x;
	Bits waiting, polling;  /* waiting blocks; those of them that poll memory */
	Bits before;            /* blocks from which the entry is reachable */
	Bits rest;              /* blocks from which the entry or a waiting block is reachable */
	uint32_t *meet;         /* immediate post-dominators in `rest` */
} Entry_check;

/* Whether the block begins with the marker of another annotation whose code may wait. */
static bool
begins_site(const Entry_check *c, uint32_t b)
{
	const Marker *k = region_marker_at(c->x->fn, b);

	return k && !k->end && b != c->x->site->entry &&
		(k->annot.kind == ANNOT_FOR || k->annot.kind == ANNOT_GRID ||
			k->annot.kind == ANNOT_ASSIGN);
}

static bool
stmt_waits(const Fn *fn, uint32_t stmt)
{
	return fn_effects(fn, stmt) &
		(EFF_BARRIER | EFF_CROSS | EFF_UNKNOWN | EFF_EXTERN | EFF_INDIRECT);
}

static bool
block_waits(const Entry_check *c, uint32_t b)
{
	FN_BLOCK_STMTS(c->x->fn, b, s)
		if (stmt_waits(c->x->fn, s))
			return true;
	return begins_site(c, b);
}

/* Finds the blocks that poll memory, outside the annotated loop. */
static void
find_polling(Entry_check *c)
{
	const Fn *fn = c->x->fn;
	const Loops *l = fn->loops;
	Stmts polls = { 0 };

	for (uint32_t i = 1; i < l->nloops; i++)
		if (!loop_contains(l, c->x->site->loop, l->loops[i].header))
			polling_find(fn, i, POLLING_ANY, &polls);
	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN &&
			ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL &&
			polling_in_call(fn, s, (Bits){ 0 }, POLLING_ANY, c->x->scratch))
			*vec_push(&polls) = s;
	for (uint32_t i = 0; i < polls.n; i++)
		bits_set(c->polling, fn_block(fn, polls.at[i]));
	vec_free(&polls);
}

static void
classify_blocks(Entry_check *c)
{
	const Fn *fn = c->x->fn;
	const uint32_t n = fn->cfg->nblocks;
	Bits all = bits_new(c->x->scratch, n), ending = bits_new(c->x->scratch, n);

	c->waiting = bits_new(c->x->scratch, n);
	c->polling = bits_new(c->x->scratch, n);
	c->before = bits_new(c->x->scratch, n);
	c->rest = bits_new(c->x->scratch, n);
	find_polling(c);
	bits_copy(c->waiting, c->polling);
	bits_fill(all, 1, n);
	FN_BLOCKS(fn, b)
		if (block_waits(c, b))
			bits_set(c->waiting, b);
	cfg_flood(fn->cfg, c->x->site->entry, true, all, c->before);
	bits_copy(c->rest, c->before);
	BITS_EACH(b, c->waiting)
		cfg_flood(fn->cfg, b, true, all, c->rest);
	for (uint32_t b = 0; b < n; b++)
		if (!bits_has(c->rest, b))
			bits_set(ending, b);
	c->meet = dom_postdominators_without(fn->cfg, ending, NULL, c->x->scratch);
}

/* Whether lanes that diverge at the end of the block are together again before the entry and before
 * all waiting blocks. */
static bool
lanes_meet_again(const Entry_check *c, uint32_t b)
{
	const Fn *fn = c->x->fn;
	Bits within = bits_new(c->x->scratch, fn->cfg->nblocks),
	     seen = bits_new(c->x->scratch, fn->cfg->nblocks);
	uint32_t ways = 0;

	FN_SUCC(fn, b, to)
		ways += bits_has(c->rest, to);
	if (ways < 2)
		return true;
	bits_copy(within, c->rest);
	bits_unset(within, c->meet[b]);
	FN_SUCC(fn, b, to)
		cfg_flood(fn->cfg, to, false, within, seen);
	BITS_EACH(k, seen)
		if (k == c->x->site->entry || bits_has(c->waiting, k))
			return false;
	return true;
}

static Verdict
refuse_barrier(const Entry_check *c, uint32_t stmt, const char *why)
{
	return verdict(c->x->arena, D_SPIN, fn_stmt(c->x->fn, stmt)->at.pos, "%s", why);
}

/* Whether lanes that wait before the loop all do, and are together at its entry. */
static Verdict
check_block_before(const Entry_check *c, uint32_t b)
{
	const Fn *fn = c->x->fn;
	uint32_t last = cfg_terminator(fn->cfg, b);

	if (bits_has(c->polling, b))
		return refuse_barrier(c, fn->cfg->blocks[b].stmt, "a loop or call here may wait for other lanes");
	if (bits_has(fn->loops->irreducible, b))
		return refuse_barrier(c, fn->cfg->blocks[b].stmt, "a cycle here has several entries");
	FN_BLOCK_STMTS(fn, b, s)
		if (fn_stmt(fn, s)->guard && stmt_waits(fn, s))
			return refuse_barrier(c, s, "only some lanes may wait here");
	if (bits_has(fn->uniform->branch, b) && !lanes_meet_again(c, b))
		return refuse_barrier(c, last, "only some lanes may get from here to the loop");
	return VERDICT_YES;
}

/* Whether each lane that does not end reaches the entry, as often as the others, and no lane waits
 * elsewhere for one that waits there. */
static Verdict
check_all_lanes_reach(const Plan *x)
{
	const Fn *fn = x->fn;
	Entry_check c = { .x = x };
	Verdict v = VERDICT_YES;

	if (!fn->f->entry)
		return refuse_barrier(&c, plan_marker(x)->stmt, "only some lanes may call this function");
	for (uint32_t i = 0; i < fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[fn->f->marker + i];
		if (k->annot.kind == ANNOT_REMAP)
			return refuse_barrier(&c, k->stmt, "threads that end wait for the block here");
	}
	classify_blocks(&c);
	BITS_EACH(b, c.before)
		if (!verdict_is_no(v))
			v = check_block_before(&c, b);
	return v;
}

Verdict
plan_check_groups(Plan *x)
{
	uint32_t inside, before;
	Verdict v;

	x->common.gathers = x->wait && x->wait->pool && x->wait->pool->of_block;
	if (x->remap || x->common.gathers || !(inside = find_separating_inside(x)) ||
		!(before = find_separating_before(x, inside)))
		return VERDICT_YES;
	if (!verdict_is_no(v = check_all_lanes_reach(x))) {
		x->common.gathers = true;
		return v;
	}
	return verdict_note(
		verdict_note(
			verdict_note(verdict(x->arena, D_SPIN, fn_stmt(x->fn, inside)->at.pos,
					     "lanes may reach the loop in groups, which may block each other at this access"),
				x->arena, fn_stmt(x->fn, before)->at.pos,
				"the lanes of a warp need not leave a loop with this access together"),
			x->arena, v.pos, "%s", v.text),
		x->arena, DIAG_NOWHERE,
		"put __syncwarp() before the loop, where all lanes of the warp reach it");
}
