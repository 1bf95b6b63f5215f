/* SPDX-License-Identifier: MIT */
/* Does every lane of a group come to every `.sync` that names it? See convergence_check.h.
 *
 * A group is what activemask gave, in one register; its lanes stand together there. A `.sync` names
 * it by the register or, behind a branch on that register, by the number of all lanes. They come to
 * each vote and barrier that names it, all of them and equally often, if no branch parts them on
 * the way: a branch whose predicate all lanes of the group agree on parts nobody; any other parts
 * lanes, and then no `.sync` of the group may stand before they are together again, at the branch's
 * immediate post-dominator.
 *
 * Lanes agree on what a vote of the group gives, or a shuffle from one lane, on the mask, on
 * literals, on values that are uniform in the block, and on what is computed from such alone,
 * unless some lanes only have come past where it is computed: a block between a branch that parts
 * lanes and its post-dominator. Both sets are found together, from "all agree on everything" down
 * to what is left when nothing more falls.
 *
 * A trap ends all lanes, but in the graph it is a way out like any other, and no block behind it
 * post-dominates what is in
 * front: where lanes may trap on the way, nothing is said.
 */
#include "transform/output/convergence_check.h"
#include "transform/plan/plan.h"

typedef struct {
	const Fn *fn;
	uint32_t mask;          /* the register */
	uint32_t begin;         /* block of its activemask */
	Bits syncs;             /* blocks with a .sync of the group */
	Bits reach;             /* blocks that come to one, without passing begin */
	Bits varies;            /* definitions on which the group's lanes need not agree */
	Bits parted;            /* blocks that some lanes only may be in */
	bool changed;
} Group;

static bool
names(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_READS(fn, stmt, r)
		if (r->sym == sym)
			return true;
	return false;
}

/* Does the block end with a branch on a comparison of the mask? */
static bool
compares_mask(const Group *g, uint32_t block)
{
	const Fn *fn = g->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);

	if (!t || fn->cfg->blocks[block].nsucc != 2)
		return false;
	FN_USES_OF_STMT(fn, t, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (s && ptx_op(fn->m, fn_stmt(fn, s)) == OP_SETP && names(fn, s, g->mask))
				return true;
		}
	return false;
}

/* Can control come to a block by such a branch alone? */
static bool
behind_comparison(const Group *g, uint32_t block)
{
	const Cfg *cfg = g->fn->cfg;

	for (uint32_t b = block; b && b != g->begin; b = g->fn->dom->idom[b])
		if (cfg->blocks[b].npred == 1 && compares_mask(g, cfg_pred(cfg, b)[0]))
			return true;
	return false;
}

/* Is the mask, which is the last operand, a register? */
static bool
names_register(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t o = s->nopnd ? ptx_operand(fn->m, s, s->nopnd - 1u) : 0;

	return !o || fn->m->opnds[o].kind == OPND_SYM;
}

/* Does a vote or barrier name the group? */
static bool
names_group(const Group *g, uint32_t stmt)
{
	const Fn *fn = g->fn;

	return names(fn, stmt, g->mask) ||
		(!names_register(fn, stmt) && behind_comparison(g, fn_block(fn, stmt)));
}

/* Does it give the same to all lanes that it names? */
static bool
gives_all(Op op)
{
	return op == OP_VOTE || op == OP_REDUX;
}

/* Is it a shuffle that gives all lanes what one of them has, whose number is a literal? */
static bool
gives_one(const Module *m, const Stmt *s)
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
is_sync(const Group *g, uint32_t stmt)
{
	const Fn *fn = g->fn;
	Op op = fn_stmt(fn, stmt)->kind == STMT_INSN ? ptx_op(fn->m, fn_stmt(fn, stmt)) :
						       OP_UNKNOWN;

	return (gives_all(op) || op == OP_BAR_WARP ||
		       (op == OP_SHFL && gives_one(fn->m, fn_stmt(fn, stmt)))) &&
		names_group(g, stmt);
}

/* ---- on what do the lanes agree? ------------------------------------------------------------- */

static bool
reads_varying(const Group *g, uint32_t stmt)
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

/* Does a statement give different values to different lanes, from values that they agree on? */
static bool
makes_varying(const Group *g, uint32_t stmt)
{
	const Stmt *s = fn_stmt(g->fn, stmt);
	Op op = ptx_op(g->fn->m, s);

	if (gives_all(op) || op == OP_ACTIVEMASK)
		return op != OP_ACTIVEMASK && !names_group(g, stmt);
	return !(ptx_flags(g->fn->m, s) & OPF_PURE);
}

/* Does a definition vary, by what is known so far? One that stands before the group came together
 * may. */
static bool
varies(const Group *g, uint32_t d)
{
	const Fn *fn = g->fn;
	uint32_t stmt = fn_def(fn, d)->stmt, block = stmt ? fn_block(fn, stmt) : 0;

	if (!stmt || !dom_dominates(fn->dom, g->begin, block))
		return true;
	if (bits_has(g->parted, block))
		return true;
	if ((gives_all(ptx_op(fn->m, fn_stmt(fn, stmt))) || gives_one(fn->m, fn_stmt(fn, stmt))) &&
		names_group(g, stmt))
		return false; /* whatever the lanes vote, or have */
	return makes_varying(g, stmt) || reads_varying(g, stmt);
}

static void
mark_varying(Group *g)
{
	for (uint32_t d = 1; d < g->fn->defuse->ndefs; d++)
		if (!bits_has(g->varies, d) && varies(g, d)) {
			bits_set(g->varies, d);
			g->changed = true;
		}
}

/* ---- where are they parted? ------------------------------------------------------------------ */

/* Does the branch at the end of a block part lanes? */
static bool
parts(const Group *g, uint32_t block)
{
	const Fn *fn = g->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);

	return t && fn->cfg->blocks[block].nsucc > 1 && reads_varying(g, t);
}

/* The blocks between a branch and where its ways meet again. */
static void
between(const Group *g, uint32_t block, Bits found)
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
mark_parted(Group *g)
{
	Bits found = bits_new(g->fn->arena, g->fn->cfg->nblocks);

	BITS_EACH(b, g->reach)
		if (parts(g, b))
			between(g, b, found);
	g->changed |= bits_or(g->parted, found);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void
find_syncs(Group *g)
{
	const Fn *fn = g->fn;
	Bits all = bits_new(fn->arena, fn->cfg->nblocks);

	FN_STMTS(fn, s)
		if (is_sync(g, s))
			bits_set(g->syncs, fn_block(fn, s));
	FN_BLOCKS(fn, b)
		if (b != g->begin)
			bits_set(all, b);
	BITS_EACH(b, g->syncs)
		cfg_flood(fn->cfg, b, true, all, g->reach);
	bits_set(g->reach, g->begin);
}

/* May some of the lanes trap behind the activemask? A block that ends so comes to no .sync. */
static bool
traps(const Fn *fn, uint32_t block)
{
	uint32_t t = cfg_terminator(fn->cfg, block);

	return t && ptx_op(fn->m, fn_stmt(fn, t)) == OP_TRAP;
}

/* Can lanes trap on the way to a .sync: in a block that reaches one, or in blocks behind it that
 * have no other end? */
static bool
may_trap(const Group *g)
{
	const Fn *fn = g->fn;
	Bits all = bits_new(fn->arena, fn->cfg->nblocks),
	     ends = bits_new(fn->arena, fn->cfg->nblocks);

	FN_BLOCKS(fn, b)
		bits_set(all, b);
	FN_PRED(fn, 0, b)
		if (!traps(fn, b))
			cfg_flood(fn->cfg, b, true, all, ends);
	BITS_EACH(b, g->reach) {
		if (traps(fn, b))
			return true;
		FN_SUCC(fn, b, to)
			if (to && !bits_has(ends, to))
				return true;
	}
	return false;
}

static bool
fault(const Fn *fn, uint32_t block, const char *what, Buf *why)
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
	Group g = { .fn = fn,
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
		mark_parted(&g);
	} while (g.changed);
	BITS_EACH(b, g.syncs) {
		if (!dom_dominates(fn->dom, g.begin, b))
			return fault(
				fn, b, "a .sync names lanes that may not have come together", why);
		if (bits_has(g.parted, b))
			return fault(fn, b,
				"a lane that a .sync here names may not reach it", why);
	}
	return true;
}

bool
sync_converges(const Fn *fn, Buf *why)
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
