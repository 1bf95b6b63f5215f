/* SPDX-License-Identifier: MIT */
/* Classifies and numbers the registers of an inserted text: machine registers, and copies of the
 * input's. */
#include <string.h>
#include "validate/text/text.h"

static void put(uint64_t *set, uint32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

typedef struct { Loop_check *s; } Name_scan;

static bool
add_emitted_register(Name_scan *c, uint32_t sym)
{
	Loop_check *s = c->s;
	Output_reg *r = output_reg(s, sym);

	if (r->index != UINT32_MAX)
		return true;
	if (s->nemitted_registers == MAX_EMITTED_REGISTERS)
		return loop_check_unknown(s, s->begin, "too many registers");
	r->index = s->nemitted_registers;
	s->emitted_registers[s->nemitted_registers++] = sym;
	return true;
}

static void
add_copy(Name_scan *c, uint32_t sym)
{
	Loop_check *s = c->s;
	Output_reg *r = output_reg(s, sym);

	if (r->index == UINT32_MAX) {
		r->index = 0;
		if (r->kind == REG_COPY && r->region <= s->nregions &&
			fn_is_reg(s->fn, r->input_sym))
			bits_set(s->copied[r->region], fn_local(s->fn, r->input_sym));
		s->copies[s->ncopies++] = sym;
		if (r->kind == REG_UNIFORM)
			s->uniform_copies[s->nuniform_copies++] = sym;
	}
}

static void
add_batch_register(Loop_check *s, uint32_t in)
{
	uint32_t *k = &s->batch_registers[fn_local(s->fn, in)];

	if (*k)
		return;
	s->batch_syms[s->nbatch_registers] = in;
	*k = ++s->nbatch_registers;
}

static bool
scan_stmt(Name_scan *c, uint32_t stmt)
{
	Loop_check *s = c->s;
	Output_stmt *k = output_stmt(s, stmt);

	if (k->op == OP_ACTIVEMASK)
		s->mask = stmt;
	s->counts_votes |= k->vote == VOTE_BALLOT || k->op == OP_REDUX;
	if (k->first_identical != stmt) {
		const Output_stmt *first = first_identical_stmt(s, stmt);
		memcpy(k->reads, first->reads, sizeof k->reads);
		memcpy(k->writes, first->writes, sizeof k->writes);
		memcpy(k->machine, first->machine, sizeof k->machine);
		return true;
	}
	STEP_REFS(s, stmt, r) {
		if (r->reg->kind == REG_COPY || r->reg->kind == REG_UNIFORM)
			add_copy(c, r->sym);
		if (r->reg->kind == REG_BATCH)
			add_batch_register(s, r->reg->input_sym);
		if (r->reg->kind != REG_EMITTED)
			continue;
		if (!add_emitted_register(c, r->sym))
			return false;
		put(r->written ? k->writes : k->reads, r->reg->index);
	}
	for (uint32_t i = 0; k->writes_own && i < s->out->stmts[stmt].nopnd && i < 4; i++) {
		const Opnd *o = output_operand(s, stmt, i);
		const Output_reg *r = o->kind == OPND_SYM ? output_reg(s, o->sym) : s->none;
		if (r->kind == REG_EMITTED)
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
number_saved(Loop_check *s)
{
	for (uint32_t i = 0; i < s->ncopies && !s->lookahead; i++) {
		Output_reg *r = output_reg(s, s->copies[i]);
		uint32_t q = reg_path(s, r);
		for (uint32_t k = 0; q && k < s->paths[q - 1].ninputs; k++)
			if (s->paths[q - 1].inputs[k] == r->input_sym && !r->index &&
				s->nsaved < MAX_SAVED) {
				s->saved[s->nsaved] = r;
				r->index = ++s->nsaved;
			}
	}
	s->saved_room = s->nsaved + SAVED_LATER < MAX_SAVED ? s->nsaved + SAVED_LATER : MAX_SAVED;
}

/* By path, finds the copies of its live-ins. */
static void
find_copies(Loop_check *s)
{
	for (uint32_t i = 0; i < s->npaths; i++)
		s->paths[i].copies = arena_array(
			s->arena, s->paths[i].ninputs + 1, sizeof *s->paths[i].copies);
	for (uint32_t i = 0; i < s->ncopies; i++) {
		const Output_reg *r = output_reg(s, s->copies[i]);
		const Input_path *p = reg_path(s, r) ? &s->paths[reg_path(s, r) - 1] : NULL;
		for (uint32_t k = 0; p && k < p->ninputs; k++)
			if (p->inputs[k] == r->input_sym && p->sels[k] == r->sel &&
				!r->batch_index && !p->copies[k])
				p->copies[k] = s->copies[i];
	}
}

/* Numbers the counters: machine registers that are live at labels and computed from themselves. */
static void
number_counters(Loop_check *s)
{
	s->level = arena_array(s->arena, s->nemitted_registers + 1, 1);
	s->counters = arena_array(s->arena, s->nemitted_registers + 1, sizeof *s->counters);
	for (uint32_t i = 0; i < s->nemitted_registers; i++) {
		if (!((s->live_across_labels[i >> 6] & s->counts[i >> 6]) >> (i & 63) & 1))
			continue;
		s->counters[s->ncounters++] = i;
		if (!s->nothing_collected &&
			s->out->syms[s->emitted_registers[i]].type != TYPE_PRED)
			s->level[i] = (uint8_t)++s->nlevels;
	}
}

/* Computes the size of a lane's state. */
static void
size_lane(Loop_check *s)
{
	s->nenv = s->nemitted_registers + s->saved_room;
	uint32_t n = s->nenv + s->nlevels + s->nbatch_registers + (s->batch > 1 ? s->npaths : 0);
	n += s->lookahead ? 2 * s->lookahead->n : 0;
	s->lane_size = sizeof(Lane_state) + (n + 1) / 2 * 2 * sizeof(Term_id);
}

void
lane_state_grow(Loop_check *s)
{
	s->saved_room = 4 * s->saved_room < MAX_SAVED ? 4 * s->saved_room : MAX_SAVED;
	s->out_of_room = false;
	size_lane(s);
}

bool
output_regs_init(Loop_check *s, May_begin *may_begin)
{
	Name_scan c = { .s = s };
	uint32_t cap = 0;

	s->emitted_registers =
		arena_array(s->arena, MAX_EMITTED_REGISTERS, sizeof *s->emitted_registers);
	for (uint32_t i = 0; i < s->stmt_refs.n; i++) {
		Output_reg *r = s->stmt_refs.at[i].reg;
		if (r->kind == REG_EMITTED || r->kind == REG_COPY || r->kind == REG_UNIFORM) {
			cap += r->index != UINT32_MAX;
			r->index = UINT32_MAX;
		}
	}
	s->copies = arena_array(s->arena, cap + 1, sizeof *s->copies);
	s->uniform_copies = arena_array(s->arena, cap + 1, sizeof *s->uniform_copies);
	s->saved = arena_array(s->arena, MAX_SAVED, sizeof *s->saved);
	s->copied = arena_array(s->arena, s->nregions + 1, sizeof *s->copied);
	s->batch_registers = arena_array(s->arena, s->fn->f->nsym + 1, sizeof *s->batch_registers);
	s->batch_syms = arena_array(s->arena, s->fn->f->nsym + 1, sizeof *s->batch_syms);
	s->batch_live = arena_array(s->arena, s->fn->f->nstmt + 1, sizeof *s->batch_live);
	for (uint32_t i = 1; i <= s->nregions; i++)
		s->copied[i] = bits_new(s->arena, s->fn->f->nsym);
	for (uint32_t i = s->begin; i < s->end; i++)
		if (!scan_stmt(&c, i))
			return false;
	s->before = arena_array(s->arena, s->nemitted_registers + 1, sizeof *s->before);
	for (uint32_t i = 0; i < s->nemitted_registers; i++)
		s->before[i] = term_make(&s->terms, TERM_BEFORE, i, 0, 0);
	output_flow_init(s, may_begin);
	number_saved(s);
	find_copies(s);
	s->vote_subjects = arena_array(
		s->arena, s->nemitted_registers + s->npop_labels + 1, sizeof *s->vote_subjects);
	number_counters(s);
	size_lane(s);
	return true;
}
