/* SPDX-License-Identifier: MIT */
/* Registers with a copy for each iteration of a batch: tracks which copy holds the latest value
 * (pop_rounds.c). */
#include "validate/task/task.h"

/* The iteration of the batch to which the register belongs; 0 for the input's own register. */
static uint32_t
turn_of(const Reg *r)
{
	return r->kind == REG_TURN ? r->turn : 0;
}

bool
turns_holds(const Site *s, const Lane *l, const Reg *r)
{
	uint32_t at = r->kind == REG_OWN || r->kind == REG_TURN ? env_holder(s, r->in) : 0;

	return !at || l->env[at] == turn_of(r);
}

bool
turns_read(const Site *s, const Lane *l, uint32_t stmt)
{
	if (s->nturned == 0)
		return true;
	STEP_REFS(s, stmt, r)
	if (!r->written && !turns_holds(s, l, r->reg))
		return false;
	return true;
}

void
turns_written(const Site *s, Lane *l, uint32_t stmt)
{
	if (s->nturned == 0)
		return;
	STEP_REFS(s, stmt, r)
	{
		const Reg *k = r->reg;
		uint32_t at = k->kind == REG_OWN || k->kind == REG_TURN ? env_holder(s, k->in) : 0;
		if (r->written && at)
			l->env[at] = turn_of(k);
	}
}

uint32_t
turns_lost(const Site *s, const Lane *l, uint32_t in)
{
	for (uint32_t i = 0; s->nturned && i < s->fn->f->nsym; i++) {
		uint32_t sym = fn_sym(s->fn, i), at = env_holder(s, sym);
		if (at && l->env[at] && cursor_live(s, in, sym))
			return sym;
	}
	return 0;
}

/* The live registers with copies at a statement of the input, by number from bit 1. Bit 0: the set
 * is known. */
static uint64_t
live_at(const Site *s, uint32_t in)
{
	uint64_t *live = &s->turned_live[ptx_local_stmt(s->fn->f, in)];

	if (*live)
		return *live;
	*live = 1;
	for (uint32_t k = 0; k < s->nturned; k++)
		if (cursor_live(s, in, s->turned_syms[k]))
			*live |= UINT64_C(2) << k;
	return *live;
}

void
turns_forget(const Site *s, Lane *l)
{
	if (l->fresh || l->task || l->ended || !ptx_has_stmt(s->fn->f, l->at))
		return;
	for (uint32_t p = 0; s->turns > 1 && p < s->npaths; p++)
		l->env[env_newest(s, p)] = 0;
	if (s->nturned == 0 || s->nturned > 63)
		return;
	uint64_t live = live_at(s, l->at);
	for (uint32_t k = 0; k < s->nturned; k++)
		if (!(live >> (k + 1) & 1))
			l->env[env_holder(s, s->turned_syms[k])] = 0;
}
