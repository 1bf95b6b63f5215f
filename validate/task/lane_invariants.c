/* SPDX-License-Identifier: MIT */
/* Lane invariants: values that lanes store once, for all lanes that run their tasks.
 *
 * A register of the input that nothing in the annotated region writes is the same in all iterations
 * of a lane. Each lane stores it to the slot of its lane number, before it wants a path, where the
 * group has not diverged. So the slot of a task's owner holds what the path reads: the lane's own
 * slot for a pending task, or the slot of the lane number popped with the task. A barrier separates
 * the stores from the loads (barrier_order.c).
 */
#include "validate/task/task.h"

/* Lane number of the slot that the address denotes, as a term; 0 if it is none, which is no fault.
 * at: set to the row. */
static Term_id
slot_lane(Loop_check *s, uint32_t stmt, Term_id rest, uint32_t *at)
{
	const Term t = *term_at(&s->terms, rest);
	Term_atom a = t.op == TERM_SUM && t.n == 1 ? s->terms.atoms.at[t.first] : (Term_atom){ 0 };
	const Term x = *term_at(&s->terms, a.atom);

	*at = t.c + output_stmt(&s->out, stmt)->access.offset;
	return a.factor == output_stmt(&s->out, stmt)->access.width &&
			(x.op == TERM_WORD || (x.op == TERM_SPECIAL && x.a == SREG_LANEID)) ?
		a.atom :
		0;
}

static Term_id
slot_lane_of_access(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t *at)
{
	Term_id rest = buffer_address_base(s, l, stmt, output_stmt(&s->out, stmt)->op == OP_LD);

	return rest ? slot_lane(s, stmt, rest, at) : 0;
}

bool
invariant_access(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t at;
	bool is = slot_lane_of_access(s, l, stmt, &at);

	return is && !s->fault.why;
}

/* Whether nothing in the region writes the register. */
static bool
register_is_invariant(const Input_text *input, uint32_t sym)
{
	DEFUSE_DEFS_OF_SYM(input->fn->defuse, input->fn->f, sym, d) {
		uint32_t stmt = fn_def(input->fn, d)->stmt;
		if (stmt && bits_has(input->region->blocks, fn_block(input->fn, stmt)))
			return false;
	}
	return true;
}

/* The lane invariant of a row and bit; NULL if there is none. */
static Lane_invariant *
invariant_at(Lane_invariants *invariants, uint32_t at, uint32_t bit)
{
	for (uint32_t i = 0; i < invariants->n; i++)
		if (invariants->at[i].row == at && invariants->at[i].bit == bit)
			return &invariants->at[i];
	return NULL;
}

static bool
store_invariant(Loop_check *s, Lane_state *l, uint32_t stmt, Lane_invariant k, uint32_t out)
{
	const Output_reg *r = output_reg(&s->out, out);
	Buffer_row row = { .at = k.row, .size = k.size, .bit = k.bit, .lanes = true };

	if (r->kind != REG_INPUT || !register_is_invariant(&s->in, r->input_sym))
		return loop_check_fault(s, stmt, "the stored value may change while the loop runs");
	k.sym = row.sym = r->input_sym;
	Lane_invariant *is = invariant_at(&s->invariants, k.row, k.bit);
	if (!is && s->invariants.n == MAX_INVARIANTS)
		return loop_check_unknown(s, stmt, "too many values");
	if (!is)
		*(is = &s->invariants.at[s->invariants.n++]) = k;
	if (is->sym != k.sym || is->size != k.size || !buffer_row(&s->buffer, row))
		return loop_check_fault(s, stmt, "a row of the buffer holds two values");
	l->invariants_stored |= UINT64_C(1) << (is - s->invariants.at);
	return true;
}

/* Packed predicates: selected bits joined by `or`. */
static bool
store_invariant_bits(Loop_check *s, Lane_state *l, uint32_t stmt, Lane_invariant k, Term_id value)
{
	const Term x = *term_at(&s->terms, value), p = *term_at(&s->terms, x.b);
	uint32_t v;

	if (x.op == TERM_OR)
		return store_invariant_bits(s, l, stmt, k, x.a) &&
			store_invariant_bits(s, l, stmt, k, x.b);
	if (x.op != TERM_SELECT || !term_is_const(&s->terms, x.a, &v) || v == 0 ||
		(v & (v - 1)) || p.op != TERM_UNKNOWN || !(p.a >> 31))
		return loop_check_fault(s, stmt, "the stored value is not a value of the input");
	k.bit = (uint8_t)(1 + __builtin_ctz(v));
	return store_invariant(s, l, stmt, k, p.a & (UINT32_MAX >> 1));
}

/* The lane stores to its own slot where the group has not diverged. */
bool
invariant_store(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Lane_invariant k = { .size = output_stmt(&s->out, stmt)->access.width };
	Term_id lane = slot_lane_of_access(s, l, stmt, &k.row);
	uint32_t out = output_operand(&s->out, stmt, 1)->sym;
	const Output_reg *r = output_reg(&s->out, out);

	if (term_at(&s->terms, lane)->op != TERM_SPECIAL || l->segment.diverged || l->at.task ||
		l->round.ballot || s->out.m->stmts[stmt].guard)
		return loop_check_fault(s, stmt, "a lane keeps something where it is not its own");
	l->segment.effects |= DID_PUSH(DID_INVARIANT);
	return r->kind == REG_EMITTED ? store_invariant_bits(s, l, stmt, k, l->env[r->index]) :
					store_invariant(s, l, stmt, k, out);
}

/* Sets the path's register to the lane invariant. Returns false if the register does not stand for
 * it. */
static bool
load_invariant(Loop_check *s, Lane_state *l, const Output_reg *r, const Lane_invariant *k,
	Term_whose whose)
{
	uint32_t q = reg_path(&s->paths, r);
	Term_id *at = reg_env_slot(&s->emitted, l, r);

	if (!k || !q || !at || r->batch_index || k->sym != r->input_sym ||
		!(l->invariants_stored >> (k - s->invariants.at) & 1))
		return false;
	*at = term_make(&s->terms, TERM_VALUE, (q - 1) << 2 | whose, r->input_sym, 0);
	return true;
}

bool
invariant_load_bit(Loop_check *s, Lane_state *l, const Output_reg *r, Term word, uint32_t bit)
{
	return load_invariant(
		s, l, r, invariant_at(&s->invariants, word.a, 1 + bit), (Term_whose)word.b);
}

/* The path, among `paths`, whose owners' numbers are in the row, or else the first one: a packed
 * word is loaded for any path that the vote may be for, and which that is may not be known yet. */
static uint32_t
path_of_owner_row(const Task_buffer *buffer, uint32_t at, uint32_t paths)
{
	for (uint32_t i = 0; i < buffer->rows.n; i++) {
		const Buffer_row *r = &buffer->rows.at[i];
		if (r->at == at && r->sym == OWNER && paths >> r->path & 1)
			return r->path;
	}
	return (uint32_t)__builtin_ctz(paths);
}

/* Whether the popped lane number is that of the task's owner. */
static bool
is_owner(Loop_check *s, const Lane_round *round, uint32_t stmt, Term word)
{
	const Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym);
	uint32_t q = reg_path(&s->paths, r);
	uint32_t paths = q ?
		UINT32_C(1) << (q - 1) :
		paths_of_tasks(&s->paths, tasks_voted_for(&s->observed, round->vote_subject));
	Buffer_row row = { .at = word.a, .size = word.b, .sym = OWNER, .popped = true };

	if (!paths)
		return false;
	row.path = path_of_owner_row(&s->buffer, word.a, paths);
	return buffer_row(&s->buffer, row);
}

bool
invariant_load(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym);
	uint32_t at;
	const Term lane = *term_at(&s->terms, slot_lane_of_access(s, l, stmt, &at));
	Term_whose whose = lane.op == TERM_WORD ? TERM_POPPED : TERM_OWN;

	if (whose == TERM_POPPED && !is_owner(s, &l->round, stmt, lane))
		return loop_check_fault(s, stmt, "a row of the buffer holds two values");
	l->segment.effects |= DID_POP(DID_INVARIANT);
	if (r->kind == REG_EMITTED) {
		lane_set_register(l, r->index, term_make(&s->terms, TERM_INVARIANT, at, whose, 0));
		return true;
	}
	if (reg_path(&s->paths, r) && !r->index)
		return loop_check_unknown(s, stmt, "too many values");
	const Lane_invariant *k = invariant_at(&s->invariants, at, 0);
	return (k && k->size == output_stmt(&s->out, stmt)->access.width &&
		       load_invariant(s, l, r, k, whose)) ||
		loop_check_fault(s, stmt, "the loaded value is not the one that the path reads");
}
