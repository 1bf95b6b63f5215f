/* SPDX-License-Identifier: MIT */
/* Access to the state of the proof: texts, lanes and values. Internal to validate/. */
#ifndef VALIDATE_STATE_STATE_H
#define VALIDATE_STATE_STATE_H

#include "validate/state/checker.h"
#include "validate/state/draws.h"

/* Records an error in the output, unless there is one already. Returns false. */
bool loop_check_fault(Loop_check *s, uint32_t stmt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a form that the validator does not know. */
bool loop_check_unknown(Loop_check *s, uint32_t stmt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline Output_reg *
output_reg(const Output_text *output, uint32_t sym)
{
	const Output_text *t = output;

	return &t->regs[ptx_has_sym(t->f, sym) ? ptx_local_sym(t->f, sym) : t->f->nsym];
}
static inline const Input_stmt *
input_stmt(const Input_text *input, uint32_t stmt)
{
	return &input->stmts[ptx_local_stmt(input->fn->f, stmt)];
}
static inline Output_stmt *
output_stmt(const Output_text *output, uint32_t stmt)
{
	return &output->stmts[stmt - output->begin];
}
/* The first statement with the same text and symbols; it holds what depends on these alone. */
static inline Output_stmt *
first_identical_stmt(const Output_text *output, uint32_t stmt)
{
	return output_stmt(output, output_stmt(output, stmt)->first_identical);
}
#define STMT_REFS(output, stmt, r) \
	for (const Stmt_ref *r = (output)->refs.at + output_stmt(output, stmt)->refs, \
			    *r##_end = r + output_stmt(output, stmt)->nrefs; \
		r < r##_end; r++)
/* Operand k < 4, which must exist. */
static inline const Opnd *
output_operand(const Output_text *output, uint32_t stmt, uint32_t k)
{
	return &output->m->opnds[output_stmt(output, stmt)->opnd[k]];
}
/* Whether the branch can be skipped: it leads to the next statement, which is an equal branch. The
 * lane is then at the first of two such branches of the input. */
static inline bool
branch_is_redundant(const Loop_check *s, uint32_t stmt, uint32_t in)
{
	return output_stmt(&s->out, stmt)->flow.redundant && input_stmt(&s->in, in)->redundant;
}
/* Number of a pending task: its path, and the iteration of the batch that reached it. */
static inline uint32_t
task_number(const Collected_paths *paths, uint32_t path, uint32_t turn)
{
	return path + paths->n * turn;
}
static inline uint32_t
task_path(const Collected_paths *paths, uint32_t task)
{
	return task % paths->n;
}
/* All tasks of a path; all paths of a set of tasks. */
static inline uint64_t
tasks_of_path(const Loop_check *s, uint32_t path)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < s->batch.n; k++)
		all |= UINT64_C(1) << task_number(&s->paths, path, k);
	return all;
}
static inline uint32_t
paths_of_tasks(const Collected_paths *paths, uint64_t tasks)
{
	uint32_t set = 0;

	for (; tasks; tasks &= tasks - 1)
		set |= UINT32_C(1) << task_path(paths, (uint32_t)__builtin_ctzll(tasks));
	return set;
}
/* The tasks that the round's vote may be for. */
static inline uint64_t
tasks_voted_for(const Observed_actions *observed, uint32_t wish)
{
	return wish ? observed->vote_subjects[wish - 1] : 0;
}
/* Sets a machine register. A value of 0 means unknown. */
static inline void
lane_set_register(Lane_state *l, uint32_t reg, Term_id value)
{
	uint64_t bit = UINT64_C(1) << (reg & 63);

	l->env[reg] = value;
	l->regs.defined[reg >> 6] = (l->regs.defined[reg >> 6] & ~bit) | (value ? bit : 0);
}
/* Indices into Lane_state.env, 0 if there is none: the level of a task counter, in multiples of the
 * group size; the iteration of the batch whose register holds one of the input (0 there: the
 * input's own); the iteration of the batch that reached a path last. */
static inline uint32_t
env_index_level(const Loop_check *s, uint32_t reg)
{
	return s->emitted.level[reg] ? s->layout.nenv + s->emitted.level[reg] - 1 : 0;
}
static inline uint32_t
env_index_holder(const Loop_check *s, uint32_t in)
{
	uint32_t k = s->batch.nregs && ptx_has_sym(s->in.fn->f, in) ?
		s->batch.number[fn_local(s->in.fn, in)] : 0;

	return k ? s->layout.nenv + s->emitted.nlevels + k - 1 : 0;
}
static inline uint32_t
env_index_newest(const Loop_check *s, uint32_t path)
{
	return s->batch.n > 1 ? s->layout.nenv + s->emitted.nlevels + s->batch.nregs + path : 0;
}
/* 1 + the path to whose task the register belongs; 0 if none. */
static inline uint32_t
reg_path(const Collected_paths *paths, const Output_reg *r)
{
	return r->kind == REG_COPY && r->region <= paths->n ? r->region : 0;
}
/* The register's value in the lane's state; NULL if it has no place there. */
static inline Term_id *
reg_env_slot(const Emitted_regs *emitted, Lane_state *l, const Output_reg *r)
{
	return r->kind == REG_COPY && r->index ? &l->env[emitted->n + r->index - 1] :
						 NULL;
}
Lane_state *lane_state_copy(Loop_check *s, const Lane_state *l);
/* Adds the lane to the work list. */
void lane_state_queue(Loop_check *s, Lane_state *l);
/* Whether the lane executes a look-ahead iteration (iteration_tracking.c). */
static inline bool
lookahead_is_active(const Lookahead_state *state)
{
	return state->phase == PHASE_LOOKAHEAD && !state->leaves_loop;
}
/* 1 + the number of a register that the loop writes; 0 if it is none. */
uint32_t lookahead_number(const Loop_check *s, uint32_t in);
/* The values of the register's look-ahead copy, and of the register itself. */
Term_id *lookahead_value(const Loop_check *s, Lane_state *l, uint32_t number);
Term_id *lookahead_original(const Loop_check *s, Lane_state *l, uint32_t number);
/* Its value at the start of the batch; a term without operands. */
Term_id lookahead_batch_start(Loop_check *s, uint32_t number);
Term_id lookahead_atom(Loop_check *s, Term_op op);
/* The value of an output register that stands for one that the loop writes; NULL if it is none. */
static inline Term_id *
lookahead_slot(const Output_text *output, Lane_state *l, uint32_t sym)
{
	uint32_t slot = output_reg(output, sym)->slot;

	return slot ? &l->env[slot - 1] : NULL;
}
/* That value if it is known, else 0. */
Term_id lookahead_operand(Loop_check *s, Lane_state *l, uint32_t sym);
/* Whether v cannot be used in sums. */
bool lookahead_is_opaque(Loop_check *s, Term_id v);
/* Records that a predicate of the input holds the value; forgets it. */
void lane_assume_predicate(Assumed_values *assumed, uint32_t in, bool value);
void lane_forget_predicate(Assumed_values *assumed, uint32_t in);
/* Whether the predicate's value is known; stores it to *value. */
bool lane_knows(const Assumed_values *assumed, uint32_t in, bool *value);

#endif
