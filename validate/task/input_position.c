/* SPDX-License-Identifier: MIT */
/* Follows a lane through the input.
 *
 * Its position is the next statement with an effect. A conditional branch stays the position until
 * the output does something; then the lane is split, one for each edge (explore.c).
 */
#include "validate/task/task.h"

/* The target of a branch; 0 if there is none. */
static uint32_t
target(const Fn *fn, const Stmt *t)
{
	uint32_t b = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m, t, 0)].sym);

	return b ? fn->cfg->blocks[b].stmt : 0;
}

static Input
read_stmt(const Fn *fn, uint32_t stmt)
{
	const Stmt *t = fn_stmt(fn, stmt);
	Input x = { .kind = INPUT_NOTHING, .block = fn_block(fn, stmt) };

	if (t->kind != STMT_INSN)
		return x;
	x.kind = INPUT_PLAIN;
	if (ptx_flags(fn->m, t) & (OPF_BRANCH | OPF_EXIT) && ptx_op(fn->m, t) != OP_TRAP)
		x.kind = INPUT_BRANCH;
	if (ptx_op(fn->m, t) == OP_BRA && !t->guard && (x.to = target(fn, t)) != 0)
		x.kind = INPUT_JUMP;
	return x;
}

/* Whether the branch leads to the next statement in either case. */
static bool
leads_on(const Fn *fn, const Input *list, uint32_t stmt)
{
	uint32_t last = fn->f->stmt + fn->f->nstmt,
		 to[2] = { stmt + 1, target(fn, fn_stmt(fn, stmt)) };

	for (uint32_t k = 0; k < 2; k++)
		while (to[k] && to[k] < last &&
			list[ptx_local_stmt(fn->f, to[k])].kind == INPUT_NOTHING)
			to[k]++;
	return to[0] == to[1];
}

Input *
cursor_read(const Fn *fn, Arena *a)
{
	Input *list = arena_array(a, fn->f->nstmt + 1, sizeof *list);

	PTX_STMTS(fn->f, stmt)
		list[ptx_local_stmt(fn->f, stmt)] = read_stmt(fn, stmt);
	uint32_t by = 0; /* the register of a branch to the next statement, directly before */
	PTX_STMTS(fn->f, stmt) {
		Input *x = &list[ptx_local_stmt(fn->f, stmt)];
		const Stmt *t = fn_stmt(fn, stmt);
		if (t->kind != STMT_INSN)
			continue;
		x->again = x->kind == INPUT_BRANCH && t->guard && t->sym == by;
		by = 0;
		if (x->kind == INPUT_BRANCH && ptx_op(fn->m, t) == OP_BRA &&
			leads_on(fn, list, stmt)) {
			x->kind = INPUT_NOTHING;
			by = t->sym;
		}
	}
	return list;
}

uint32_t
cursor_plain(const Site *s, uint32_t stmt)
{
	for (uint32_t steps = 0; steps < s->fn->f->nstmt && stmt < s->behind; steps++) {
		const Input *x = input_at(s, stmt);
		if (x->kind != INPUT_JUMP && x->kind != INPUT_NOTHING)
			break;
		stmt = x->kind == INPUT_JUMP ? x->to : stmt + 1;
	}
	return stmt;
}

static bool
in_task(const Site *s, uint32_t task, uint32_t stmt)
{
	const Path *p = &s->paths[task - 1];

	return stmt < s->behind && stmt != p->next && bits_has(p->blocks, input_at(s, stmt)->block);
}

/* The collected path that begins at the statement, to become a pending task; 0 if there is none.
 * task: as in Lane. */
static uint32_t
path_here(const Site *s, uint32_t task, uint32_t stmt)
{
	if (stmt >= s->behind || s->bound)
		return 0;
	uint32_t b = input_at(s, stmt)->block, p = s->path_at[b];
	if (!p || s->fn->cfg->blocks[b].stmt != stmt || p == task)
		return 0;
	return s->paths[p - 1].around == task ? p : 0;
}

static void
forget_task(Site *s, Lane *l, uint32_t task)
{
	for (uint32_t i = 0; i < s->nsaved; i++) {
		const Term *x = term_at(&s->terms, l->env[s->nmachine + i]);
		if (x->op == TERM_VALUE && x->a >> 2 == task)
			l->env[s->nmachine + i] = 0;
	}
}

static bool
take(Site *s, Lane *l, uint32_t p)
{
	uint32_t bit = UINT32_C(1) << (p - 1), task = task_number(s, p - 1, l->turn);
	uint8_t last = 0;

	if (l->turn >= s->turns || l->hand >> task & 1)
		return site_fault(
			s, l->o, "a lane may reach its path while it still has a task of it");
	l->hand |= UINT64_C(1) << task;
	if (s->turns > 1)
		l->env[env_newest(s, p - 1)] = l->turn;
	for (uint32_t i = 0; i < s->npaths; i++)
		last = l->order[i] > last ? l->order[i] : last;
	l->fresh |= bit;
	l->order[p - 1] = (uint8_t)(last + 1);
	forget_task(s, l, task);
	*cursor_of(l) = s->paths[p - 1].next;
	return true;
}

static bool
in_loop(const Site *s, uint32_t stmt)
{
	return stmt < s->behind && bits_has(s->own, input_at(s, stmt)->block);
}

bool
cursor_inside(const Site *s, const Lane *l)
{
	return !l->ended && in_loop(s, l->at);
}

/* Whether the statement begins another iteration of the batch. */
static bool
begins_turn(const Site *s, const Lane *l, uint32_t stmt)
{
	const Fn *fn = s->fn;

	return s->turns > 1 && !l->task && l->turn != s->turns &&
		fn->cfg->blocks[fn->loops->loops[s->region->loop].header].stmt == stmt;
}

bool
cursor_settle(Site *s, Lane *l)
{
	for (uint32_t steps = 0; steps < 2 * s->fn->f->nstmt; steps++) {
		bool moved = false;
		if (s->ahead && !s->ahead->at(s, l, &moved))
			return false;
		if (moved)
			continue;
		uint32_t stmt = cursor_now(l);
		if (l->task && !in_task(s, l->task, stmt)) {
			l->task = l->task_at = 0;
			l->nassumed = 0;
			return true;
		}
		if (!l->task && !cursor_inside(s, l))
			return true;
		uint32_t p = path_here(s, l->task, stmt);
		const Input *x = input_at(s, stmt);
		l->turn += begins_turn(s, l, stmt);
		if (p) {
			if (!take(s, l, p))
				return false;
		} else if (x->kind == INPUT_JUMP) {
			*cursor_of(l) = x->to;
		} else if (x->kind == INPUT_NOTHING) {
			++*cursor_of(l);
		} else {
			return true;
		}
	}
	return site_unknown(s, l->o, "an endless loop without an instruction");
}

uint32_t
cursor_first(const Site *s, uint32_t task, uint32_t stmt)
{
	for (uint32_t steps = 0; steps < 2 * s->fn->f->nstmt; steps++) {
		if (!(task ? in_task(s, task, stmt) : in_loop(s, stmt)) ||
			path_here(s, task, stmt))
			return 0;
		const Input *x = input_at(s, stmt);
		if (x->kind != INPUT_JUMP && x->kind != INPUT_NOTHING)
			return stmt;
		stmt = x->kind == INPUT_JUMP ? x->to : stmt + 1;
	}
	return 0;
}

uint32_t
cursor_branch(const Site *s, const Lane *l)
{
	uint32_t stmt = cursor_now(l);

	if (!l->task && !cursor_inside(s, l))
		return 0;
	if (stmt >= s->behind)
		return 0;
	return input_at(s, stmt)->kind >= INPUT_JUMP ? stmt : 0;
}

bool
cursor_take(Site *s, Lane *l, bool taken)
{
	uint32_t *at = cursor_of(l);
	const Stmt *t = fn_stmt(s->fn, *at);

	l->look.begun |= s->ahead != NULL;
	l->idle = 0;
	if (!taken) {
		++*at;
	} else if (ptx_op(s->in, t) == OP_BRA) {
		*at = target(s->fn, t);
	} else {
		if (l->task)
			return site_unknown(s, l->o, "a path ends the thread");
		l->ended = *at;
	}
	return cursor_settle(s, l);
}

Bits
cursor_all_live(const Site *s, uint32_t stmt)
{
	const Fn *fn = s->fn;
	bool inside = stmt < s->behind;
	uint32_t b = inside ? fn_block(fn, stmt) : 0;
	Bits live = inside ? live_out_of(fn->live, fn->cfg, b, s->arena) :
			     bits_new(s->arena, fn->f->nsym);

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
cursor_live(const Site *s, uint32_t stmt, uint32_t sym)
{
	const Fn *fn = s->fn;

	if (stmt >= s->behind || !fn_is_reg(fn, sym))
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
find_around(Site *s)
{
	for (uint32_t i = 0; i < s->npaths; i++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t j = 0; j < s->npaths; j++) {
			Bits b = s->paths[j].blocks;
			if (i == j || !bits_has(b, s->paths[i].region->entry) ||
				bits_count(b) >= best)
				continue;
			best = bits_count(b);
			s->paths[i].around = j + 1;
		}
		if (s->paths[i].around)
			s->paths[s->paths[i].around - 1].within |= UINT32_C(1) << i;
	}
}

bool
cursor_init(Site *s)
{
	const Fn *fn = s->fn;

	s->own = bits_new(s->arena, fn->cfg->nblocks);
	cfg_flood(
		fn->cfg, fn->loops->loops[s->region->loop].header, true, s->region->blocks, s->own);
	span_labels(s);
	s->path_at = arena_array(s->arena, fn->cfg->nblocks, sizeof *s->path_at);
	for (uint32_t i = 0; i < s->npaths; i++) {
		Path *p = &s->paths[i];
		p->entry = fn->cfg->blocks[p->region->entry].stmt;
		s->path_at[p->region->entry] = i + 1;
		if (!span_init(s, p))
			return false;
		owner_init(s, p);
	}
	find_around(s);
	begin_init(s);
	return true;
}

/* ---- branches -------------------------------------------------------------------------------- */

bool
lane_split(Site *s, Lane *l, bool *said)
{
	uint32_t stmt = cursor_branch(s, l);
	const Stmt *t = fn_stmt(s->fn, stmt);
	bool value;

	if (!stmt)
		return true;
	if (ptx_op(s->in, t) == OP_BRX)
		return site_unknown(s, l->o, "a branch by a table");
	if (!t->guard)
		return cursor_take(s, l, *said = true);
	if (!lane_knows(l, t->sym, &value)) {
		Lane *k = lane_copy(s, l);
		lane_know(k, t->sym, false);
		lane_later(s, k);
		lane_know(l, t->sym, value = true);
	}
	*said = value;
	return cursor_take(s, l, value == (t->guard == 1));
}
