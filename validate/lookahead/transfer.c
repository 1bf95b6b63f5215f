/* SPDX-License-Identifier: MIT */
/* Effects of statements on lanes that look ahead (phases.c). */
#include "validate/lookahead/lookahead.h"

/* Whether the lane is at the start of a batch. */
static bool
is_at_start(const Lane *l)
{
	return ahead_is_looking(l) && !l->look.looks && !l->look.begun && !l->look.looked;
}

uint32_t
ahead_part(const Site *s, const Lane *l)
{
	return s->ahead && ahead_is_looking(l) ? AT_LOOK : l->task ? s->part_of_path[l->task] : 0;
}

bool
ahead_asks(const Lane *l, const Reg *r)
{
	return l->look.phase == PHASE_LOOK ? ahead_is_looking(l) && r->kind == REG_AGAIN :
					     r->kind == REG_OWN;
}

/* ---- the input's statements ------------------------------------------------------------------ */

/* Whether the statement writes only look-ahead registers, or registers declared in nested scopes.
 * any: it need not write a look-ahead register. */
static bool
looks(const Site *s, uint32_t stmt, bool any)
{
	STEP_REFS(s, stmt, r) {
		bool inner = match_inner(s, r->sym) && r->reg->kind != REG_AGAIN;
		if (r->written && r->reg->kind != REG_AGAIN && !inner)
			return false;
		any |= r->written && !inner;
	}
	return any;
}

static void
set_all(Site *s, Lane *l, uint32_t stmt, Term_id v)
{
	STEP_REFS(s, stmt, r) {
		Term_id *at = r->written ? ahead_slot(s, l, r->sym) : NULL;
		if (at)
			*at = v;
		if (r->written && r->reg->kind != REG_MACHINE)
			lane_unknow(l, r->reg->in);
	}
}

static bool
is_other(Site *s, uint32_t stmt, uint32_t sym)
{
	return site_fault(s, stmt, "'%.*s' does not hold what it does in the input here",
		PTX_NAME(s->out, sym));
}

static bool
no_copy(Site *s, uint32_t stmt)
{
	return site_fault(s, stmt, "this is no copy of what the input does here");
}

/* Whether the statement's registers hold what the input's hold. *again: set if that holds only
 * while memory is not written. */
static bool
reads(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	*again = false;
	STEP_REFS(s, stmt, r) {
		const Term_id *at = r->written ? NULL : ahead_slot(s, l, r->sym);
		if (!at || *at == ahead_atom(s, TERM_HELD) ||
			(r->reg->kind == REG_AGAIN && *at))
			continue;
		if (*at == ahead_atom(s, TERM_READ))
			*again = true;
		else
			return is_other(s, stmt, r->sym);
	}
	return true;
}

/* Whether a value that the statement loads may have been written since look-ahead. */
static bool
loads(const Site *s, uint32_t in)
{
	const Stmt *t = fn_stmt(s->fn, in);
	Space space = ptx_space(s->in, t);

	return s->ahead->stores && ptx_flags(s->in, t) & OPF_LOAD && space != SPACE_PARAM &&
		space != SPACE_CONST && !ptx_has(s->in, t, "nc");
}

/* A copy of the input's statement was executed. */
static bool
go_on(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t in = l->at;
	const Stmt *t = fn_stmt(s->fn, in);

	FN_WRITES(s->fn, in, r)
		lane_unknow(l, r->sym);
	++l->at;
	l->idle = 0;
	l->look.begun = true;
	if ((ptx_op(s->in, t) == OP_TRAP && !t->guard) || !cursor_settle(s, l))
		return false;
	return l->at != in + 1 || l->ended || l->look.phase == PHASE_LAST ||
		ahead_series(s, l, stmt, ahead_part(s, l));
}

/* Sets look-ahead registers to the statement's value, or to the fact that they equal the
 * input's. */
static void
set_looks(Site *s, Lane *l, uint32_t stmt, Term_id v)
{
	bool guarded = fn_stmt(s->fn, l->at)->guard;

	STEP_REFS(s, stmt, r) {
		Term_id *at = r->written ? ahead_slot(s, l, r->sym) : NULL,
			given = at && !guarded && !v ? ahead_lasting(s, l->at, r->reg->in) : v;
		if (at)
			*at = given && !guarded ? given : ahead_atom(s, TERM_HELD);
		if (r->written && r->reg->kind != REG_MACHINE)
			lane_unknow(l, r->reg->in);
	}
}

/* A copy of the input's next statement on look-ahead registers. */
static bool
look_copy(Site *s, Lane *l, uint32_t stmt)
{
	const Step *k = step_at(s, stmt);
	Term_id v;
	bool again;

	if (!reads(s, l, stmt, &again))
		return false;
	if (!(k->flags & (OPF_PURE | OPF_LOAD)) ||
		k->flags & (OPF_STORE | OPF_ATOMIC | OPF_EFFECT | OPF_CROSS))
		return site_unknown(s, stmt, "a look that does more than compute and read");
	v = ahead_value(s, l, stmt);
	set_looks(s, l, stmt, v && ahead_plain(s, v) ? v : 0);
	return go_on(s, l, stmt);
}

/* A copy of the input's next statement. */
static bool
own_copy(Site *s, Lane *l, uint32_t stmt)
{
	const Stmt *t = fn_stmt(s->fn, l->at);
	bool again, guarded = t->guard != 0;

	if (!reads(s, l, stmt, &again))
		return false;
	if (l->look.phase == PHASE_LAST && !(step_at(s, stmt)->flags & (OPF_PURE | OPF_LOAD)))
		return site_unknown(s, stmt, "a last iteration that does more than compute");
	again |= l->look.phase == PHASE_LAST && loads(s, l->at);
	STEP_REFS(s, stmt, r) {
		Term_id *at = r->written ? ahead_slot(s, l, r->sym) : NULL;
		if (at && (*at || !guarded))
			*at = ahead_atom(s, again ? TERM_READ : TERM_HELD);
	}
	return go_on(s, l, stmt);
}

/* The value that a register of the input must have before an iteration. *later: the increment is
 * not known until a lane has executed a look-ahead iteration; the lane must wait for that. */
static Term_id
expected(Site *s, Lane *l, uint32_t number, bool *later)
{
	Ahead *a = s->ahead;
	Term_id base = ahead_base(s, number), step = a->step[number - 1];

	if (is_at_start(l))
		return base;
	*later = !step && !a->no_count[number - 1] && s->ntodo < s->todo.n &&
		bits_has(s->fn->live->in[a->header], fn_local(s->fn, a->syms[number - 1]));
	a->used[number - 1] = true;
	if (!step || a->no_count[number - 1])
		return 0;
	return term_sum(&s->terms, base,
		ahead_times(s, ahead_atom(s, l->look.due ? TERM_CURRENT : TERM_PASSED), step), 1);
}

/* *again: the lane must be continued later. */
static bool
set_count(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Opnd *to = step_operand(s, stmt, 0);
	const Reg *r = site_reg(s, to->sym);
	Term_id *at = to->kind == OPND_SYM && r->kind == REG_OWN ?
		ahead_slot(s, l, to->sym) : NULL, v;

	if (!at || s->out->stmts[stmt].guard || !(step_at(s, stmt)->flags & OPF_PURE))
		return false;
	v = ahead_value(s, l, stmt);
	if (!v || !ahead_plain(s, v))
		return false;
	Term_id right = expected(s, l, ahead_number(s, r->in), again);
	if (*again)
		lane_later(s, l);
	else
		*at = v == right ? ahead_atom(s, TERM_HELD) : v;
	return !*again;
}

/* The only statement in the loop that writes a register of the input; 0 if there are several or
 * none. */
static uint32_t
only_writer(const Site *s, uint32_t in)
{
	uint32_t by = 0;

	FN_DEFS_OF_SYM(s->fn, in, d) {
		uint32_t at = fn_def(s->fn, d)->stmt;
		if (!at || !ahead_in_loop(s, at))
			continue;
		if (by)
			return 0;
		by = at;
	}
	return by;
}

/* The same for the registers that a statement writes; some of these may have other definitions. */
static uint32_t
only_def(const Site *s, uint32_t stmt)
{
	uint32_t in = 0;

	STEP_REFS(s, stmt, r)
		if (!in && r->written && r->reg->kind == REG_OWN && fn_is_reg(s->fn, r->reg->in))
			in = only_writer(s, r->reg->in);
	return in;
}

/* Whether the statement reads what the input's reads in every iteration. */
static bool
reads_lasting(Site *s, Lane *l, uint32_t stmt, uint32_t in)
{
	STEP_REFS(s, stmt, r) {
		uint32_t sym = r->reg->in;
		if (r->written || !fn_is_reg(s->fn, sym) ||
			!bits_has(s->ahead->written, fn_local(s->fn, sym)))
			continue;
		uint32_t by = ahead_gives(s, in, sym);
		const Term_id *at = ahead_slot(s, l, r->sym);
		if (!by || !at || !ahead_holds(s, by, sym, *at))
			return false;
	}
	return true;
}

/* Before an iteration is executed: a loop-invariant computation of the input, for the induction
 * variables that need it. */
static bool
set_lasting(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t in = only_def(s, stmt);

	if (!in || !match_stmt(s, stmt, in, 0, true) || !reads_lasting(s, l, stmt, in))
		return false;
	STEP_REFS(s, stmt, r)
		if (r->written && (r->reg->kind != REG_OWN || !ahead_lasting(s, in, r->reg->in)))
			return false;
	STEP_REFS(s, stmt, r) {
		Term_id *at = r->written ? ahead_slot(s, l, r->sym) : NULL;
		if (at)
			*at = ahead_lasting(s, in, r->reg->in);
	}
	return true;
}

/* Copies a register of the input to its look-ahead register. */
static bool
look_from(Site *s, Lane *l, uint32_t stmt)
{
	const Opnd *to = step_operand(s, stmt, 0), *from = step_operand(s, stmt, 1);

	if (step_at(s, stmt)->op != OP_MOV || from->kind != OPND_SYM)
		return false;
	const Reg *r = site_reg(s, to->sym), *k = site_reg(s, from->sym);
	if (r->kind != REG_AGAIN || k->kind != REG_OWN || r->in != k->in ||
		!ahead_slot(s, l, from->sym))
		return false;
	bool held = *ahead_slot(s, l, from->sym) == ahead_atom(s, TERM_HELD) &&
		l->at == s->ahead->start;
	*ahead_slot(s, l, to->sym) = held ? ahead_base(s, ahead_number(s, r->in)) : 0;
	return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether the statement only computes, for any lane. A kernel's parameters never change. */
static bool
computes(const Site *s, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Opnd *o;

	if (step_at(s, stmt)->flags & OPF_PURE)
		return true;
	if (step_at(s, stmt)->op != OP_LD || ptx_space(s->out, t) != SPACE_PARAM ||
		!s->fn->f->entry || t->nopnd != 2)
		return false;
	o = step_operand(s, stmt, 1);
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && !ptx_has_stmt(s->f, s->out->syms[o->sym].decl);
}

/* Number of consecutive statements after this one that only compute look-ahead registers. */
static uint32_t
idle_behind(Site *s, uint32_t stmt)
{
	Step *k = step_at(s, stmt);

	for (uint32_t i = stmt + 1; !k->idle; i++) {
		const Step *n = i < s->end ? step_at(s, i) : NULL;
		const Stmt *t = &s->out->stmts[i];
		if (!n || n->joins || n->own || n->buffer || t->kind != STMT_INSN || t->guard ||
			!computes(s, i) || n->op == OP_VOTE || !looks(s, i, false))
			k->idle = i - stmt;
		else
			bits_set(s->reached, ptx_local_stmt(s->f, i));
	}
	return k->idle - 1;
}

/* The result is unused. A lane that is not in look-ahead skips all that follow. */
static bool
run_idle(Site *s, Lane *l, uint32_t stmt)
{
	if (!computes(s, stmt))
		return site_fault(
			s, stmt, "a lane that has nothing to do here does more than compute");
	set_all(s, l, stmt, 0);
	if (l->look.phase == PHASE_OUT || (l->look.phase == PHASE_LOOK && l->look.gone))
		l->o += idle_behind(s, stmt);
	return true;
}

/* For a lane that has recorded its iteration: whether the statement comes after the next path. */
static bool
is_behind_path(Site *s, const Lane *l, uint32_t stmt)
{
	Lane *k = l->look.noted ? lane_copy(s, l) : NULL;

	if (k)
		ahead_skip(s, k);
	return k && k->at != l->at && step_is_copy(s, stmt, k->at, AT_LOOK, true);
}

/* Registers in nested scopes have the same names in many copies. Whether the statement, which
 * equals the input's here, is the one after the next path; what follows decides. */
static bool
means_other(Site *s, const Lane *l, uint32_t stmt)
{
	bool inner = false;

	STEP_REFS(s, stmt, r)
		inner |= r->written && r->reg->kind == REG_OWN && match_inner(s, r->sym);
	return inner && !step_is_copy(s, stmt + 1, l->at + 1, AT_LOOK, true) &&
		is_behind_path(s, l, stmt);
}

static bool
run_look(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *again)
{
	if (!ahead_is_looking(l))
		return looks(s, stmt, true) ? run_idle(s, l, stmt) :
			site_fault(s, stmt, "a lane that does not look writes its own registers");
	if (step_is_copy(s, stmt, l->at, AT_LOOK, guarded) && looks(s, stmt, true) &&
		!means_other(s, l, stmt))
		return look_copy(s, l, stmt);
	if (is_at_start(l) && look_from(s, l, stmt))
		return true;
	if (is_at_start(l) && set_count(s, l, stmt, again))
		return true;
	if (looks(s, stmt, true) && step_at(s, stmt)->op == OP_MOV &&
		step_operand(s, stmt, 1)->kind == OPND_IMM && !is_behind_path(s, l, stmt))
		return run_idle(s, l, stmt);
	return ahead_other_way(s, l, again) ||
		(!s->why && !*again && no_copy(s, stmt));
}

static bool
run_own(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *again)
{
	bool idle = l->look.phase == PHASE_RUN &&
		(!l->look.due || (l->look.ran && !l->look.begun));
	bool copy = !idle && step_is_copy(s, stmt, l->at, 0, guarded);

	if (looks(s, stmt, !copy && (idle || l->look.phase == PHASE_OUT))) {
		if (l->look.phase == PHASE_FIRST && look_from(s, l, stmt))
			return true;
		return run_idle(s, l, stmt);
	}
	if (copy)
		return own_copy(s, l, stmt);
	if (!idle && ahead_constant(s, stmt, l->at))
		return reads(s, l, stmt - 1, &idle) && own_copy(s, l, stmt);
	if (l->look.phase != PHASE_FIRST && l->look.phase != PHASE_OUT && !l->look.begun &&
		(set_count(s, l, stmt, again) || (!*again && set_lasting(s, l, stmt))))
		return true;
	if (*again)
		return false;
	if (ahead_other_way(s, l, again) || s->why || *again)
		return *again && !s->why;
	if (step_at(s, stmt)->flags & OPF_PURE && (idle || l->look.phase == PHASE_LAST))
		return run_idle(s, l, stmt);
	return no_copy(s, stmt);
}

/* A vote on whether any lane has selected iterations: it must be known whether this lane has. */
static bool
run_vote(Site *s, Lane *l, uint32_t stmt)
{
	const Opnd *p = step_operand(s, stmt, 1);
	bool value;

	if (step_at(s, stmt)->op == OP_VOTE && step_at(s, stmt)->vote == VOTE_ANY &&
		p->kind == OPND_SYM && site_reg(s, p->sym)->kind == REG_MACHINE &&
		!lane_decide(s, l, p->sym, &value))
		return false;
	return ahead_vote(s, l) && votes_run(s, l, stmt);
}

bool
ahead_run(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Step *k = step_at(s, stmt);
	bool machine = t->guard && site_reg(s, t->sym)->kind == REG_MACHINE;

	if (k->buffer)
		return site_unknown(s, stmt, "shared memory where lanes look ahead");
	if (k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_REDUX)
		return run_vote(s, l, stmt);
	if (k->op == OP_ACTIVEMASK)
		return votes_run(s, l, stmt);
	if (k->own)
		return ahead_machine(s, l, stmt);
	return l->look.phase == PHASE_LOOK ? run_look(s, l, stmt, !machine, again) :
					     run_own(s, l, stmt, !machine, again);
}

bool
ahead_branch(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Reg *r = site_reg(s, t->sym);
	const Term_id *at = ahead_slot(s, l, t->sym);
	uint32_t in = cursor_branch(s, l);

	*again = false;
	if (in && fn_stmt(s->fn, in)->sym == r->in) {
		if (at && *at == ahead_atom(s, TERM_READ)) {
			uint32_t to = ahead_comes_to(s, l, true);
			return (to && to == ahead_comes_to(s, l, false)) ||
				site_unknown(s, stmt, "a last iteration that reads memory again");
		}
		if (at && !*at)
			return is_other(s, stmt, t->sym);
		return true;
	}
	if (step_at(s, stmt)->leads_on)
		return true;
	if (ahead_other_way(s, l, again) || s->why || *again)
		return *again && !s->why;
	return site_fault(s, stmt, "a branch that the input does not have here");
}
