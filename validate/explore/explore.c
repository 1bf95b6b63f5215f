/* SPDX-License-Identifier: MIT */
/* Explores all states that a lane can reach in the inserted text, and in the input in parallel.
 *
 * A state consists of the lane's positions in both texts, the values of its registers, its pending
 * tasks, and what its group did since the last vote. States are looked up at labels, and known ones
 * are not explored again. At a branch of the input the lane is split; each part knows the
 * predicate's value, so that the output's branch on it takes the same direction.
 */
#include <string.h>
#include "validate/explore/explore.h"

/* ---- branches -------------------------------------------------------------------------------- */

static uint32_t
branch_target_stmt(const Output_text *output, uint32_t stmt)
{
	uint32_t to = output_stmt(output, stmt)->flow.to;

	if (to)
		return to;
	return output->label[ptx_local_sym(output->f, output_operand(output, stmt, 0)->sym)];
}

static void
follow_edge(Lane_segment *segment, uint32_t stmt, bool taken)
{
	segment->branch_hash = (segment->branch_hash ^ (2 * stmt + taken + 1)) * 0x9e3779b1u;
	segment->branch_hash ^= segment->branch_hash >> 13;
}

/* Only some lanes may reach the branch, but those that do take the same edge. */
static void
follow_agreed_edge(Lane_segment *segment, uint32_t stmt, bool taken)
{
	segment->agreed = stmt;
	segment->agreed_taken = taken;
}

/* A guarded branch on a machine register. */
static bool
run_emitted_branch(Loop_check *s, Lane_state *l, const Stmt *t)
{
	const Output_reg *r = output_reg(&s->out, t->sym);
	bool varies = scalar_varies(s, l, t->sym), value;
	uint32_t stmt = l->at.output;
	bool twins = !varies && stmt == s->twins.branch;
	if (twins)
		value = t->guard == 1;
	else if (!lane_fork_predicate(s, l, t->sym, &value))
		return false;
	bool taken = value == (t->guard == 1);
	if (varies) {
		if (!branch_may_diverge(s, l, stmt))
			return false;
		l->segment.diverged = true;
	} else {
		if (!(l->regs.written_by_all[r->index >> 6] >> (r->index & 63) & 1))
			s->divergence.assumed_uniform[r->index >> 6] |=
				UINT64_C(1) << (r->index & 63);
		if (!l->segment.diverged && !twins)
			follow_edge(&l->segment, stmt, taken);
		else if (!l->segment.agreed)
			follow_agreed_edge(&l->segment, stmt, taken);
	}
	if (++l->branches > MAX_BRANCHES)
		return loop_check_fault(s, stmt, "lanes may go round here for ever without a vote");
	l->at.output = taken ? branch_target_stmt(&s->out, l->at.output) : stmt + 1;
	return true;
}

/* Whether the lane is at this branch in the input. *in: its predicate; a nested scope may declare
 * the same name. */
static bool
is_at_branch(const Loop_check *s, const Lane_state *l, uint32_t sym, uint32_t *in)
{
	uint32_t at = input_branch(s, &l->at), p = at ? fn_stmt(s->in.fn, at)->sym : 0;

	if (!p || (p != *in && !register_is_scoped(&s->out, sym)) ||
		!match_sym(s, sym, p, lane_region(s, l)))
		return false;
	*in = p;
	return true;
}

/* A guarded branch on a register of the input or a copy of one. A copy of a path may begin with it,
 * on a predicate of the task or a uniform one. */
static bool
run_copy_branch(Loop_check *s, Lane_state *l, const Stmt *t)
{
	uint32_t in = output_reg(&s->out, t->sym)->input_sym;
	bool value, again = false;

	if (!branch_may_diverge(s, l, l->at.output))
		return false;
	Lane_position was = l->at;
	if (l->at.home && !iteration_reach_branch(s, l))
		return false;
	if (l->at.home && !is_at_branch(s, l, t->sym, &in))
		l->at = was; /* both edges lead to the next statement of the input */
	if (s->lookahead && (!lookahead_branch(s, l, l->at.output, &again) || again))
		return again && !s->fault.why;
	if (!s->lookahead && branch_is_redundant(s, l->at.output, input_position_now(&l->at))) {
		l->segment.diverged = true;
		l->at.output++;
		return true;
	}
	if (!l->at.task && l->round.ballot && !l->round.task_source &&
		!is_at_branch(s, l, t->sym, &in))
		path_enter(s, l, l->at.output);
	if (s->fault.why)
		return false;
	if (!batch_operands_hold(s, l, l->at.output))
		return loop_check_fault(s, l->at.output, "a register of another iteration of the batch is read");
	if (is_at_branch(s, l, t->sym, &in)) {
		if (!lane_fork_branch(s, l, &value))
			return false;
	} else if (!lane_knows(&l->assumed, in, &value)) {
		Lane_state *k = lane_state_copy(s, l);
		lane_assume_predicate(&k->assumed, in, false);
		lane_state_queue(s, k);
		lane_assume_predicate(&l->assumed, in, value = true);
	}
	l->segment.diverged = true;
	lane_forget_predicate(&l->assumed, in);
	bool taken = value == (t->guard == 1);
	l->at.output = taken ? branch_target_stmt(&s->out, l->at.output) : l->at.output + 1;
	return true;
}

/* Whether the statement reads the predicate of the input's branch that the lane is at. */
static bool
stmt_reads_branch_predicate(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	uint32_t at = input_branch(s, &l->at), in = at ? fn_stmt(s->in.fn, at)->sym : 0;

	if (!in)
		return false;
	STMT_REFS(&s->out, stmt, r) {
		const Output_reg *k = r->reg;
		if (s->lookahead && !lookahead_reads_pending(&l->lookahead, k))
			continue;
		if (!r->written && k->input_sym == in &&
			(k->kind == REG_INPUT || k->kind == REG_UNIFORM || k->kind == REG_COPY ||
				k->kind == REG_BATCH))
			return true;
	}
	return false;
}

/* ---- leaving --------------------------------------------------------------------------------- */

static bool
leave_loop(Loop_check *s, Lane_state *l, uint32_t to)
{
	uint32_t end = s->out.f->stmt + s->out.f->nstmt;

	while (to < end && !s->out.origin[ptx_local_stmt(s->out.f, to)])
		to++;
	uint32_t in =
		to < end ? s->out.origin[ptx_local_stmt(s->out.f, to)] : input_end(&s->in);
	if (l->at.ended || input_next_plain(&s->in, in) != input_next_plain(&s->in, l->at.input))
		return loop_check_fault(s, l->at.output, "a lane continues at a different place than in the input");
	if (s->out.draws && !draw_may_leave(s, l))
		return loop_check_fault(s, l->at.output, "a lane leaves before it can see what others did for it");
	if (!owner_check_slice(s, l, 0) || (s->lookahead && !lookahead_leave(s, l, in)))
		return false;
	uint32_t lost = batch_lost_register(s, l, in);
	if (lost)
		return loop_check_fault(s, l->at.output, "a lane continues without its '%.*s'",
			PTX_NAME(s->in.m, lost));
	collective_on_exit(s, l, l->at.output);
	return false;
}

static bool
end_thread(Loop_check *s, Lane_state *l, const Stmt *t)
{
	uint32_t in = l->at.ended ? l->at.ended : input_next_plain(&s->in, l->at.input);

	if (s->out.draws && (t->guard || !draw_may_leave(s, l)))
		return loop_check_fault(s, l->at.output, "a thread ends while others may draw from it");
	if (t->guard)
		return loop_check_unknown(s, l->at.output, "a thread that may end");
	if (in >= input_end(&s->in) || fn_stmt(s->in.fn, in)->op != t->op ||
		(!l->at.ended && fn_stmt(s->in.fn, in)->guard))
		return loop_check_fault(s, l->at.output, "the thread ends where it does not in the input");
	collective_on_exit(s, l, l->at.output);
	return false;
}

/* ---- exploration ----------------------------------------------------------------------------- */

/* A branch by a table (brx), which the input has here too: the lane may take each edge. */
static bool
run_table_branch(Loop_check *s, Lane_state *l, const Stmt *t)
{
	uint32_t at = input_branch(s, &l->at), region = lane_region(s, l), to;
	if (l->at.home && iteration_reach_branch(s, l))
		at = input_branch(s, &l->at);
	const Stmt *x = at ? fn_stmt(s->in.fn, at) : NULL;
	if (!x || ptx_op(s->in.m, x) != OP_BRX || t->guard || x->guard)
		return loop_check_unknown(s, l->at.output, "a branch by a table");
	const Opnd *table = &s->in.m->opnds[ptx_operand(s->in.m, x, 1)],
		   *index = &s->in.m->opnds[ptx_operand(s->in.m, x, 0)];
	const Stmt *targets = fn_stmt(s->in.fn, s->in.m->syms[table->sym].decl);
	if (!match_sym(s, output_operand(&s->out, l->at.output, 0)->sym, index->sym, region))
		return loop_check_fault(s, l->at.output, "a branch by another register than in the input");
	l->segment.diverged = true;
	for (uint32_t n = 0; n < targets->nopnd; n++) {
		uint32_t label = s->in.m->opnds[ptx_operand(s->in.m, targets, n)].sym;
		uint32_t block = cfg_label_block(s->in.fn->cfg, label);
		if (!output_branch_target(&s->out, l->at.output, n, &to) || !to || !block)
			return loop_check_fault(s, l->at.output, "a table has not the input's ways");
		Lane_state *k = lane_state_copy(s, l);
		*input_position(&k->at) = s->in.fn->cfg->blocks[block].stmt;
		k->lookahead.begun |= s->lookahead != NULL;
		k->at.output = to;
		if (!input_advance(s, k))
			return false;
		lane_state_queue(s, k);
	}
	return output_branch_target(&s->out, l->at.output, targets->nopnd, &to) ?
		loop_check_fault(s, l->at.output, "a table has not the input's ways") : false;
}

static bool
run_control(Loop_check *s, Lane_state *l, const Stmt *t, Op op)
{
	if (op == OP_BRX)
		return run_table_branch(s, l, t);
	if (op != OP_BRA && t->guard && output_reg(&s->out, t->sym)->kind == REG_EMITTED) {
		bool value;
		if (!lane_fork_predicate(s, l, t->sym, &value))
			return false;
		if (value != (t->guard == 1))
			return ++l->at.output, true;
		Stmt plain = *t;
		plain.guard = 0;
		return end_thread(s, l, &plain);
	}
	if (op != OP_BRA)
		return end_thread(s, l, t);
	if (!t->guard)
		return l->at.output = branch_target_stmt(&s->out, l->at.output), true;
	return output_reg(&s->out, t->sym)->kind == REG_EMITTED ? run_emitted_branch(s, l, t) :
							  run_copy_branch(s, l, t);
}

/* Only some lanes may have executed the statement, so what it writes may vary. */
static void
note_divergent_write(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t writes = output_stmt(&s->out, stmt)->regs.writes[i];
		l->regs.varies[i] |= writes;
		l->regs.written_by_all[i] &= ~writes;
		l->regs.written_by_some[i] |= writes;
		s->divergence.writes[i] |= writes;
	}
}

/* Executes an instruction. Returns false if the lane ends here. */
static bool
run_instruction(Loop_check *s, Lane_state *l)
{
	uint32_t o = l->at.output;
	const Stmt *t = &s->out.m->stmts[o];
	const Output_stmt *k = output_stmt(&s->out, o);
	Op op = (Op)k->op;
	bool again = false, value, varies = false;

	bits_set(s->observed.reached, ptx_local_stmt(s->out.f, o));
	if (draw_begins(s, o))
		return draw_run(s, l);
	if (s->lookahead && (l->lookahead.stay_index || l->lookahead.looked) &&
		!lookahead_before_stmt(s, l))
		return false;
	if (k->flags & (OPF_BRANCH | OPF_EXIT) && op != OP_TRAP)
		return run_control(s, l, t, op);
	if (t->guard && output_reg(&s->out, t->sym)->kind == REG_EMITTED) {
		varies = scalar_varies(s, l, t->sym);
		if (!lane_fork_predicate(s, l, t->sym, &value))
			return false;
		if (value != (t->guard == 1)) {
			if (varies)
				note_divergent_write(s, l, o);
			return ++l->at.output, true;
		}
	}
	if (k->reads_predicate && stmt_reads_branch_predicate(s, l, o) &&
		!lane_fork_branch(s, l, &value))
		return false;
	if (!run_output_stmt(s, l, o, &again))
		return false;
	if (varies)
		note_divergent_write(s, l, o);
	l->at.output += !again;
	return true;
}

static bool
stmt_is_inserted(const Output_text *output, uint32_t i)
{
	return i >= output->begin && i < output->end;
}

static void
run_lane(Loop_check *s, Lane_state *l)
{
	while (!s->fault.why) {
		if (!stmt_is_inserted(&s->out, l->at.output)) {
			leave_loop(s, l, l->at.output);
			return;
		}
		const Stmt *t = &s->out.m->stmts[l->at.output];
		const Output_stmt *k = output_stmt(&s->out, l->at.output);
		if (l->at.task && !skip_dead_stmts(s, l))
			return;
		if (k->flow.joins) {
			if (s->lookahead ? !lookahead_before_stmt(s, l) :
					   k->flow.closes && !collective_at_meeting(s, l))
				return;
			if (s->lookahead)
				lookahead_merge(s, l);
			lane_state_normalise(s, l);
			if (t->kind == STMT_LABEL && !collective_at_label(s, l))
				return;
			if (k->flow.pop_label && !batch_begin_round(s, l))
				return;
			if (lane_state_is_visited(s, l))
				return;
		}
		if (k->flow.reconverges && !collective_at_meeting(s, l))
			return;
		if (++s->steps > MAX_LANE_STEPS) {
			loop_check_unknown(s, l->at.output, "too many states");
			return;
		}
		bool end = false;
		if (t->kind != STMT_INSN)
			l->at.output++;
		else if (k->copies && straight_run_execute(s, l, &end)) {
			if (end)
				return;
		} else if (!run_instruction(s, l)) {
			return;
		}
		if (!l->at.task && !s->lookahead && stmt_is_inserted(&s->out, l->at.output) &&
			output_stmt(&s->out, l->at.output)->computes)
			scalar_run_all(s, l);
	}
}

static void
start_lane(Loop_check *s)
{
	Lane_state *l = arena_alloc(s->arena, s->layout.size);

	memset(l, 0, s->layout.size);
	s->buffer.rows.n = s->observed.segments.n = s->observed.changes.n = s->observed.rounds.n =
		s->observed.wanted.n = s->work.queue.n = 0;
	memset(s->observed.change_chains, 0, CHAINS * sizeof *s->observed.change_chains);
	memset(s->observed.segment_chains, 0, sizeof s->observed.segment_chains);
	memset(s->observed.round_chains, 0, CHAINS * sizeof *s->observed.round_chains);
	s->work.next = s->work.next_full = s->work.full_groups.n = 0;
	s->visited.n = s->visited.cap = s->visited.idle_edges.n = 0;
	memset(s->observed.left, 0, sizeof s->observed.left);
	memset(s->divergence.assumed_uniform, 0, sizeof s->divergence.assumed_uniform);
	for (uint32_t i = 0; i < s->emitted.n; i++) {
		uint32_t region = output_reg(&s->out, s->emitted.syms[i])->region;
		s->observed.vote_subjects[i] = region && region <= s->paths.n ?
			tasks_of_path(s, region - 1) : 0;
	}
	for (uint32_t i = 0; i < s->batch.npop_labels; i++)
		s->observed.vote_subjects[s->emitted.n + i] = UINT64_MAX;
	l->at.output = s->out.begin;
	l->at.input = s->in.fn->m->markers[s->in.region->marker].stmt + 1;
	/* the first iteration begins at the header */
	l->tasks.batch_index = s->batch.n > 1 ? UINT32_MAX : 0;
	for (uint32_t k = 1; s->lookahead && k <= s->lookahead->n; k++)
		*lookahead_original(s, l, k) = lookahead_atom(s, TERM_MATCHES_INPUT);
	if (input_advance(s, l))
		lane_state_queue(s, l);
}

/* Whether a register was assumed to be uniform that only some lanes write. */
static bool
trusts_split(const Divergence *divergence)
{
	return (divergence->assumed_uniform[0] & divergence->writes[0]) |
		(divergence->assumed_uniform[1] & divergence->writes[1]);
}

/* Lanes of full groups come last, because most of their states are covered by other lanes'. */
static Lane_state *
next_lane(Work_list *work)
{
	if (work->next < work->queue.n)
		return work->queue.at[work->next++];
	if (work->next_full < work->full_groups.n)
		return work->full_groups.at[work->next_full++];
	return NULL;
}

static void
explore_once(Loop_check *s)
{
	s->fault.why = NULL;
	s->fault.unknown = s->divergence.grown = false;
	s->steps = 0;
	start_lane(s);
	for (Lane_state *l; !s->fault.why && !s->layout.out_of_room &&
		!trusts_split(&s->divergence) && (l = next_lane(&s->work));)
		run_lane(s, l);
	if (!s->layout.out_of_room && !trusts_split(&s->divergence))
		visited_states_progress(s);
}

/* The exploration itself finds out which registers only some lanes write. It is repeated if lanes
 * passed a place with too small a set, or if that may have caused a fault. */
static bool
explore_until_stable(Loop_check *s)
{
	for (uint32_t turn = 0; turn < MAX_EXPLORATIONS; turn++) {
		uint64_t was[2] = { s->divergence.writes[0], s->divergence.writes[1] };
		explore_once(s);
		while (s->layout.out_of_room) {
			lane_state_grow(s);
			explore_once(s);
		}
		bool grown =
			(s->divergence.writes[0] & ~was[0]) | (s->divergence.writes[1] & ~was[1]);
		if (!(s->fault.why && !s->fault.unknown && grown) && !s->divergence.grown &&
			!trusts_split(&s->divergence))
			return !s->fault.why;
	}
	return !s->fault.why && loop_check_unknown(s, s->out.begin, "registers that lanes write alone");
}

/* output_dataflow.c has computed a superset of the registers that only some lanes write. If the
 * proof fails with it, it may still succeed with those that lanes are seen to write. */
bool
explore_loop(Loop_check *s)
{
	s->observed.change_chains =
		arena_array(s->arena, CHAINS, sizeof *s->observed.change_chains);
	s->observed.round_chains = arena_array(s->arena, CHAINS, sizeof *s->observed.round_chains);
	if (explore_until_stable(s) || s->lookahead || s->steps > MAX_LANE_STEPS ||
		!(s->divergence.writes[0] | s->divergence.writes[1]))
		return !s->fault.why;
	memset(s->divergence.writes, 0, sizeof s->divergence.writes);
	return explore_until_stable(s);
}
