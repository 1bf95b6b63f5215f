/* SPDX-License-Identifier: MIT */
/* Executes one statement of the output on a lane: a copy of the input's next statement in its own
 * iteration or in its task, a statement of an owner slice, or one of the inserted text itself. */
#include "validate/explore/explore.h"

static uint32_t
part_now(const Site *s, const Lane *l)
{
	return l->task ? s->part_of_path[l->task] : 0;
}

/* Whether the next statement has an effect and is in the same block. */
static bool
goes_on(const Site *s, uint32_t in, uint32_t next)
{
	const Input *x = input_at(s, next);

	return next < s->behind && x->block == input_at(s, in)->block &&
		(x->kind == INPUT_PLAIN || x->kind == INPUT_BRANCH);
}

/* A copy of the input's next statement was executed: the lane moves past it. */
static bool
matched(Site *s, Lane *l)
{
	uint32_t in = cursor_now(l);

	l->idle = 0;
	if (!owner_sliced_all(s, l, l->task))
		return false;
	if (!l->task && l->ballot)
		round_close(s, l, 0);
	FN_WRITES(s->fn, in, r)
		lane_unknow(l, r->sym);
	uint32_t next = ++*cursor_of(l);
	if (ptx_op(s->in, fn_stmt(s->fn, in)) == OP_TRAP && !fn_stmt(s->fn, in)->guard)
		return false;
	return goes_on(s, in, next) || cursor_settle(s, l);
}

/* Whether the statement may be executed though the input's is not: it only writes registers that
 * are dead from here on. */
static bool
spares(const Site *s, const Lane *l, uint32_t stmt)
{
	if (l->task || !(step_at(s, stmt)->flags & OPF_PURE))
		return false;
	STEP_REFS(s, stmt, r) {
		const Reg *k = r->reg;
		if (r->written && ((k->kind != REG_OWN && k->kind != REG_TURN) ||
			(!l->ended && turns_holds(s, l, k) && cursor_live(s, l->at, k->in))))
			return false;
	}
	return true;
}

static bool
knows_zero(Site *s, const Lane *l, Term_id a)
{
	Term_id fact = term_make(&s->terms, TERM_ZERO, a, 0, 0);

	for (uint32_t i = 0; i < l->nfacts; i++)
		if (l->facts[i] == fact)
			return true;
	return false;
}

/* Whether the branch tests a comparison directly before it of a register with a literal, and the
 * lane knows that the register equals a uniform one. Then the lanes that come here agree. */
static bool
compares_agreed(Site *s, const Lane *l, uint32_t stmt)
{
	const Step *k = stmt > s->begin ? step_at(s, stmt - 1) : NULL;
	uint32_t sym = s->out->stmts[stmt].sym;

	if (!k || k->op != OP_SETP || s->out->stmts[stmt - 1].nopnd != 3 ||
		step_operand(s, stmt - 1, 0)->sym != sym || !k->machine[1] ||
		step_operand(s, stmt - 1, 2)->kind != OPND_IMM)
		return false;
	Term_id own = l->env[k->machine[1] - 1];
	for (uint32_t i = 0; own && i < s->nmachine; i++)
		if (l->env[i] && l->env[i] != own && !inserted_varies(s, l, s->machine[i]) &&
			(knows_zero(s, l, term_sum(&s->terms, own, l->env[i], UINT32_MAX)) ||
				knows_zero(s, l, term_sum(&s->terms, l->env[i], own, UINT32_MAX))))
			return true;
	return false;
}

bool
step_may_part(Site *s, const Lane *l, uint32_t stmt)
{
	return !ptx_has(s->out, &s->out->stmts[stmt], "uni") || compares_agreed(s, l, stmt) ||
		site_fault(s, stmt, "a branch of all lanes that they need not agree on");
}

/* Whether a machine register guards the statement, so that only some lanes execute it. */
static bool
is_masked(const Site *s, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];

	return t->guard && site_reg(s, t->sym)->kind == REG_MACHINE;
}

/* Whether the statement only transfers control. */
static bool
is_way(const Module *m, const Stmt *t)
{
	return ptx_flags(m, t) & (OPF_BRANCH | OPF_EXIT) && ptx_op(m, t) != OP_TRAP;
}

/* The first instruction from a statement on, in its scope, that is no unconditional branch; 0 if
 * there is none. */
static uint32_t
in_braces(const Module *m, uint32_t stmt, uint32_t end)
{
	for (; stmt < end && m->stmts[stmt].kind != STMT_CLOSE; stmt++) {
		const Stmt *t = &m->stmts[stmt];
		if (t->kind == STMT_INSN && (t->guard || !is_way(m, t)))
			return stmt;
	}
	return 0;
}

/* Whether both are branches on the same predicate. The targets may differ: what ends the thread in
 * the input may be a branch in the output. */
static bool
ways_alike(const Site *s, uint32_t stmt, uint32_t in, uint32_t part)
{
	const Stmt *t = &s->out->stmts[stmt], *x = fn_stmt(s->fn, in);

	return is_way(s->out, t) && is_way(s->in, x) && match_sym(s, t->sym, x->sym, part);
}

bool
step_braces_alike(const Site *s, uint32_t stmt, uint32_t in, uint32_t part)
{
	while ((stmt = in_braces(s->out, stmt + 1, s->end)) != 0) {
		if (step_at(s, stmt)->own)
			continue;
		in = in_braces(s->in, in + 1, s->behind);
		if (!in || !(ways_alike(s, stmt, in, part) ||
			match_stmt(s, stmt, in, part, !is_masked(s, stmt))))
			return false;
	}
	return true;
}

/* Whether the statement, which equals the input's next one, belongs to another scope, which this
 * lane need not execute. What follows in the scope decides. */
static bool
means_other(const Site *s, const Lane *l, uint32_t stmt)
{
	return step_at(s, stmt)->inner &&
		!step_braces_alike(s, stmt, cursor_now(l), part_now(s, l)) && spares(s, l, stmt);
}

/* Whether the statement writes registers of the given kind. of_task: those of the task that the
 * lane runs. */
static bool
writes(const Site *s, const Lane *l, uint32_t stmt, Reg_kind kind, bool of_task)
{
	STEP_REFS(s, stmt, r)
		if (r->written && r->reg->kind == kind &&
			(!of_task || (l->task && path_of_reg(s, r->reg) == l->task)))
			return true;
	return false;
}

/* A statement that the owner executes in place of a path, or after the loop. */
static bool
run_owner(Site *s, Lane *l, uint32_t stmt)
{
	if (s->nsums && (sums_hand_on(s, l, stmt) || sums_end(s, l, stmt)))
		return true;
	return l->fresh && !s->why && owner_owes(s, l, l->task) && owner_slice(s, l, stmt);
}

/* The next statement of the lane's own iteration or task. Returns false if it is none, for example
 * because the registers that it reads hold other values. */
static bool
run_next(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *ok)
{
	*ok = true;
	if (!turns_read(s, l, stmt))
		return false;
	if (run_owner(s, l, stmt))
		turns_written(s, l, stmt);
	else if (s->why)
		*ok = false;
	else if ((l->task || cursor_inside(s, l)) &&
		step_is_copy(s, stmt, cursor_now(l), part_now(s, l), guarded) &&
		!means_other(s, l, stmt))
		turns_written(s, l, stmt), *ok = matched(s, l);
	else
		return false;
	return true;
}

/* A statement for another lane's iteration. */
static bool
run_spare(Site *s, Lane *l, uint32_t stmt)
{
	bool ok = true;

	STEP_REFS(s, stmt, r) {
		if (!r->written)
			continue;
		lane_unknow(l, r->reg->in);
		ok = ok && (!turns_holds(s, l, r->reg) || owner_overwrites(s, l, r->reg->in));
	}
	return ok;
}

static bool
run_copy(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *again)
{
	bool taken, ok;

	if (run_next(s, l, stmt, guarded, &ok))
		return ok;
	if (writes(s, l, stmt, REG_COPY, true))
		return site_fault(s, stmt, "this is no copy of what the path does here");
	if (writes(s, l, stmt, REG_AGAIN, false))
		return path_again(s, stmt);
	if (!l->task && path_begin(s, l, stmt))
		return *again = true;
	if (s->why)
		return false;
	if (l->fresh && turns_read(s, l, stmt) && owner_slice(s, l, stmt)) {
		turns_written(s, l, stmt);
		return true;
	}
	if (writes(s, l, stmt, REG_COPY, false))
		return path_set(s, l, stmt);
	if (spares(s, l, stmt))
		return run_spare(s, l, stmt);
	if (cursor_branch(s, l))
		return *again = lane_split(s, l, &taken);
	return site_fault(
		s, stmt, "this is neither a copy of what the input does here nor the loop's own");
}

/* An access to shared memory by a machine register: a slot of a reduction, a lane invariant or a
 * task. */
static bool
access(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Step *k = step_at(s, stmt);
	const Opnd *v = step_operand(s, stmt, k->op != OP_LD);
	const Reg *r = site_reg(s, v->sym);
	uint32_t q = path_of_reg(s, r);
	bool taken;

	if (t->guard && site_reg(s, t->sym)->kind != REG_MACHINE)
		return site_unknown(s, stmt, "an access that not every lane makes");
	if (l->task && cursor_branch(s, l))
		return *again = lane_split(s, l, &taken);
	if (k->op == OP_ST)
		return v->kind == OPND_IMM       ? sums_store(s, l, stmt) :
			lasting_is(s, l, stmt) ? lasting_store(s, l, stmt) :
					      buffer_store(s, l, stmt);
	if (k->op == OP_LD)
		return q && sums_has(s, q - 1, r->in) ? sums_load(s, l, stmt) :
			lasting_is(s, l, stmt)           ? lasting_load(s, l, stmt) :
							buffer_load(s, l, stmt);
	return sums_fold(s, l, stmt);
}

bool
step_run(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Step *k = step_at(s, stmt);

	if (s->ahead)
		return ahead_run(s, l, stmt, again);
	if (k->buffer)
		return access(s, l, stmt, again);
	if (k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_ACTIVEMASK || k->own)
		return votes_run(s, l, stmt);
	return run_copy(s, l, stmt, !is_masked(s, stmt), again);
}

/* The next instruction of the output from a statement on; past unconditional branches, if the
 * input's instruction `in` is the first of its block. */
static uint32_t
next_insn(const Site *s, uint32_t stmt, uint32_t in)
{
	bool first = in == s->fn->cfg->blocks[fn_block(s->fn, in)].stmt ||
		fn_stmt(s->fn, in - 1)->kind != STMT_INSN;

	for (uint32_t n = 0; stmt < s->end && n < s->end - s->begin; n++) {
		const Stmt *t = &s->out->stmts[stmt];
		const Step *k = step_at(s, stmt);
		if (t->kind == STMT_INSN && (k->op != OP_BRA || t->guard || !k->to || !first))
			return stmt;
		stmt = t->kind == STMT_INSN ? k->to : stmt + 1;
	}
	return 0;
}

/* The first statement of the task from `in` on that its copy must have, as long as each block has
 * one successor; 0 if there is none. */
static uint32_t
next_needed(const Site *s, const Lane *l, uint32_t in)
{
	const Cfg *g = s->fn->cfg;

	for (uint32_t b = fn_block(s->fn, in), n = 0; n < g->nblocks; n++) {
		for (; in < g->blocks[b].end; in++)
			if (fn_stmt(s->fn, in)->kind == STMT_INSN &&
				(in != cfg_terminator(g, b) || g->blocks[b].nsucc != 1) &&
				!span_is_idle(s, l->task - 1, in))
				return in;
		b = g->blocks[b].nsucc == 1 ? *cfg_succ(g, b) : 0;
		if (!b || !bits_has(s->paths[l->task - 1].blocks, b))
			return 0;
		in = g->blocks[b].stmt;
	}
	return 0;
}

/* Whether the output's instruction, which equals an omissible statement, is the copy of an equal
 * one after it that cannot be omitted. */
static bool
copies_later(const Site *s, const Lane *l, uint32_t stmt)
{
	uint32_t in = next_needed(s, l, l->task_at);

	if (!in || !match_stmt(s, stmt, in, part_now(s, l), true))
		return false;
	uint32_t next = next_insn(s, stmt + 1, in);
	return !next || !match_stmt(s, next, in, part_now(s, l), true);
}

bool
step_idle(Site *s, Lane *l)
{
	while (l->task && span_is_idle(s, l->task - 1, l->task_at)) {
		uint32_t next = next_insn(s, l->o, l->task_at);
		if (next && step_is_copy(s, next, l->task_at, part_now(s, l), true) &&
			!copies_later(s, l, next))
			return true;
		++l->task_at;
		if (!cursor_settle(s, l))
			return false;
	}
	return true;
}
