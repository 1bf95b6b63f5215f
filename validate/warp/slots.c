/* SPDX-License-Identifier: MIT */
/* Shared memory: the row and slot of an access.
 *
 * An address is the sum of the warp's part of the buffer, a row's offset, and a slot times the
 * width. There are five forms of slots, each of which gives every participating lane its own: above
 * the waiting tasks, ranked by the votes for the path; below the top, ranked by the votes against
 * it; the last ones, ranked in the group, clamped at 0 or not; and the first ones, ranked in the
 * group.
 */
#include "validate/warp/warp.h"

static Term_id
special_register(Terms *terms, Sreg r, uint8_t sel)
{
	return term_make(terms, TERM_SPECIAL, r, sel, 0);
}

/* Number of lanes of a set below this one. */
static Term_id
rank_in_set(Terms *t, Term_id set)
{
	return term_make(
		t, TERM_POPC, term_and(t, set, special_register(t, SREG_LANEMASK_LT, 0)), 0, 0);
}

static Term_id
mask_term(Loop_check *s)
{
	return term_make(&s->terms, TERM_MASK, s->group.activemask, 0, 0);
}

/* Whether a - b is a constant, which is stored to *c. */
static bool
terms_differ_by(Terms *terms, Term_id a, Term_id b, uint32_t *c)
{
	return term_is_const(terms, term_sum(terms, a, b, UINT32_MAX), c);
}

static Term_id
last_slots(Loop_check *s, const Lane_state *l, Term_id top, bool literal)
{
	Terms *t = &s->terms;
	Term_id size = literal ? term_const(t, 32) : term_make(t, TERM_POPC, mask_term(s), 0, 0);
	Term_id slot = term_sum(t, top, term_popc(t, l->round.votes), 1);

	return term_sum(
		t, term_sum(t, slot, size, UINT32_MAX), rank_in_set(&s->terms, mask_term(s)), 1);
}

/* Number of tasks left when as many as there are lanes are taken; 0 if there are too few. */
static Term_id
remaining_slots(Loop_check *s, const Lane_state *l, Term_id top, bool literal)
{
	Terms *t = &s->terms;
	Term_id size = literal ? term_const(t, 32) : term_make(t, TERM_POPC, mask_term(s), 0, 0);
	Term_id all = term_sum(t, top, term_popc(t, l->round.votes), 1);

	return term_make(t, TERM_MAX, term_sum(t, all, size, UINT32_MAX), term_const(t, 0), 0);
}

/* The last slots, clamped at 0: computed from the counter of remaining tasks. */
static bool
find_least(Loop_check *s, const Lane_state *l, Term_id at, uint32_t w, Row_slot *p)
{
	Terms *t = &s->terms;
	const Term x = *term_at(t, at);

	for (uint32_t i = 0; x.op == TERM_SUM && i < x.n; i++) {
		Term_atom k = t->atoms.at[x.first + i];
		const Term most = *term_at(t, k.atom);
		if (most.op != TERM_MAX || k.factor != w || !l->round.votes)
			continue;
		for (uint32_t c = 0; c < s->emitted.n; c++)
			for (uint32_t j = 0; j <= l->group.full; j++) {
				Term_id top = term_make(t, TERM_BEFORE, c, 0, 0);
				if (remaining_slots(s, l, top, j) != k.atom)
					continue;
				p->base = c + 1;
				p->form = SLOT_LEAST;
				return terms_differ_by(&s->terms, at,
					term_sum(t, term_const(t, 0),
						term_sum(t, k.atom,
							rank_in_set(&s->terms, mask_term(s)), 1),
						w),
					&p->at);
			}
	}
	return false;
}

/* Finds the form of a slot of width w at an offset in the warp's part. */
static bool
find_form(Loop_check *s, const Lane_state *l, Term_id at, uint32_t w, Row_slot *p)
{
	Terms *t = &s->terms;
	Term_id all[2] = { mask_term(s), term_const(t, UINT32_MAX) }, nothing = term_const(t, 0);
	const Term x = *term_at(t, at);

	p->form = SLOT_FIRST;
	if (terms_differ_by(&s->terms, at,
		    term_sum(t, nothing, rank_in_set(&s->terms, mask_term(s)), w), &p->at))
		return true;
	for (uint32_t i = 0; x.op == TERM_SUM && i < x.n; i++) {
		Term_atom k = t->atoms.at[x.first + i];
		if (term_at(t, k.atom)->op != TERM_BEFORE || k.factor != w || !l->round.votes)
			continue;
		p->base = term_at(t, k.atom)->a + 1;
		p->form = SLOT_ON_TOP;
		if (terms_differ_by(&s->terms, at,
			    term_sum(t, nothing,
				    term_sum(t, k.atom, rank_in_set(&s->terms, l->round.votes), 1),
				    w),
			    &p->at))
			return true;
		for (uint32_t j = 0; j <= l->group.full; j++) {
			Term_id idle = rank_in_set(
				&s->terms, term_make(t, TERM_XOR, l->round.votes, all[j], 0));
			p->form = SLOT_BELOW_TOP;
			if (terms_differ_by(&s->terms, at,
				    term_sum(t, nothing, term_sum(t, k.atom, idle, UINT32_MAX), w),
				    &p->at)) {
				p->at += w;
				return true;
			}
			p->form = SLOT_LAST;
			if (terms_differ_by(&s->terms, at,
				    term_sum(t, nothing, last_slots(s, l, k.atom, j), w), &p->at))
				return true;
		}
	}
	return find_least(s, l, at, w, p);
}

/* Finds the place of an address. Returns false on a fault. */
static bool
find_place(Loop_check *s, const Lane_state *l, uint32_t stmt, Term_id a, Row_slot *p)
{
	a = buffer_offset_at(s, stmt, a);
	*p = (Row_slot){ 0 };
	return a && (find_form(s, l, a, output_stmt(&s->out, stmt)->access.width, p) ||
		loop_check_fault(s, stmt, "a slot that does not follow from the votes"));
}

/* Finds the place of an access whose address is operand k, by a cache. Returns false on a fault. */
static bool
access_place(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k, Row_slot *p)
{
	const Output_stmt *step = output_stmt(&s->out, stmt);
	Term_id a = buffer_address(s, l, stmt, k);
	const Known_place *q = s->buffer.places;
	uint32_t i = 0;

	if (!a)
		return false;
	while (i < MAX_PLACED &&
		(q[i].base != a || q[i].votes != l->round.votes || q[i].full != l->group.full ||
			q[i].width != step->access.width))
		i++;
	if (i == MAX_PLACED) {
		if (!find_place(s, l, stmt, a, p))
			return false;
		i = s->buffer.nplaces++ % MAX_PLACED;
		s->buffer.places[i] =
			(Known_place){ a, l->round.votes, l->group.full, step->access.width, *p };
	}
	*p = q[i].at;
	p->at += step->access.offset;
	return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool
store_value(Loop_check *s, Lane_state *l, uint32_t stmt, Buffer_row r, Term_id value)
{
	const Term x = *term_at(&s->terms, value);
	uint64_t *wants = &s->observed.vote_subjects[l->round.vote_subject - 1];
	bool owner = x.op == TERM_SPECIAL && x.a == SREG_LANEID && *wants;

	if (!owner && (x.op != TERM_VALUE || (x.a & 3) != TERM_OWN))
		return loop_check_fault(s, stmt, "the pushed value is not the one that the path reads");
	uint32_t task = owner ? (uint32_t)__builtin_ctzll(*wants) : x.a >> 2;
	if (!(*wants >> task & 1))
		return loop_check_fault(s, stmt, "another task is pushed than was voted on");
	*wants = UINT64_C(1) << task;
	r.path = task_path(&s->paths, task);
	r.sym = owner ? OWNER : x.b;
	r.sel = owner ? 0 : (uint8_t)x.c;
	r.pushed = true;
	l->segment.effects |= DID_PUSH(r.path);
	const Buffer_row *k = buffer_row(&s->buffer, r);
	if (!k)
		return loop_check_fault(s, stmt, "a row of the buffer holds two values");
	if (k - s->buffer.rows.at > 63)
		return loop_check_unknown(s, stmt, "too many rows");
	l->round.rows_pushed |= UINT64_C(1) << (k - s->buffer.rows.at);
	return true;
}

/* Packed predicates: selected bits joined by `or`. */
static bool
store_bits(Loop_check *s, Lane_state *l, uint32_t stmt, Buffer_row r, Term_id value)
{
	const Term x = *term_at(&s->terms, value);
	uint32_t v;

	if (x.op == TERM_SPECIAL)
		return store_value(s, l, stmt, r, value);
	if (x.op == TERM_OR)
		return store_bits(s, l, stmt, r, x.a) && store_bits(s, l, stmt, r, x.b);
	if (x.op != TERM_SELECT || !term_is_const(&s->terms, x.a, &v) || v == 0 || (v & (v - 1)))
		return loop_check_fault(s, stmt, "the pushed value is not the one that the path reads");
	r.bit = (uint8_t)(1 + __builtin_ctz(v));
	return store_value(s, l, stmt, r, x.b);
}

bool
buffer_store(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Opnd *v = output_operand(&s->out, stmt, 1);
	uint32_t w = output_stmt(&s->out, stmt)->access.width;
	Row_slot p;

	if (v->kind != OPND_SYM)
		return loop_check_fault(s, stmt, "the pushed value is not the one that the path reads");
	if (!access_place(s, l, stmt, 0, &p))
		return false;
	if (p.form != SLOT_ON_TOP || !l->round.some_wanted ||
		(l->round.slot_base && l->round.slot_base != p.base))
		return loop_check_fault(s, stmt, "a push to a slot that is not the lane's own");
	l->round.slot_base = p.base;
	for (uint32_t i = 0; i < s->buffer.rows.n && i < 64; i++)
		if (s->buffer.rows.at[i].at == p.at)
			l->round.rows_pushed &= ~(UINT64_C(1) << i);
	Buffer_row r = { .at = p.at, .size = w };
	const Output_reg *k = output_reg(&s->out, v->sym);
	if (k->kind == REG_EMITTED)
		return store_bits(s, l, stmt, r, l->env[k->index]);
	uint64_t tasks = k->kind == REG_COPY && reg_path(&s->paths, k) ?
		UINT64_C(1) << reg_task(&s->paths, k) :
		tasks_voted_for(&s->observed, l->round.vote_subject);
	Term_id value =
		tasks ? task_value(s, l, v->sym, (uint32_t)__builtin_ctzll(tasks)) : 0;
	return value ? store_value(s, l, stmt, r, value) :
		       loop_check_fault(s, stmt, "the pushed value is not the one that the path reads");
}

/* Pops a value of the task. */
static bool
load_value(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t at)
{
	Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym);
	uint32_t q = reg_path(&s->paths, r);
	Term_id *room = reg_env_slot_grow(s, l, r);
	Buffer_row row = { .at = at,
		.size = output_stmt(&s->out, stmt)->access.width,
		.path = q - 1,
		.sym = r->input_sym,
		.sel = r->sel,
		.popped = true };

	if (q && !room)
		return loop_check_unknown(s, stmt, "too many values");
	if (!q || r->batch_index)
		return loop_check_fault(s, stmt, "a pop into a register that is not the path's");
	l->segment.effects |= DID_POP(q - 1);
	*room = term_make(&s->terms, TERM_VALUE, (q - 1) << 2 | TERM_POPPED, r->input_sym, r->sel);
	return buffer_row(&s->buffer, row) || loop_check_fault(s, stmt, "a row of the buffer holds two values");
}

bool
buffer_load(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym);
	Row_slot p;

	if (!access_place(s, l, stmt, 1, &p))
		return false;
	if (p.form == SLOT_ON_TOP || (l->round.slot && l->round.slot != p.form) ||
		(p.base && l->round.slot_base && l->round.slot_base != p.base))
		return loop_check_fault(s, stmt, "a pop from a slot where no task of the lane's is");
	l->round.slot = (uint8_t)p.form;
	l->round.slot_base = p.base ? p.base : l->round.slot_base;
	if (r->kind != REG_EMITTED)
		return load_value(s, l, stmt, p.at);
	lane_set_register(l, r->index,
		term_make(&s->terms, TERM_WORD, p.at, output_stmt(&s->out, stmt)->access.width, 0));
	l->segment.effects |=
		paths_of_tasks(&s->paths, tasks_voted_for(&s->observed, l->round.vote_subject));
	return true;
}
