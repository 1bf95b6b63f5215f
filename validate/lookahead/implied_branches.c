/* SPDX-License-Identifier: MIT */
/* Branches of the input that a text with look-ahead need not test, because they only decide about
 * paths and what paths need. */
#include "validate/lookahead/lookahead.h"

/* The text skips the block, so look-ahead registers lack what it computes. */
static void
forget_block(const Loop_check *s, Lane_state *l, uint32_t block)
{
	FN_BLOCK_STMTS(s->in.fn, block, i)
		FN_WRITES(s->in.fn, i, r)
			if (lookahead_number(s, r->sym))
				*lookahead_value(s, l, lookahead_number(s, r->sym)) = 0;
}

void
lookahead_skip(Loop_check *s, Lane_state *l)
{
	const Cfg *g = s->in.fn->cfg;
	uint32_t from = fn_block(s->in.fn, l->at.input), b = from;

	for (uint32_t n = 0; n < g->nblocks && !s->lookahead->paths.of_block[b]; n++)
		if (g->blocks[b].nsucc != 1 || !(b = *cfg_succ(g, b)) || b == s->lookahead->header)
			return;
	for (; from != b; from = *cfg_succ(g, from))
		forget_block(s, l, from);
	l->at.input = g->blocks[b].stmt;
	l->lookahead.begun = true;
	input_advance(s, l);
}

/* A selected iteration reaches its path: if only one edge of a branch leads there, the lane takes
 * it. */
static bool
advance_to_path(Loop_check *s, Lane_state *l, uint32_t at)
{
	const Stmt *t = fn_stmt(s->in.fn, at);
	uint32_t target = ptx_op(s->in.m, t) == OP_BRA ?
		cfg_label_block(s->in.fn->cfg, s->in.m->opnds[ptx_operand(s->in.m, t, 0)].sym) : 0;
	uint32_t b = fn_block(s->in.fn, at), taken = 0, other = 0;

	FN_SUCC(s->in.fn, b, k)
		if (k && lookahead_reaches_path(s, k))
			*(k == target ? &taken : &other) += 1;
	return t->guard && (taken > 0) != (other > 0) && input_take_branch(s, l, taken > 0);
}

bool
lookahead_other_edge(Loop_check *s, Lane_state *l, bool *again)
{
	uint32_t at = input_branch(s, &l->at), was = l->at.input;
	bool said;

	if (!at) {
		if (lookahead_is_active(&l->lookahead))
			lookahead_skip(s, l);
		*again = l->at.input != was || l->lookahead.pending;
		return *again && !s->fault.why;
	}
	*again = true;
	if (l->lookahead.due && !l->lookahead.in_path && !l->lookahead.ran &&
		advance_to_path(s, l, at))
		return true;
	return !s->fault.why && l->at.input == was ? lane_fork_branch(s, l, &said) : false;
}

uint32_t
lookahead_edge_target(Loop_check *s, const Lane_state *l, bool taken)
{
	Lane_state *k = lane_state_copy(s, l);

	if (!input_take_branch(s, k, taken))
		return 0;
	if (!input_branch(s, &k->at) && input_is_in_loop(s, &k->at) &&
		lookahead_reaches_path(s, fn_block(s->in.fn, k->at.input)))
		lookahead_skip(s, k);
	return k->at.input;
}
