/* SPDX-License-Identifier: MIT */
/* Start values of the lanes of a trial (trial.h). */
#include <string.h>
#include "validate/trial/trial.h"

enum { DEEPEST = 100 };

bool
trial_wrong(Trial *t, uint32_t stmt, const char *why)
{
	if (!t->fault.why) {
		t->fault.why = why;
		t->fault.stmt = stmt;
	}
	return false;
}

bool
trial_unknown(Trial *t, uint32_t stmt, const char *why)
{
	t->fault.unknown |= !t->fault.why;
	return trial_wrong(t, stmt, why);
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Chooses the block size. Full warps are alternately the first and the second one of their
 * block. */
static void
size_block(Trial_block *block, const Func *f, uint32_t n)
{
	static const uint32_t usual[4][3] = { { 32, 1, 1 }, { 64, 1, 1 }, { 32, 2, 1 },
		{ 32, 1, 1 } };
	const uint32_t *said = f->reqntid[0] ? f->reqntid : f->maxntid;

	memcpy(block->dims, usual[n & 3], sizeof block->dims);
	if (said[0]) {
		uint32_t all = said[0] * (said[1] ? said[1] : 1) * (said[2] ? said[2] : 1);
		for (uint32_t k = 0; k < 3 && (f->reqntid[0] || all < 64); k++)
			block->dims[k] = said[k] ? said[k] : 1;
	}
	block->first = block->dims[0] * block->dims[1] * block->dims[2] >= 64 ? 32 : 0;
}

void
trial_clear_values(Trial *t)
{
	const Fn *fn = t->s->in.fn;
	uint32_t ndefs = fn->defuse->ndefs + 1, nsyms = fn->f->nsym + 1;

	if (!t->values.of_def) {
		t->values.of_def = arena_array(t->in.arena, ndefs, sizeof *t->values.of_def);
		t->values.of_sym = arena_array(t->in.arena, nsyms, sizeof *t->values.of_sym);
		t->values.making = arena_array(t->in.arena, ndefs, sizeof *t->values.making);
	}
	memset(t->values.of_def, 0, ndefs * sizeof *t->values.of_def);
	memset(t->values.of_sym, 0, nsyms * sizeof *t->values.of_sym);
}

void
trial_start(Trial *t, uint32_t n, Number_range loads)
{
	t->by.loads = loads;
	memcpy(t->block.salt, t->block.number, sizeof t->block.salt);
	size_block(&t->block, t->in.f, n);
	trial_clear_values(t);
	t->fault.why = NULL;
	t->fault.unknown = false;
}

/* ---- special registers ----------------------------------------------------------------------- */

static uint64_t
component_of(const uint32_t *of, uint8_t sel)
{
	return sel >= 'x' && sel <= 'z' ? of[sel - 'x'] : 0;
}

static uint64_t
thread_index(const Trial_block *block, uint32_t n, uint8_t sel)
{
	uint32_t tid[3] = { n % block->dims[0], n / block->dims[0] % block->dims[1],
		n / block->dims[0] / block->dims[1] };

	return component_of(tid, sel);
}

static uint64_t
trial_special(Trial *t, const Value_holder *h, uint32_t i)
{
	uint32_t lane = t->block.number[i], bit = UINT32_C(1) << lane;

	switch ((Sreg)h->reg) {
	case SREG_TID: return thread_index(&t->block, t->block.first + lane, h->sel);
	case SREG_NTID: return component_of(t->block.dims, h->sel);
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
		if (ptx_sregs[h->reg].flags & SREGF_TIME)
			trial_unknown(t, t->s->out.begin, "the time");
		return trial_invent(&t->by, i, trial_mix(t->by.seed[i], h->reg * 256 + h->sel),
			TYPE_U32, RANGE_SMALL);
	}
}

/* ---- live-ins -------------------------------------------------------------------------------- */

static uint64_t *
new_row(Trial *t)
{
	return arena_alloc(t->in.arena, TRIAL_LANES * sizeof(uint64_t));
}

/* Random values for a register, uniform or varying. */
static uint64_t *
invent_register(Trial *t, uint32_t sym, bool varies)
{
	uint64_t *all = new_row(t);
	Type type = (Type)t->in.m->syms[sym].type;

	t->block.salted |= varies;
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		if (i && !varies && t->by.seed[i] == t->by.seed[i - 1]) {
			all[i] = all[i - 1];
			continue;
		}
		uint64_t hash = trial_mix(t->by.seed[i], fn_local(t->s->in.fn, sym));
		all[i] = trial_invent(&t->by, i,
			varies ? trial_mix(hash, 100 + t->block.salt[i]) : hash, type, RANGE_SMALL);
	}
	return all;
}

static const uint64_t *value_of_def(Trial *t, uint32_t def, uint32_t depth);

/* Value that a statement before the loop reads. If several definitions reach it,
 * trial_initial_value() decides, if the same ones reach the loop. */
static const uint64_t *
value_of_use(Trial *t, uint32_t stmt, uint32_t sym, uint32_t depth)
{
	const Fn *fn = t->s->in.fn;
	uint32_t u = defuse_find_use(fn, stmt, sym);

	if (!u)
		return invent_register(t, sym, true);
	const uint32_t *defs = &fn->defuse->reach[fn_use(fn, u)->def], n = fn_use(fn, u)->ndef;
	return n == 1 ? value_of_def(t, *defs, depth + 1) :
			invent_register(t, sym, uniform_any(fn, defs, n));
}

static const uint64_t *
value_of_operand(Trial *t, const Trial_insn *a, const Trial_operand *x, uint32_t depth)
{
	if (x->kind == ARG_CONST)
		return x->holder->of[0].v;
	const uint64_t *of = x->kind == ARG_REG ?
		value_of_use(t, a->stmt, fn_sym(t->s->in.fn, x->reg), depth) : NULL;
	if (of && !x->flip && !x->value)
		return of;
	uint64_t *all = new_row(t);
	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		all[i] = !of     ? trial_special(t, x->holder, i) :
			!x->flip ? of[i] + x->value :
			x->type == TYPE_PRED ? !of[i] : 0 - of[i];
	return all;
}

static uint64_t *
compute_all(Trial *t, const Trial_insn *a, uint32_t which, uint32_t depth)
{
	const uint64_t *takes[MOST_ARGS] = { NULL };
	uint64_t *gives[MOST_ARGS] = { NULL };
	Lane_set all;

	lane_set_make(&all, UINT32_MAX);
	for (uint32_t k = 0; k < a->noperands; k++)
		takes[k] = value_of_operand(t, a, &a->operands[k], depth);
	for (uint32_t k = 0; k < a->nresults; k++)
		gives[k] = new_row(t);
	a->compute.handler(a, &t->by, &all, takes, gives);
	return gives[which];
}

static const uint64_t *
value_of_def(Trial *t, uint32_t def, uint32_t depth)
{
	const Fn *fn = t->s->in.fn;
	const Def *d = fn_def(fn, def);

	if (t->values.of_def[def])
		return t->values.of_def[def];
	const Trial_insn *a = d->stmt ? trial_read(&t->in, d->stmt) : NULL;
	bool computed = a && a->does == DO_COMPUTE && !a->guard && depth < DEEPEST &&
		!t->values.making[def];
	uint32_t which = 0;
	while (computed && which < a->nresults &&
		(a->results[which].kind != ARG_REG ||
			a->results[which].reg != fn_local(fn, d->sym)))
		which++;
	if (!computed || which == a->nresults) {
		uint64_t *all = invent_register(t, d->sym, bits_has(fn->uniform->def, def));
		if (!t->values.making[def])
			t->values.of_def[def] = all;
		return all;
	}
	t->values.making[def] = true;
	uint64_t *all = compute_all(t, a, which, depth);
	t->values.making[def] = false;
	return t->values.of_def[def] = all;
}

/* Returns the value of a register of the input at the loop's entry, by lane. */
static const uint64_t *
trial_initial_value(Trial *t, uint32_t sym)
{
	const Fn *fn = t->s->in.fn;
	const uint64_t **all = &t->values.of_sym[fn_local(fn, sym)];
	uint32_t entry = t->s->in.region->entry;

	if (!*all) {
		Reaching r = defuse_reaching(fn, entry, sym);
		uint32_t def = r.n == 1 ? *r.at : 0;
		*all = def && fn_def(fn, def)->stmt ?
			value_of_def(t, def, 0) :
			invent_register(t, sym, uniform_varies_at(fn, entry, sym));
	}
	return *all;
}

/* Value of an unset register. */
static uint64_t
set_undefined(const Trial *t, const Trial_text *c, uint32_t reg, uint32_t lane)
{
	uint64_t hash = trial_mix(t->by.seed[lane], 1000 + reg);

	return trial_invent(&t->by, lane, trial_mix(hash, t->block.number[lane]),
		(Type)c->m->syms[ptx_sym_at(c->f, reg)].type, RANGE_SMALL);
}

void
trial_fill(Trial *t, const Trial_warp *w, Value_holder *h)
{
	Lane_values *x = &h->of[w->which];
	const Trial_text *c = w->code;
	const uint64_t *first = NULL;

	if (h->kind == ARG_CONST) {
		trial_fill_constant(h, w->which);
		return;
	}
	if (h->kind == ARG_REG && !c->inserted)
		first = trial_initial_value(t, ptx_sym_at(c->f, h->reg));
	else if (h->kind == ARG_REG && c->regs[h->reg].kind == REG_INPUT)
		first = trial_initial_value(t, c->regs[h->reg].input_sym);
	if (first && !x->has)
		memcpy(x->v, first, sizeof x->v);
	for (uint32_t rest = first && !x->has ? 0 : t->lanes & ~x->has; rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);
		x->v[i] = first                   ? first[i] :
			h->kind == ARG_SPECIAL ? trial_special(t, h, i) :
						 set_undefined(t, c, h->reg, i);
	}
	x->has |= t->lanes;
}
