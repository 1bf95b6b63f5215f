/* SPDX-License-Identifier: MIT */
/* Compares the final states of a trial in both texts (trial.h). */
#include <string.h>
#include "validate/task/task.h"
#include "validate/trial/trial.h"

/* Continues the lanes in the untransformed loop, with their registers, until they have left it. */
static void
run_untouched_text(Trial *t, const Trial_warp *from, Trial_warp *to)
{
	const Loop_check *s = t->s;
	const Func *f = s->out.f;

	trial_warp_init(to);
	to->most = t->steps.longest;
	for (uint32_t left = from->left; left; left &= left - 1) {
		uint32_t o = from->at[__builtin_ctz(left)];
		while (ptx_has_stmt(f, o) && !s->out.origin[ptx_local_stmt(f, o)])
			o++;
		trial_start_lanes(to,
			ptx_has_stmt(f, o) ? s->out.origin[ptx_local_stmt(f, o)] :
					     input_end(&s->in),
			left & -left);
	}
	for (const Value_holder *h = from->code->all; h; h = h->next) {
		const Lane_values *x = &h->of[from->which];
		uint32_t wrote = x->wrote & from->left;
		uint32_t sym = h->kind == ARG_REG ? ptx_sym_at(f, h->reg) : 0;
		const Output_reg *r = output_reg(&s->out, sym);
		if (!wrote || r->kind != REG_INPUT || !fn_is_reg(s->in.fn, r->input_sym) ||
			register_is_scoped(&s->out, sym))
			continue;
		Lane_values *y =
			&trial_holder(to->code, fn_local(s->in.fn, r->input_sym))->of[to->which];
		y->has |= wrote;
		y->wrote |= wrote;
		memcpy(y->v, x->v, sizeof y->v); /* nothing else has set it */
	}
	trial_run(t, to);
}

/* The operation by which the loop folds into a register; NULL (a sum) if there is none. */
static const Trial_insn *
folds_into(Trial *t, uint32_t reg)
{
	for (uint32_t i = 0; i < t->nloop; i++) {
		const Trial_insn *a = trial_loop(t, i);
		if (a->nresults != 1 || a->results[0].kind != ARG_REG || a->results[0].reg != reg)
			continue;
		switch ((Op)a->code.op) {
		case OP_ADD: case OP_SUB: case OP_FMA: case OP_MAD:
		case OP_MIN: case OP_MAX: case OP_AND: case OP_OR: case OP_XOR: return a;
		default: break;
		}
	}
	return NULL;
}

static Modifier
insn_fold(const Trial_insn *a)
{
	switch (a ? (Op)a->code.op : OP_ADD) {
	case OP_MIN: return HOW_MIN;
	case OP_MAX: return HOW_MAX;
	case OP_AND: return HOW_AND;
	case OP_OR: return HOW_OR;
	case OP_XOR: return HOW_XOR;
	default: return HOW_ADD;
	}
}

/* If a lane may keep the results that it folded for others, only the combined value of all lanes
 * counts. */
static void
add_total(Trial *t, uint32_t reg, Type type, uint64_t in, uint64_t out)
{
	Lane_total *x = &t->exit.totals[reg];
	const Trial_insn *a = folds_into(t, reg);
	Type of = a ? (Type)a->code.type : type;

	x->in = x->lanes ? trial_fold(insn_fold(a), of, x->in, in) : in;
	x->out = x->lanes ? trial_fold(insn_fold(a), of, x->out, out) : out;
	x->lanes++;
	x->differs |= in != out;
}

/* The lanes that left the input's loop at the same place as the first one. */
static uint32_t
lanes_at_first_exit(const Trial_warp *input, uint32_t lanes)
{
	uint32_t at = input->at[__builtin_ctz(lanes)], there = 0;

	for (; lanes; lanes &= lanes - 1)
		there |= input->at[__builtin_ctz(lanes)] == at ? lanes & -lanes : 0;
	return there;
}

/* Finds the registers that are live at the exit; most trials have the same exit. */
static void
find_live(Trial *t, uint32_t at)
{
	if (t->exit.at != at)
		t->exit.live = input_live_registers(&t->s->in, at, t->s->arena);
	t->exit.at = at;
}

/* Compares a register that is live at the common exit, in all lanes. */
static bool
compare_register(Trial *t, const Trial_warp *input, const Trial_warp *rest, Value_holder *h)
{
	const Loop_check *s = t->s;
	const Lane_values *x = &h->of[input->which], *y = &h->of[rest->which];
	uint32_t sym = fn_sym(s->in.fn, h->reg), wrote = (x->wrote | y->wrote) & t->exit.lanes;

	if (!wrote || !bits_has(t->exit.live, h->reg))
		return true;
	trial_lane_values(t, input, h, wrote);
	trial_lane_values(t, rest, h, wrote);
	for (; wrote; wrote &= wrote - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(wrote);
		if (x->v[i] == y->v[i] && !t->exit.totals)
			continue;
		if (!t->exit.totals)
			return trial_wrong(t, s->out.begin,
				"a register holds something else behind the loop");
		add_total(t, h->reg, (Type)s->in.m->syms[sym].type, x->v[i], y->v[i]);
	}
	return true;
}

static bool
compare_totals(Trial *t)
{
	for (uint32_t i = 0; t->exit.totals && i < t->in.f->nsym; i++)
		if (t->exit.totals[i].differs && t->exit.totals[i].in != t->exit.totals[i].out)
			return trial_wrong(t, t->s->out.begin,
				"what lanes hold behind the loop is another total");
	if (t->exit.totals)
		memset(t->exit.totals, 0, t->in.f->nsym * sizeof *t->exit.totals);
	return true;
}

/* Whether the lane continues where it does in the input, or ends there. */
static bool
compare_exit(Trial *t, const Trial_warp *input, const Trial_warp *output, const Trial_warp *rest,
	uint32_t lane)
{
	const Loop_check *s = t->s;
	bool ended = input->ended >> lane & 1;

	if (output->ended >> lane & 1) {
		const Stmt *x = &s->out.m->stmts[output->at[lane]];
		return (ended && x->op == fn_stmt(s->in.fn, input->at[lane])->op) ||
			trial_wrong(t, output->at[lane],
				"a thread ends where it does not in the input");
	}
	uint32_t at = rest->at[lane], in = input->at[lane];
	if (rest->lost >> lane & 1 || (rest->ended >> lane & 1) != ended ||
		(ended ? at != in : input_next_plain(&s->in, at) != input_next_plain(&s->in, in)))
		return trial_wrong(
			t, s->out.begin, "a lane continues at a different place than in the input");
	return true;
}

static uint64_t
sum_events(const Trial_warp *w, uint32_t lanes)
{
	uint64_t all = 0;

	for (; lanes; lanes &= lanes - 1)
		all += w->events[__builtin_ctz(lanes)];
	return all;
}

void
trial_compare(Trial *t, const Trial_warp *input, const Trial_warp *output, Trial_warp *rest)
{
	run_untouched_text(t, output, rest);
	for (uint32_t i = 0; i < TRIAL_LANES && !t->fault.why; i++)
		if (t->lanes >> i & 1)
			compare_exit(t, input, output, rest, i);
	for (uint32_t left = input->left & t->lanes; left; left &= ~t->exit.lanes) {
		t->exit.lanes = lanes_at_first_exit(input, left);
		find_live(t, input_next_plain(&t->s->in, input->at[__builtin_ctz(left)]));
		for (Value_holder *h = t->in.all; h && !t->fault.why; h = h->next)
			if (h->kind == ARG_REG)
				compare_register(t, input, rest, h);
	}
	if (!t->fault.why &&
		sum_events(input, t->lanes) !=
			sum_events(output, t->lanes) + sum_events(rest, t->lanes))
		trial_wrong(t, t->s->out.begin, "memory is accessed otherwise than in the input");
	if (!t->fault.why)
		compare_totals(t);
}
