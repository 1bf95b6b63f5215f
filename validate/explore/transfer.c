/* SPDX-License-Identifier: MIT */
/* Executes one statement of the output on a lane: a copy of the input's next statement in its own
 * iteration or in its task, a statement of an owner slice, or one of the inserted text itself. */
#include "validate/explore/explore.h"

/* Whether the next statement has an effect and is in the same block. */
static bool
continues_in_block(const Input_text *input, uint32_t in, uint32_t next)
{
	const Input_stmt *x = input_stmt(input, next);

	return next < input_end(input) && x->block == input_stmt(input, in)->block &&
		(x->kind == INPUT_PLAIN || x->kind == INPUT_BRANCH);
}

/* A copy of the input's next statement was executed: the lane moves past it. */
static bool
advance_input(Loop_check *s, Lane_state *l)
{
	uint32_t in = input_position_now(&l->at);

	l->idle = 0;
	if (!owner_check_slice(s, l, l->at.task))
		return false;
	if (!l->at.task && l->round.ballot)
		round_end(s, l, 0);
	FN_WRITES(s->in.fn, in, r)
		lane_forget_predicate(&l->assumed, r->sym);
	uint32_t next = ++*input_position(&l->at);
	if (ptx_op(s->in.m, fn_stmt(s->in.fn, in)) == OP_TRAP && !fn_stmt(s->in.fn, in)->guard)
		return false;
	return continues_in_block(&s->in, in, next) || input_advance(s, l);
}

/* Whether the statement may be executed though the input's is not: it only writes registers that
 * are dead from here on. */
static bool
stmt_may_run_early(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	if (l->at.task || l->at.home || !(output_stmt(&s->out, stmt)->flags & OPF_PURE))
		return false;
	STMT_REFS(&s->out, stmt, r) {
		const Output_reg *k = r->reg;
		if (r->written &&
			((k->kind != REG_INPUT && k->kind != REG_BATCH) ||
				(!l->at.ended && batch_register_holds(s, l, k) &&
					input_register_is_live(&s->in, l->at.input, k->input_sym))))
			return false;
	}
	return true;
}

/* Whether the lane has passed a test that a - b is zero. */
static bool
knows_equal(Terms *terms, const Lane_facts *facts, Term_id a, Term_id b)
{
	Term_id fact = term_make(terms, TERM_ZERO, term_sum(terms, a, b, UINT32_MAX), 0, 0);

	for (uint32_t i = 0; i < facts->n; i++)
		if (facts->at[i] == fact)
			return true;
	return false;
}

/* Whether the branch tests a comparison directly before it of a register with a literal, and the
 * lane knows that the register equals a uniform one. Then the lanes that come here agree. */
static bool
compares_agreed(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = stmt > s->out.begin ? output_stmt(&s->out, stmt - 1) : NULL;
	uint32_t sym = s->out.m->stmts[stmt].sym;

	if (!k || k->op != OP_SETP || s->out.m->stmts[stmt - 1].nopnd != 3 ||
		output_operand(&s->out, stmt - 1, 0)->sym != sym || !k->machine[1] ||
		output_operand(&s->out, stmt - 1, 2)->kind != OPND_IMM)
		return false;
	Term_id own = l->env[k->machine[1] - 1];
	for (uint32_t i = 0; own && i < s->emitted.n; i++)
		if (l->env[i] && l->env[i] != own && !scalar_varies(s, l, s->emitted.syms[i]) &&
			(knows_equal(&s->terms, &l->facts, own, l->env[i]) ||
				knows_equal(&s->terms, &l->facts, l->env[i], own)))
			return true;
	return false;
}

bool
branch_may_diverge(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	return !ptx_has(s->out.m, &s->out.m->stmts[stmt], "uni") || compares_agreed(s, l, stmt) ||
		loop_check_fault(s, stmt, "a branch of all lanes that they need not agree on");
}

/* Whether a machine register guards the statement, so that only some lanes execute it. */
static bool
is_masked(const Output_text *output, uint32_t stmt)
{
	const Stmt *t = &output->m->stmts[stmt];

	return t->guard && output_reg(output, t->sym)->kind == REG_EMITTED;
}

/* Whether the statement only transfers control. */
static bool
stmt_is_jump(const Module *m, const Stmt *t)
{
	return ptx_flags(m, t) & (OPF_BRANCH | OPF_EXIT) && ptx_op(m, t) != OP_TRAP;
}

/* The first instruction from a statement on, in its scope, that is no unconditional branch; 0 if
 * there is none. */
static uint32_t
first_in_braces(const Module *m, uint32_t stmt, uint32_t end)
{
	for (; stmt < end && m->stmts[stmt].kind != STMT_CLOSE; stmt++) {
		const Stmt *t = &m->stmts[stmt];
		if (t->kind == STMT_INSN && (t->guard || !stmt_is_jump(m, t)))
			return stmt;
	}
	return 0;
}

/* Whether both are branches on the same predicate. The targets may differ: what ends the thread in
 * the input may be a branch in the output. */
static bool
branches_match(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region)
{
	const Stmt *t = &s->out.m->stmts[stmt], *x = fn_stmt(s->in.fn, in);

	return stmt_is_jump(s->out.m, t) && stmt_is_jump(s->in.m, x) &&
		match_sym(s, t->sym, x->sym, region);
}

bool
braces_match(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region)
{
	while ((stmt = first_in_braces(s->out.m, stmt + 1, s->out.end)) != 0) {
		if (output_stmt(&s->out, stmt)->writes_emitted)
			continue;
		in = first_in_braces(s->in.m, in + 1, input_end(&s->in));
		if (!in || !(branches_match(s, stmt, in, region) ||
			match_stmt(s, stmt, in, region, !is_masked(&s->out, stmt))))
			return false;
	}
	return true;
}

/* Whether the statement, which equals the input's next one, belongs to another scope, which this
 * lane need not execute. What follows in the scope decides. */
static bool
stmt_is_of_other_braces(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	return output_stmt(&s->out, stmt)->writes_scoped &&
		!braces_match(s, stmt, input_position_now(&l->at), lane_region(s, l)) &&
		stmt_may_run_early(s, l, stmt);
}

/* Whether the statement writes registers of the given kind. of_task: those of the task that the
 * lane runs. */
static bool
stmt_writes_kind(
	const Loop_check *s, const Lane_position *at, uint32_t stmt, Reg_kind kind, bool of_task)
{
	STMT_REFS(&s->out, stmt, r)
		if (r->written && r->reg->kind == kind &&
			(!of_task || (at->task && reg_path(&s->paths, r->reg) == at->task)))
			return true;
	return false;
}

/* A statement that the owner executes in place of a path, or after the loop. */
static bool
run_owner(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	if (s->reductions.n &&
		(reduction_forward_value(s, l, stmt) || reduction_fold_slot(s, l, stmt)))
		return true;
	return l->tasks.fresh && !s->fault.why && owner_lacks_live_out(s, l, l->at.task) &&
		owner_run_slice(s, l, stmt);
}

/* The next statement of the lane's own iteration or task. Returns false if it is none, for example
 * because the registers that it reads hold other values. */
static bool
run_next(Loop_check *s, Lane_state *l, uint32_t stmt, bool guarded, bool *ok)
{
	*ok = true;
	if (!batch_operands_hold(s, l, stmt))
		return false;
	if (run_owner(s, l, stmt))
		batch_note_written(s, l, stmt);
	else if (s->fault.why)
		*ok = false;
	else if ((l->at.task || input_is_in_loop(s, &l->at)) &&
		stmt_is_copy(s, stmt, input_position_now(&l->at), lane_region(s, l), guarded) &&
		(!l->at.home || iteration_reads_uniform(s, stmt, l->at.input)) &&
		!stmt_is_of_other_braces(s, l, stmt))
		batch_note_written(s, l, stmt), *ok = advance_input(s, l);
	else
		return false;
	return true;
}

/* A statement for another lane's iteration. */
static bool
run_spare(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	bool ok = true;

	STMT_REFS(&s->out, stmt, r) {
		if (!r->written)
			continue;
		lane_forget_predicate(&l->assumed, r->reg->input_sym);
		ok = ok &&
			(!batch_register_holds(s, l, r->reg) ||
				owner_overwrite(s, l, r->reg->input_sym));
	}
	return ok;
}

static bool
run_copy(Loop_check *s, Lane_state *l, uint32_t stmt, bool guarded, bool *again)
{
	bool taken, ok;

	if (run_next(s, l, stmt, guarded, &ok))
		return ok;
	if (l->at.home && !s->fault.why)
		return (*again = iteration_omit(s, l)) || loop_check_fault(s, stmt, "this is no copy of what the iteration does here");
	if (stmt_writes_kind(s, &l->at, stmt, REG_COPY, true))
		return loop_check_fault(s, stmt, "this is no copy of what the path does here");
	if (stmt_writes_kind(s, &l->at, stmt, REG_UNIFORM, false))
		return recompute_uniform(s, stmt);
	if (!l->at.task && path_enter(s, l, stmt))
		return *again = true;
	if (s->fault.why)
		return false;
	if (l->tasks.fresh && batch_operands_hold(s, l, stmt) && owner_run_slice(s, l, stmt)) {
		batch_note_written(s, l, stmt);
		return true;
	}
	if (stmt_writes_kind(s, &l->at, stmt, REG_COPY, false))
		return set_task_register(s, l, stmt);
	if (stmt_may_run_early(s, l, stmt))
		return run_spare(s, l, stmt);
	if (input_branch(s, &l->at))
		return *again = lane_fork_branch(s, l, &taken);
	return loop_check_fault(
		s, stmt, "this is neither a copy of what the input does here nor the loop's own");
}

/* An access to shared memory by a machine register: a slot of a reduction, a lane invariant or a
 * task. */
static bool
run_access(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Output_stmt *k = output_stmt(&s->out, stmt);
	const Opnd *v = output_operand(&s->out, stmt, k->op != OP_LD);
	const Output_reg *r = output_reg(&s->out, v->sym);
	uint32_t q = reg_path(&s->paths, r);
	bool taken;

	if (t->guard && output_reg(&s->out, t->sym)->kind != REG_EMITTED)
		return loop_check_unknown(s, stmt, "an access that not every lane makes");
	if (l->at.task && input_branch(s, &l->at))
		return *again = lane_fork_branch(s, l, &taken);
	if (k->op == OP_ST)
		return v->kind == OPND_IMM       ? reduction_store(s, l, stmt) :
			invariant_access(s, l, stmt) ? invariant_store(s, l, stmt) :
					      buffer_store(s, l, stmt);
	if (k->op == OP_LD)
		return q && reduction_has_output(&s->reductions, q - 1, r->input_sym) ?
			reduction_load(s, l, stmt) :
			invariant_access(s, l, stmt) ? invariant_load(s, l, stmt) :
						       buffer_load(s, l, stmt);
	return reduction_fold_value(s, l, stmt);
}

bool
run_output_stmt(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	const Output_stmt *k = output_stmt(&s->out, stmt);

	if (stmt_gathers_warp(s->out.m, stmt))
		return true;
	if (s->lookahead)
		return lookahead_run(s, l, stmt, again);
	if (k->buffer)
		return run_access(s, l, stmt, again);
	if (s->out.draws && !draw_before_stmt(s, l, stmt))
		return false;
	if (k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_ACTIVEMASK || k->writes_emitted)
		return collective_run(s, l, stmt);
	return run_copy(s, l, stmt, !is_masked(&s->out, stmt), again);
}

/* The next instruction of the output from a statement on; past unconditional branches, if the
 * input's instruction `in` is the first of its block. */
static uint32_t
next_output_insn(const Loop_check *s, uint32_t stmt, uint32_t in)
{
	bool first = in == s->in.fn->cfg->blocks[fn_block(s->in.fn, in)].stmt ||
		fn_stmt(s->in.fn, in - 1)->kind != STMT_INSN;

	for (uint32_t n = 0; stmt < s->out.end && n < s->out.end - s->out.begin; n++) {
		const Stmt *t = &s->out.m->stmts[stmt];
		const Output_stmt *k = output_stmt(&s->out, stmt);
		if (t->kind == STMT_INSN && (k->op != OP_BRA || t->guard || !k->flow.to || !first))
			return stmt;
		stmt = t->kind == STMT_INSN ? k->flow.to : stmt + 1;
	}
	return 0;
}

/* The first statement of the task from `in` on that its copy must have, as long as each block has
 * one successor; 0 if there is none. */
static uint32_t
next_needed(const Loop_check *s, const Lane_position *at, uint32_t in)
{
	const Cfg *g = s->in.fn->cfg;

	for (uint32_t b = fn_block(s->in.fn, in), n = 0; n < g->nblocks; n++) {
		for (; in < g->blocks[b].end; in++)
			if (fn_stmt(s->in.fn, in)->kind == STMT_INSN &&
				(in != cfg_terminator(g, b) || g->blocks[b].nsucc != 1) &&
				!task_stmt_is_dead(s, at->task - 1, in))
				return in;
		b = g->blocks[b].nsucc == 1 ? *cfg_succ(g, b) : 0;
		if (!b || !bits_has(s->paths.at[at->task - 1].blocks, b))
			return 0;
		in = g->blocks[b].stmt;
	}
	return 0;
}

/* Whether the output's instruction, which equals an omissible statement, is the copy of an equal
 * one after it that cannot be omitted. */
static bool
copy_matches_later(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	uint32_t in = next_needed(s, &l->at, l->at.task_input);

	if (!in || !match_stmt(s, stmt, in, l->at.task, true))
		return false;
	uint32_t next = next_output_insn(s, stmt + 1, in);
	return !next || !match_stmt(s, next, in, l->at.task, true);
}

bool
skip_dead_stmts(Loop_check *s, Lane_state *l)
{
	while (l->at.task && task_stmt_is_dead(s, l->at.task - 1, l->at.task_input)) {
		uint32_t next = next_output_insn(s, l->at.output, l->at.task_input);
		if (next && stmt_is_copy(s, next, l->at.task_input, l->at.task, true) &&
			!copy_matches_later(s, l, next))
			return true;
		++l->at.task_input;
		if (!input_advance(s, l))
			return false;
	}
	return true;
}
