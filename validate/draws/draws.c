/* SPDX-License-Identifier: MIT */
/* Finds the draws of a text, and checks it as far as that can be done without following lanes. */
#include "validate/draws/draws.h"

/* Whether the first operand is a register of the inserted text only. */
static bool
writes_emitted(const Loop_check *s, const Stmt *t)
{
	const Module *m = s->out.m;

	return output_reg(&s->out, m->opnds[ptx_operand(m, t, 0)].sym)->kind == REG_EMITTED;
}

bool
draws_find(Loop_check *s)
{
	const Module *m = s->out.m;
	Draws *d = arena_zalloc(s->arena, sizeof *d);

	if (s->in.m->markers[s->in.region->marker].annot.kind != ANNOT_ASSIGN)
		return true;
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		const Stmt *t = &m->stmts[i];
		Op op = t->kind == STMT_INSN ? ptx_op(m, t) : OP_UNKNOWN;
		if (op == OP_ATOM && ptx_space(m, t) == SPACE_SHARED && writes_emitted(s, t))
			return true; /* numbers of the block's iterations */
		if (op != OP_BREV || !writes_emitted(s, t))
			continue;
		if (d->n == MAX_DRAWS)
			return loop_check_unknown(s, i, "too many draws");
		d->at[d->n++].first = i - 1;
	}
	s->out.draws = d;
	return d->n || loop_check_fault(s, s->out.begin, "no lane draws an iteration");
}

/* Reads the uniform values that all lanes compute first. */
static bool
recompute_values(Loop_check *s)
{
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		bool uniform = false;
		if (s->out.m->stmts[i].kind == STMT_LABEL ||
			output_stmt(&s->out, i)->flags & OPF_BRANCH)
			break;
		STMT_REFS(&s->out, i, r)
			uniform |= r->written && r->reg->kind == REG_UNIFORM;
		if (uniform && !recompute_uniform(s, i))
			return false;
	}
	return true;
}

/* Whether the statement moves values between lanes, or pairs them. */
static bool
is_of_draw(const Output_stmt *k)
{
	return k->op == OP_SHFL || k->op == OP_SHF || k->op == OP_CLZ || k->op == OP_BREV;
}

bool
draws_check(Loop_check *s)
{
	Draws *d = s->out.draws;

	if (!iteration_init(s) || !recompute_values(s))
		return false;
	for (uint32_t i = 0; i < d->n; i++) {
		if (!draw_check_text(s, &d->at[i]))
			return false;
		if (d->at[i].in != d->at[0].in || d->at[i].has != d->at[0].has)
			return loop_check_fault(s, d->at[i].first, "draws use different registers");
	}
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		Output_stmt *k = output_stmt(&s->out, i);
		bool within = false, writes = false;
		for (uint32_t j = 0; j < d->n; j++)
			within |= i >= d->at[j].first && i < d->at[j].end;
		if (!within && k->writes_emitted && is_of_draw(k))
			return loop_check_fault(s, i, "this is no part of a draw");
		STMT_REFS(&s->out, i, r)
			writes |= r->written && r->sym == d->at[0].in;
		k->computes &= !writes && !draw_begins(s, i);
	}
	return true;
}
