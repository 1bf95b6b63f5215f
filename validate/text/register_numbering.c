/* SPDX-License-Identifier: MIT */
/* Classifies and numbers the registers of an inserted text: machine registers, and copies of the
 * input's. */
#include <string.h>
#include "validate/text/text.h"

static void bitset_add(uint64_t *set, uint32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

typedef struct { Loop_check *s; } Name_scan;

static bool
add_emitted_register(Name_scan *c, uint32_t sym)
{
	Loop_check *s = c->s;
	Output_reg *r = output_reg(&s->out, sym);

	if (r->index != UINT32_MAX)
		return true;
	if (s->emitted.n == MAX_EMITTED_REGISTERS)
		return loop_check_unknown(s, s->out.begin, "too many registers");
	r->index = s->emitted.n;
	s->emitted.syms[s->emitted.n++] = sym;
	return true;
}

static void
add_copy(Name_scan *c, uint32_t sym)
{
	Loop_check *s = c->s;
	Output_reg *r = output_reg(&s->out, sym);

	if (r->index == UINT32_MAX) {
		r->index = 0;
		if (r->kind == REG_COPY && r->region <= s->paths.n &&
			fn_is_reg(s->in.fn, r->input_sym))
			bits_set(s->copies.of_task[r->region], fn_local(s->in.fn, r->input_sym));
		s->copies.syms[s->copies.n++] = sym;
		if (r->kind == REG_UNIFORM)
			s->copies.uniform[s->copies.nuniform++] = sym;
	}
}

static void
add_batch_register(Loop_check *s, uint32_t in)
{
	uint32_t *k = &s->batch.number[fn_local(s->in.fn, in)];

	if (*k)
		return;
	s->batch.syms[s->batch.nregs] = in;
	*k = ++s->batch.nregs;
}

bool
stmt_gathers_warp(const Module *m, uint32_t stmt)
{
	const Stmt *s = &m->stmts[stmt];
	uint64_t mask;

	if (s->kind != STMT_INSN || ptx_op(m, s) != OP_BAR_WARP || s->guard ||
		stmt + 1 == m->nstmts || s[1].kind != STMT_INSN ||
		ptx_op(m, s + 1) != OP_ACTIVEMASK)
		return false;
	const Opnd *o = &m->opnds[ptx_operand(m, s, 0)];
	return o->kind == OPND_IMM && ptx_imm_sized(m, o, 4, &mask) &&
		(uint32_t)mask == UINT32_MAX;
}

static bool
scan_stmt(Name_scan *c, uint32_t stmt)
{
	Loop_check *s = c->s;
	Output_stmt *k = output_stmt(&s->out, stmt);

	if (k->op == OP_ACTIVEMASK)
		s->group.activemask = stmt;
	s->out.counts_votes |= k->vote == VOTE_BALLOT || k->op == OP_REDUX;
	if (k->first_identical != stmt) {
		const Output_stmt *first = first_identical_stmt(&s->out, stmt);
		memcpy(k->regs.reads, first->regs.reads, sizeof k->regs.reads);
		memcpy(k->regs.writes, first->regs.writes, sizeof k->regs.writes);
		memcpy(k->machine, first->machine, sizeof k->machine);
		return true;
	}
	STMT_REFS(&s->out, stmt, r) {
		if (r->reg->kind == REG_COPY || r->reg->kind == REG_UNIFORM)
			add_copy(c, r->sym);
		if (r->reg->kind == REG_BATCH)
			add_batch_register(s, r->reg->input_sym);
		if (r->reg->kind != REG_EMITTED)
			continue;
		if (!add_emitted_register(c, r->sym))
			return false;
		bitset_add(r->written ? k->regs.writes : k->regs.reads, r->reg->index);
	}
	for (uint32_t i = 0; k->writes_emitted && i < s->out.m->stmts[stmt].nopnd && i < 4; i++) {
		const Opnd *o = output_operand(&s->out, stmt, i);
		const Output_reg *r = output_reg(&s->out, o->kind == OPND_SYM ? o->sym : 0);
		if (r->kind == REG_EMITTED)
			k->machine[i] = (uint8_t)(r->index + 1);
	}
	for (uint32_t i = 0; i < 2; i++) {
		s->emitted.self_updated[i] |= k->regs.reads[i] & k->regs.writes[i];
		s->emitted.any_operands[i] |=
			k->vote == VOTE_ANY ? k->regs.reads[i] & ~k->regs.writes[i] : 0;
	}
	return true;
}

/* Numbers the copies of live-ins of paths. Other task registers are numbered when lanes set them.
 * With look-ahead there are none. */
static void
number_saved(Loop_check *s)
{
	for (uint32_t i = 0; i < s->copies.n && !s->lookahead; i++) {
		Output_reg *r = output_reg(&s->out, s->copies.syms[i]);
		uint32_t q = reg_path(&s->paths, r);
		for (uint32_t k = 0; q && k < s->paths.at[q - 1].ninputs; k++)
			if (s->paths.at[q - 1].inputs[k] == r->input_sym && !r->index &&
				s->layout.nsaved < MAX_SAVED) {
				s->layout.saved[s->layout.nsaved] = r;
				r->index = ++s->layout.nsaved;
			}
	}
	uint32_t room = s->layout.nsaved + SAVED_LATER;
	s->layout.saved_room = room < MAX_SAVED ? room : MAX_SAVED;
}

/* By path, finds the copies of its live-ins. */
static void
find_copies(Loop_check *s)
{
	for (uint32_t i = 0; i < s->paths.n; i++)
		s->paths.at[i].copies = arena_array(
			s->arena, s->paths.at[i].ninputs + 1, sizeof *s->paths.at[i].copies);
	for (uint32_t i = 0; i < s->copies.n; i++) {
		const Output_reg *r = output_reg(&s->out, s->copies.syms[i]);
		uint32_t q = reg_path(&s->paths, r);
		const Input_path *p = q ? &s->paths.at[q - 1] : NULL;
		for (uint32_t k = 0; p && k < p->ninputs; k++)
			if (p->inputs[k] == r->input_sym && p->sels[k] == r->sel &&
				!r->batch_index && !p->copies[k])
				p->copies[k] = s->copies.syms[i];
	}
}

/* Numbers the counters: machine registers that are live at labels and computed from themselves. */
static void
number_counters(Loop_check *s)
{
	s->emitted.level = arena_array(s->arena, s->emitted.n + 1, 1);
	s->emitted.counters = arena_array(s->arena, s->emitted.n + 1, sizeof *s->emitted.counters);
	for (uint32_t i = 0; i < s->emitted.n; i++) {
		uint64_t set =
			s->emitted.live_across_labels[i >> 6] & s->emitted.self_updated[i >> 6];
		if (!(set >> (i & 63) & 1))
			continue;
		s->emitted.counters[s->emitted.ncounters++] = i;
		if (s->paths.n &&
			s->out.m->syms[s->emitted.syms[i]].type != TYPE_PRED)
			s->emitted.level[i] = (uint8_t)++s->emitted.nlevels;
	}
}

/* Computes the size of a lane's state. */
static void
size_lane(Loop_check *s)
{
	s->layout.nenv = s->emitted.n + s->layout.saved_room;
	uint32_t n = s->layout.nenv + s->emitted.nlevels + s->batch.nregs +
		(s->batch.n > 1 ? s->paths.n : 0);
	n += s->lookahead ? 2 * s->lookahead->n : 0;
	s->layout.size = sizeof(Lane_state) + (n + 1) / 2 * 2 * sizeof(Term_id);
}

void
lane_state_grow(Loop_check *s)
{
	uint32_t room = 4 * s->layout.saved_room;

	s->layout.saved_room = room < MAX_SAVED ? room : MAX_SAVED;
	s->layout.out_of_room = false;
	size_lane(s);
}

bool
output_regs_init(Loop_check *s, May_begin *may_begin)
{
	Name_scan c = { .s = s };
	uint32_t cap = 0;

	s->emitted.syms =
		arena_array(s->arena, MAX_EMITTED_REGISTERS, sizeof *s->emitted.syms);
	for (uint32_t i = 0; i < s->out.refs.n; i++) {
		Output_reg *r = s->out.refs.at[i].reg;
		if (r->kind == REG_EMITTED || r->kind == REG_COPY || r->kind == REG_UNIFORM) {
			cap += r->index != UINT32_MAX;
			r->index = UINT32_MAX;
		}
	}
	s->copies.syms = arena_array(s->arena, cap + 1, sizeof *s->copies.syms);
	s->copies.uniform = arena_array(s->arena, cap + 1, sizeof *s->copies.uniform);
	s->layout.saved = arena_array(s->arena, MAX_SAVED, sizeof *s->layout.saved);
	s->copies.of_task = arena_array(s->arena, s->paths.n + 1, sizeof *s->copies.of_task);
	s->batch.number = arena_array(s->arena, s->in.fn->f->nsym + 1, sizeof *s->batch.number);
	s->batch.syms = arena_array(s->arena, s->in.fn->f->nsym + 1, sizeof *s->batch.syms);
	s->batch.live = arena_array(s->arena, s->in.fn->f->nstmt + 1, sizeof *s->batch.live);
	for (uint32_t i = 1; i <= s->paths.n; i++)
		s->copies.of_task[i] = bits_new(s->arena, s->in.fn->f->nsym);
	for (uint32_t i = s->out.begin; i < s->out.end; i++)
		if (!scan_stmt(&c, i))
			return false;
	s->emitted.before = arena_array(s->arena, s->emitted.n + 1, sizeof *s->emitted.before);
	for (uint32_t i = 0; i < s->emitted.n; i++)
		s->emitted.before[i] = term_make(&s->terms, TERM_BEFORE, i, 0, 0);
	output_flow_init(s, may_begin);
	number_saved(s);
	find_copies(s);
	s->observed.vote_subjects = arena_array(s->arena, s->emitted.n + s->batch.npop_labels + 1,
		sizeof *s->observed.vote_subjects);
	number_counters(s);
	size_lane(s);
	return true;
}
