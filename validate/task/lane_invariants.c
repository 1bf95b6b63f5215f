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
lane_of(Site *s, uint32_t stmt, Term_id rest, uint32_t *at)
{
	const Term t = *term_at(&s->terms, rest);
	Term_atom a = t.op == TERM_SUM && t.n == 1 ? s->terms.atoms.at[t.first] : (Term_atom){ 0 };
	const Term x = *term_at(&s->terms, a.atom);

	*at = t.c + step_at(s, stmt)->offset;
	return a.factor == step_at(s, stmt)->width &&
			(x.op == TERM_WORD || (x.op == TERM_SPECIAL && x.a == SREG_LANEID)) ?
		a.atom :
		0;
}

static Term_id
lane_at(Site *s, Lane *l, uint32_t stmt, uint32_t *at)
{
	Term_id rest = buffer_part(s, l, stmt, step_at(s, stmt)->op == OP_LD);

	return rest ? lane_of(s, stmt, rest, at) : 0;
}

bool
lasting_is(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t at;
	bool is = lane_at(s, l, stmt, &at);

	return is && !s->why;
}

/* Whether nothing in the region writes the register. */
static bool
lasts(const Site *s, uint32_t sym)
{
	DEFUSE_DEFS_OF_SYM(s->fn->defuse, s->fn->f, sym, d) {
		uint32_t stmt = fn_def(s->fn, d)->stmt;
		if (stmt && bits_has(s->region->blocks, fn_block(s->fn, stmt)))
			return false;
	}
	return true;
}

/* The lane invariant of a row and bit; NULL if there is none. */
static Kept *
kept_at(Site *s, uint32_t at, uint32_t bit)
{
	for (uint32_t i = 0; i < s->nlasting; i++)
		if (s->lasting[i].at == at && s->lasting[i].bit == bit)
			return &s->lasting[i];
	return NULL;
}

static bool
keep(Site *s, Lane *l, uint32_t stmt, Kept k, uint32_t out)
{
	const Reg *r = site_reg(s, out);
	Row row = { .at = k.at, .size = k.size, .bit = k.bit, .lanes = true };

	if (r->kind != REG_OWN || !lasts(s, r->in))
		return site_fault(s, stmt, "the stored value may change while the loop runs");
	k.sym = row.sym = r->in;
	Kept *is = kept_at(s, k.at, k.bit);
	if (!is && s->nlasting == MOST_KEPT)
		return site_unknown(s, stmt, "too many values");
	if (!is)
		*(is = &s->lasting[s->nlasting++]) = k;
	if (is->sym != k.sym || is->size != k.size || !buffer_row(s, row))
		return site_fault(s, stmt, "a row of the buffer holds two values");
	l->keeps |= UINT64_C(1) << (is - s->lasting);
	return true;
}

/* Packed predicates: selected bits joined by `or`. */
static bool
keep_bits(Site *s, Lane *l, uint32_t stmt, Kept k, Term_id value)
{
	const Term x = *term_at(&s->terms, value), p = *term_at(&s->terms, x.b);
	uint32_t v;

	if (x.op == TERM_OR)
		return keep_bits(s, l, stmt, k, x.a) && keep_bits(s, l, stmt, k, x.b);
	if (x.op != TERM_SELECT || !term_is_const(&s->terms, x.a, &v) || v == 0 ||
		(v & (v - 1)) || p.op != TERM_UNKNOWN || !(p.a >> 31))
		return site_fault(s, stmt, "the stored value is not a value of the input");
	k.bit = (uint8_t)(1 + __builtin_ctz(v));
	return keep(s, l, stmt, k, p.a & (UINT32_MAX >> 1));
}

/* The lane stores to its own slot where the group has not diverged. */
bool
lasting_store(Site *s, Lane *l, uint32_t stmt)
{
	Kept k = { .size = step_at(s, stmt)->width };
	Term_id lane = lane_at(s, l, stmt, &k.at);
	uint32_t out = step_operand(s, stmt, 1)->sym;
	const Reg *r = site_reg(s, out);

	if (term_at(&s->terms, lane)->op != TERM_SPECIAL || l->parted || l->task || l->ballot ||
		s->out->stmts[stmt].guard)
		return site_fault(s, stmt, "a lane keeps something where it is not its own");
	l->did |= DID_PUSH(OF_KEPT);
	return r->kind == REG_MACHINE ? keep_bits(s, l, stmt, k, l->env[r->index]) :
					keep(s, l, stmt, k, out);
}

/* Sets the path's register to the lane invariant. Returns false if the register does not stand for
 * it. */
static bool
set(Site *s, Lane *l, const Reg *r, const Kept *k, Term_whose whose)
{
	uint32_t q = path_of_reg(s, r);
	Term_id *at = path_slot(s, l, r);

	if (!k || !q || !at || r->turn || k->sym != r->in || !(l->keeps >> (k - s->lasting) & 1))
		return false;
	*at = term_make(&s->terms, TERM_VALUE, (q - 1) << 2 | whose, r->in, 0);
	return true;
}

bool
lasting_bit(Site *s, Lane *l, const Reg *r, Term word, uint32_t bit)
{
	return set(s, l, r, kept_at(s, word.a, 1 + bit), (Term_whose)word.b);
}

/* The path, among `paths`, whose owners' numbers are in the row, or else the first one: a packed
 * word is loaded for any path that the vote may be for, and which that is may not be known yet. */
static uint32_t
path_of_owners(const Site *s, uint32_t at, uint32_t paths)
{
	for (uint32_t i = 0; i < s->rows.n; i++) {
		const Row *r = &s->rows.at[i];
		if (r->at == at && r->sym == OWNER && paths >> r->path & 1)
			return r->path;
	}
	return (uint32_t)__builtin_ctz(paths);
}

/* Whether the popped lane number is that of the task's owner. */
static bool
is_owner(Site *s, const Lane *l, uint32_t stmt, Term word)
{
	const Reg *r = site_reg(s, step_operand(s, stmt, 0)->sym);
	uint32_t q = path_of_reg(s, r);
	uint32_t paths = q ? UINT32_C(1) << (q - 1) : task_paths(s, task_wanted(s, l->wish));
	Row row = { .at = word.a, .size = word.b, .sym = OWNER, .popped = true };

	if (!paths)
		return false;
	row.path = path_of_owners(s, word.a, paths);
	return buffer_row(s, row);
}

bool
lasting_load(Site *s, Lane *l, uint32_t stmt)
{
	const Reg *r = site_reg(s, step_operand(s, stmt, 0)->sym);
	uint32_t at;
	const Term lane = *term_at(&s->terms, lane_at(s, l, stmt, &at));
	Term_whose whose = lane.op == TERM_WORD ? TERM_POPPED : TERM_OWN;

	if (whose == TERM_POPPED && !is_owner(s, l, stmt, lane))
		return site_fault(s, stmt, "a row of the buffer holds two values");
	l->did |= DID_POP(OF_KEPT);
	if (r->kind == REG_MACHINE) {
		lane_hold(l, r->index, term_make(&s->terms, TERM_KEPT, at, whose, 0));
		return true;
	}
	if (path_of_reg(s, r) && !r->index)
		return site_unknown(s, stmt, "too many values");
	const Kept *k = kept_at(s, at, 0);
	return (k && k->size == step_at(s, stmt)->width && set(s, l, r, k, whose)) ||
		site_fault(s, stmt, "the loaded value is not the one that the path reads");
}
