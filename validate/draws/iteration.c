/* SPDX-License-Identifier: MIT */
/* What an iteration of the input's loop is: where it ends, what it needs, what it may omit. */
#include "validate/draws/draws.h"

static bool
no_iteration(Loop_check *s)
{
	return loop_check_fault(
		s, s->out.begin, "iterations are drawn of a loop that does not end by one test");
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Whether the edges that leave the loop are one, of a conditional branch; finds both. */
static bool
find_test(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	Draws *d = s->out.draws;

	BITS_EACH(b, iteration_loop(s)->blocks)
		FN_SUCC(fn, b, to) {
			uint32_t t = cfg_terminator(fn->cfg, b);
			if ((to && bits_has(iteration_loop(s)->blocks, to)) ||
				(!to && t && ptx_op(fn->m, fn_stmt(fn, t)) == OP_TRAP))
				continue;
			if (!to || !t || d->test || !fn_stmt(fn, t)->guard ||
				ptx_op(fn->m, fn_stmt(fn, t)) != OP_BRA)
				return no_iteration(s);
			d->test = t;
			d->exit = to;
		}
	return d->test || no_iteration(s);
}

/* Whether each way back to the header is from the test, and the other edge of that leads there. */
static bool
test_ends_iteration(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	uint32_t header = iteration_loop(s)->header, last = fn_block(fn, s->out.draws->test);
	uint32_t to = 0;

	FN_PRED(fn, header, b)
		if (bits_has(iteration_loop(s)->blocks, b) && !dom_dominates(fn->dom, last, b))
			return no_iteration(s);
	FN_SUCC(fn, last, b)
		if (b && bits_has(iteration_loop(s)->blocks, b))
			to = fn->cfg->blocks[b].stmt;
	s->out.draws->header = input_next_plain(&s->in, fn->cfg->blocks[header].stmt);
	return (to && input_next_plain(&s->in, to) == s->out.draws->header) || no_iteration(s);
}

/* ---- what it omits and needs ----------------------------------------------------------------- */

static bool
is_parameter(const Fn *fn, uint32_t stmt)
{
	if (ptx_op(fn->m, fn_stmt(fn, stmt)) != OP_LD ||
		ptx_space(fn->m, fn_stmt(fn, stmt)) != SPACE_PARAM)
		return false;
	FN_REFS(fn, stmt, r) /* the result of a call is declared next to it */
		if (!fn_is_reg(fn, r->sym) && ptx_has_stmt(fn->f, fn->m->syms[r->sym].decl))
			return false;
	return true;
}

/* Whether the statement gives the same result wherever the thread executes it on the same operands,
 * and has no effect. */
static bool
stmt_can_move(const Fn *fn, uint32_t stmt)
{
	return fn_stmt(fn, stmt)->kind == STMT_INSN &&
		(stmt_is_repeatable(fn, stmt) || is_parameter(fn, stmt));
}

/* Moves backward over a statement: live are the registers that the rest of the iteration needs. */
static void
pass_backward(Draws *d, const Fn *fn, uint32_t stmt, Bits live)
{
	uint32_t i = fn_local_stmt(fn, stmt);
	bool spare = stmt == d->test || stmt_can_move(fn, stmt);

	if (fn_stmt(fn, stmt)->kind != STMT_INSN)
		return;
	FN_WRITES(fn, stmt, r)
		spare = spare && fn_is_reg(fn, r->sym) && !bits_has(live, fn_local(fn, r->sym));
	if (spare)
		return;
	bits_unset(d->spare, i);
	FN_WRITES(fn, stmt, r)
		if (fn_is_reg(fn, r->sym) && refs_kills(fn->m, stmt, r))
			bits_unset(live, fn_local(fn, r->sym));
	FN_READS(fn, stmt, r)
		if (fn_is_reg(fn, r->sym))
			bits_set(live, fn_local(fn, r->sym));
}

/* Faint variables: a statement is needed if it has an effect, or a needed one of the same iteration
 * may read its result. */
static void
find_needed(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	const Loop *loop = iteration_loop(s);
	Draws *d = s->out.draws;
	Bits *in = arena_array(s->arena, fn->cfg->nblocks, sizeof *in);
	bool again = true;

	BITS_EACH(b, loop->blocks) {
		in[b] = bits_new(s->arena, fn->f->nsym);
		FN_BLOCK_STMTS(fn, b, i)
			bits_set(d->spare, fn_local_stmt(fn, i));
	}
	while (again) {
		again = false;
		for (uint32_t k = fn->cfg->nrpo; k-- > 0;) {
			uint32_t b = fn->cfg->rpo[k];
			if (!bits_has(loop->blocks, b))
				continue;
			Bits live = bits_new(s->arena, fn->f->nsym);
			FN_SUCC(fn, b, to)
				if (to && to != loop->header && bits_has(loop->blocks, to))
					bits_or(live, in[to]);
			for (uint32_t i = fn->cfg->blocks[b].end; i-- > fn->cfg->blocks[b].stmt;)
				pass_backward(d, fn, i, live);
			again |= bits_or(in[b], live);
		}
	}
	d->needed = in[loop->header];
}

/* ---- registers of other lanes ---------------------------------------------------------------- */

/* Whether some lanes of M may not have executed the statement: it is after the begin marker. */
static bool
is_inside(const Loop_check *s, uint32_t stmt)
{
	uint32_t marker = s->in.m->markers[s->in.region->marker].stmt, b = fn_block(s->in.fn, stmt);

	return bits_has(s->in.region->blocks, b) &&
		(b != fn_block(s->in.fn, marker) || stmt > marker);
}

static void
find_own_registers(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	Bits seen = bits_new(s->arena, fn->f->nsym);

	for (uint32_t i = 0; i < s->out.refs.n; i++) {
		uint32_t sym = s->out.refs.at[i].reg->input_sym;
		if (s->out.refs.at[i].reg->kind != REG_INPUT || !fn_is_reg(fn, sym) ||
			bits_has(seen, fn_local(fn, sym)))
			continue;
		bits_set(seen, fn_local(fn, sym));
		bool common = !uniform_varies_at(fn, iteration_loop(s)->header, sym);
		FN_DEFS_OF_SYM(fn, sym, d)
			common = common &&
				(!fn_def(fn, d)->stmt || !is_inside(s, fn_def(fn, d)->stmt));
		if (!common)
			bits_set(s->out.draws->own, fn_local(fn, sym));
	}
}

/* Lists the statements that the owner may execute by themselves for an iteration. */
static void
find_once(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	const Loop *loop = iteration_loop(s);
	Draws *d = s->out.draws;

	d->once = arena_array(s->arena, fn->f->nstmt + 1, sizeof *d->once);
	for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
		uint32_t b = fn->cfg->rpo[k];
		if (!bits_has(loop->blocks, b) || fn->loops->loop_of[b] != s->in.region->loop ||
			bits_has(fn->loops->irreducible, b) ||
			!dom_dominates(fn->dom, b, fn_block(fn, d->test)))
			continue;
		FN_BLOCK_STMTS(fn, b, i)
			if (!fn_stmt(fn, i)->guard && stmt_can_move(fn, i))
				d->once[d->nonce++] = i;
	}
}

bool
iteration_init(Loop_check *s)
{
	Draws *d = s->out.draws;

	d->spare = bits_new(s->arena, s->in.fn->f->nstmt);
	d->own = bits_new(s->arena, s->in.fn->f->nsym);
	if (!find_test(s) || !test_ends_iteration(s))
		return false;
	find_needed(s);
	find_own_registers(s);
	find_once(s);
	return true;
}
