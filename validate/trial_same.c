/* SPDX-License-Identifier: MIT */
/* Has a trial come to the same in both texts? See trial.h. */
#include <string.h>
#include "validate/parts.h"
#include "validate/trial.h"

/* The lane goes on in the untouched text, with its registers, until it has left the loop. */
static void
run_rest(Trial *t, const Trial_lane *from, Trial_lane *to)
{
	const Site *s = t->s;
	const Func *f = s->f;
	uint32_t o = from->at;

	while (ptx_has_stmt(f, o) && !s->origin[ptx_local_stmt(f, o)])
		o++;
	trial_lane_init(t, to, &t->in, from->number,
		ptx_has_stmt(f, o) ? s->origin[ptx_local_stmt(f, o)] :
				     s->fn->f->stmt + s->fn->f->nstmt);
	BITS_EACH(i, from->set) {
		const Reg *r = &s->regs[i];
		uint32_t in = r->kind == REG_OWN && fn_is_reg(s->fn, r->in) ?
			fn_local(s->fn, r->in) :
			UINT32_MAX;
		if (in == UINT32_MAX || match_inner(s, ptx_sym_at(f, i)))
			continue;
		to->reg[in] = from->reg[i];
		bits_set(to->set, in);
	}
	trial_run_alone(t, to, t->longest);
}

/* The operation by which the loop folds into a register; it is a sum if nothing says so. */
static const Act *
folds_into(Trial *t, uint32_t reg)
{
	BITS_EACH(i, t->within) {
		const Act *a = trial_read(&t->in, t->in.f->stmt + i);
		if (a->ngives != 1 || a->gives[0].kind != ARG_REG || a->gives[0].reg != reg)
			continue;
		switch ((Op)a->op) {
		case OP_ADD: case OP_SUB: case OP_FMA: case OP_MAD:
		case OP_MIN: case OP_MAX: case OP_AND: case OP_OR: case OP_XOR: return a;
		default: break;
		}
	}
	return NULL;
}

static How
fold_of(const Act *a)
{
	switch (a ? (Op)a->op : OP_ADD) {
	case OP_MIN: return HOW_MIN;
	case OP_MAX: return HOW_MAX;
	case OP_AND: return HOW_AND;
	case OP_OR: return HOW_OR;
	case OP_XOR: return HOW_XOR;
	default: return HOW_ADD;
	}
}

/* Where a lane may keep what it folded for others, what all of them hold together counts. */
static void
add_total(Trial *t, uint32_t reg, Type type, uint64_t in, uint64_t out)
{
	Total *x = &t->totals[reg];
	const Act *a = folds_into(t, reg);
	Type of = a ? (Type)a->type : type;

	x->in = x->lanes ? trial_fold(fold_of(a), of, x->in, in) : in;
	x->out = x->lanes ? trial_fold(fold_of(a), of, x->out, out) : out;
	x->lanes++;
	x->differs |= in != out;
}

static bool
same_registers(Trial *t, const Trial_lane *a, const Trial_lane *b, uint32_t stmt)
{
	const Site *s = t->s;
	Bits either = bits_new(t->in.arena, s->fn->f->nsym + 1);

	bits_copy(either, a->set);
	bits_or(either, b->set);
	BITS_EACH(i, either) {
		uint32_t sym = fn_sym(s->fn, i);
		Arg arg = { .kind = ARG_REG, .type = s->in->syms[sym].type, .reg = i };
		uint64_t x = trial_holds(t, &t->in, a, &arg), y = trial_holds(t, &t->in, b, &arg);
		if ((x == y && !t->totals) || !cursor_live(s, a->at, sym))
			continue;
		if (!t->totals)
			return trial_wrong(
				t, stmt, "a register holds something else behind the loop");
		add_total(t, i, (Type)arg.type, x, y);
	}
	return true;
}

static bool
same_totals(Trial *t)
{
	for (uint32_t i = 0; t->totals && i < t->in.f->nsym; i++)
		if (t->totals[i].differs && t->totals[i].in != t->totals[i].out)
			return trial_wrong(t, t->s->begin,
				"what lanes hold behind the loop is another total");
	if (t->totals)
		memset(t->totals, 0, t->in.f->nsym * sizeof *t->totals);
	return true;
}

/* Each lane goes on where it did in the input; a thread that ends has nothing to go on with. */
static bool
same_lane(Trial *t, const Trial_lane *input, const Trial_lane *output, Trial_lane *rest)
{
	if (output->state == LANE_ENDED) {
		const Stmt *x = &t->s->out->stmts[output->at], *y = fn_stmt(t->s->fn, input->at);
		return (input->state == LANE_ENDED && x->op == y->op) ||
			trial_wrong(t, output->at,
				"a thread ends where it does not in the input");
	}
	run_rest(t, output, rest);
	if (t->why)
		return false;
	if (rest->state != input->state || rest->at != input->at)
		return trial_wrong(
			t, t->s->begin, "a lane goes on at another place than in the input");
	return input->state == LANE_ENDED || same_registers(t, input, rest, t->s->begin);
}

void
trial_compare(Trial *t, const Trial_lane *input, const Trial_lane *output, uint64_t events)
{
	Trial_lane rest = { 0 };

	for (uint32_t i = 0; i < TRIAL_LANES && !t->why; i++)
		if (t->m >> i & 1)
			same_lane(t, &input[i], &output[i], &rest);
	if (!t->why && t->events != events)
		trial_wrong(t, t->s->begin, "memory is accessed otherwise than in the input");
	if (!t->why)
		same_totals(t);
}
