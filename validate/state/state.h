/* SPDX-License-Identifier: MIT */
/* Access to the state of the proof: sites, lanes and statements. Internal to validate/. */
#ifndef VALIDATE_STATE_STATE_H
#define VALIDATE_STATE_STATE_H

#include "validate/state/checker.h"

/* Records an error in the output, unless there is one already. Returns false. */
bool site_fault(Site *s, uint32_t stmt, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for a form that the validator does not know. */
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
/* The first statement with the same text and symbols; it holds what depends on these alone. */
static inline Step *
step_like(const Site *s, uint32_t stmt)
{
	return step_at(s, step_at(s, stmt)->like);
}
#define STEP_REFS(s, stmt, r) \
	for (const Step_ref *r = (s)->refs.at + step_at(s, stmt)->refs, \
			    *r##_end = r + step_at(s, stmt)->nrefs; \
		r < r##_end; r++)
/* Operand k < 4, which must exist. */
static inline const Opnd *
step_operand(const Site *s, uint32_t stmt, uint32_t k)
{
	return &s->out->opnds[step_at(s, stmt)->opnd[k]];
}
/* Whether the branch can be skipped: it leads to the next statement, which is an equal branch. The
 * lane is then at the first of two such branches of the input. */
static inline bool
step_is_spare(const Site *s, uint32_t stmt, uint32_t in)
{
	return step_at(s, stmt)->spare && input_at(s, in)->again;
}
/* Number of a pending task: its path, and the iteration of the batch that reached it. */
static inline uint32_t
task_number(const Site *s, uint32_t path, uint32_t turn)
{
	return path + s->npaths * turn;
}
static inline uint32_t task_path(const Site *s, uint32_t task) { return task % s->npaths; }
/* All tasks of a path; all paths of a set of tasks. */
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
/* The tasks that the round's vote may be for. */
static inline uint64_t
task_wanted(const Site *s, uint32_t wish)
{
	return wish ? s->wants[wish - 1] : 0;
}
/* Sets a machine register. A value of 0 means unknown. */
static inline void
lane_hold(Lane *l, uint32_t reg, Term_id value)
{
	uint64_t bit = UINT64_C(1) << (reg & 63);

	l->env[reg] = value;
	l->holds[reg >> 6] = (l->holds[reg >> 6] & ~bit) | (value ? bit : 0);
}
/* Indices into Lane.env, 0 if there is none: the level of a task counter, in multiples of the group
 * size; the iteration of the batch whose register holds one of the input (0 there: the input's
 * own); the iteration of the batch that reached a path last. */
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
/* 1 + the path to whose task the register belongs; 0 if none. */
static inline uint32_t
path_of_reg(const Site *s, const Reg *r)
{
	return r->kind == REG_COPY && r->part <= s->nparts ? s->path_of_part[r->part] : 0;
}
/* The register's value in the lane's state; NULL if it has no place there. */
static inline Term_id *
path_slot(const Site *s, Lane *l, const Reg *r)
{
	return r->kind == REG_COPY && r->index ? &l->env[s->nmachine + r->index - 1] : NULL;
}
Lane *lane_copy(Site *s, const Lane *l);
/* Adds the lane to the work list. */
void lane_later(Site *s, Lane *l);
/* Whether the lane executes a look-ahead iteration (phases.c). */
static inline bool
ahead_is_looking(const Lane *l)
{
	return l->look.phase == PHASE_LOOK && !l->look.gone;
}
/* 1 + the number of a register that the loop writes; 0 if it is none. */
uint32_t ahead_number(const Site *s, uint32_t in);
/* The values of the register's look-ahead copy, and of the register itself. */
Term_id *ahead_look(const Site *s, Lane *l, uint32_t number);
Term_id *ahead_own(const Site *s, Lane *l, uint32_t number);
/* Its value at the start of the batch; a term without operands. */
Term_id ahead_base(Site *s, uint32_t number);
Term_id ahead_atom(Site *s, Term_op op);
/* The value of an output register that stands for one that the loop writes; NULL if it is none. */
static inline Term_id *
ahead_slot(const Site *s, Lane *l, uint32_t sym)
{
	uint32_t slot = site_reg(s, sym)->slot;

	return slot ? &l->env[slot - 1] : NULL;
}
/* That value if it is known, else 0. */
Term_id ahead_operand(Site *s, Lane *l, uint32_t sym);
/* Whether v cannot be used in sums. */
bool ahead_is_opaque(Site *s, Term_id v);
/* Records that a predicate of the input holds the value; forgets it. */
void lane_know(Lane *l, uint32_t in, bool value);
void lane_unknow(Lane *l, uint32_t in);
/* Whether the predicate's value is known; stores it to *value. */
bool lane_knows(const Lane *l, uint32_t in, bool *value);

#endif
