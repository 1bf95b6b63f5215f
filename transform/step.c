/* CCC: can the lanes of the loop keep in step?
 *
 * If every iteration comes by the branch to the path, and has no other branch but those that
 * leave the loop, then all lanes can walk through it together, each round one iteration: the vote
 * stands where the branch stood, and a parked lane runs along. It computes on its stale
 * registers, which harms nobody, but must touch no memory and change nothing that is live where
 * it left: such statements are predicated with %^in. The loop is then straight-line code: a way
 * out of it is an update of %^in, and no branch depends on the lane. Against the vote at the back
 * edge this saves the branch that sends parked lanes round the loop, the convergence barriers
 * that ptxas puts around such branches, and copies of the context.
 *
 * Correct because: parked lanes run only pure code besides; want is and-ed with in, so that a
 * lane that left before the vote votes for nothing; registers live at a way out are written under
 * in alone, so a parked lane's stay as they were when it left.
 */
#include "transform/ccc.h"

/* The branch to the path, whose other way is where the owner goes on, and the blocks between it
 * and the path's marker, where the compiler may have put computations: each the only way to the
 * next. */
static bool
find_branch(Ccc *c)
{
	const Fn *fn = c->fn;
	const Cfg *g = fn->cfg;
	uint32_t e = c->path->r.entry, u;
	c->prefix = bits_new(c->arena, g->nblocks);
	for (;; e = u) {
		u = g->blocks[e].npred == 1 ? cfg_pred(g, e)[0] : 0;
		if (!u || !bits_has(c->cloned, u) || !loop_contains(fn->loops, c->site->loop, u))
			return false;
		if (g->blocks[u].nsucc != 1)
			break;
		if (u == ccc_header(c) || u > e)
			return false;
		bits_set(c->prefix, u);
	}
	uint32_t t = cfg_terminator(g, u);
	if (!t || g->blocks[u].nsucc != 2 || ptx_op(fn->m, fn_stmt(fn, t)) != OP_BRA ||
		!fn_stmt(fn, t)->guard)
		return false;
	uint32_t other = cfg_succ(g, u)[cfg_succ(g, u)[0] == e];
	if (!bits_has(c->cloned, other) ||
		region_resolve(fn, c->site->loop, other) != c->path->next)
		return false;
	c->branch = t;
	c->branch_block = u;
	c->pass_over = other;
	c->want_falls = e == u + 1;
	return true;
}

/* The block of C that follows b in every iteration that goes on; 0 if there is no single one. */
static uint32_t
only_successor(const Ccc *c, uint32_t b)
{
	uint32_t found = 0;
	FN_SUCC(c->fn, b, s) {
		if (s == 0 || !bits_has(c->cloned, s) || bits_has(c->prefix, s))
			continue;
		if (found)
			return 0;
		found = s;
	}
	return found;
}

/* Is C's part of the loop one chain from the header through the branch back to the header? */
static bool
find_chain(Ccc *c)
{
	uint32_t b = ccc_header(c), all = 0;
	bool branch = false;
	c->chain = arena_array(c->arena, c->fn->cfg->nblocks, sizeof *c->chain);
	do {
		c->chain[c->nchain++] = b;
		branch |= b == c->branch_block;
		b = only_successor(c, b);
	} while (b && b != ccc_header(c) && c->nchain < c->fn->cfg->nblocks);
	BITS_EACH(k, c->cloned)
		all += loop_contains(c->fn->loops, c->site->loop, k);
	return b == ccc_header(c) && branch && c->nchain + bits_count(c->prefix) == all;
}

/* Does the statement write one of the registers in `live`? */
static bool
writes_live(const Fn *fn, uint32_t stmt, Bits live)
{
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (bits_has(live, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Can the statement stand in the chain? Notes it when it must run under a predicate: %^in,
 * because memory or registers in `live` must not be touched by a parked lane, or, before the
 * path, %^want. */
static bool
check_stmt(Ccc *c, uint32_t stmt, Bits live)
{
	const Stmt *s = fn_stmt(c->fn, stmt);
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(c->fn->m, s) : 0;
	if (flags & OPF_BRANCH)
		return ptx_op(c->fn->m, s) == OP_BRA;
	if (s->kind != STMT_INSN)
		return true;
	if (flags & OPF_EXIT)
		return s->guard && ptx_op(c->fn->m, s) != OP_TRAP;
	if (flags & (OPF_CALL | OPF_CROSS | OPF_BARRIER | OPF_STACK | OPF_CARRY))
		return false;
	if (flags & OPF_PURE && !writes_live(c->fn, stmt, live))
		return true;
	bits_set(c->predicated, fn_local_stmt(c->fn, stmt));
	return !s->guard;
}

static bool
slice_spares_context(const Ccc *c)
{
	for (uint32_t i = 0; i < c->nslice; i++)
		FN_DEFS_OF_STMT(c->fn, c->slice[i], d)
			if (c->from[fn_local(c->fn, fn_def(c->fn, d)->sym)] == FROM_CONTEXT)
				return false;
	return true;
}

void
ccc_step(Ccc *c)
{
	const Fn *fn = c->fn;
	if (!find_branch(c) || !find_chain(c) || !slice_spares_context(c))
		return;
	Bits live = bits_new(c->arena, fn->f->nsym);
	for (uint32_t k = 0; k < c->nexits; k++)
		bits_or(live, fn->live->in[c->exits[k].block]); /* of block 0: the results */
	Bits passed = bits_new(c->arena, fn->f->nsym);
	bits_copy(passed, live);
	bits_or(passed, fn->live->in[c->pass_over]);
	c->predicated = bits_new(c->arena, fn->f->nstmt);
	BITS_EACH(b, c->cloned) {
		if (!loop_contains(fn->loops, c->site->loop, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s)
			if (!check_stmt(c, s, bits_has(c->prefix, b) ? passed : live))
				return;
	}
	c->in_step = true;
}
