/* SPDX-License-Identifier: MIT */
/* Registers with a copy for each iteration of a batch: tracks which copy holds the latest value
 * (pop_rounds.c). */
#include "validate/task/task.h"

/* The iteration of the batch to which the register belongs; 0 for the input's own register. */
static uint32_t
reg_batch_index(const Output_reg *r)
{
	return r->kind == REG_BATCH ? r->batch_index : 0;
}

bool
batch_register_holds(const Loop_check *s, const Lane_state *l, const Output_reg *r)
{
	uint32_t at = r->kind == REG_INPUT || r->kind == REG_BATCH ?
		env_index_holder(s, r->input_sym) :
		0;

	return !at || l->env[at] == reg_batch_index(r);
}

bool
batch_operands_hold(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	if (s->batch.nregs == 0)
		return true;
	STMT_REFS(&s->out, stmt, r)
	if (!r->written && !batch_register_holds(s, l, r->reg))
		return false;
	return true;
}

void
batch_note_written(const Loop_check *s, Lane_state *l, uint32_t stmt)
{
	if (s->batch.nregs == 0)
		return;
	STMT_REFS(&s->out, stmt, r)
	{
		const Output_reg *k = r->reg;
		uint32_t at = k->kind == REG_INPUT || k->kind == REG_BATCH ?
			env_index_holder(s, k->input_sym) :
			0;
		if (r->written && at)
			l->env[at] = reg_batch_index(k);
	}
}

uint32_t
batch_lost_register(const Loop_check *s, const Lane_state *l, uint32_t in)
{
	for (uint32_t i = 0; s->batch.nregs && i < s->in.fn->f->nsym; i++) {
		uint32_t sym = fn_sym(s->in.fn, i), at = env_index_holder(s, sym);
		if (at && l->env[at] && input_register_is_live(&s->in, in, sym))
			return sym;
	}
	return 0;
}

/* The live registers with copies at a statement of the input, by number from bit 1. Bit 0: the set
 * is known. */
static uint64_t
live_batch_registers(const Loop_check *s, uint32_t in)
{
	uint64_t *live = &s->batch.live[ptx_local_stmt(s->in.fn->f, in)];

	if (*live)
		return *live;
	*live = 1;
	for (uint32_t k = 0; k < s->batch.nregs; k++)
		if (input_register_is_live(&s->in, in, s->batch.syms[k]))
			*live |= UINT64_C(2) << k;
	return *live;
}

void
batch_forget(const Loop_check *s, Lane_state *l)
{
	if (l->tasks.fresh || l->at.task || l->at.ended || !ptx_has_stmt(s->in.fn->f, l->at.input))
		return;
	for (uint32_t p = 0; s->batch.n > 1 && p < s->paths.n; p++)
		l->env[env_index_newest(s, p)] = 0;
	if (s->batch.nregs == 0 || s->batch.nregs > 63)
		return;
	uint64_t live = live_batch_registers(s, l->at.input);
	for (uint32_t k = 0; k < s->batch.nregs; k++)
		if (!(live >> (k + 1) & 1))
			l->env[env_index_holder(s, s->batch.syms[k])] = 0;
}
