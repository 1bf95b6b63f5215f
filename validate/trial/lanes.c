/* SPDX-License-Identifier: MIT */
/* Executes statements on the lanes of a trial (trial.h).
 *
 * Lanes at the same statement proceed together, and the first position in the text is executed
 * first, so that diverged lanes reconverge. The order does not matter, see trial.c.
 */
#include "validate/text/text.h"
#include "validate/trial/trial.h"

Trial_warp *
trial_warp(Trial *t, Trial_text *c, uint32_t which)
{
	Trial_warp *w = arena_array(t->in.arena, 1, sizeof *w);

	w->code = c;
	w->which = which;
	w->params = arena_alloc(t->in.arena, TRIAL_LANES * sizeof *w->params);
	return w;
}

void
trial_warp_init(Trial_warp *w)
{
	for (Value_holder *h = w->code->all; h; h = h->next)
		h->of[w->which].has = h->of[w->which].wrote = 0;
	w->nruns = 0;
	w->last = (Lanes_at){ 0, 0 };
	w->waits = w->left = w->ended = w->lost = w->longest = 0;
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		w->steps[i] = w->nparams[i] = 0;
		w->events[i] = 0;
	}
}

void
trial_start_lanes(Trial_warp *w, uint32_t at, uint32_t mask)
{
	uint32_t k = 0;

	while (k < w->nruns && w->runs[k].at != at)
		k++;
	if (k < w->nruns)
		w->runs[k].mask |= mask;
	else if (mask)
		w->runs[w->nruns++] = (Lanes_at){ at, mask };
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Lanes at a statement, with its operands. */
typedef struct {
	Trial_warp *w;
	const Trial_insn *a;
	const Lane_set *g;
	const uint64_t *takes[MOST_ARGS];
} Execution;

static void
give_results(Trial *t, const Execution *n)
{
	uint64_t room[TRIAL_LANES], *gives[MOST_ARGS] = { NULL };
	const Trial_insn *a = n->a;

	for (uint32_t k = 0; k < a->nresults; k++)
		gives[k] = trial_result_values(n->w, &a->results[k], n->g, room);
	a->compute.handler(a, &t->by, n->g, n->takes, gives);
	if (a->counts)
		trial_unknown(t, a->stmt, "an instruction");
}

/* Computes operand values that are not known in all lanes. */
static __attribute__((noinline)) void
fill_operands(Trial *t, const Trial_warp *w, const Trial_insn *a, uint32_t mask)
{
	for (uint32_t k = 0; k < LEAST_ARGS; k++)
		trial_lane_values(t, w, a->operands[k].holder, mask);
}

/* The common case: one result from unmodified operands. which: index of the warp. */
static inline void
give_single_result(
	Trial *t, const Trial_warp *w, const Trial_insn *a, const Lane_set *g, uint32_t which)
{
	const uint64_t *takes[MOST_ARGS];
	uint64_t *gives[1];
	Lane_values *to = &a->results->holder->of[which];
	const Trial_operand *from = a->operands;
	const Lane_values *x = &from[0].holder->of[which], *y = &from[1].holder->of[which],
		   *z = &from[2].holder->of[which];

	takes[0] = x->v;
	takes[1] = y->v;
	takes[2] = z->v;
	if (a->noperands > LEAST_ARGS)
		for (uint32_t k = LEAST_ARGS; k < a->noperands; k++)
			takes[k] = trial_lane_values(t, w, from[k].holder, g->mask)->v;
	if (g->mask & ~(x->has & y->has & z->has))
		fill_operands(t, w, a, g->mask);
	to->has |= g->mask;
	to->wrote |= g->mask;
	gives[0] = to->v;
	a->compute.handler(a, &t->by, g, takes, gives);
	if (a->counts)
		trial_unknown(t, a->stmt, "an instruction");
}

static void
store_invented(Trial *t, const Execution *n, uint32_t lane, uint64_t hash)
{
	for (uint32_t k = 0; k < n->a->nresults; k++)
		trial_set_result(n->w, &n->a->results[k], lane,
			trial_invent(&t->by, lane, trial_mix(hash, k),
				(Type)n->a->results[k].type, RANGE_SMALL));
}

static void
record_effect(Trial *t, const Execution *n)
{
	uint64_t hash[TRIAL_LANES];

	trial_hash(n->a, &t->by, n->g, n->takes, hash);
	LANE_SET_EACH(i, n->g) {
		n->w->events[i] += hash[i];
		store_invented(t, n, i, hash[i]);
	}
}

static void
store_param(Trial *t, const Execution *n, uint32_t lane)
{
	Trial_warp *w = n->w;

	for (uint32_t k = 1; k < n->a->noperands; k++) {
		if (w->nparams[lane] == TRIAL_PARAMS) {
			trial_unknown(t, n->a->stmt, "a call with too many arguments");
			return;
		}
		w->params[lane][w->nparams[lane]++] = (Call_param){ .place = n->a->param_symbol,
			.value = n->takes[k][lane],
			.at = n->takes[0][lane] + (k - 1) * n->a->code.size };
	}
}

static void
load_param(Trial *t, const Execution *n, uint32_t lane)
{
	const Trial_insn *a = n->a;
	uint64_t first = n->takes[0][lane];

	for (uint32_t k = 0; k < a->nresults; k++) {
		uint64_t at = first + k * a->code.size, v = trial_mix(t->by.seed[lane], at);
		for (uint32_t i = 0; i < n->w->nparams[lane]; i++) {
			const Call_param *p = &n->w->params[lane][i];
			if (p->place == a->param_symbol && (p->result || p->at == at))
				v = p->result ? trial_invent(&t->by, lane, trial_mix(p->value, at),
							(Type)a->code.type, RANGE_SMALL) :
						p->value;
		}
		trial_set_result(n->w, &a->results[k], lane, v);
	}
}

/* Whether the called function has no side effects. Such a call may be executed again by a
 * look-ahead lane. */
static bool
is_silent(const Trial *t, uint64_t callee)
{
	for (uint32_t i = 0; i < t->nsilent; i++)
		if (t->silent[i] == callee)
			return true;
	return false;
}

/* A call is identified by its arguments, in order. */
static void
run_call(Trial *t, const Execution *n, uint32_t lane)
{
	Trial_warp *w = n->w;
	const Trial_insn *a = n->a;
	Call_param *params = w->params[lane];
	uint64_t hash = trial_mix(t->by.seed[lane], a->code.name);

	for (uint32_t i = 0; i < w->nparams[lane]; i++)
		if (!params[i].result)
			hash = trial_mix(hash, params[i].value);
	for (uint32_t k = 0; k < a->noperands; k++)
		hash = trial_mix(hash, n->takes[k][lane]);
	if (!a->noperands || !is_silent(t, n->takes[0][lane]))
		w->events[lane] += hash;
	store_invented(t, n, lane, hash);
	w->nparams[lane] = 0;
	if (a->param_symbol)
		params[w->nparams[lane]++] =
			(Call_param){ .place = a->param_symbol, .result = true, .value = hash };
}

/* Lanes that skip a guarded call discard its arguments. */
static void
pass_call(Trial_warp *w, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		w->nparams[__builtin_ctz(lanes)] = 0;
}

static void
access_local(Trial *t, const Execution *n, uint32_t lane)
{
	const Trial_insn *a = n->a;
	uint64_t at = n->takes[0][lane];

	for (uint32_t k = 0; k < a->nresults; k++)
		trial_set_result(n->w, &a->results[k], lane,
			trial_local_load(t, lane, at + k * a->code.size, a->code.size));
	for (uint32_t k = 1; k < a->noperands; k++)
		trial_local_store(
			t, lane, at + (k - 1) * a->code.size, a->code.size, n->takes[k][lane]);
}

/* Some of the lanes may access local memory. */
static void
run_access(Trial *t, const Execution *n)
{
	Execution rest = *n;
	uint32_t local = 0;
	Lane_set others;

	LANE_SET_EACH(i, n->g)
		if (trial_is_local(&t->local, n->a, n->takes[0][i])) {
			local |= UINT32_C(1) << i;
			access_local(t, n, i);
		}
	lane_set_make(&others, n->g->mask & ~local);
	rest.g = &others;
	if (!others.n)
		return;
	if (n->a->code.op == OP_ST)
		record_effect(t, &rest);
	else
		give_results(t, &rest);
}

/* Statements that lanes execute one by one. */
static void
run_each(Trial *t, const Execution *n)
{
	Trial_warp *w = n->w;
	const Trial_insn *a = n->a;

	LANE_SET_EACH(i, n->g)
		switch ((Trial_action)a->does) {
		case DO_BUFFER: trial_access(t, w, a, i, n->takes); break;
		case DO_STORE_PARAM: store_param(t, n, i); break;
		case DO_LOAD_PARAM: load_param(t, n, i); break;
		case DO_CALL: run_call(t, n, i); break;
		case DO_ACTIVEMASK: trial_set_result(w, &a->results[0], i, t->lanes); break;
		default: break;
		}
}

/* Executes a statement other than a branch. */
static void
run_statement(Trial *t, Trial_warp *w, const Trial_insn *a, const Lane_set *g)
{
	uint64_t room[MOST_ARGS][TRIAL_LANES];
	Execution n;

	n.w = w;
	n.a = a;
	n.g = g;
	n.takes[0] = n.takes[1] = n.takes[2] = NULL;
	for (uint32_t k = 0; k < a->noperands; k++)
		n.takes[k] = trial_operand_values(t, w, &a->operands[k], g, room[k]);
	switch ((Trial_action)a->does) {
	case DO_COMPUTE: give_results(t, &n); break;
	case DO_EFFECT: record_effect(t, &n); break;
	case DO_ACCESS: run_access(t, &n); break;
	case DO_UNKNOWN: trial_unknown(t, a->stmt, "an instruction"); break;
	case DO_NOTHING: break;
	case DO_ACTIVEMASK:
		if (!w->code->inserted)
			trial_unknown(t, a->stmt, "an activemask in the input");
		run_each(t, &n);
		break;
	default: run_each(t, &n); break;
	}
}

/* ---- control --------------------------------------------------------------------------------- */

static void
branch_by_table(Trial *t, Trial_warp *w, const Trial_insn *a, const Lane_set *g)
{
	const Trial_text *c = w->code;
	uint32_t decl = c->m->syms[a->param_symbol].decl;
	const Stmt *targets = &c->m->stmts[decl];
	uint64_t room[TRIAL_LANES];
	const uint64_t *index = trial_operand_values(t, w, &a->operands[0], g, room);

	if (targets->kind != STMT_TARGETS || !targets->nopnd) {
		trial_unknown(t, a->stmt, "a branch by a table");
		return;
	}
	LANE_SET_EACH(i, g) {
		uint32_t way = (uint32_t)index[i] % targets->nopnd;
		uint32_t sym = c->m->opnds[ptx_operand(c->m, targets, way)].sym;
		uint32_t to = ptx_has_sym(c->f, sym) ? c->label[ptx_local_sym(c->f, sym)] : 0;
		if (!to)
			trial_unknown(t, a->stmt, "a branch by a table");
		else
			trial_start_lanes(w, to, UINT32_C(1) << i);
	}
}

static void
stop_lanes(Trial_warp *w, uint32_t at, const Lane_set *g, uint32_t *set)
{
	*set |= g->mask;
	LANE_SET_EACH(i, g)
		w->at[i] = at;
}

/* Lanes wait for others. */
static void
wait_for_lanes(Trial *t, Trial_warp *w, const Trial_insn *a, const Lane_set *g)
{
	const uint32_t live = stmt_gathers_warp(t->out.m, a->stmt) ? t->lanes : UINT32_MAX;
	uint64_t room[TRIAL_LANES];

	if (!w->code->inserted || !a->noperands) {
		trial_unknown(t, a->stmt, "lanes that meet, in the input");
		return;
	}
	const uint64_t *mask = trial_operand_values(t, w, &a->operands[a->noperands - 1], g, room);
	uint32_t all = g->n ? (uint32_t)mask[g->lane[0]] & live : 0, others = 0;
	LANE_SET_EACH(i, g) {
		w->at[i] = a->stmt;
		w->mask[i] = (uint32_t)mask[i] & live;
		others |= w->mask[i] ^ all;
	}
	if (!w->waits || w->last.at != a->stmt) {
		w->last = (Lanes_at){ a->stmt, 0 };
		w->last_for = all;
	}
	w->last.mask |= g->mask;
	w->last_for = others || w->last_for != all ? 0 : all;
	w->waits |= g->mask;
}

static bool
is_control(const Trial_insn *a)
{
	return a->does == DO_JUMP || a->does == DO_TABLE || a->does == DO_END ||
		a->does == DO_COLLECTIVE;
}

/* A control statement, on the lanes whose guard holds. */
static void
split_on_guard(Trial *t, Trial_warp *w, const Trial_insn *a, const Lane_set *g)
{
	switch ((Trial_action)a->does) {
	case DO_JUMP: trial_start_lanes(w, a->to, g->mask); break;
	case DO_TABLE: branch_by_table(t, w, a, g); break;
	case DO_END: stop_lanes(w, a->stmt, g, a->code.op == OP_TRAP ? &w->lost : &w->ended); break;
	default: wait_for_lanes(t, w, a, g); break;
	}
}

/* The lanes whose guard holds. */
static uint32_t
guarded_lanes(Trial *t, const Trial_warp *w, const Trial_insn *a, const Lane_set *g)
{
	const uint64_t *v = trial_lane_values(t, w, a->guards, g->mask)->v;
	uint32_t mask = 0;

	LANE_SET_EACH(i, g)
		mask |= (uint32_t)(v[i] & 1) << i;
	return a->guard == 1 ? mask : g->mask & ~mask;
}

/* Number of statements that the group may execute before a lane may exceed its limit. */
static uint32_t
step_allowance(const Trial_warp *w, const Lane_set *g)
{
	uint32_t most = 0;

	if (w->longest < w->most / 2)
		return w->most - w->longest + 1;
	LANE_SET_EACH(i, g)
		most = w->steps[i] > most ? w->steps[i] : most;
	return w->most - most + 1;
}

/* Counts executed statements; returns the lanes that may continue. */
static uint32_t
count_steps(Trial *t, Trial_warp *w, const Lane_set *g, uint32_t ran)
{
	uint32_t lost = 0, longest = w->longest;

	t->steps.all += ran * g->n;
	LANE_SET_EACH(i, g) {
		uint32_t steps = w->steps[i] += ran;
		longest = steps > longest ? steps : longest;
	}
	w->longest = longest;
	if (longest <= w->most)
		return g->mask;
	LANE_SET_EACH(i, g)
		if (w->steps[i] > w->most) {
			lost |= UINT32_C(1) << i;
			w->at[i] = t->s->out.begin;
		}
	w->lost |= lost;
	return g->mask & ~lost;
}

/* Records which lanes have reached a statement. */
static inline void
note_reached(Trial_text *c, Trial_insn *a, uint32_t who)
{
	if (!(who & ~a->lanes))
		return;
	if (!a->lanes && c->m->stmts[a->stmt].kind == STMT_INSN)
		c->came++;
	a->lanes |= who;
}

/* The next statement. */
static inline Trial_insn *
next_insn(Trial_text *c, Trial_insn *a)
{
	return a->next_insn ? a->next_insn : (a->next_insn = trial_read(c, a->next));
}

/* Runs a group as long as it precedes all others in the text. */
static void
run_until(Trial *t, Trial_warp *w, Lanes_at from, uint32_t until)
{
	Trial_text *c = w->code;
	uint32_t ran = 0, who, which = w->which;
	Lane_set g, some = { .mask = 0 };

	lane_set_make(&g, from.mask);
	Trial_insn *a = trial_read(c, from.at);
	for (uint32_t most = step_allowance(w, &g); a->stmt < until && ran < most; ran++) {
		if (a->plain) {
			note_reached(c, a, g.mask);
			give_single_result(t, w, a, &g, which);
			a = next_insn(c, a);
			continue;
		}
		if (!a->inside) {
			lane_set_make(&some, count_steps(t, w, &g, ran));
			stop_lanes(w, a->stmt, &some, &w->left);
			return;
		}
		who = a->guard ? guarded_lanes(t, w, a, &g) : g.mask;
		note_reached(c, a, who);
		if (a->does == DO_CALL)
			pass_call(w, g.mask & ~who);
		if (who == g.mask && a->simple) {
			give_single_result(t, w, a, &g, which);
		} else if (who == g.mask && a->does == DO_JUMP) {
			a = trial_read(c, a->to);
			continue;
		} else if (who) {
			if (who != g.mask && who != some.mask)
				lane_set_make(&some, who);
			if (is_control(a)) {
				if (a->uniform && who != g.mask)
					trial_wrong(t, a->stmt,
						"a branch of all lanes that they do not agree on");
				uint32_t alive = count_steps(t, w, &g, ran + 1);
				lane_set_make(&some, who & alive);
				split_on_guard(t, w, a, &some);
				trial_start_lanes(w, a->next, alive & ~who);
				return;
			}
			run_statement(t, w, a, who == g.mask ? &g : &some);
			if (t->fault.why)
				return;
		}
		a = next_insn(c, a);
	}
	trial_start_lanes(w, a->stmt, count_steps(t, w, &g, ran));
}

void
trial_run(Trial *t, Trial_warp *w)
{
	while (w->nruns && !t->fault.why && !(w->whole && w->lost)) {
		uint32_t least = 0, until = UINT32_MAX;
		for (uint32_t k = 1; k < w->nruns; k++)
			least = w->runs[k].at < w->runs[least].at ? k : least;
		Lanes_at from = w->runs[least];
		w->runs[least] = w->runs[--w->nruns];
		for (uint32_t k = 0; k < w->nruns; k++)
			until = w->runs[k].at < until ? w->runs[k].at : until;
		run_until(t, w, from, until);
	}
}
