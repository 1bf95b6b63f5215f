/* SPDX-License-Identifier: MIT */
/* The state of the checker: what every room may ask of a site, a lane and a statement. Internal to
 * validate/. */
#ifndef VALIDATE_STATE_STATE_H
#define VALIDATE_STATE_STATE_H

#include "validate/state/checker.h"

/* Says what is wrong; always false. */
bool site_fault(Site *s, uint32_t stmt, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, of something that the validator does not know. */
bool site_unknown(Site *s, uint32_t stmt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline Reg *
site_reg(const Site *s, uint32_t sym)
{
	return ptx_has_sym(s->f, sym) ? &s->regs[ptx_local_sym(s->f, sym)] : s->none;
}
static inline const Input *
input_at(const Site *s, uint32_t stmt)
{
	return &s->input[ptx_local_stmt(s->fn->f, stmt)];
}
static inline Step *step_at(const Site *s, uint32_t stmt) { return &s->steps[stmt - s->begin]; }
/* The first one that is the same, but for where it stands: who has what its text alone says. */
static inline Step *
step_like(const Site *s, uint32_t stmt)
{
	return step_at(s, step_at(s, stmt)->like);
}
#define STEP_REFS(s, stmt, r) \
	for (const Step_ref *r = (s)->refs.at + step_at(s, stmt)->refs, \
			    *r##_end = r + step_at(s, stmt)->nrefs; \
		r < r##_end; r++)
/* Operand k, below 4; the statement has it. */
static inline const Opnd *
step_operand(const Site *s, uint32_t stmt, uint32_t k)
{
	return &s->out->opnds[step_at(s, stmt)->opnd[k]];
}
/* Is the branch passed over? It leads on anyway, and stands in front of one that is alike; the lane
 * is at that one of two of the input, as it goes by the first. */
static inline bool
step_is_spare(const Site *s, uint32_t stmt, uint32_t in)
{
	return step_at(s, stmt)->spare && input_at(s, in)->again;
}
/* A task that a lane has in hand, by its path and the own part that came to it. */
static inline uint32_t
task_number(const Site *s, uint32_t path, uint32_t turn)
{
	return path + s->npaths * turn;
}
static inline uint32_t task_path(const Site *s, uint32_t task) { return task % s->npaths; }
/* All of a path; the paths of some. */
static inline uint64_t
task_all(const Site *s, uint32_t path)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < s->turns; k++)
		all |= UINT64_C(1) << task_number(s, path, k);
	return all;
}
static inline uint32_t
task_paths(const Site *s, uint64_t tasks)
{
	uint32_t paths = 0;

	for (; tasks; tasks &= tasks - 1)
		paths |= UINT32_C(1) << task_path(s, (uint32_t)__builtin_ctzll(tasks));
	return paths;
}
/* The tasks for which the round's vote may be. */
static inline uint64_t
task_wanted(const Site *s, uint32_t wish)
{
	return wish ? s->wants[wish - 1] : 0;
}
/* Puts a value, which is none if it is 0, into a register of the text's own. */
static inline void
lane_hold(Lane *l, uint32_t reg, Term_id value)
{
	uint64_t bit = UINT64_C(1) << (reg & 63);

	l->env[reg] = value;
	l->holds[reg >> 6] = (l->holds[reg >> 6] & ~bit) | (value ? bit : 0);
}
/* Places in Lane.env, 0: there is none. What a counter of tasks holds, in times of the lanes; which
 * own part's register holds one of the input, 0 there: its own; the own part that came to a path
 * last, where a round has several. */
static inline uint32_t
env_level(const Site *s, uint32_t reg)
{
	return s->level[reg] ? s->nenv + s->level[reg] - 1 : 0;
}
static inline uint32_t
env_holder(const Site *s, uint32_t in)
{
	uint32_t k = s->nturned && ptx_has_sym(s->fn->f, in) ?
		s->turned[fn_local(s->fn, in)] : 0;

	return k ? s->nenv + s->nlevels + k - 1 : 0;
}
static inline uint32_t
env_newest(const Site *s, uint32_t path)
{
	return s->turns > 1 ? s->nenv + s->nlevels + s->nturned + path : 0;
}
/* 1 + the path whose task the register stands for something in; 0: none. */
static inline uint32_t
path_of_reg(const Site *s, const Reg *r)
{
	return r->kind == REG_COPY && r->part <= s->nparts ? s->path_of_part[r->part] : 0;
}
/* Where the lane has what the register holds; NULL: nowhere. */
static inline Term_id *
path_slot(const Site *s, Lane *l, const Reg *r)
{
	return r->kind == REG_COPY && r->index ? &l->env[s->nmachine + r->index - 1] : NULL;
}
Lane *lane_copy(Site *s, const Lane *l);
/* Looks at the lane as well, later. */
void lane_later(Site *s, Lane *l);
/* phases.c: what lanes are at there */
static inline bool
ahead_is_looking(const Lane *l)
{
	return l->look.phase == PHASE_LOOK && !l->look.gone;
}
/* 1 + the number of a register that the loop writes; 0: it is none. */
uint32_t ahead_number(const Site *s, uint32_t in);
/* What the register holds that looks for it, and what it holds itself. */
Term_id *ahead_look(const Site *s, Lane *l, uint32_t number);
Term_id *ahead_own(const Site *s, Lane *l, uint32_t number);
/* What it held when the batch began; a term that has no parts. */
Term_id ahead_base(Site *s, uint32_t number);
Term_id ahead_atom(Site *s, Term_op op);
/* What a register of the output holds that stands for one that the loop writes; NULL: it is
 * none. */
static inline Term_id *
ahead_slot(const Site *s, Lane *l, uint32_t sym)
{
	uint32_t slot = site_reg(s, sym)->slot;

	return slot ? &l->env[slot - 1] : NULL;
}
/* That, if it is known; 0. */
Term_id ahead_operand(Site *s, Lane *l, uint32_t sym);
/* Is it nothing that sums can be made of? */
bool ahead_is_opaque(Site *s, Term_id v);
/* The lane assumes that a register of the input, a predicate, holds the value. */
void lane_know(Lane *l, uint32_t in, bool value);
void lane_unknow(Lane *l, uint32_t in);
/* Does it assume something of it? *value: that. */
bool lane_knows(const Lane *l, uint32_t in, bool *value);

#endif
