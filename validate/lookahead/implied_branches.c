/* SPDX-License-Identifier: MIT */
/* Branches of the input that a text with look-ahead need not test, because they only decide about
 * paths and what paths need. */
#include "validate/lookahead/lookahead.h"

/* The text skips the block, so look-ahead registers lack what it computes. */
static void
forget_block(const Site *s, Lane *l, uint32_t block)
{
	FN_BLOCK_STMTS(s->fn, block, i)
		FN_WRITES(s->fn, i, r)
			if (ahead_number(s, r->sym))
				*ahead_look(s, l, ahead_number(s, r->sym)) = 0;
}

void
ahead_skip(Site *s, Lane *l)
{
	const Cfg *g = s->fn->cfg;
	uint32_t from = fn_block(s->fn, l->at), b = from;

	for (uint32_t n = 0; n < g->nblocks && !s->ahead->path_at[b]; n++)
		if (g->blocks[b].nsucc != 1 || !(b = *cfg_succ(g, b)) || b == s->ahead->header)
			return;
	for (; from != b; from = *cfg_succ(g, from))
		forget_block(s, l, from);
	l->at = g->blocks[b].stmt;
	l->look.begun = true;
	cursor_settle(s, l);
}

/* A selected iteration reaches its path: if only one edge of a branch leads there, the lane takes
 * it. */
static bool
to_path(Site *s, Lane *l, uint32_t at)
{
	const Stmt *t = fn_stmt(s->fn, at);
	uint32_t target = ptx_op(s->in, t) == OP_BRA ?
		cfg_label_block(s->fn->cfg, s->in->opnds[ptx_operand(s->in, t, 0)].sym) : 0;
	uint32_t b = fn_block(s->fn, at), taken = 0, other = 0;

	FN_SUCC(s->fn, b, k)
		if (k && ahead_to_path(s, k))
			*(k == target ? &taken : &other) += 1;
	return t->guard && (taken > 0) != (other > 0) && cursor_take(s, l, taken > 0);
}

bool
ahead_other_way(Site *s, Lane *l, bool *again)
{
	uint32_t at = cursor_branch(s, l), was = l->at;
	bool said;

	if (!at) {
		if (ahead_is_looking(l))
			ahead_skip(s, l);
		*again = l->at != was || l->look.pending;
		return *again && !s->why;
	}
	*again = true;
	if (l->look.due && !l->look.in_path && !l->look.ran && to_path(s, l, at))
		return true;
	return !s->why && l->at == was ? lane_split(s, l, &said) : false;
}

uint32_t
ahead_comes_to(Site *s, const Lane *l, bool taken)
{
	Lane *k = lane_copy(s, l);

	if (!cursor_take(s, k, taken))
		return 0;
	if (!cursor_branch(s, k) && cursor_inside(s, k) && ahead_to_path(s, fn_block(s->fn, k->at)))
		ahead_skip(s, k);
	return k->at;
}
