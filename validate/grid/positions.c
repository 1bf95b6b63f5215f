/* SPDX-License-Identifier: MIT */
/* Executes the head and the latch of a task loop on positions (grid.h). */
#include "base/arena.h"
#include "validate/grid/positions.h"

bool
positions_fault(Positions *w, uint32_t stmt, bool unknown, const char *why)
{
	return grid_fault(&w->fault, w->t, stmt, unknown, why);
}

/* ---- the claims ------------------------------------------------------------------------------ */

/* P(x, y, z) */
static Poly
number_of(const Poly *x, const Poly *y, const Poly *z)
{
	Poly nx = poly_unknown(UNKNOWN_BLOCKS), ny = poly_unknown(UNKNOWN_BLOCKS + 1);
	Poly p = poly_mul(z, &ny);

	p = poly_add(&p, y, 1);
	p = poly_mul(&p, &nx);
	return poly_add(&p, x, 1);
}

static Poly
number_of_unknowns(uint32_t first)
{
	Poly x = poly_unknown(first), y = poly_unknown(first + 1), z = poly_unknown(first + 2);

	return number_of(&x, &y, &z);
}

/* Whether a < b, or a >= b if `least`. */
static bool
is_implied(const Grid_state *s, const Poly *a, const Poly *b, bool at_least)
{
	Poly d = at_least ? poly_add(a, b, -1) : poly_add(b, a, -1), one = poly_constant(1);

	if (!at_least)
		d = poly_add(&d, &one, -1);
	return facts_imply(&s->facts, &d);
}

/* Whether G > 0, equal in all blocks. */
static bool
step_is_right(const Positions *w)
{
	uint64_t lo = 0;

	for (uint32_t i = 0; i < w->step.n; i++) {
		uint64_t product = 1;
		if (w->step.at[i].times < 0)
			return false;
		for (Monomial m = w->step.at[i].of; m; m >>= 8)
			product = product && w->unknown[m & 255].lo;
		lo |= product;
	}
	return lo && grid_is_uniform(w, &w->step);
}

/* The lane leaves the latch, to the next iteration or to its end. */
static bool
check_latch(Positions *w, const Grid_state *s, uint32_t stmt, bool again)
{
	const Poly *at[3];

	for (uint32_t d = 0; d < 3; d++) {
		Poly n = poly_unknown(UNKNOWN_BLOCKS + d);
		at[d] = &s->reg[grid_reg_of(w, w->t->place[d])].p;
		if (!is_implied(s, at[d], &n, d == 2 && !again))
			return positions_fault(w, stmt, false,
				again  ? "the next position may be outside of the launch" :
				d == 2 ? "the loop may end before its last position" :
					 "the last position may not be right");
	}
	Poly next = number_of(at[0], at[1], at[2]), here = number_of_unknowns(UNKNOWN_PLACE);
	Poly step = poly_add(&next, &here, -1);
	step = facts_reduce(&s->facts, &step);
	if (!w->stepped) {
		w->step = step;
		w->stepped = true;
		return step_is_right(w) ||
			positions_fault(
				w, stmt, false, "positions do not advance by the same number");
	}
	step = poly_add(&step, &w->step, -1);
	return facts_imply_zero(&s->facts, &step) ||
		positions_fault(w, stmt, false, "positions do not advance by the same number");
}

static bool
check_head(Positions *w)
{
	Poly own = number_of_unknowns(UNKNOWN_BLOCK), d = poly_add(&w->step, &own, -1),
	     one = poly_constant(1);
	bool ok = w->stepped;

	d = poly_add(&d, &one, -1);
	ok = ok && facts_imply(&w->entered.facts, &d);
	d = poly_add(&own, &w->step, -1);
	for (uint32_t i = 0; i < w->nrets; i++)
		ok = ok && facts_imply(&w->ret[i], &d);
	return ok || positions_fault(w, w->t->head, false,
			     "a block may end whose work no other block does");
}

/* ---- running --------------------------------------------------------------------------------- */

static bool
ends(Positions *w, const Grid_state *s, uint32_t stmt)
{
	if (w->in_latch)
		return check_latch(w, s, stmt, false);
	if (w->nrets == MOST_RETS)
		return positions_fault(w, stmt, true, "too many ends");
	w->ret[w->nrets++] = s->facts;
	return true;
}

static bool
enters(Positions *w, const Grid_state *s)
{
	if (w->enters)
		return positions_fault(
			w, w->t->body - 1, true, "the body is entered from several places");
	w->enters = true;
	w->entered = *s;
	return true;
}

/* Whether a label of that symbol is directly before statement `end`, and not before `first`. */
static bool
leads_to(const Positions *w, uint32_t sym, uint32_t first, uint32_t end)
{
	const Stmt *all = w->t->out->stmts;

	while (end-- > first && all[end].kind != STMT_INSN)
		if (all[end].kind == STMT_LABEL && all[end].sym == sym)
			return true;
	return false;
}

/* A branch or an end. *goes_on: its guard does not hold. */
static bool
leave(Positions *w, const Grid_state *s, uint32_t stmt, bool *goes_on)
{
	const Module *m = w->t->out;
	const Stmt *k = &m->stmts[stmt];
	uint32_t reg = k->guard ? grid_reg_of(w, k->sym) : 0;
	int64_t holds = 1;

	if (k->guard && (reg == w->nregs || !poly_is_constant(&s->reg[reg].p, &holds)))
		return positions_fault(w, stmt, true, "a branch of unknown form");
	*goes_on = k->guard && (holds != 0) != (k->guard == 1);
	if (*goes_on)
		return true;
	if (ptx_op(m, k) == OP_RET)
		return ends(w, s, stmt);
	if (w->in_latch && ptx_op(m, k) == OP_BRA &&
		leads_to(w, m->opnds[k->opnd].sym, w->t->head, w->t->body))
		return check_latch(w, s, stmt, true);
	return positions_fault(w, stmt, true, "a branch of unknown form");
}

bool
positions_run(Positions *w, Grid_state *s, uint32_t stmt)
{
	uint32_t end = w->in_latch ? w->t->end : w->t->body;
	bool left = false, forked = false;

	for (; stmt < end; stmt++) {
		const Stmt *k = &w->t->out->stmts[stmt];
		bool goes_on = true;
		if (k->kind != STMT_INSN)
			continue;
		bool ok = ptx_flags(w->t->out, k) & (OPF_BRANCH | OPF_EXIT) ?
			leave(w, s, stmt, &goes_on) :
			positions_execute(w, s, stmt, &forked);
		left = !goes_on || forked;
		if (!ok || left)
			return ok;
	}
	return w->in_latch ? ends(w, s, end - 1) : enters(w, s);
}

/* Gives an inserted register any value of its type. */
static void
forget(Positions *w, Grid_state *s, uint32_t reg)
{
	uint32_t size = ptx_type_size((Type)w->t->out->syms[w->sym[reg]].type);

	s->reg[reg] = grid_new_unknown(w, 0, size ? grid_most_of(8 * size) : 1, false);
}

static void
begin(Positions *w, Grid_state *s)
{
	w->nunknowns = UNKNOWN_NEXT;
	for (uint32_t d = 0; d < 3; d++) {
		w->unknown[UNKNOWN_BLOCKS + d].lo = 1;
		w->unknown[UNKNOWN_BLOCKS + d].uniform = true;
	}
	for (uint32_t i = 0; i < w->nregs; i++)
		forget(w, s, i);
}

/* Finds the inserted registers. */
static bool
find_registers(Positions *w)
{
	const Grid_text *t = w->t;

	PTX_SYMS (t->g, sym) {
		uint32_t decl = t->out->syms[sym].decl;
		if (t->out->syms[sym].kind != SYM_REG || decl < t->head || decl >= t->body)
			continue;
		if (w->nregs == MOST_REGS)
			return positions_fault(w, t->head, true, "too many registers");
		w->sym[w->nregs++] = sym;
	}
	return true;
}

/* The state at the latch: registers that it does not write have their values of the head. */
static void
begin_latch(Positions *w, Grid_state *s)
{
	const Module *m = w->t->out;

	*s = w->entered;
	for (uint32_t k = w->t->latch; k < w->t->end; k++) {
		if (m->stmts[k].kind != STMT_INSN)
			continue;
		PTX_REFS (m, &m->stmts[k], r) {
			uint32_t reg = grid_reg_of(w, r.sym);
			if (r.written && reg < w->nregs)
				forget(w, s, reg);
		}
	}
	for (uint32_t d = 0; d < 3; d++) {
		Grid_value x = grid_fixed_unknown(UNKNOWN_PLACE, d),
			   n = grid_fixed_unknown(UNKNOWN_BLOCKS, d);
		Poly one = poly_constant(1), over = poly_add(&n.p, &x.p, -1);
		over = poly_add(&over, &one, -1);
		facts_add(&s->facts, &over);
		s->reg[grid_reg_of(w, w->t->place[d])] = x;
	}
}

/* Whether the body begins at the block's position. Where the body does not name a digit, any
 * register that holds it may be the position's. */
static bool
find_position(Positions *w, Grid_text *t)
{
	for (uint32_t d = 0; d < 3; d++) {
		uint32_t i = t->place[d] ? grid_reg_of(w, t->place[d]) : 0;
		uint32_t end = t->place[d] ? i + 1 : w->nregs;
		while (i < end && i < w->nregs &&
			poly_is_unknown(&w->entered.reg[i].p) != UNKNOWN_BLOCK + d)
			i++;
		if (i == end || i == w->nregs)
			return positions_fault(
				w, t->body - 1, false, "the loop begins at another position");
		t->place[d] = w->sym[i];
	}
	return true;
}

Grid_fault
positions_check(const Grid_text *text)
{
	Arena *a = arena_new();
	Grid_text t = *text;
	Positions *w = arena_zalloc(a, sizeof *w);
	Grid_state *s = arena_zalloc(a, sizeof *s);

	w->t = &t;
	if (find_registers(w)) {
		begin(w, s);
		bool ok = positions_run(w, s, t.head);
		if (ok && !w->enters)
			ok = positions_fault(w, t.head, false, "the body is not reached");
		if (ok && find_position(w, &t)) {
			w->in_latch = true;
			begin_latch(w, s);
			if (positions_run(w, s, t.latch))
				check_head(w);
		}
	}
	Grid_fault f = w->fault;
	arena_free(a);
	return f;
}
