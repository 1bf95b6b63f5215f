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
target(const Site *s, uint32_t stmt)
{
	uint32_t to = step_at(s, stmt)->to;

	return to ? to : s->label[ptx_local_sym(s->f, step_operand(s, stmt, 0)->sym)];
}

static void
on_way(Lane *l, uint32_t stmt, bool taken)
{
	l->way = (l->way ^ (2 * stmt + taken + 1)) * 0x9e3779b1u;
	l->way ^= l->way >> 13;
}

/* Only some lanes may reach the branch, but those that do take the same edge. */
static void
on_agreed(Lane *l, uint32_t stmt, bool taken)
{
	l->agreed = stmt;
	l->agreed_taken = taken;
}

/* A guarded branch on a machine register. */
static bool
branch_machine(Site *s, Lane *l, const Stmt *t)
{
	const Reg *r = site_reg(s, t->sym);
	bool varies = inserted_varies(s, l, t->sym), value;
	uint32_t stmt = l->o;
	bool twins = !varies && stmt == s->twins;
	if (twins)
		value = t->guard == 1;
	else if (!lane_decide(s, l, t->sym, &value))
		return false;
	bool taken = value == (t->guard == 1);
	if (varies) {
		if (!step_may_part(s, l, stmt))
			return false;
		l->parted = true;
	} else {
		if (!(l->made[r->index >> 6] >> (r->index & 63) & 1))
			s->trusted[r->index >> 6] |= UINT64_C(1) << (r->index & 63);
		if (!l->parted && !twins)
			on_way(l, stmt, taken);
		else if (!l->agreed)
			on_agreed(l, stmt, taken);
	}
	if (++l->branches > MOST_BRANCHES)
		return site_fault(s, stmt, "lanes may go round here for ever without a vote");
	l->o = taken ? target(s, l->o) : stmt + 1;
	return true;
}

/* Whether the lane is at this branch in the input. *in: its predicate; a nested scope may declare
 * the same name. */
static bool
is_at_branch(const Site *s, const Lane *l, uint32_t sym, uint32_t *in)
{
	uint32_t at = cursor_branch(s, l), p = at ? fn_stmt(s->fn, at)->sym : 0;

	if (!p || (p != *in && !match_inner(s, sym)) || !match_sym(s, sym, p, ahead_part(s, l)))
		return false;
	*in = p;
	return true;
}

/* A guarded branch on a register of the input or a copy of one. A copy of a path may begin with it,
 * on a predicate of the task or a uniform one. */
static bool
branch_copy(Site *s, Lane *l, const Stmt *t)
{
	uint32_t in = site_reg(s, t->sym)->in;
	bool value, again = false;

	if (!step_may_part(s, l, l->o))
		return false;
	if (s->ahead && (!ahead_branch(s, l, l->o, &again) || again))
		return again && !s->why;
	if (!s->ahead && step_is_spare(s, l->o, cursor_now(l))) {
		l->parted = true;
		l->o++;
		return true;
	}
	if (!l->task && l->ballot && !l->ran && !is_at_branch(s, l, t->sym, &in))
		path_begin(s, l, l->o);
	if (s->why)
		return false;
	if (!turns_read(s, l, l->o))
		return site_fault(s, l->o, "another own part's register is read");
	if (is_at_branch(s, l, t->sym, &in)) {
		if (!lane_split(s, l, &value))
			return false;
	} else if (!lane_knows(l, in, &value)) {
		Lane *k = lane_copy(s, l);
		lane_know(k, in, false);
		lane_later(s, k);
		lane_know(l, in, value = true);
	}
	l->parted = true;
	lane_unknow(l, in);
	l->o = value == (t->guard == 1) ? target(s, l->o) : l->o + 1;
	return true;
}

/* Whether the statement reads the predicate of the input's branch that the lane is at. */
static bool
asks(const Site *s, const Lane *l, uint32_t stmt)
{
	uint32_t at = cursor_branch(s, l), in = at ? fn_stmt(s->fn, at)->sym : 0;

	if (!in)
		return false;
	STEP_REFS(s, stmt, r) {
		const Reg *k = r->reg;
		if (s->ahead && !ahead_asks(l, k))
			continue;
		if (!r->written && k->in == in &&
			(k->kind == REG_OWN || k->kind == REG_AGAIN || k->kind == REG_COPY ||
				k->kind == REG_TURN))
			return true;
	}
	return false;
}

/* ---- leaving --------------------------------------------------------------------------------- */

static bool
leaves(Site *s, Lane *l, uint32_t to)
{
	uint32_t end = s->f->stmt + s->f->nstmt;

	while (to < end && !s->origin[ptx_local_stmt(s->f, to)])
		to++;
	uint32_t in =
		to < end ? s->origin[ptx_local_stmt(s->f, to)] : s->behind;
	if (l->ended || cursor_plain(s, in) != cursor_plain(s, l->at))
		return site_fault(s, l->o, "a lane continues at a different place than in the input");
	if (!owner_sliced_all(s, l, 0) || (s->ahead && !ahead_leaves(s, l, in)))
		return false;
	uint32_t lost = turns_lost(s, l, in);
	if (lost)
		return site_fault(s, l->o, "a lane continues without its '%.*s'",
			PTX_NAME(s->in, lost));
	votes_leave(s, l, l->o);
	return false;
}

static bool
ends(Site *s, Lane *l, const Stmt *t)
{
	uint32_t in = l->ended ? l->ended : cursor_plain(s, l->at);

	if (t->guard)
		return site_unknown(s, l->o, "a thread that may end");
	if (in >= s->behind || fn_stmt(s->fn, in)->op != t->op ||
		(!l->ended && fn_stmt(s->fn, in)->guard))
		return site_fault(s, l->o, "the thread ends where it does not in the input");
	votes_leave(s, l, l->o);
	return false;
}

/* ---- exploration ----------------------------------------------------------------------------- */

/* A branch by a table (brx), which the input has here too: the lane may take each edge. */
static bool
branch_table(Site *s, Lane *l, const Stmt *t)
{
	uint32_t at = cursor_branch(s, l), part = ahead_part(s, l), to;
	const Stmt *x = at ? fn_stmt(s->fn, at) : NULL;

	if (!x || ptx_op(s->in, x) != OP_BRX || t->guard || x->guard)
		return site_unknown(s, l->o, "a branch by a table");
	const Opnd *table = &s->in->opnds[ptx_operand(s->in, x, 1)],
		   *index = &s->in->opnds[ptx_operand(s->in, x, 0)];
	const Stmt *ways = fn_stmt(s->fn, s->in->syms[table->sym].decl);
	if (!match_sym(s, step_operand(s, l->o, 0)->sym, index->sym, part))
		return site_fault(s, l->o, "a branch by another register than in the input");
	l->parted = true;
	for (uint32_t n = 0; n < ways->nopnd; n++) {
		uint32_t label = s->in->opnds[ptx_operand(s->in, ways, n)].sym;
		uint32_t block = cfg_label_block(s->fn->cfg, label);
		if (!step_target(s, l->o, n, &to) || !to || !block)
			return site_fault(s, l->o, "a table has not the input's ways");
		Lane *k = lane_copy(s, l);
		*cursor_of(k) = s->fn->cfg->blocks[block].stmt;
		k->look.begun |= s->ahead != NULL;
		k->o = to;
		if (!cursor_settle(s, k))
			return false;
		lane_later(s, k);
	}
	return step_target(s, l->o, ways->nopnd, &to) ?
		site_fault(s, l->o, "a table has not the input's ways") : false;
}

static bool
control(Site *s, Lane *l, const Stmt *t, Op op)
{
	if (op == OP_BRX)
		return branch_table(s, l, t);
	if (op != OP_BRA && t->guard && site_reg(s, t->sym)->kind == REG_MACHINE) {
		bool value;
		if (!lane_decide(s, l, t->sym, &value))
			return false;
		if (value != (t->guard == 1))
			return ++l->o, true;
		Stmt plain = *t;
		plain.guard = 0;
		return ends(s, l, &plain);
	}
	if (op != OP_BRA)
		return ends(s, l, t);
	if (!t->guard)
		return l->o = target(s, l->o), true;
	return site_reg(s, t->sym)->kind == REG_MACHINE ? branch_machine(s, l, t) :
							  branch_copy(s, l, t);
}

/* Only some lanes may have executed the statement, so what it writes may vary. */
static void
apart(Site *s, Lane *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t writes = step_at(s, stmt)->writes[i];
		l->varies[i] |= writes;
		l->made[i] &= ~writes;
		l->wrote[i] |= writes;
		s->split[i] |= writes;
	}
}

/* Executes an instruction. Returns false if the lane ends here. */
static bool
instruction(Site *s, Lane *l)
{
	uint32_t o = l->o;
	const Stmt *t = &s->out->stmts[o];
	const Step *k = step_at(s, o);
	Op op = (Op)k->op;
	bool again = false, value, varies = false;

	bits_set(s->reached, ptx_local_stmt(s->f, o));
	if (s->ahead && (l->look.sure || l->look.looked) && !ahead_pause(s, l))
		return false;
	if (k->flags & (OPF_BRANCH | OPF_EXIT) && op != OP_TRAP)
		return control(s, l, t, op);
	if (t->guard && site_reg(s, t->sym)->kind == REG_MACHINE) {
		varies = inserted_varies(s, l, t->sym);
		if (!lane_decide(s, l, t->sym, &value))
			return false;
		if (value != (t->guard == 1)) {
			if (varies)
				apart(s, l, o);
			return ++l->o, true;
		}
	}
	if (k->asks && asks(s, l, o) && !lane_split(s, l, &value))
		return false;
	if (!step_run(s, l, o, &again))
		return false;
	if (varies)
		apart(s, l, o);
	l->o += !again;
	return true;
}

static bool is_inserted(const Site *s, uint32_t i) { return i >= s->begin && i < s->end; }

static void
run(Site *s, Lane *l)
{
	while (!s->why) {
		if (!is_inserted(s, l->o)) {
			leaves(s, l, l->o);
			return;
		}
		const Stmt *t = &s->out->stmts[l->o];
		const Step *k = step_at(s, l->o);
		if (l->task && !step_idle(s, l))
			return;
		if (k->joins) {
			if (s->ahead ? !ahead_pause(s, l) : k->closes && !votes_meet(s, l))
				return;
			if (s->ahead)
				ahead_join(s, l);
			lane_settle(s, l);
			if (t->kind == STMT_LABEL && !votes_pass(s, l))
				return;
			if (k->head && !turns_begin(s, l))
				return;
			if (lane_seen(s, l))
				return;
		}
		if (k->meets && !votes_meet(s, l))
			return;
		if (++s->run > MOST_STEPS) {
			site_unknown(s, l->o, "too many states");
			return;
		}
		bool end = false;
		if (t->kind != STMT_INSN)
			l->o++;
		else if (k->copies && stretch_run(s, l, &end)) {
			if (end)
				return;
		} else if (!instruction(s, l)) {
			return;
		}
		if (!l->task && !s->ahead && is_inserted(s, l->o) && step_at(s, l->o)->computes)
			inserted_go_on(s, l);
	}
}

static void
start(Site *s)
{
	Lane *l = arena_alloc(s->arena, s->lane_size);

	memset(l, 0, s->lane_size);
	s->rows.n = s->segments.n = s->changes.n = s->rounds.n = s->wanted.n = s->todo.n = 0;
	memset(s->chains, 0, CHAINS * sizeof *s->chains);
	memset(s->begins, 0, sizeof s->begins);
	memset(s->ends, 0, CHAINS * sizeof *s->ends);
	s->ntodo = s->nwhole = s->whole.n = 0;
	s->nseen = s->seen_cap = s->idle_ways.n = 0;
	memset(s->left, 0, sizeof s->left);
	memset(s->trusted, 0, sizeof s->trusted);
	for (uint32_t i = 0; i < s->nmachine; i++) {
		uint32_t part = site_reg(s, s->machine[i])->part;
		s->wants[i] = part && part <= s->nparts ?
			task_all(s, s->path_of_part[part] - 1) : 0;
	}
	for (uint32_t i = 0; i < s->nheads; i++)
		s->wants[s->nmachine + i] = UINT64_MAX;
	l->o = s->begin;
	l->at = s->fn->m->markers[s->region->marker].stmt + 1;
	l->turn = s->turns > 1 ? UINT32_MAX : 0; /* the first iteration begins at the header */
	for (uint32_t k = 1; s->ahead && k <= s->ahead->n; k++)
		*ahead_own(s, l, k) = ahead_atom(s, TERM_HELD);
	if (cursor_settle(s, l))
		lane_later(s, l);
}

/* Whether a register was assumed to be uniform that only some lanes write. */
static bool
trusts_split(const Site *s)
{
	return (s->trusted[0] & s->split[0]) | (s->trusted[1] & s->split[1]);
}

/* Lanes of full groups come last, because most of their states are covered by other lanes'. */
static Lane *
next(Site *s)
{
	if (s->ntodo < s->todo.n)
		return s->todo.at[s->ntodo++];
	return s->nwhole < s->whole.n ? s->whole.at[s->nwhole++] : NULL;
}

static void
walk_once(Site *s)
{
	s->why = NULL;
	s->unknown = s->grown = false;
	s->run = 0;
	start(s);
	for (Lane *l; !s->why && !s->narrow && !trusts_split(s) && (l = next(s));)
		run(s, l);
	if (!s->narrow && !trusts_split(s))
		seen_go_on(s);
}

/* The exploration itself finds out which registers only some lanes write. It is repeated if lanes
 * passed a place with too small a set, or if that may have caused a fault. */
static bool
walk_all(Site *s)
{
	for (uint32_t turn = 0; turn < MOST_WALKS; turn++) {
		uint64_t was[2] = { s->split[0], s->split[1] };
		walk_once(s);
		while (s->narrow) {
			names_widen(s);
			walk_once(s);
		}
		bool grown = (s->split[0] & ~was[0]) | (s->split[1] & ~was[1]);
		if (!(s->why && !s->unknown && grown) && !s->grown && !trusts_split(s))
			return !s->why;
	}
	return !s->why && site_unknown(s, s->begin, "registers that lanes write alone");
}

/* output_dataflow.c has computed a superset of the registers that only some lanes write. If the
 * proof fails with it, it may still succeed with those that lanes are seen to write. */
bool
walk_site(Site *s)
{
	s->chains = arena_array(s->arena, CHAINS, sizeof *s->chains);
	s->ends = arena_array(s->arena, CHAINS, sizeof *s->ends);
	if (walk_all(s) || s->ahead || s->run > MOST_STEPS || !(s->split[0] | s->split[1]))
		return !s->why;
	memset(s->split, 0, sizeof s->split);
	return walk_all(s);
}
