/* SPDX-License-Identifier: MIT */
/* Skips stretches: sequences of statements that are copies of the input's, with their branches.
 *
 * Executing such a copy depends on no part of the lane's state, and changes only the positions in
 * both texts, because it names registers of the input or their copies in a task. A lane that knows
 * no predicate can take both edges of a branch. So all lanes that enter at the same pair of
 * positions, with the same task, leave at the same pairs, whatever else differs. These are computed
 * once, and lanes continue there.
 *
 * What explore.c does at a label on the way is to drop dead values and to close a finished round
 * (votes_pass()); nothing in the stretch needs that, so it can wait. But a label that ends a
 * segment (collectives.c) ends the stretch. If the way has passed a label at which states are
 * compared, they are compared at the end of the stretch, so that the exploration terminates.
 */
#include "validate/explore/explore.h"

/* A stretch being computed, and the work list of positions; each is entered once. */
typedef struct {
	Site *s;
	Stretch *x;
	uint32_t part, id;
	VEC(Stretch_end) todo;
} Making;

static void
add(Making *m, uint32_t o, uint32_t in, const Stretch_end *from)
{
	*vec_push(&m->todo) = (Stretch_end){ o, in, true, from->joined, true };
}

/* Whether the statement's registers are the ones that the input means for all lanes. If several
 * iterations of a batch have one each, that depends on the lane. */
static bool
stands_still(const Site *s, uint32_t stmt)
{
	if (!s->nturned)
		return true;
	STEP_REFS(s, stmt, r)
		if ((r->reg->kind == REG_OWN || r->reg->kind == REG_TURN) &&
			env_holder(s, r->reg->in))
			return false;
	return true;
}

/* A branch on a register of the input that is at the same branch: adds both edges. */
static bool
branches(Making *m, const Stretch_end *p)
{
	const Site *s = m->s;
	const Stmt *t = &s->out->stmts[p->o], *x = fn_stmt(s->fn, p->in);
	uint32_t to = step_at(s, p->o)->to, block;

	if (!to || !x->guard || ptx_op(s->in, x) != OP_BRA ||
		!match_sym(s, t->sym, x->sym, m->part))
		return false;
	block = cfg_label_block(s->fn->cfg, s->in->opnds[ptx_operand(s->in, x, 0)].sym);
	if (!block)
		return false;
	uint32_t taken = s->fn->cfg->blocks[block].stmt;
	bool alike = t->guard == x->guard;
	add(m, to, alike ? taken : p->in + 1, p);
	add(m, p->o + 1, alike ? p->in + 1 : taken, p);
	return true;
}

/* Whether the statement does only what the input's does. If so, moves p to the next position. */
static bool
goes_by(Making *m, Stretch_end *p)
{
	Site *s = m->s;
	const Step *k = step_at(s, p->o);
	const Stmt *t = &s->out->stmts[p->o];

	if (!k->copies || !stands_still(s, p->o))
		return false;
	if (k->op == OP_BRA && !t->guard)
		return k->to && (p->o = k->to, true);
	if (input_at(s, p->in)->kind != INPUT_PLAIN || k->flags & (OPF_BRANCH | OPF_EXIT) ||
		!step_is_copy(s, p->o, p->in, m->part, true) ||
		(k->inner && !step_braces_alike(s, p->o, p->in, m->part)))
		return false;
	p->o++;
	p->in++;
	p->steps = true;
	return true;
}

/* Passes a statement that is no instruction. Returns false if the stretch ends there; *again:
 * another position has already led there. */
static bool
passes(Making *m, Stretch_end *p, bool *again)
{
	Step *k = step_at(m->s, p->o);

	if (k->head || k->closes || (k->joins && !p->parted))
		return false;
	if (k->joins) {
		*again = k->met.stretch == m->id && k->met.in == p->in;
		if (k->met.stretch == m->id)
			return false;
		k->met.stretch = m->id;
		k->met.in = p->in;
		p->joined = true;
	}
	p->o++;
	return true;
}

/* Follows the statements from a position on as far as possible. */
static void
go(Making *m, Stretch_end p)
{
	Site *s = m->s;
	bool follows = false; /* the input's statement directly follows the last one */

	for (;;) {
		uint32_t in = follows ? p.in : cursor_first(s, m->x->task, p.in);
		bool again = false, inside = p.o >= s->begin && p.o < s->end;
		if (!in || !inside || step_at(s, p.o)->meets ||
			(m->x->task && span_is_idle(s, m->x->task - 1, in)))
			break;
		p.in = in;
		const Stmt *t = &s->out->stmts[p.o];
		bool insn = t->kind == STMT_INSN;
		if (insn && t->guard && step_at(s, p.o)->op == OP_BRA &&
			site_reg(s, t->sym)->kind != REG_MACHINE && stands_still(s, p.o)) {
			bool spare = step_is_spare(s, p.o, in);
			if (ptx_has(s->out, t, "uni") || (!spare && !branches(m, &p)))
				break;
			bits_set(s->reached, ptx_local_stmt(s->f, p.o));
			if (!spare)
				return;
			p.parted = true;
			p.o++;
			continue;
		}
		uint32_t o = p.o;
		if (!(insn ? goes_by(m, &p) : passes(m, &p, &again))) {
			if (again)
				return;
			break;
		}
		follows = input_at(s, p.in)->kind == INPUT_PLAIN &&
			input_at(s, p.in)->block == input_at(s, in)->block;
		if (insn)
			bits_set(s->reached, ptx_local_stmt(s->f, o));
	}
	*vec_push(&s->stretch_ends) = p;
	m->x->nends++;
}

static Stretch
make(Site *s, const Lane *l)
{
	Stretch x = { .in = cursor_now(l), .task = l->task, .parted = l->parted,
		.ends = s->stretch_ends.n };
	Making m = { .s = s, .x = &x, .id = s->stretches.n + 1,
		.part = l->task ? s->part_of_path[l->task] : 0 };

	go(&m, (Stretch_end){ .o = l->o, .in = x.in, .parted = l->parted });
	for (uint32_t i = 0; i < m.todo.n; i++)
		go(&m, m.todo.at[i]);
	vec_free(&m.todo);
	return x;
}

static const Stretch *
find(Site *s, const Lane *l)
{
	Step *k = step_at(s, l->o);
	uint32_t in = cursor_now(l);

	for (uint32_t i = k->stretch; i; i = s->stretches.at[i - 1].next) {
		const Stretch *x = &s->stretches.at[i - 1];
		if (x->in == in && x->task == l->task && x->parted == l->parted)
			return x;
	}
	Stretch x = make(s, l);
	x.next = k->stretch;
	*vec_push(&s->stretches) = x;
	k->stretch = s->stretches.n;
	return &s->stretches.at[s->stretches.n - 1];
}

/* Whether the lane has no pending task or missing value that must be checked on the way. */
static bool
is_free(const Site *s, const Lane *l)
{
	if (s->ahead || l->nassumed)
		return false;
	if (l->task)
		return !(l->fresh & s->paths[l->task - 1].within);
	return !l->fresh && !l->ballot && !l->loaded && s->turns == 1 && cursor_inside(s, l);
}

static bool
arrive(Site *s, Lane *l, const Stretch_end *e)
{
	l->o = e->o;
	l->idle = e->steps ? 0 : l->idle;
	l->parted = e->parted;
	*cursor_of(l) = e->in;
	if (!cursor_settle(s, l))
		return false;
	bool compared = e->o < s->begin || e->o >= s->end || step_at(s, e->o)->joins;
	return !e->joined || compared || !lane_seen(s, l);
}

bool
stretch_run(Site *s, Lane *l, bool *end)
{
	if (!is_free(s, l))
		return false;
	const Stretch *x = find(s, l);
	const Stretch_end *e = s->stretch_ends.at + x->ends;
	if (x->nends == 1 && e->o == l->o && e->in == cursor_now(l))
		return false;
	for (uint32_t i = 1; i < x->nends; i++) {
		Lane *k = lane_copy(s, l);
		if (arrive(s, k, &e[i]))
			lane_later(s, k);
	}
	*end = s->why || x->nends == 0 || !arrive(s, l, e);
	return true;
}
