/* SPDX-License-Identifier: MIT */
/* Follows a lane through the input.
 *
 * Its position is the next statement with an effect. A conditional branch stays the position until
 * the output does something; then the lane is split, one for each edge (explore.c).
 */
#include "validate/task/task.h"

/* The target of a branch; 0 if there is none. */
static uint32_t
label_target(const Fn *fn, const Stmt *t)
{
	uint32_t b = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m, t, 0)].sym);

	return b ? fn->cfg->blocks[b].stmt : 0;
}

static Input_stmt
read_stmt(const Fn *fn, uint32_t stmt)
{
	const Stmt *t = fn_stmt(fn, stmt);
	Input_stmt x = { .kind = INPUT_NOTHING, .block = fn_block(fn, stmt) };

	if (t->kind != STMT_INSN)
		return x;
	x.kind = INPUT_PLAIN;
	if (ptx_flags(fn->m, t) & (OPF_BRANCH | OPF_EXIT) && ptx_op(fn->m, t) != OP_TRAP)
		x.kind = INPUT_BRANCH;
	if (ptx_op(fn->m, t) == OP_BRA && !t->guard && (x.to = label_target(fn, t)) != 0)
		x.kind = INPUT_JUMP;
	return x;
}

/* Whether the branch leads to the next statement in either case. */
static bool
branch_is_trivial(const Fn *fn, const Input_stmt *list, uint32_t stmt)
{
	uint32_t last = fn->f->stmt + fn->f->nstmt,
		 to[2] = { stmt + 1, label_target(fn, fn_stmt(fn, stmt)) };

	for (uint32_t k = 0; k < 2; k++)
		while (to[k] && to[k] < last &&
			list[ptx_local_stmt(fn->f, to[k])].kind == INPUT_NOTHING)
			to[k]++;
	return to[0] == to[1];
}

Input_stmt *
input_read(const Fn *fn, Arena *a)
{
	Input_stmt *list = arena_array(a, fn->f->nstmt + 1, sizeof *list);

	PTX_STMTS(fn->f, stmt)
		list[ptx_local_stmt(fn->f, stmt)] = read_stmt(fn, stmt);
	uint32_t by = 0; /* the register of a branch to the next statement, directly before */
	PTX_STMTS(fn->f, stmt) {
		Input_stmt *x = &list[ptx_local_stmt(fn->f, stmt)];
		const Stmt *t = fn_stmt(fn, stmt);
		if (t->kind != STMT_INSN)
			continue;
		x->redundant = x->kind == INPUT_BRANCH && t->guard && t->sym == by;
		by = 0;
		if (x->kind == INPUT_BRANCH && ptx_op(fn->m, t) == OP_BRA &&
			branch_is_trivial(fn, list, stmt)) {
			x->kind = INPUT_NOTHING;
			by = t->sym;
		}
	}
	return list;
}

uint32_t
input_next_plain(const Input_text *input, uint32_t stmt)
{
	for (uint32_t steps = 0; steps < input->fn->f->nstmt && stmt < input_end(input); steps++) {
		const Input_stmt *x = input_stmt(input, stmt);
		if (x->kind != INPUT_JUMP && x->kind != INPUT_NOTHING)
			break;
		stmt = x->kind == INPUT_JUMP ? x->to : stmt + 1;
	}
	return stmt;
}

static bool
stmt_is_in_task(const Loop_check *s, uint32_t task, uint32_t stmt)
{
	const Input_path *p = &s->paths.at[task - 1];

	return stmt < input_end(&s->in) && stmt != p->next &&
		bits_has(p->blocks, input_stmt(&s->in, stmt)->block);
}

/* The collected path that begins at the statement, to become a pending task; 0 if there is none.
 * task: as in Lane_state. */
static uint32_t
path_entered_at(const Loop_check *s, uint32_t task, uint32_t stmt)
{
	if (stmt >= input_end(&s->in) || s->paths.n == 0)
		return 0;
	uint32_t b = input_stmt(&s->in, stmt)->block, p = s->paths.of_block[b];
	if (!p || s->in.fn->cfg->blocks[b].stmt != stmt || p == task)
		return 0;
	return s->paths.at[p - 1].enclosing == task ? p : 0;
}

static void
forget_task(Loop_check *s, Lane_state *l, uint32_t task)
{
	for (uint32_t i = 0; i < s->layout.nsaved; i++) {
		const Term *x = term_at(&s->terms, l->env[s->emitted.n + i]);
		if (x->op == TERM_VALUE && x->a >> 2 == task)
			l->env[s->emitted.n + i] = 0;
	}
}

static bool
take_task(Loop_check *s, Lane_state *l, uint32_t p)
{
	uint32_t bit = UINT32_C(1) << (p - 1),
		 task = task_number(&s->paths, p - 1, l->tasks.batch_index);
	uint8_t last = 0;

	if (l->tasks.batch_index >= s->batch.n || l->tasks.pending >> task & 1)
		return loop_check_fault(
			s, l->at.output, "a lane may reach its path while it still has a task of it");
	l->tasks.pending |= UINT64_C(1) << task;
	if (s->batch.n > 1)
		l->env[env_index_newest(s, p - 1)] = l->tasks.batch_index;
	for (uint32_t i = 0; i < s->paths.n; i++)
		last = l->tasks.order[i] > last ? l->tasks.order[i] : last;
	l->tasks.fresh |= bit;
	l->tasks.order[p - 1] = (uint8_t)(last + 1);
	forget_task(s, l, task);
	*input_position(&l->at) = s->paths.at[p - 1].next;
	return true;
}

static bool
stmt_is_in_loop(const Loop_check *s, uint32_t stmt)
{
	return stmt < input_end(&s->in) &&
		bits_has(s->paths.common, input_stmt(&s->in, stmt)->block);
}

bool
input_is_in_loop(const Loop_check *s, const Lane_position *at)
{
	return !at->ended && stmt_is_in_loop(s, at->input);
}

/* Whether the statement begins another iteration of the batch. */
static bool
stmt_begins_batch_item(const Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	const Fn *fn = s->in.fn;

	return s->batch.n > 1 && !l->at.task && l->tasks.batch_index != s->batch.n &&
		fn->cfg->blocks[fn->loops->loops[s->in.region->loop].header].stmt == stmt;
}

bool
input_advance(Loop_check *s, Lane_state *l)
{
	for (uint32_t steps = 0; steps < 2 * s->in.fn->f->nstmt; steps++) {
		bool moved = false;
		if (s->lookahead && !s->lookahead->hooks.reached(s, l, &moved))
			return false;
		if (moved)
			continue;
		uint32_t stmt = input_position_now(&l->at);
		if (l->at.task && !stmt_is_in_task(s, l->at.task, stmt)) {
			l->at.task = l->at.task_input = 0;
			l->assumed.n = 0;
			return true;
		}
		if (!l->at.task && !input_is_in_loop(s, &l->at))
			return true;
		uint32_t p = path_entered_at(s, l->at.task, stmt);
		const Input_stmt *x = input_stmt(&s->in, stmt);
		l->tasks.batch_index += stmt_begins_batch_item(s, l, stmt);
		if (p) {
			if (!take_task(s, l, p))
				return false;
		} else if (x->kind == INPUT_JUMP) {
			*input_position(&l->at) = x->to;
		} else if (x->kind == INPUT_NOTHING) {
			++*input_position(&l->at);
		} else {
			return true;
		}
	}
	return loop_check_unknown(s, l->at.output, "an endless loop without an instruction");
}

uint32_t
input_first_effect(const Loop_check *s, uint32_t task, uint32_t stmt)
{
	for (uint32_t steps = 0; steps < 2 * s->in.fn->f->nstmt; steps++) {
		if (!(task ? stmt_is_in_task(s, task, stmt) : stmt_is_in_loop(s, stmt)) ||
			path_entered_at(s, task, stmt))
			return 0;
		const Input_stmt *x = input_stmt(&s->in, stmt);
		if (x->kind != INPUT_JUMP && x->kind != INPUT_NOTHING)
			return stmt;
		stmt = x->kind == INPUT_JUMP ? x->to : stmt + 1;
	}
	return 0;
}

uint32_t
input_branch(const Loop_check *s, const Lane_position *at)
{
	uint32_t stmt = input_position_now(at);

	if (!at->task && !input_is_in_loop(s, at))
		return 0;
	if (stmt >= input_end(&s->in))
		return 0;
	return input_stmt(&s->in, stmt)->kind >= INPUT_JUMP ? stmt : 0;
}

bool
input_take_branch(Loop_check *s, Lane_state *l, bool taken)
{
	uint32_t *at = input_position(&l->at);
	const Stmt *t = fn_stmt(s->in.fn, *at);

	if (l->at.home && *at == s->out.draws->test)
		return loop_check_fault(
			s, l->at.output, "a lane continues after an iteration of another lane");
	l->lookahead.begun |= s->lookahead != NULL;
	l->idle = 0;
	if (!taken) {
		++*at;
	} else if (ptx_op(s->in.m, t) == OP_BRA) {
		*at = label_target(s->in.fn, t);
	} else {
		if (l->at.task)
			return loop_check_unknown(s, l->at.output, "a path ends the thread");
		l->at.ended = *at;
	}
	return input_advance(s, l);
}

Bits
input_live_registers(const Input_text *input, uint32_t stmt, Arena *a)
{
	const Fn *fn = input->fn;
	bool inside = stmt < input_end(input);
	uint32_t b = inside ? fn_block(fn, stmt) : 0;
	Bits live = inside ? live_out_of(fn->live, fn->cfg, b, a) :
			     bits_new(a, fn->f->nsym);

	if (!inside)
		bits_fill(live, 0, fn->f->nsym);
	for (uint32_t i = inside ? fn->cfg->blocks[b].end : stmt; i-- > stmt;) {
		FN_WRITES(fn, i, r)
			if (fn_is_reg(fn, r->sym) && refs_kills(fn->m, i, r))
				bits_unset(live, fn_local(fn, r->sym));
		FN_READS(fn, i, r)
			if (fn_is_reg(fn, r->sym))
				bits_set(live, fn_local(fn, r->sym));
	}
	return live;
}

bool
input_register_is_live(const Input_text *input, uint32_t stmt, uint32_t sym)
{
	const Fn *fn = input->fn;

	if (stmt >= input_end(input) || !fn_is_reg(fn, sym))
		return true;
	uint32_t b = fn_block(fn, stmt);
	for (uint32_t i = stmt; i < fn->cfg->blocks[b].end; i++) {
		FN_READS(fn, i, r)
			if (r->sym == sym)
				return true;
		FN_WRITES(fn, i, r)
			if (r->sym == sym && refs_kills(fn->m, i, r))
				return false;
	}
	return live_is_out(fn->live, fn->cfg, b, fn_local(fn, sym));
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void
find_enclosing_paths(Collected_paths *paths)
{
	for (uint32_t i = 0; i < paths->n; i++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t j = 0; j < paths->n; j++) {
			Bits b = paths->at[j].blocks;
			if (i == j || !bits_has(b, paths->at[i].region->entry) ||
				bits_count(b) >= best)
				continue;
			best = bits_count(b);
			paths->at[i].enclosing = j + 1;
		}
		if (paths->at[i].enclosing)
			paths->at[paths->at[i].enclosing - 1].nested |= UINT32_C(1) << i;
	}
}

bool
input_init(Loop_check *s)
{
	const Fn *fn = s->in.fn;

	s->paths.common = bits_new(s->arena, fn->cfg->nblocks);
	cfg_flood(fn->cfg, fn->loops->loops[s->in.region->loop].header, true, s->in.region->blocks,
		s->paths.common);
	task_labels_read(s);
	s->paths.of_block = arena_array(s->arena, fn->cfg->nblocks, sizeof *s->paths.of_block);
	for (uint32_t i = 0; i < s->paths.n; i++) {
		Input_path *p = &s->paths.at[i];
		p->entry = fn->cfg->blocks[p->region->entry].stmt;
		s->paths.of_block[p->region->entry] = i + 1;
		if (!task_extent_init(s, p))
			return false;
		owner_find_live_outs(s, p);
	}
	find_enclosing_paths(&s->paths);
	path_starts_init(s);
	return true;
}

/* ---- branches -------------------------------------------------------------------------------- */

bool
lane_fork_branch(Loop_check *s, Lane_state *l, bool *said)
{
	uint32_t stmt = input_branch(s, &l->at);
	const Stmt *t = fn_stmt(s->in.fn, stmt);
	bool value;

	if (!stmt)
		return true;
	if (ptx_op(s->in.m, t) == OP_BRX)
		return loop_check_unknown(s, l->at.output, "a branch by a table");
	if (!t->guard)
		return input_take_branch(s, l, *said = true);
	if (!lane_knows(&l->assumed, t->sym, &value)) {
		Lane_state *k = lane_state_copy(s, l);
		lane_assume_predicate(&k->assumed, t->sym, false);
		lane_state_queue(s, k);
		lane_assume_predicate(&l->assumed, t->sym, value = true);
	}
	*said = value;
	return input_take_branch(s, l, value == (t->guard == 1));
}
