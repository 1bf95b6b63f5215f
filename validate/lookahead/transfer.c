/* SPDX-License-Identifier: MIT */
/* Effects of statements on lanes that look ahead (iteration_tracking.c). */
#include "validate/lookahead/lookahead.h"

/* Whether the lane is at the start of a batch. */
static bool
is_at_start(const Lookahead_state *state)
{
	return lookahead_is_active(state) && !state->iterations_seen && !state->begun &&
		!state->looked;
}

uint32_t
lookahead_region(const Loop_check *s, const Lane_state *l)
{
	return s->lookahead && lookahead_is_active(&l->lookahead) ? LOOKAHEAD_COPY : l->at.task;
}

bool
lookahead_reads_pending(const Lookahead_state *state, const Output_reg *r)
{
	return state->phase == PHASE_LOOKAHEAD ?
		lookahead_is_active(state) && r->kind == REG_UNIFORM :
		r->kind == REG_INPUT;
}

/* ---- the input's statements ------------------------------------------------------------------ */

/* Whether the statement writes only look-ahead registers, or registers declared in nested scopes.
 * any: it need not write a look-ahead register. */
static bool
writes_lookahead_registers(const Output_text *output, uint32_t stmt, bool any)
{
	STMT_REFS(output, stmt, r) {
		bool inner = register_is_scoped(output, r->sym) && r->reg->kind != REG_UNIFORM;
		if (r->written && r->reg->kind != REG_UNIFORM && !inner)
			return false;
		any |= r->written && !inner;
	}
	return any;
}

static void
set_results(Output_text *output, Lane_state *l, uint32_t stmt, Term_id v)
{
	STMT_REFS(output, stmt, r) {
		Term_id *at = r->written ? lookahead_slot(output, l, r->sym) : NULL;
		if (at)
			*at = v;
		if (r->written && r->reg->kind != REG_EMITTED)
			lane_forget_predicate(&l->assumed, r->reg->input_sym);
	}
}

static bool
register_is_foreign(Loop_check *s, uint32_t stmt, uint32_t sym)
{
	return loop_check_fault(s, stmt, "'%.*s' does not hold what it does in the input here",
		PTX_NAME(s->out.m, sym));
}

static bool
refuse_copy(Loop_check *s, uint32_t stmt)
{
	return loop_check_fault(s, stmt, "this is no copy of what the input does here");
}

/* Whether the statement's registers hold what the input's hold. *again: set if that holds only
 * while memory is not written. */
static bool
operands_match(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	*again = false;
	STMT_REFS(&s->out, stmt, r) {
		const Term_id *at = r->written ? NULL : lookahead_slot(&s->out, l, r->sym);
		if (!at || *at == lookahead_atom(s, TERM_MATCHES_INPUT) ||
			(r->reg->kind == REG_UNIFORM && *at))
			continue;
		if (*at == lookahead_atom(s, TERM_READ))
			*again = true;
		else
			return register_is_foreign(s, stmt, r->sym);
	}
	return true;
}

/* Whether a value that the statement loads may have been written since look-ahead. */
static bool
load_may_be_stale(const Loop_check *s, uint32_t in)
{
	const Stmt *t = fn_stmt(s->in.fn, in);
	Space space = ptx_space(s->in.m, t);

	return s->lookahead->paths.stores && ptx_flags(s->in.m, t) & OPF_LOAD &&
		space != SPACE_PARAM && space != SPACE_CONST && !ptx_has(s->in.m, t, "nc");
}

/* A copy of the input's statement was executed. */
static bool
advance_iteration(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t in = l->at.input;
	const Stmt *t = fn_stmt(s->in.fn, in);

	FN_WRITES(s->in.fn, in, r)
		lane_forget_predicate(&l->assumed, r->sym);
	++l->at.input;
	l->idle = 0;
	l->lookahead.begun = true;
	if ((ptx_op(s->in.m, t) == OP_TRAP && !t->guard) || !input_advance(s, l))
		return false;
	return l->at.input != in + 1 || l->at.ended || l->lookahead.phase == PHASE_LAST ||
		lookahead_run_series(s, l, stmt, lookahead_region(s, l));
}

/* Sets look-ahead registers to the statement's value, or to the fact that they equal the
 * input's. */
static void
set_lookahead_results(Loop_check *s, Lane_state *l, uint32_t stmt, Term_id v)
{
	bool guarded = fn_stmt(s->in.fn, l->at.input)->guard;

	STMT_REFS(&s->out, stmt, r) {
		Term_id *at = r->written ? lookahead_slot(&s->out, l, r->sym) : NULL,
			given = at && !guarded && !v ?
			lookahead_invariant(s, l->at.input, r->reg->input_sym) :
			v;
		if (at)
			*at = given && !guarded ? given : lookahead_atom(s, TERM_MATCHES_INPUT);
		if (r->written && r->reg->kind != REG_EMITTED)
			lane_forget_predicate(&l->assumed, r->reg->input_sym);
	}
}

/* A copy of the input's next statement on look-ahead registers. */
static bool
run_lookahead_copy(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = output_stmt(&s->out, stmt);
	Term_id v;
	bool again;

	if (!operands_match(s, l, stmt, &again))
		return false;
	if (!(k->flags & (OPF_PURE | OPF_LOAD)) ||
		k->flags & (OPF_STORE | OPF_ATOMIC | OPF_EFFECT | OPF_CROSS))
		return loop_check_unknown(s, stmt, "a look that does more than compute and read");
	v = lookahead_compute(s, l, stmt);
	set_lookahead_results(s, l, stmt, v && lookahead_is_trackable(&s->terms, v) ? v : 0);
	return advance_iteration(s, l, stmt);
}

/* A copy of the input's next statement. */
static bool
run_own_copy(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Stmt *t = fn_stmt(s->in.fn, l->at.input);
	bool again, guarded = t->guard != 0;

	if (!operands_match(s, l, stmt, &again))
		return false;
	if (l->lookahead.phase == PHASE_LAST &&
		!(output_stmt(&s->out, stmt)->flags & (OPF_PURE | OPF_LOAD)))
		return loop_check_unknown(s, stmt, "a last iteration that does more than compute");
	again |= l->lookahead.phase == PHASE_LAST && load_may_be_stale(s, l->at.input);
	STMT_REFS(&s->out, stmt, r) {
		Term_id *at = r->written ? lookahead_slot(&s->out, l, r->sym) : NULL;
		if (at && (*at || !guarded))
			*at = lookahead_atom(s, again ? TERM_READ : TERM_MATCHES_INPUT);
	}
	return advance_iteration(s, l, stmt);
}

/* The value that a register of the input must have before an iteration. *later: the increment is
 * not known until a lane has executed a look-ahead iteration; the lane must wait for that. */
static Term_id
expected_value(Loop_check *s, Lane_state *l, uint32_t number, bool *later)
{
	const Lookahead *a = s->lookahead;
	Loop_register *r = &a->regs[number - 1];
	Term_id base = lookahead_batch_start(s, number);

	if (is_at_start(&l->lookahead))
		return base;
	*later = !r->step && !r->irregular && s->work.next < s->work.queue.n &&
		bits_has(s->in.fn->live->in[a->header], fn_local(s->in.fn, r->sym));
	r->used = true;
	if (!r->step || r->irregular)
		return 0;
	Term_op iteration = l->lookahead.due ? TERM_CURRENT : TERM_PASSED;
	return term_sum(&s->terms, base,
		lookahead_product(&s->terms, lookahead_atom(s, iteration), r->step), 1);
}

/* *again: the lane must be continued later. */
static bool
set_counter(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	const Opnd *to = output_operand(&s->out, stmt, 0);
	const Output_reg *r = output_reg(&s->out, to->sym);
	Term_id *at = to->kind == OPND_SYM && r->kind == REG_INPUT ?
		lookahead_slot(&s->out, l, to->sym) : NULL, v;

	if (!at || s->out.m->stmts[stmt].guard || !(output_stmt(&s->out, stmt)->flags & OPF_PURE))
		return false;
	v = lookahead_compute(s, l, stmt);
	if (!v || !lookahead_is_trackable(&s->terms, v))
		return false;
	Term_id right = expected_value(s, l, lookahead_number(s, r->input_sym), again);
	if (*again)
		lane_state_queue(s, l);
	else
		*at = v == right ? lookahead_atom(s, TERM_MATCHES_INPUT) : v;
	return !*again;
}

/* The only statement in the loop that writes a register of the input; 0 if there are several or
 * none. */
static uint32_t
only_writer(const Input_text *input, uint32_t in)
{
	uint32_t by = 0;

	FN_DEFS_OF_SYM(input->fn, in, d) {
		uint32_t at = fn_def(input->fn, d)->stmt;
		if (!at || !lookahead_in_loop(input, at))
			continue;
		if (by)
			return 0;
		by = at;
	}
	return by;
}

/* The same for the registers that a statement writes; some of these may have other definitions. */
static uint32_t
only_def(const Loop_check *s, uint32_t stmt)
{
	uint32_t in = 0;

	STMT_REFS(&s->out, stmt, r)
		if (!in && r->written && r->reg->kind == REG_INPUT &&
			fn_is_reg(s->in.fn, r->reg->input_sym))
			in = only_writer(&s->in, r->reg->input_sym);
	return in;
}

/* Whether the statement reads what the input's reads in every iteration. */
static bool
reads_invariant(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t in)
{
	STMT_REFS(&s->out, stmt, r) {
		uint32_t sym = r->reg->input_sym;
		if (r->written || !fn_is_reg(s->in.fn, sym) ||
			!bits_has(s->lookahead->written, fn_local(s->in.fn, sym)))
			continue;
		uint32_t by = lookahead_only_writer(s, in, sym);
		const Term_id *at = lookahead_slot(&s->out, l, r->sym);
		if (!by || !at || !lookahead_value_matches(s, by, sym, *at))
			return false;
	}
	return true;
}

/* Before an iteration is executed: a loop-invariant computation of the input, for the induction
 * variables that need it. */
static bool
set_invariant(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t in = only_def(s, stmt);

	if (!in || !match_stmt(s, stmt, in, 0, true) || !reads_invariant(s, l, stmt, in))
		return false;
	STMT_REFS(&s->out, stmt, r)
	if (r->written &&
		(r->reg->kind != REG_INPUT || !lookahead_invariant(s, in, r->reg->input_sym)))
		return false;
	STMT_REFS(&s->out, stmt, r) {
		Term_id *at = r->written ? lookahead_slot(&s->out, l, r->sym) : NULL;
		if (at)
			*at = lookahead_invariant(s, in, r->reg->input_sym);
	}
	return true;
}

/* Copies a register of the input to its look-ahead register. */
static bool
copy_to_lookahead(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Opnd *to = output_operand(&s->out, stmt, 0), *from = output_operand(&s->out, stmt, 1);

	if (output_stmt(&s->out, stmt)->op != OP_MOV || from->kind != OPND_SYM)
		return false;
	const Output_reg *r = output_reg(&s->out, to->sym), *k = output_reg(&s->out, from->sym);
	if (r->kind != REG_UNIFORM || k->kind != REG_INPUT || r->input_sym != k->input_sym ||
		!lookahead_slot(&s->out, l, from->sym))
		return false;
	bool held =
		*lookahead_slot(&s->out, l, from->sym) == lookahead_atom(s, TERM_MATCHES_INPUT) &&
		l->at.input == s->lookahead->start;
	*lookahead_slot(&s->out, l, to->sym) =
		held ? lookahead_batch_start(s, lookahead_number(s, r->input_sym)) : 0;
	return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether the statement only computes, for any lane. A kernel's parameters never change. */
static bool
stmt_only_computes(const Loop_check *s, uint32_t stmt)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Opnd *o;

	if (output_stmt(&s->out, stmt)->flags & OPF_PURE)
		return true;
	if (output_stmt(&s->out, stmt)->op != OP_LD || ptx_space(s->out.m, t) != SPACE_PARAM ||
		!s->in.fn->f->entry || t->nopnd != 2)
		return false;
	o = output_operand(&s->out, stmt, 1);
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && !ptx_has_stmt(s->out.f, s->out.m->syms[o->sym].decl);
}

/* Number of consecutive statements after this one that only compute look-ahead registers. */
static uint32_t
count_idle_after(Loop_check *s, uint32_t stmt)
{
	Output_stmt *k = output_stmt(&s->out, stmt);

	for (uint32_t i = stmt + 1; !k->known.idle_after; i++) {
		const Output_stmt *n = i < s->out.end ? output_stmt(&s->out, i) : NULL;
		const Stmt *t = &s->out.m->stmts[i];
		if (!n || n->flow.joins || n->writes_emitted || n->buffer || t->kind != STMT_INSN ||
			t->guard || !stmt_only_computes(s, i) || n->op == OP_VOTE ||
			!writes_lookahead_registers(&s->out, i, false))
			k->known.idle_after = i - stmt;
		else
			bits_set(s->observed.reached, ptx_local_stmt(s->out.f, i));
	}
	return k->known.idle_after - 1;
}

/* The result is unused. A lane that is not in look-ahead skips all following ones. */
static bool
run_idle(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	if (!stmt_only_computes(s, stmt))
		return loop_check_fault(
			s, stmt, "a lane that has nothing to do here does more than compute");
	set_results(&s->out, l, stmt, 0);
	if (l->lookahead.phase == PHASE_OUT ||
		(l->lookahead.phase == PHASE_LOOKAHEAD && l->lookahead.leaves_loop))
		l->at.output += count_idle_after(s, stmt);
	return true;
}

/* For a lane that has recorded its iteration: whether the statement comes after the next path. */
static bool
stmt_is_after_path(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	Lane_state *k = l->lookahead.selected ? lane_state_copy(s, l) : NULL;

	if (k)
		lookahead_skip(s, k);
	return k && k->at.input != l->at.input &&
		stmt_is_copy(s, stmt, k->at.input, LOOKAHEAD_COPY, true);
}

/* Registers in nested scopes have the same names in many copies. Whether the statement, which
 * equals the input's here, is the one after the next path; what follows decides. */
static bool
stmt_is_of_other_braces(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	bool inner = false;

	STMT_REFS(&s->out, stmt, r)
		inner |= r->written && r->reg->kind == REG_INPUT &&
			register_is_scoped(&s->out, r->sym);
	return inner && !stmt_is_copy(s, stmt + 1, l->at.input + 1, LOOKAHEAD_COPY, true) &&
		stmt_is_after_path(s, l, stmt);
}

static bool
run_lookahead_stmt(Loop_check *s, Lane_state *l, uint32_t stmt, bool guarded, bool *again)
{
	if (!lookahead_is_active(&l->lookahead))
		return writes_lookahead_registers(&s->out, stmt, true) ? run_idle(s, l, stmt) :
			loop_check_fault(s, stmt, "a lane that does not look writes its own registers");
	if (stmt_is_copy(s, stmt, l->at.input, LOOKAHEAD_COPY, guarded) &&
		writes_lookahead_registers(&s->out, stmt, true) &&
		!stmt_is_of_other_braces(s, l, stmt))
		return run_lookahead_copy(s, l, stmt);
	if (is_at_start(&l->lookahead) && copy_to_lookahead(s, l, stmt))
		return true;
	if (is_at_start(&l->lookahead) && set_counter(s, l, stmt, again))
		return true;
	if (writes_lookahead_registers(&s->out, stmt, true) &&
		output_stmt(&s->out, stmt)->op == OP_MOV &&
		output_operand(&s->out, stmt, 1)->kind == OPND_IMM &&
		!stmt_is_after_path(s, l, stmt))
		return run_idle(s, l, stmt);
	return lookahead_other_edge(s, l, again) ||
		(!s->fault.why && !*again && refuse_copy(s, stmt));
}

static bool
run_own_stmt(Loop_check *s, Lane_state *l, uint32_t stmt, bool guarded, bool *again)
{
	bool idle = l->lookahead.phase == PHASE_SELECTED &&
		(!l->lookahead.due || (l->lookahead.ran && !l->lookahead.begun));
	bool copy = !idle && stmt_is_copy(s, stmt, l->at.input, 0, guarded);

	if (writes_lookahead_registers(
		    &s->out, stmt, !copy && (idle || l->lookahead.phase == PHASE_OUT))) {
		if (l->lookahead.phase == PHASE_FIRST && copy_to_lookahead(s, l, stmt))
			return true;
		return run_idle(s, l, stmt);
	}
	if (copy)
		return run_own_copy(s, l, stmt);
	if (!idle && lookahead_loads_constant(s, stmt, l->at.input))
		return operands_match(s, l, stmt - 1, &idle) && run_own_copy(s, l, stmt);
	if (l->lookahead.phase != PHASE_FIRST && l->lookahead.phase != PHASE_OUT &&
		!l->lookahead.begun &&
		(set_counter(s, l, stmt, again) || (!*again && set_invariant(s, l, stmt))))
		return true;
	if (*again)
		return false;
	if (lookahead_other_edge(s, l, again) || s->fault.why || *again)
		return *again && !s->fault.why;
	if (output_stmt(&s->out, stmt)->flags & OPF_PURE &&
		(idle || l->lookahead.phase == PHASE_LAST))
		return run_idle(s, l, stmt);
	return refuse_copy(s, stmt);
}

/* A vote on whether any lane has selected iterations: it must be known whether this lane has. */
static bool
run_vote(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Opnd *p = output_operand(&s->out, stmt, 1);
	bool value;

	if (output_stmt(&s->out, stmt)->op == OP_VOTE &&
		output_stmt(&s->out, stmt)->vote == VOTE_ANY && p->kind == OPND_SYM &&
		output_reg(&s->out, p->sym)->kind == REG_EMITTED &&
		!lane_fork_predicate(s, l, p->sym, &value))
		return false;
	return lookahead_at_vote(s, l) && collective_run(s, l, stmt);
}

bool
lookahead_run(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Output_stmt *k = output_stmt(&s->out, stmt);
	bool machine = t->guard && output_reg(&s->out, t->sym)->kind == REG_EMITTED;

	if (k->buffer)
		return loop_check_unknown(s, stmt, "shared memory where lanes look ahead");
	if (k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_REDUX)
		return run_vote(s, l, stmt);
	if (k->op == OP_ACTIVEMASK)
		return collective_run(s, l, stmt);
	if (k->writes_emitted)
		return lookahead_run_emitted(s, l, stmt);
	return l->lookahead.phase == PHASE_LOOKAHEAD ?
		run_lookahead_stmt(s, l, stmt, !machine, again) :
		run_own_stmt(s, l, stmt, !machine, again);
}

bool
lookahead_branch(Loop_check *s, Lane_state *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Output_reg *r = output_reg(&s->out, t->sym);
	const Term_id *at = lookahead_slot(&s->out, l, t->sym);
	uint32_t in = input_branch(s, &l->at);

	*again = false;
	if (in && fn_stmt(s->in.fn, in)->sym == r->input_sym) {
		if (at && *at == lookahead_atom(s, TERM_READ)) {
			uint32_t to = lookahead_edge_target(s, l, true);
			return (to && to == lookahead_edge_target(s, l, false)) ||
				loop_check_unknown(s, stmt, "a last iteration that reads memory again");
		}
		if (at && !*at)
			return register_is_foreign(s, stmt, t->sym);
		return true;
	}
	if (output_stmt(&s->out, stmt)->flow.trivial)
		return true;
	if (lookahead_other_edge(s, l, again) || s->fault.why || *again)
		return *again && !s->fault.why;
	return loop_check_fault(s, stmt, "a branch that the input does not have here");
}
