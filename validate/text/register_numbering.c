/* SPDX-License-Identifier: MIT */
/* Classifies and numbers the registers of an inserted text: machine registers, and copies of the
 * input's. */
#include <string.h>
#include "validate/text/text.h"

static void put(uint64_t *set, uint32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

typedef struct { Site *s; } Scan;

static bool
add_machine(Scan *c, uint32_t sym)
{
	Site *s = c->s;
	Reg *r = site_reg(s, sym);

	if (r->index != UINT32_MAX)
		return true;
	if (s->nmachine == MOST_MACHINE)
		return site_unknown(s, s->begin, "too many registers");
	r->index = s->nmachine;
	s->machine[s->nmachine++] = sym;
	return true;
}

static void
add_copy(Scan *c, uint32_t sym)
{
	Site *s = c->s;
	Reg *r = site_reg(s, sym);

	if (r->index == UINT32_MAX) {
		r->index = 0;
		if (r->kind == REG_COPY && r->part <= s->nparts && fn_is_reg(s->fn, r->in))
			bits_set(s->copied[r->part], fn_local(s->fn, r->in));
		s->copies[s->ncopies++] = sym;
		if (r->kind == REG_AGAIN)
			s->agains[s->nagains++] = sym;
	}
}

static void
add_turned(Site *s, uint32_t in)
{
	uint32_t *k = &s->turned[fn_local(s->fn, in)];

	if (*k)
		return;
	s->turned_syms[s->nturned] = in;
	*k = ++s->nturned;
}

static bool
scan_stmt(Scan *c, uint32_t stmt)
{
	Site *s = c->s;
	Step *k = step_at(s, stmt);

	if (k->op == OP_ACTIVEMASK)
		s->mask = stmt;
	s->counts_votes |= k->vote == VOTE_BALLOT || k->op == OP_REDUX;
	if (k->like != stmt) {
		const Step *first = step_like(s, stmt);
		memcpy(k->reads, first->reads, sizeof k->reads);
		memcpy(k->writes, first->writes, sizeof k->writes);
		memcpy(k->machine, first->machine, sizeof k->machine);
		return true;
	}
	STEP_REFS(s, stmt, r) {
		if (r->reg->kind == REG_COPY || r->reg->kind == REG_AGAIN)
			add_copy(c, r->sym);
		if (r->reg->kind == REG_TURN)
			add_turned(s, r->reg->in);
		if (r->reg->kind != REG_MACHINE)
			continue;
		if (!add_machine(c, r->sym))
			return false;
		put(r->written ? k->writes : k->reads, r->reg->index);
	}
	for (uint32_t i = 0; k->own && i < s->out->stmts[stmt].nopnd && i < 4; i++) {
		const Opnd *o = step_operand(s, stmt, i);
		const Reg *r = o->kind == OPND_SYM ? site_reg(s, o->sym) : s->none;
		if (r->kind == REG_MACHINE)
			k->machine[i] = (uint8_t)(r->index + 1);
	}
	for (uint32_t i = 0; i < 2; i++) {
		s->counts[i] |= k->reads[i] & k->writes[i];
		s->asked[i] |= k->vote == VOTE_ANY ? k->reads[i] & ~k->writes[i] : 0;
	}
	return true;
}

/* Numbers the copies of live-ins of paths. Other task registers are numbered when lanes set them.
 * With look-ahead there are none. */
static void
number_saved(Site *s)
{
	for (uint32_t i = 0; i < s->ncopies && !s->ahead; i++) {
		Reg *r = site_reg(s, s->copies[i]);
		uint32_t q = path_of_reg(s, r);
		for (uint32_t k = 0; q && k < s->paths[q - 1].ninputs; k++)
			if (s->paths[q - 1].inputs[k] == r->in && !r->index &&
				s->nsaved < MOST_SAVED) {
				s->saved[s->nsaved] = r;
				r->index = ++s->nsaved;
			}
	}
	s->room = s->nsaved + SAVED_LATER < MOST_SAVED ? s->nsaved + SAVED_LATER : MOST_SAVED;
}

/* By path, finds the copies of its live-ins. */
static void
find_copies(Site *s)
{
	for (uint32_t i = 0; i < s->npaths; i++)
		s->paths[i].copies = arena_array(
			s->arena, s->paths[i].ninputs + 1, sizeof *s->paths[i].copies);
	for (uint32_t i = 0; i < s->ncopies; i++) {
		const Reg *r = site_reg(s, s->copies[i]);
		const Path *p = path_of_reg(s, r) ? &s->paths[path_of_reg(s, r) - 1] : NULL;
		for (uint32_t k = 0; p && k < p->ninputs; k++)
			if (p->inputs[k] == r->in && p->sels[k] == r->sel && !r->turn &&
				!p->copies[k])
				p->copies[k] = s->copies[i];
	}
}

/* Numbers the counters: machine registers that are live at labels and computed from themselves. */
static void
number_counters(Site *s)
{
	s->level = arena_array(s->arena, s->nmachine + 1, 1);
	s->counters = arena_array(s->arena, s->nmachine + 1, sizeof *s->counters);
	for (uint32_t i = 0; i < s->nmachine; i++) {
		if (!((s->kept[i >> 6] & s->counts[i >> 6]) >> (i & 63) & 1))
			continue;
		s->counters[s->ncounters++] = i;
		if (!s->bound && s->out->syms[s->machine[i]].type != TYPE_PRED)
			s->level[i] = (uint8_t)++s->nlevels;
	}
}

/* Computes the size of a lane's state. */
static void
size_lane(Site *s)
{
	s->nenv = s->nmachine + s->room;
	uint32_t n = s->nenv + s->nlevels + s->nturned + (s->turns > 1 ? s->npaths : 0);
	n += s->ahead ? 2 * s->ahead->n : 0;
	s->lane_size = sizeof(Lane) + (n + 1) / 2 * 2 * sizeof(Term_id);
}

void
names_widen(Site *s)
{
	s->room = 4 * s->room < MOST_SAVED ? 4 * s->room : MOST_SAVED;
	s->narrow = false;
	size_lane(s);
}

bool
names_init(Site *s, May_begin *may_begin)
{
	Scan c = { .s = s };
	uint32_t cap = 0;

	s->machine = arena_array(s->arena, MOST_MACHINE, sizeof *s->machine);
	for (uint32_t i = 0; i < s->refs.n; i++) {
		Reg *r = s->refs.at[i].reg;
		if (r->kind == REG_MACHINE || r->kind == REG_COPY || r->kind == REG_AGAIN) {
			cap += r->index != UINT32_MAX;
			r->index = UINT32_MAX;
		}
	}
	s->copies = arena_array(s->arena, cap + 1, sizeof *s->copies);
	s->agains = arena_array(s->arena, cap + 1, sizeof *s->agains);
	s->saved = arena_array(s->arena, MOST_SAVED, sizeof *s->saved);
	s->copied = arena_array(s->arena, s->nparts + 1, sizeof *s->copied);
	s->turned = arena_array(s->arena, s->fn->f->nsym + 1, sizeof *s->turned);
	s->turned_syms = arena_array(s->arena, s->fn->f->nsym + 1, sizeof *s->turned_syms);
	s->turned_live = arena_array(s->arena, s->fn->f->nstmt + 1, sizeof *s->turned_live);
	for (uint32_t i = 1; i <= s->nparts; i++)
		s->copied[i] = bits_new(s->arena, s->fn->f->nsym);
	for (uint32_t i = s->begin; i < s->end; i++)
		if (!scan_stmt(&c, i))
			return false;
	s->before = arena_array(s->arena, s->nmachine + 1, sizeof *s->before);
	for (uint32_t i = 0; i < s->nmachine; i++)
		s->before[i] = term_make(&s->terms, TERM_BEFORE, i, 0, 0);
	flow_init(s, may_begin);
	number_saved(s);
	find_copies(s);
	s->wants = arena_array(s->arena, s->nmachine + s->nheads + 1, sizeof *s->wants);
	number_counters(s);
	size_lane(s);
	return true;
}
