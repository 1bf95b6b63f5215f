/* SPDX-License-Identifier: MIT */
/* Checks that every lane of a group reaches every `.sync` that names it. See convergence_check.h.
 *
 * A group is the result of activemask in one register; its lanes are together at that point. A
 * `.sync` names it by the register or, after a branch on that register, by the mask of all lanes.
 * All lanes of the group reach each such vote and barrier equally often if no branch diverges on
 * the way. A branch does not diverge if all lanes of the group agree on its predicate. After any
 * other branch, no `.sync` of the group may occur before its immediate post-dominator, where lanes
 * are together again.
 *
 * Lanes agree on results of votes of the group, on shuffles from one lane, on the mask, on
 * literals, on values that are uniform in the block, and on what is computed from these alone.
 * Excluded is code that only some lanes may execute: blocks between a divergent branch and its
 * post-dominator. Both sets are computed together as a greatest fixed point, starting from "all
 * agree on everything".
 *
 * A trap ends all lanes, but in the graph it is an ordinary exit, and no later block post-dominates
 * earlier ones. If lanes may trap on the way, the check gives up and reports no fault. */
#include "transform/output/convergence_check.h"
#include "transform/plan/plan.h"

typedef struct {
	const Fn *fn;
	uint32_t mask;          /* register that names the group */
	uint32_t begin;         /* block of its activemask */
	Bits syncs;             /* blocks with a .sync of the group */
	Bits reach;             /* blocks that reach such a block without passing `begin` */
	Bits varies;            /* definitions on which the lanes may disagree */
	Bits parted;            /* blocks that only some of the lanes may execute */
	bool changed;
} Lane_group;

static bool
operand_names(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_READS(fn, stmt, r)
		if (r->sym == sym)
			return true;
	return false;
}

/* Whether the block ends with a branch on a comparison of the mask. */
static bool
block_tests_mask(const Lane_group *g, uint32_t block)
{
	const Fn *fn = g->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);

	if (!t || fn->cfg->blocks[block].nsucc != 2)
		return false;
	FN_USES_OF_STMT(fn, t, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (s && ptx_op(fn->m, fn_stmt(fn, s)) == OP_SETP &&
				operand_names(fn, s, g->mask))
				return true;
		}
	return false;
}

/* Whether every path to the block takes an edge of such a branch. */
static bool
block_follows_mask_test(const Lane_group *g, uint32_t block)
{
	const Cfg *cfg = g->fn->cfg;

	for (uint32_t b = block; b && b != g->begin; b = g->fn->dom->idom[b])
		if (cfg->blocks[b].npred == 1 && block_tests_mask(g, cfg_pred(cfg, b)[0]))
			return true;
	return false;
}

/* Whether the mask, which is the last operand, is a register. */
static bool
mask_is_register(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t o = s->nopnd ? ptx_operand(fn->m, s, s->nopnd - 1u) : 0;

	return !o || fn->m->opnds[o].kind == OPND_SYM;
}

/* Whether a vote or barrier names the group. */
static bool
stmt_names_group(const Lane_group *g, uint32_t stmt)
{
	const Fn *fn = g->fn;

	return operand_names(fn, stmt, g->mask) ||
		(!mask_is_register(fn, stmt) && block_follows_mask_test(g, fn_block(fn, stmt)));
}

/* Whether the operation returns the same value to all lanes that it names. */
static bool
result_is_group_uniform(Op op)
{
	return op == OP_VOTE || op == OP_REDUX;
}

/* Whether the statement is a shuffle from one lane with a literal number to all lanes. */
static bool
shuffle_is_broadcast(const Module *m, const Stmt *s)
{
	enum { LAST_LANE = 31 };
	uint32_t from = ptx_operand(m, s, 2), clamp = ptx_operand(m, s, 3);
	uint64_t lane, last;
	bool real;

	return ptx_op(m, s) == OP_SHFL && ptx_has(m, s, "idx") && !s->guard &&
		m->opnds[from].kind == OPND_IMM && ptx_imm(m, &m->opnds[from], &lane, &real) &&
		m->opnds[clamp].kind == OPND_IMM && ptx_imm(m, &m->opnds[clamp], &last, &real) &&
		last == LAST_LANE;
}

static bool
is_sync(const Lane_group *g, uint32_t stmt)
{
	const Fn *fn = g->fn;
	Op op = fn_stmt(fn, stmt)->kind == STMT_INSN ? ptx_op(fn->m, fn_stmt(fn, stmt)) :
						       OP_UNKNOWN;

	return (result_is_group_uniform(op) || op == OP_BAR_WARP ||
		       (op == OP_SHFL && shuffle_is_broadcast(fn->m, fn_stmt(fn, stmt)))) &&
		stmt_names_group(g, stmt);
}

/* ---- agreement ------------------------------------------------------------------------------- */

static bool
reads_varying(const Lane_group *g, uint32_t stmt)
{
	const Fn *fn = g->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d)
			if (bits_has(g->varies, d))
				return true;
	FN_READS(fn, stmt, r)
		if (fn_sreg_has(fn, r->sym, SREGF_LANE | SREGF_TIME))
			return true;
	return false;
}

/* Whether a statement returns different values to lanes that agree on its operands. */
static bool
makes_varying(const Lane_group *g, uint32_t stmt)
{
	const Stmt *s = fn_stmt(g->fn, stmt);
	Op op = ptx_op(g->fn->m, s);

	if (result_is_group_uniform(op) || op == OP_ACTIVEMASK)
		return op != OP_ACTIVEMASK && !stmt_names_group(g, stmt);
	return !(ptx_flags(g->fn->m, s) & OPF_PURE);
}

/* Whether lanes may disagree on a definition, given the current sets. They may on any definition
 * before the group was formed. */
static bool
def_varies(const Lane_group *g, uint32_t d)
{
	const Fn *fn = g->fn;
	uint32_t stmt = fn_def(fn, d)->stmt, block = stmt ? fn_block(fn, stmt) : 0;

	if (!stmt || !dom_dominates(fn->dom, g->begin, block))
		return true;
	if (bits_has(g->parted, block))
		return true;
	if ((result_is_group_uniform(ptx_op(fn->m, fn_stmt(fn, stmt))) ||
		    shuffle_is_broadcast(fn->m, fn_stmt(fn, stmt))) &&
		stmt_names_group(g, stmt))
		return false; /* for any votes or values of the lanes */
	return makes_varying(g, stmt) || reads_varying(g, stmt);
}

static void
mark_varying(Lane_group *g)
{
	for (uint32_t d = 1; d < g->fn->defuse->ndefs; d++)
		if (!bits_has(g->varies, d) && def_varies(g, d)) {
			bits_set(g->varies, d);
			g->changed = true;
		}
}

/* ---- divergence ------------------------------------------------------------------------------ */

/* Whether the branch at the end of the block diverges. */
static bool
branch_diverges(const Lane_group *g, uint32_t block)
{
	const Fn *fn = g->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);

	return t && fn->cfg->blocks[block].nsucc > 1 && reads_varying(g, t);
}

/* Adds the blocks between a branch and its post-dominator. */
static void
blocks_to_reconvergence(const Lane_group *g, uint32_t block, Bits found)
{
	const Fn *fn = g->fn;
	Arena_mark mark = arena_mark(fn->arena);
	Bits within = bits_new(fn->arena, fn->cfg->nblocks);

	bits_copy(within, g->reach);
	bits_unset(within, fn->dom->ipdom[block]);
	bits_unset(within, g->begin);
	FN_SUCC(fn, block, to)
		cfg_flood(fn->cfg, to, false, within, found);
	arena_release(fn->arena, mark);
}

static void
mark_divergent(Lane_group *g)
{
	Bits found = bits_new(g->fn->arena, g->fn->cfg->nblocks);

	BITS_EACH(b, g->reach)
		if (branch_diverges(g, b))
			blocks_to_reconvergence(g, b, found);
	g->changed |= bits_or(g->parted, found);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void
find_syncs(Lane_group *g)
{
	const Fn *fn = g->fn;
	Bits all = bits_new(fn->arena, fn->cfg->nblocks);

	FN_STMTS(fn, s)
		if (is_sync(g, s))
			bits_set(g->syncs, fn_block(fn, s));
	bits_fill(all, 1, fn->cfg->nblocks);
	bits_unset(all, g->begin);
	BITS_EACH(b, g->syncs)
		cfg_flood(fn->cfg, b, true, all, g->reach);
	bits_set(g->reach, g->begin);
}

/* Whether the block ends with a trap; then it reaches no .sync. */
static bool
block_may_trap(const Fn *fn, uint32_t block)
{
	uint32_t t = cfg_terminator(fn->cfg, block);

	return t && ptx_op(fn->m, fn_stmt(fn, t)) == OP_TRAP;
}

/* Whether lanes may trap on the way to a .sync: in a block that reaches one, or in successors that
 * have no other end. */
static bool
may_trap(const Lane_group *g)
{
	const Fn *fn = g->fn;
	Bits all = bits_new(fn->arena, fn->cfg->nblocks),
	     ends = bits_new(fn->arena, fn->cfg->nblocks);

	bits_fill(all, 1, fn->cfg->nblocks);
	FN_PRED(fn, 0, b)
		if (!block_may_trap(fn, b))
			cfg_flood(fn->cfg, b, true, all, ends);
	BITS_EACH(b, g->reach) {
		if (block_may_trap(fn, b))
			return true;
		FN_SUCC(fn, b, to)
			if (to && !bits_has(ends, to))
				return true;
	}
	return false;
}

static bool
report_fault(const Fn *fn, uint32_t block, const char *what, Buf *why)
{
	uint32_t line, col;

	source_position(fn->m->src, fn_stmt(fn, fn->cfg->blocks[block].stmt)->at.pos, &line, &col);
	buf_printf(why, "line %u: %s", line, what);
	return false;
}

/* stmt: an activemask. */
static bool
group_converges(const Fn *fn, uint32_t stmt, uint32_t mask, Buf *why)
{
	Lane_group g = { .fn = fn,
		.mask = mask,
		.begin = fn_block(fn, stmt),
		.syncs = bits_new(fn->arena, fn->cfg->nblocks),
		.reach = bits_new(fn->arena, fn->cfg->nblocks),
		.varies = bits_new(fn->arena, fn->defuse->ndefs),
		.parted = bits_new(fn->arena, fn->cfg->nblocks) };

	find_syncs(&g);
	if (may_trap(&g))
		return true;
	do {
		g.changed = false;
		mark_varying(&g);
		mark_divergent(&g);
	} while (g.changed);
	BITS_EACH(b, g.syncs) {
		if (!dom_dominates(fn->dom, g.begin, b))
			return report_fault(
				fn, b, "a .sync names lanes that may not have come together", why);
		if (bits_has(g.parted, b))
			return report_fault(fn, b,
				"a lane that a .sync here names may not reach it", why);
	}
	return true;
}

bool
check_convergence(const Fn *fn, Buf *why)
{
	Arena_mark mark = arena_mark(fn->arena);
	bool ok = true;

	FN_STMTS(fn, s) {
		if (!ok || fn_stmt(fn, s)->kind != STMT_INSN ||
			ptx_op(fn->m, fn_stmt(fn, s)) != OP_ACTIVEMASK)
			continue;
		FN_WRITES(fn, s, r)
			ok = ok && group_converges(fn, s, r->sym, why);
	}
	arena_release(fn->arena, mark);
	return ok;
}
