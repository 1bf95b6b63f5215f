/* SPDX-License-Identifier: MIT */
/* The lanes of a trial: what they begin with, and how they run a statement. See trial.h. */
#include <string.h>
#include "validate/parts.h"
#include "validate/trial.h"

enum { DEEPEST = 100 };

bool
trial_wrong(Trial *t, uint32_t stmt, const char *why)
{
	if (!t->why) {
		t->why = why;
		t->why_at = stmt;
	}
	return false;
}

bool
trial_unknown(Trial *t, uint32_t stmt, const char *why)
{
	t->unknown |= !t->why;
	return trial_wrong(t, stmt, why);
}

/* ---- what comes into the loop ---------------------------------------------------------------- */

static void
size_block(Trial *t)
{
	static const uint32_t usual[4][3] = { { 32, 1, 1 }, { 64, 1, 1 }, { 32, 2, 1 },
		{ 32, 1, 1 } };
	const Func *f = t->in.f;
	const uint32_t *said = f->reqntid[0] ? f->reqntid : f->maxntid;

	memcpy(t->dims, usual[t->by.seed >> 40 & 3], sizeof t->dims);
	if (said[0]) {
		uint32_t all = said[0] * (said[1] ? said[1] : 1) * (said[2] ? said[2] : 1);
		for (uint32_t k = 0; k < 3 && (f->reqntid[0] || all < 64); k++)
			t->dims[k] = said[k] ? said[k] : 1;
	}
	t->first = t->dims[0] * t->dims[1] * t->dims[2] >= 64 ? 32 : 0;
}

void
trial_forget(Trial *t)
{
	const Fn *fn = t->s->fn;
	uint32_t ndefs = fn->defuse->ndefs + 1, nsyms = fn->f->nsym + 1;

	if (!t->of_def) {
		t->of_def = arena_array(t->in.arena, ndefs, sizeof *t->of_def);
		t->of_sym = arena_array(t->in.arena, nsyms, sizeof *t->of_sym);
		t->making = arena_array(t->in.arena, ndefs, sizeof *t->making);
	}
	memset(t->of_def, 0, ndefs * sizeof *t->of_def);
	memset(t->of_sym, 0, nsyms * sizeof *t->of_sym);
}

void
trial_begin(Trial *t, uint64_t seed, Range loads)
{
	t->by.seed = trial_mix(seed, 77);
	t->by.loads = loads;
	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		t->salt[i] = i;
	size_block(t);
	bits_clear(t->come);
	trial_forget(t);
	t->why = NULL;
	t->unknown = false;
	t->steps = t->epoch = 0;
}

static uint64_t
component(const uint32_t *of, uint8_t sel)
{
	return sel >= 'x' && sel <= 'z' ? of[sel - 'x'] : 0;
}

static uint64_t
special(Trial *t, const Arg *a, uint32_t lane)
{
	uint32_t n = t->first + lane, bit = UINT32_C(1) << lane;
	uint32_t tid[3] = { n % t->dims[0], n / t->dims[0] % t->dims[1],
		n / t->dims[0] / t->dims[1] };
	uint64_t other = trial_mix(t->by.seed, a->reg * 256 + a->sel);

	switch ((Sreg)a->reg) {
	case SREG_TID: return component(tid, a->sel);
	case SREG_NTID: return component(t->dims, a->sel);
	case SREG_CTAID: return 0;
	case SREG_NCTAID: return 1;
	case SREG_LANEID: return lane;
	case SREG_LANEMASK_EQ: return bit;
	case SREG_LANEMASK_LT: return bit - 1;
	case SREG_LANEMASK_LE: return bit | (bit - 1);
	case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
	case SREG_LANEMASK_GE: return ~(bit - 1);
	case SREG_WARP_SZ: return 32;
	default:
		if (ptx_sregs[a->reg].flags & SREGF_TIME)
			trial_unknown(t, t->s->begin, "the time");
		return trial_invent(&t->by, other, TYPE_U32, RANGE_SMALL);
	}
}

/* A register of which only that is known, whether it is the same in all lanes. */
static uint64_t *
invent_all(Trial *t, uint32_t sym, bool varies)
{
	uint64_t *all = arena_array(t->in.arena, TRIAL_LANES, sizeof *all);
	uint64_t hash = trial_mix(t->by.seed, fn_local(t->s->fn, sym));

	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		all[i] = trial_invent(&t->by, varies ? trial_mix(hash, 100 + t->salt[i]) : hash,
			(Type)t->in.m->syms[sym].type, RANGE_SMALL);
	return all;
}

static const uint64_t *of_def(Trial *t, uint32_t def, uint32_t depth);

/* What a statement in front of the loop, or before that, reads. */
static const uint64_t *
of_use(Trial *t, uint32_t stmt, uint32_t sym, uint32_t depth)
{
	const Fn *fn = t->s->fn;
	uint32_t u = defuse_use(fn, stmt, sym);

	if (u && fn_use(fn, u)->ndef == 1)
		return of_def(t, fn->defuse->reach[fn_use(fn, u)->def], depth + 1);
	return invent_all(t, sym, !u || bits_has(fn->uniform->use, u));
}

static uint64_t *
compute_all(Trial *t, const Act *a, uint32_t which, uint32_t depth)
{
	uint64_t *all = arena_array(t->in.arena, TRIAL_LANES, sizeof *all);
	const uint64_t *of[MOST_ARGS] = { NULL };

	for (uint32_t k = 0; k < a->ntakes; k++)
		if (a->takes[k].kind == ARG_REG)
			of[k] = of_use(t, a->stmt, fn_sym(t->s->fn, a->takes[k].reg), depth);
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		uint64_t takes[MOST_ARGS] = { 0 }, gives[MOST_ARGS] = { 0 };
		for (uint32_t k = 0; k < a->ntakes; k++) {
			const Arg *x = &a->takes[k];
			takes[k] = x->kind == ARG_SPECIAL ? special(t, x, i) :
				of[k] && x->flip ?
				x->type == TYPE_PRED ? !of[k][i] : 0 - of[k][i] :
				(of[k] ? of[k][i] : 0) + x->value;
		}
		trial_give(a, &t->by, takes, gives);
		all[i] = gives[which];
	}
	return all;
}

static const uint64_t *
of_def(Trial *t, uint32_t def, uint32_t depth)
{
	const Fn *fn = t->s->fn;
	const Def *d = fn_def(fn, def);

	if (t->of_def[def])
		return t->of_def[def];
	const Act *a = d->stmt ? trial_read(&t->in, d->stmt) : NULL;
	bool computed = a && a->does == DO_GIVE && !a->guard && depth < DEEPEST && !t->making[def];
	uint32_t which = 0;
	while (computed && which < a->ngives &&
		(a->gives[which].kind != ARG_REG ||
			a->gives[which].reg != fn_local(fn, d->sym)))
		which++;
	if (!computed || which == a->ngives) {
		uint64_t *all = invent_all(t, d->sym, bits_has(fn->uniform->def, def));
		if (!t->making[def])
			t->of_def[def] = all;
		return all;
	}
	t->making[def] = true;
	uint64_t *all = compute_all(t, a, which, depth);
	t->making[def] = false;
	return t->of_def[def] = all;
}

uint64_t
trial_first(Trial *t, uint32_t sym, uint32_t lane)
{
	const Fn *fn = t->s->fn;
	uint64_t **all = &t->of_sym[fn_local(fn, sym)];
	uint32_t entry = t->s->region->entry;

	if (!*all) {
		Reaching r = defuse_reaching(fn, entry, sym);
		uint32_t def = r.n == 1 ? *r.at : 0;
		const uint64_t *of = def && fn_def(fn, def)->stmt ?
			of_def(t, def, 0) :
			invent_all(t, sym, uniform_varies_at(fn, entry, sym));
		*all = arena_array(t->in.arena, TRIAL_LANES, sizeof **all);
		memcpy(*all, of, TRIAL_LANES * sizeof **all);
	}
	return (*all)[lane];
}

/* ---- a lane's registers ---------------------------------------------------------------------- */

void
trial_lane_init(Trial *t, Trial_lane *l, const Code *c, uint32_t number, uint32_t at)
{
	if (!l->reg) {
		l->reg = arena_array(t->in.arena, c->f->nsym + 1, sizeof *l->reg);
		l->set = bits_new(t->in.arena, c->f->nsym + 1);
	}
	bits_clear(l->set);
	l->number = number;
	l->at = at;
	l->state = LANE_RUNS;
	l->nparams = 0;
}

static uint64_t
register_of(Trial *t, const Code *c, const Trial_lane *l, uint32_t reg)
{
	uint32_t sym = ptx_sym_at(c->f, reg);

	if (bits_has(l->set, reg))
		return l->reg[reg];
	if (!c->inserted)
		return trial_first(t, sym, l->number);
	if (c->regs[reg].kind == REG_OWN)
		return trial_first(t, c->regs[reg].in, l->number);
	return trial_invent(&t->by, trial_mix(trial_mix(t->by.seed, 1000 + reg), l->number),
		(Type)c->m->syms[sym].type, RANGE_SMALL);
}

uint64_t
trial_holds(Trial *t, const Code *c, const Trial_lane *l, const Arg *a)
{
	if (a->kind == ARG_CONST)
		return a->value;
	if (a->kind == ARG_SPECIAL)
		return special(t, a, l->number);
	uint64_t v = register_of(t, c, l, a->reg);
	return !a->flip ? v + a->value : a->type == TYPE_PRED ? !v : 0 - v;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
put_all(Trial_lane *l, const Act *a, const uint64_t *gives)
{
	for (uint32_t k = 0; k < a->ngives; k++)
		trial_put(l, &a->gives[k], gives[k]);
}

static void
put_invented(Trial *t, Trial_lane *l, const Act *a, uint64_t hash)
{
	for (uint32_t k = 0; k < a->ngives; k++)
		trial_put(l, &a->gives[k],
			trial_invent(&t->by, trial_mix(hash, k), (Type)a->gives[k].type,
				RANGE_SMALL));
}

static void
effect(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	uint64_t hash = trial_mix(t->by.seed, a->name);

	for (uint32_t k = 0; k < a->ntakes; k++)
		hash = trial_mix(hash, takes[k]);
	t->events += hash;
	put_invented(t, l, a, hash);
}

static void
store_param(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	for (uint32_t k = 1; k < a->ntakes; k++) {
		if (l->nparams == TRIAL_PARAMS) {
			trial_unknown(t, a->stmt, "a call with so many arguments");
			return;
		}
		l->params[l->nparams++] = (Param){ .place = a->place, .value = takes[k],
			.at = takes[0] + (k - 1) * a->size };
	}
}

static void
load_param(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	for (uint32_t k = 0; k < a->ngives; k++) {
		uint64_t at = takes[0] + k * a->size;
		uint64_t v = trial_mix(t->by.seed, at);
		for (uint32_t i = 0; i < l->nparams; i++) {
			const Param *p = &l->params[i];
			if (p->place == a->place && (p->result || p->at == at))
				v = p->result ? trial_invent(&t->by, trial_mix(p->value, at),
							(Type)a->type, RANGE_SMALL) :
						p->value;
		}
		trial_put(l, &a->gives[k], v);
	}
}

/* Does the function that is called do nothing but give a result? A lane that looks ahead may call
 * it twice. */
static bool
is_silent(const Trial *t, uint64_t callee)
{
	for (uint32_t i = 0; i < t->nsilent; i++)
		if (t->silent[i] == callee)
			return true;
	return false;
}

/* A call is known by what it is given, and that in the order in which it is. */
static void
call(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	uint64_t hash = trial_mix(t->by.seed, a->name);

	for (uint32_t i = 0; i < l->nparams; i++)
		if (!l->params[i].result)
			hash = trial_mix(hash, l->params[i].value);
	for (uint32_t k = 0; k < a->ntakes; k++)
		hash = trial_mix(hash, takes[k]);
	if (!is_silent(t, takes[0]))
		t->events += hash;
	put_invented(t, l, a, hash);
	l->nparams = 0;
	if (a->place)
		l->params[l->nparams++] =
			(Param){ .place = a->place, .result = true, .value = hash };
}

static bool
by_table(Trial *t, const Code *c, Trial_lane *l, const Act *a, uint64_t index)
{
	uint32_t decl = c->m->syms[a->place].decl;
	const Stmt *ways = &c->m->stmts[decl];

	if (ways->kind != STMT_TARGETS || !ways->nopnd)
		return trial_unknown(t, l->at, "a branch by a table");
	uint32_t n = (uint32_t)index % ways->nopnd;
	uint32_t sym = c->m->opnds[ptx_operand(c->m, ways, n)].sym;
	l->at = ptx_has_sym(c->f, sym) ? c->label[ptx_local_sym(c->f, sym)] : 0;
	return l->at || trial_unknown(t, a->stmt, "a branch by a table");
}

static void
access_local(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	for (uint32_t k = 0; k < a->ngives; k++)
		trial_put(l, &a->gives[k],
			trial_local_load(t, l->number, takes[0] + k * a->size, a->size));
	for (uint32_t k = 1; k < a->ntakes; k++)
		trial_local_store(t, l->number, takes[0] + (k - 1) * a->size, a->size, takes[k]);
}

/* Does it compute something of the inserted text's own? A hash is no answer to that. */
static bool
counts(const Code *c, const Act *a)
{
	return c->inserted && a->op != OP_LD && a->ngives && a->gives[0].kind == ARG_REG &&
		c->regs[a->gives[0].reg].kind == REG_MACHINE;
}

static bool
go_on(Trial *t, Code *c, Trial_lane *l, const Act *a, const uint64_t *takes)
{
	uint64_t gives[MOST_ARGS];

	switch ((Does)a->does) {
	case DO_NOTHING: break;
	case DO_GIVE:
		if (!trial_give(a, &t->by, takes, gives) && counts(c, a))
			return trial_unknown(t, a->stmt, "an instruction");
		put_all(l, a, gives);
		break;
	case DO_EFFECT: effect(t, l, a, takes); break;
	case DO_ACCESS:
		if (trial_is_local(t, a, takes[0])) {
			access_local(t, l, a, takes);
		} else if (a->op == OP_ST) {
			effect(t, l, a, takes);
		} else {
			trial_give(a, &t->by, takes, gives);
			put_all(l, a, gives);
		}
		break;
	case DO_BUFFER: trial_access(t, l, a, takes); break;
	case DO_STORE_PARAM: store_param(t, l, a, takes); break;
	case DO_LOAD_PARAM: load_param(t, l, a, takes); break;
	case DO_CALL: call(t, l, a, takes); break;
	case DO_JUMP: l->at = a->to; return true;
	case DO_TABLE: return by_table(t, c, l, a, takes[0]);
	case DO_END: l->state = LANE_ENDED; return false;
	case DO_ACTIVEMASK:
		if (!c->inserted)
			return trial_unknown(t, a->stmt, "who is there, in the input");
		trial_put(l, &a->gives[0], t->m);
		break;
	case DO_MEET:
		if (!c->inserted)
			return trial_unknown(t, a->stmt, "lanes that meet, in the input");
		l->mask = (uint32_t)takes[a->ntakes - 1];
		l->state = LANE_WAITS;
		return false;
	case DO_UNKNOWN: return trial_unknown(t, a->stmt, "an instruction");
	}
	l->at = a->next;
	return true;
}

bool
trial_step(Trial *t, Code *c, Trial_lane *l)
{
	const Act *a = trial_read(c, l->at);
	uint64_t takes[MOST_ARGS];

	if (++t->steps > t->most) {
		l->state = LANE_LOST;
		return false;
	}
	if (a->guard && (register_of(t, c, l, a->guards) & 1) != (a->guard == 1)) {
		l->at = a->next;
		return true;
	}
	bits_set(c->inserted ? t->reached : t->come, ptx_local_stmt(c->f, l->at));
	for (uint32_t k = 0; k < a->ntakes; k++) {
		const Arg *x = &a->takes[k];
		takes[k] = x->kind == ARG_CONST ? x->value :
			x->kind == ARG_REG && !x->flip && bits_has(l->set, x->reg) ?
						  l->reg[x->reg] + x->value :
						  trial_holds(t, c, l, x);
	}
	return go_on(t, c, l, a, takes) && !t->why;
}
