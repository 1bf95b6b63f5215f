/* SPDX-License-Identifier: MIT */
/* Executes statements on the lanes of a trial (trial.h).
 *
 * Lanes at the same statement proceed together, and the first position in the text is executed
 * first, so that diverged lanes reconverge. The order does not matter, see trial.c.
 */
#include "validate/trial/trial.h"

Warp *
trial_warp(Trial *t, Code *c, uint32_t which)
{
	Warp *w = arena_array(t->in.arena, 1, sizeof *w);

	w->code = c;
	w->which = which;
	w->params = arena_alloc(t->in.arena, TRIAL_LANES * sizeof *w->params);
	return w;
}

void
trial_warp_init(Warp *w)
{
	for (Holder *h = w->code->all; h; h = h->next)
		h->of[w->which].has = h->of[w->which].wrote = 0;
	w->nruns = 0;
	w->last = (Place_of_lanes){ 0, 0 };
	w->waits = w->left = w->ended = w->lost = w->longest = 0;
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		w->steps[i] = w->nparams[i] = 0;
		w->events[i] = 0;
	}
}

void
trial_place(Warp *w, uint32_t at, uint32_t mask)
{
	uint32_t k = 0;

	while (k < w->nruns && w->runs[k].at != at)
		k++;
	if (k < w->nruns)
		w->runs[k].mask |= mask;
	else if (mask)
		w->runs[w->nruns++] = (Place_of_lanes){ at, mask };
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Lanes at a statement, with its operands. */
typedef struct {
	Warp *w;
	const Act *a;
	const Group *g;
	const uint64_t *takes[MOST_ARGS];
} Now;

static void
give(Trial *t, const Now *n)
{
	uint64_t room[TRIAL_LANES], *gives[MOST_ARGS] = { NULL };
	const Act *a = n->a;

	for (uint32_t k = 0; k < a->ngives; k++)
		gives[k] = trial_gives(n->w, &a->gives[k], n->g, room);
	a->give(a, &t->by, n->g, n->takes, gives);
	if (a->counts)
		trial_unknown(t, a->stmt, "an instruction");
}

/* Computes operand values that are not known in all lanes. */
static __attribute__((noinline)) void
fill(Trial *t, const Warp *w, const Act *a, uint32_t mask)
{
	for (uint32_t k = 0; k < LEAST_ARGS; k++)
		trial_held(t, w, a->takes[k].holder, mask);
}

/* The common case: one result from unmodified operands. which: index of the warp. */
static inline void
give_one(Trial *t, const Warp *w, const Act *a, const Group *g, uint32_t which)
{
	const uint64_t *takes[MOST_ARGS];
	uint64_t *gives[1];
	Held *to = &a->gives->holder->of[which];
	const Arg *from = a->takes;
	const Held *x = &from[0].holder->of[which], *y = &from[1].holder->of[which],
		   *z = &from[2].holder->of[which];

	takes[0] = x->v;
	takes[1] = y->v;
	takes[2] = z->v;
	if (a->ntakes > LEAST_ARGS)
		for (uint32_t k = LEAST_ARGS; k < a->ntakes; k++)
			takes[k] = trial_held(t, w, from[k].holder, g->mask)->v;
	if (g->mask & ~(x->has & y->has & z->has))
		fill(t, w, a, g->mask);
	to->has |= g->mask;
	to->wrote |= g->mask;
	gives[0] = to->v;
	a->give(a, &t->by, g, takes, gives);
	if (a->counts)
		trial_unknown(t, a->stmt, "an instruction");
}

static void
put_invented(Trial *t, const Now *n, uint32_t lane, uint64_t hash)
{
	for (uint32_t k = 0; k < n->a->ngives; k++)
		trial_put(n->w, &n->a->gives[k], lane,
			trial_invent(&t->by, lane, trial_mix(hash, k),
				(Type)n->a->gives[k].type, RANGE_SMALL));
}

static void
effect(Trial *t, const Now *n)
{
	uint64_t hash[TRIAL_LANES];

	trial_hash(n->a, &t->by, n->g, n->takes, hash);
	GROUP_EACH(i, n->g) {
		n->w->events[i] += hash[i];
		put_invented(t, n, i, hash[i]);
	}
}

static void
store_param(Trial *t, const Now *n, uint32_t lane)
{
	Warp *w = n->w;

	for (uint32_t k = 1; k < n->a->ntakes; k++) {
		if (w->nparams[lane] == TRIAL_PARAMS) {
			trial_unknown(t, n->a->stmt, "a call with too many arguments");
			return;
		}
		w->params[lane][w->nparams[lane]++] = (Param){ .place = n->a->place,
			.value = n->takes[k][lane],
			.at = n->takes[0][lane] + (k - 1) * n->a->size };
	}
}

static void
load_param(Trial *t, const Now *n, uint32_t lane)
{
	const Act *a = n->a;
	uint64_t first = n->takes[0][lane];

	for (uint32_t k = 0; k < a->ngives; k++) {
		uint64_t at = first + k * a->size, v = trial_mix(t->by.seed[lane], at);
		for (uint32_t i = 0; i < n->w->nparams[lane]; i++) {
			const Param *p = &n->w->params[lane][i];
			if (p->place == a->place && (p->result || p->at == at))
				v = p->result ? trial_invent(&t->by, lane, trial_mix(p->value, at),
							(Type)a->type, RANGE_SMALL) :
						p->value;
		}
		trial_put(n->w, &a->gives[k], lane, v);
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
call(Trial *t, const Now *n, uint32_t lane)
{
	Warp *w = n->w;
	const Act *a = n->a;
	Param *params = w->params[lane];
	uint64_t hash = trial_mix(t->by.seed[lane], a->name);

	for (uint32_t i = 0; i < w->nparams[lane]; i++)
		if (!params[i].result)
			hash = trial_mix(hash, params[i].value);
	for (uint32_t k = 0; k < a->ntakes; k++)
		hash = trial_mix(hash, n->takes[k][lane]);
	if (!a->ntakes || !is_silent(t, n->takes[0][lane]))
		w->events[lane] += hash;
	put_invented(t, n, lane, hash);
	w->nparams[lane] = 0;
	if (a->place)
		params[w->nparams[lane]++] =
			(Param){ .place = a->place, .result = true, .value = hash };
}

/* Lanes that skip a guarded call discard its arguments. */
static void
pass_call(Warp *w, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		w->nparams[__builtin_ctz(lanes)] = 0;
}

static void
access_local(Trial *t, const Now *n, uint32_t lane)
{
	const Act *a = n->a;
	uint64_t at = n->takes[0][lane];

	for (uint32_t k = 0; k < a->ngives; k++)
		trial_put(n->w, &a->gives[k], lane,
			trial_local_load(t, lane, at + k * a->size, a->size));
	for (uint32_t k = 1; k < a->ntakes; k++)
		trial_local_store(t, lane, at + (k - 1) * a->size, a->size, n->takes[k][lane]);
}

/* Some of the lanes may access local memory. */
static void
access(Trial *t, const Now *n)
{
	Now rest = *n;
	uint32_t local = 0;
	Group others;

	GROUP_EACH(i, n->g)
		if (trial_is_local(t, n->a, n->takes[0][i])) {
			local |= UINT32_C(1) << i;
			access_local(t, n, i);
		}
	group_make(&others, n->g->mask & ~local);
	rest.g = &others;
	if (!others.n)
		return;
	if (n->a->op == OP_ST)
		effect(t, &rest);
	else
		give(t, &rest);
}

/* Statements that lanes execute one by one. */
static void
run_each(Trial *t, const Now *n)
{
	Warp *w = n->w;
	const Act *a = n->a;

	GROUP_EACH(i, n->g)
		switch ((Does)a->does) {
		case DO_BUFFER: trial_access(t, w, a, i, n->takes); break;
		case DO_STORE_PARAM: store_param(t, n, i); break;
		case DO_LOAD_PARAM: load_param(t, n, i); break;
		case DO_CALL: call(t, n, i); break;
		case DO_ACTIVEMASK: trial_put(w, &a->gives[0], i, t->m); break;
		default: break;
		}
}

/* Executes a statement other than a branch. */
static void
run_statement(Trial *t, Warp *w, const Act *a, const Group *g)
{
	uint64_t room[MOST_ARGS][TRIAL_LANES];
	Now n;

	n.w = w;
	n.a = a;
	n.g = g;
	n.takes[0] = n.takes[1] = n.takes[2] = NULL;
	for (uint32_t k = 0; k < a->ntakes; k++)
		n.takes[k] = trial_holds(t, w, &a->takes[k], g, room[k]);
	switch ((Does)a->does) {
	case DO_GIVE: give(t, &n); break;
	case DO_EFFECT: effect(t, &n); break;
	case DO_ACCESS: access(t, &n); break;
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
by_table(Trial *t, Warp *w, const Act *a, const Group *g)
{
	const Code *c = w->code;
	uint32_t decl = c->m->syms[a->place].decl;
	const Stmt *ways = &c->m->stmts[decl];
	uint64_t room[TRIAL_LANES];
	const uint64_t *index = trial_holds(t, w, &a->takes[0], g, room);

	if (ways->kind != STMT_TARGETS || !ways->nopnd) {
		trial_unknown(t, a->stmt, "a branch by a table");
		return;
	}
	GROUP_EACH(i, g) {
		uint32_t way = (uint32_t)index[i] % ways->nopnd;
		uint32_t sym = c->m->opnds[ptx_operand(c->m, ways, way)].sym;
		uint32_t to = ptx_has_sym(c->f, sym) ? c->label[ptx_local_sym(c->f, sym)] : 0;
		if (!to)
			trial_unknown(t, a->stmt, "a branch by a table");
		else
			trial_place(w, to, UINT32_C(1) << i);
	}
}

static void
stay(Warp *w, uint32_t at, const Group *g, uint32_t *set)
{
	*set |= g->mask;
	GROUP_EACH(i, g)
		w->at[i] = at;
}

/* Lanes wait for others. */
static void
wait(Trial *t, Warp *w, const Act *a, const Group *g)
{
	uint64_t room[TRIAL_LANES];

	if (!w->code->inserted || !a->ntakes) {
		trial_unknown(t, a->stmt, "lanes that meet, in the input");
		return;
	}
	const uint64_t *mask = trial_holds(t, w, &a->takes[a->ntakes - 1], g, room);
	uint32_t all = g->n ? (uint32_t)mask[g->lane[0]] : 0, others = 0;
	GROUP_EACH(i, g) {
		w->at[i] = a->stmt;
		w->mask[i] = (uint32_t)mask[i];
		others |= w->mask[i] ^ all;
	}
	if (!w->waits || w->last.at != a->stmt) {
		w->last = (Place_of_lanes){ a->stmt, 0 };
		w->last_for = all;
	}
	w->last.mask |= g->mask;
	w->last_for = others || w->last_for != all ? 0 : all;
	w->waits |= g->mask;
}

static bool
is_control(const Act *a)
{
	return a->does == DO_JUMP || a->does == DO_TABLE || a->does == DO_END ||
		a->does == DO_MEET;
}

/* A control statement, on the lanes whose guard holds. */
static void
part(Trial *t, Warp *w, const Act *a, const Group *g)
{
	switch ((Does)a->does) {
	case DO_JUMP: trial_place(w, a->to, g->mask); break;
	case DO_TABLE: by_table(t, w, a, g); break;
	case DO_END: stay(w, a->stmt, g, a->op == OP_TRAP ? &w->lost : &w->ended); break;
	default: wait(t, w, a, g); break;
	}
}

/* The lanes whose guard holds. */
static uint32_t
guarded(Trial *t, const Warp *w, const Act *a, const Group *g)
{
	const uint64_t *v = trial_held(t, w, a->guards, g->mask)->v;
	uint32_t mask = 0;

	GROUP_EACH(i, g)
		mask |= (uint32_t)(v[i] & 1) << i;
	return a->guard == 1 ? mask : g->mask & ~mask;
}

/* Number of statements that the group may execute before a lane may exceed its limit. */
static uint32_t
may_run(const Warp *w, const Group *g)
{
	uint32_t most = 0;

	if (w->longest < w->most / 2)
		return w->most - w->longest + 1;
	GROUP_EACH(i, g)
		most = w->steps[i] > most ? w->steps[i] : most;
	return w->most - most + 1;
}

/* Counts executed statements; returns the lanes that may continue. */
static uint32_t
count(Trial *t, Warp *w, const Group *g, uint32_t ran)
{
	uint32_t lost = 0, longest = w->longest;

	t->all_steps += ran * g->n;
	GROUP_EACH(i, g) {
		uint32_t steps = w->steps[i] += ran;
		longest = steps > longest ? steps : longest;
	}
	w->longest = longest;
	if (longest <= w->most)
		return g->mask;
	GROUP_EACH(i, g)
		if (w->steps[i] > w->most) {
			lost |= UINT32_C(1) << i;
			w->at[i] = t->s->begin;
		}
	w->lost |= lost;
	return g->mask & ~lost;
}

/* Records which lanes have reached a statement. */
static inline void
come_to(Code *c, Act *a, uint32_t who)
{
	if (!(who & ~a->lanes))
		return;
	if (!a->lanes && c->m->stmts[a->stmt].kind == STMT_INSN)
		c->came++;
	a->lanes |= who;
}

/* The next statement. */
static inline Act *
behind(Code *c, Act *a)
{
	return a->behind ? a->behind : (a->behind = trial_read(c, a->next));
}

/* Runs a group as long as it precedes all others in the text. */
static void
run_on(Trial *t, Warp *w, Place_of_lanes from, uint32_t until)
{
	Code *c = w->code;
	uint32_t ran = 0, who, which = w->which;
	Group g, some = { .mask = 0 };

	group_make(&g, from.mask);
	Act *a = trial_read(c, from.at);
	for (uint32_t most = may_run(w, &g); a->stmt < until && ran < most; ran++) {
		if (a->plain) {
			come_to(c, a, g.mask);
			give_one(t, w, a, &g, which);
			a = behind(c, a);
			continue;
		}
		if (!a->inside) {
			group_make(&some, count(t, w, &g, ran));
			stay(w, a->stmt, &some, &w->left);
			return;
		}
		who = a->guard ? guarded(t, w, a, &g) : g.mask;
		come_to(c, a, who);
		if (a->does == DO_CALL)
			pass_call(w, g.mask & ~who);
		if (who == g.mask && a->simple) {
			give_one(t, w, a, &g, which);
		} else if (who == g.mask && a->does == DO_JUMP) {
			a = trial_read(c, a->to);
			continue;
		} else if (who) {
			if (who != g.mask && who != some.mask)
				group_make(&some, who);
			if (is_control(a)) {
				if (a->uniform && who != g.mask)
					trial_wrong(t, a->stmt,
						"a branch of all lanes that they do not agree on");
				uint32_t alive = count(t, w, &g, ran + 1);
				group_make(&some, who & alive);
				part(t, w, a, &some);
				trial_place(w, a->next, alive & ~who);
				return;
			}
			run_statement(t, w, a, who == g.mask ? &g : &some);
			if (t->why)
				return;
		}
		a = behind(c, a);
	}
	trial_place(w, a->stmt, count(t, w, &g, ran));
}

void
trial_run(Trial *t, Warp *w)
{
	while (w->nruns && !t->why && !(w->whole && w->lost)) {
		uint32_t least = 0, until = UINT32_MAX;
		for (uint32_t k = 1; k < w->nruns; k++)
			least = w->runs[k].at < w->runs[least].at ? k : least;
		Place_of_lanes from = w->runs[least];
		w->runs[least] = w->runs[--w->nruns];
		for (uint32_t k = 0; k < w->nruns; k++)
			until = w->runs[k].at < until ? w->runs[k].at : until;
		run_on(t, w, from, until);
	}
}
