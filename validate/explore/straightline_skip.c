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
 * (collective_at_label()); nothing in the stretch needs that, so it can wait. But a label that ends
 * a segment (collectives.c) ends the stretch. If the way has passed a label at which states are
 * compared, they are compared at the end of the stretch, so that the exploration terminates.
 */
#include "validate/explore/explore.h"

/* A stretch being computed, and the work list of positions; each is entered once. */
typedef struct {
	Loop_check *s;
	Straight_run *x;
	uint32_t id;
	VEC(Straight_end) todo;
} Run_builder;

static void
add_end(Run_builder *m, uint32_t o, uint32_t in, const Straight_end *from)
{
	*vec_push(&m->todo) = (Straight_end){ o, in, true, from->joined, true };
}

/* Whether the statement's registers are the ones that the input means for all lanes. If several
 * iterations of a batch have one each, that depends on the lane. */
static bool
register_is_same(const Loop_check *s, uint32_t stmt)
{
	if (!s->batch.nregs)
		return true;
	STMT_REFS(&s->out, stmt, r)
		if ((r->reg->kind == REG_INPUT || r->reg->kind == REG_BATCH) &&
			env_index_holder(s, r->reg->input_sym))
			return false;
	return true;
}

/* A branch on a register of the input that is at the same branch: adds both edges. */
static bool
add_branch_ends(Run_builder *m, const Straight_end *p)
{
	const Loop_check *s = m->s;
	const Stmt *t = &s->out.m->stmts[p->o], *x = fn_stmt(s->in.fn, p->in);
	uint32_t to = output_stmt(&s->out, p->o)->flow.to, block;

	if (!to || !x->guard || ptx_op(s->in.m, x) != OP_BRA ||
		(s->out.draws && p->in == s->out.draws->test) ||
		!match_sym(s, t->sym, x->sym, m->x->region))
		return false;
	block = cfg_label_block(s->in.fn->cfg, s->in.m->opnds[ptx_operand(s->in.m, x, 0)].sym);
	if (!block)
		return false;
	uint32_t taken = s->in.fn->cfg->blocks[block].stmt;
	bool alike = t->guard == x->guard;
	add_end(m, to, alike ? taken : p->in + 1, p);
	add_end(m, p->o + 1, alike ? p->in + 1 : taken, p);
	return true;
}

/* Whether the statement does only what the input's does. If so, moves p to the next position. */
static bool
matches_at(Run_builder *m, Straight_end *p)
{
	Loop_check *s = m->s;
	const Output_stmt *k = output_stmt(&s->out, p->o);
	const Stmt *t = &s->out.m->stmts[p->o];

	if (!k->copies || !register_is_same(s, p->o))
		return false;
	if (k->op == OP_BRA && !t->guard)
		return k->flow.to && (p->o = k->flow.to, true);
	if (input_stmt(&s->in, p->in)->kind != INPUT_PLAIN || k->flags & (OPF_BRANCH | OPF_EXIT) ||
		!stmt_is_copy(s, p->o, p->in, m->x->region, true) ||
		(s->out.draws && m->x->region && !iteration_reads_uniform(s, p->o, p->in)) ||
		(k->writes_scoped && !braces_match(s, p->o, p->in, m->x->region)))
		return false;
	p->o++;
	p->in++;
	p->steps = true;
	return true;
}

/* Passes a statement that is no instruction. Returns false if the stretch ends there; *again:
 * another position has already led there. */
static bool
pass_non_insn(Run_builder *m, Straight_end *p, bool *again)
{
	Output_stmt *k = output_stmt(&m->s->out, p->o);

	if (k->flow.pop_label || k->flow.closes || (k->flow.joins && !p->diverged))
		return false;
	if (k->flow.joins) {
		*again = k->known.last_run.run == m->id && k->known.last_run.in == p->in;
		if (k->known.last_run.run == m->id)
			return false;
		k->known.last_run.run = m->id;
		k->known.last_run.in = p->in;
		p->joined = true;
	}
	p->o++;
	return true;
}

/* Follows the statements from a position on as far as possible. */
static void
extend_run(Run_builder *m, Straight_end p)
{
	Loop_check *s = m->s;
	bool follows = false; /* the input's statement directly follows the last one */

	for (;;) {
		uint32_t in = follows ? p.in : input_first_effect(s, m->x->task, p.in);
		bool again = false, inside = p.o >= s->out.begin && p.o < s->out.end;
		if (!in || !inside || output_stmt(&s->out, p.o)->flow.reconverges ||
			(m->x->task && task_stmt_is_dead(s, m->x->task - 1, in)))
			break;
		p.in = in;
		const Stmt *t = &s->out.m->stmts[p.o];
		bool insn = t->kind == STMT_INSN;
		if (insn && t->guard && output_stmt(&s->out, p.o)->op == OP_BRA &&
			output_reg(&s->out, t->sym)->kind != REG_EMITTED &&
			register_is_same(s, p.o)) {
			bool spare = branch_is_redundant(s, p.o, in);
			if (ptx_has(s->out.m, t, "uni") || (!spare && !add_branch_ends(m, &p)))
				break;
			bits_set(s->observed.reached, ptx_local_stmt(s->out.f, p.o));
			if (!spare)
				return;
			p.diverged = true;
			p.o++;
			continue;
		}
		uint32_t o = p.o;
		if (!(insn ? matches_at(m, &p) : pass_non_insn(m, &p, &again))) {
			if (again)
				return;
			break;
		}
		follows = input_stmt(&s->in, p.in)->kind == INPUT_PLAIN &&
			input_stmt(&s->in, p.in)->block == input_stmt(&s->in, in)->block;
		if (insn)
			bits_set(s->observed.reached, ptx_local_stmt(s->out.f, o));
	}
	*vec_push(&s->straight.ends) = p;
	m->x->nends++;
}

static Straight_run
make_run(Loop_check *s, const Lane_state *l)
{
	Straight_run x = { .in = input_position_now(&l->at),
		.task = l->at.task,
		.region = lane_region(s, l),
		.diverged = l->segment.diverged,
		.ends = s->straight.ends.n };
	Run_builder m = { .s = s, .x = &x, .id = s->straight.runs.n + 1 };

	extend_run(&m,
		(Straight_end){ .o = l->at.output, .in = x.in, .diverged = l->segment.diverged });
	for (uint32_t i = 0; i < m.todo.n; i++)
		extend_run(&m, m.todo.at[i]);
	vec_free(&m.todo);
	return x;
}

static const Straight_run *
find_run(Loop_check *s, const Lane_state *l)
{
	Output_stmt *k = output_stmt(&s->out, l->at.output);
	uint32_t in = input_position_now(&l->at);

	for (uint32_t i = k->known.straight_run; i; i = s->straight.runs.at[i - 1].next) {
		const Straight_run *x = &s->straight.runs.at[i - 1];
		if (x->in == in && x->task == l->at.task && x->region == lane_region(s, l) &&
			x->diverged == l->segment.diverged)
			return x;
	}
	Straight_run x = make_run(s, l);
	x.next = k->known.straight_run;
	*vec_push(&s->straight.runs) = x;
	k->known.straight_run = s->straight.runs.n;
	return &s->straight.runs.at[s->straight.runs.n - 1];
}

/* Whether the lane has no pending task or missing value that must be checked on the way. */
static bool
lane_is_unconstrained(const Loop_check *s, const Lane_state *l)
{
	if (s->lookahead || l->assumed.n)
		return false;
	if (l->at.task)
		return !(l->tasks.fresh & s->paths.at[l->at.task - 1].nested);
	return !l->tasks.fresh && !l->round.ballot && !l->reductions.read && s->batch.n == 1 &&
		input_is_in_loop(s, &l->at);
}

static bool
apply_end(Loop_check *s, Lane_state *l, const Straight_end *e)
{
	l->at.output = e->o;
	l->idle = e->steps ? 0 : l->idle;
	l->segment.diverged = e->diverged;
	*input_position(&l->at) = e->in;
	if (!input_advance(s, l))
		return false;
	bool compared =
		e->o < s->out.begin || e->o >= s->out.end || output_stmt(&s->out, e->o)->flow.joins;
	return !e->joined || compared || !lane_state_is_visited(s, l);
}

bool
straight_run_execute(Loop_check *s, Lane_state *l, bool *end)
{
	if (!lane_is_unconstrained(s, l))
		return false;
	const Straight_run *x = find_run(s, l);
	const Straight_end *e = s->straight.ends.at + x->ends;
	if (x->nends == 1 && e->o == l->at.output && e->in == input_position_now(&l->at))
		return false;
	for (uint32_t i = 1; i < x->nends; i++) {
		Lane_state *k = lane_state_copy(s, l);
		if (apply_end(s, k, &e[i]))
			lane_state_queue(s, k);
	}
	*end = s->fault.why || x->nends == 0 || !apply_end(s, l, e);
	return true;
}
