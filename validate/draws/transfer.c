/* SPDX-License-Identifier: MIT */
/* What a draw, and an iteration that was drawn, do to the lane that is followed (draws.h). */
#include "validate/draws/draws.h"

static const Draw_text *
draw_at(const Loop_check *s, uint32_t stmt)
{
	for (uint32_t i = 0; s->out.draws && i < s->out.draws->n; i++)
		if (s->out.draws->at[i].first == stmt)
			return &s->out.draws->at[i];
	return NULL;
}

bool
draw_begins(const Loop_check *s, uint32_t stmt)
{
	return draw_at(s, stmt) != NULL;
}

/* ---- iterations ------------------------------------------------------------------------------ */

bool
iteration_omit(Loop_check *s, Lane_state *l)
{
	uint32_t in = l->at.input;

	if (in == s->out.draws->test || input_stmt(&s->in, in)->kind != INPUT_PLAIN ||
		!bits_has(s->out.draws->spare, fn_local_stmt(s->in.fn, in)))
		return false;
	l->at.input++;
	return input_advance(s, l);
}

bool
iteration_reach_branch(Loop_check *s, Lane_state *l)
{
	while (!input_branch(s, &l->at) && iteration_omit(s, l)) {}
	return !s->fault.why;
}

bool
iteration_reads_uniform(const Loop_check *s, uint32_t stmt, uint32_t in)
{
	STMT_REFS(&s->out, stmt, r)
		if (!r->written && r->reg->kind == REG_UNIFORM &&
			(!r->reg->index ||
				!use_has_only_def(s->in.fn, in, r->reg->input_sym, r->reg->index)))
			return false;
	return true;
}

bool
draw_before_stmt(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	bool ends = false;

	STMT_REFS(&s->out, stmt, r)
		ends |= r->written && r->sym == s->out.draws->at[0].in;
	if (!ends || !l->at.home)
		return true;
	if (!iteration_reach_branch(s, l))
		return false;
	if (l->at.input != s->out.draws->test)
		return loop_check_fault(s, stmt, "a lane leaves an iteration before its end");
	l->at.input = l->at.home;
	l->at.ended = l->at.home_ended;
	l->at.home = l->at.home_ended = 0;
	l->assumed.n = 0;
	return true;
}

bool
draw_may_leave(const Loop_check *s, const Lane_state *l)
{
	uint32_t last = l->segment.from;

	return !l->at.home && last && s->out.m->stmts[last].kind == STMT_INSN &&
		output_stmt(&s->out, last)->op == OP_BAR_WARP;
}

/* ---- draws ----------------------------------------------------------------------------------- */

static Term_id
value_of(const Loop_check *s, const Lane_state *l, uint32_t sym)
{
	return l->env[output_reg(&s->out, sym)->index];
}

static bool
is_special(const Loop_check *s, const Lane_state *l, uint32_t sym, Sreg sreg)
{
	const Term *x = term_at(&s->terms, value_of(s, l, sym));

	return x->op == TERM_SPECIAL && x->a == sreg && !x->b;
}

/* Whether the register is the ballot in which this lane voted what the other register still is. */
static bool
is_ballot(const Loop_check *s, const Lane_state *l, uint32_t sym, uint32_t of, uint32_t value)
{
	const Term *x = term_at(&s->terms, value_of(s, l, sym));

	return x->op == TERM_BALLOT && x->b == output_reg(&s->out, of)->index && x->c == value &&
		!scalar_varies(s, l, sym);
}

/* Sets the registers that the draw writes, except those that transfer.c knows. */
static void
forget_registers(Loop_check *s, Lane_state *l, const Draw_text *d)
{
	for (uint32_t i = d->first; i < d->end; i++) {
		STMT_REFS(&s->out, i, r)
			if (r->written && r->reg->kind == REG_EMITTED)
				scalar_set(s, l, r->sym,
					term_make(&s->terms, TERM_UNKNOWN, i, 0, 0),
					r->sym != d->next);
		bits_set(s->observed.reached, ptx_local_stmt(s->out.f, i));
	}
	s->steps += d->end - d->first;
}

/* Queues the lane as it is after the draw. got: it has got an iteration; has: it has some left.
 * Whether it has given one away does not matter if it has. */
static void
queue_outcome(Loop_check *s, const Lane_state *from, const Draw_text *d, bool got, bool has)
{
	Lane_state *l = lane_state_copy(s, from);
	uint32_t *own = l->at.home ? &l->at.home : &l->at.input;

	if (*own == s->out.draws->header && !has)
		*own = s->in.fn->cfg->blocks[s->out.draws->exit].stmt;
	if (got) {
		l->at.home = l->at.input;
		l->at.home_ended = l->at.ended;
		l->at.ended = 0;
		l->at.input = s->out.draws->header;
	}
	scalar_set(s, l, d->got, term_const(&s->terms, got), true);
	scalar_set(s, l, d->has, term_const(&s->terms, has), true);
	scalar_set(s, l, d->in, term_const(&s->terms, l->at.home != 0), true);
	l->at.output = d->end;
	lane_state_queue(s, l);
}

bool
draw_run(Loop_check *s, Lane_state *l)
{
	const Draw_text *d = draw_at(s, l->at.output);
	uint32_t in, has, own = l->at.home ? l->at.home : l->at.input;

	if (l->segment.diverged || !term_is_const(&s->terms, value_of(s, l, d->in), &in) ||
		!term_is_const(&s->terms, value_of(s, l, d->has), &has))
		return loop_check_fault(s, d->first, "lanes draw iterations that need not be here");
	if (in != (l->at.home != 0) || has != (own == s->out.draws->header))
		return loop_check_fault(s, d->first, "a lane does not know which iterations it has");
	if (!is_ballot(s, l, d->there, d->in, in) || !is_ballot(s, l, d->givers, d->has, has) ||
		!value_of(s, l, d->next) || scalar_varies(s, l, d->next) ||
		!is_special(s, l, d->lane, SREG_LANEID) ||
		!is_special(s, l, d->lower, SREG_LANEMASK_LT))
		return loop_check_fault(s, d->first, "lanes do not agree on who draws from whom");
	forget_registers(s, l, d);
	l->assumed.n = 0;
	l->idle = 0;
	for (uint32_t got = 0; got <= !in; got++)
		for (uint32_t more = 0; more <= has; more++)
			queue_outcome(s, l, d, got, more);
	return false;
}
