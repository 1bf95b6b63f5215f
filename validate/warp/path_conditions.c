/* SPDX-License-Identifier: MIT */
/* What branches of the inserted text imply for register values, and the end of a round. */
#include <string.h>
#include "validate/warp/warp.h"

static bool bitset_has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* Replaces an atom by zero in all registers. */
static void
assume_atom_zero(Terms *terms, Lane_state *l, Term_id atom)
{
	for (uint32_t k = 0; k < 2; k++)
		for (uint64_t left = l->regs.defined[k]; left; left &= left - 1) {
			Term_id *at = &l->env[64 * k + (uint32_t)__builtin_ctzll(left)];
			const Term *x = term_at(terms, *at);
			if (x->n || x->op == TERM_POPC || *at == atom)
				*at = term_without(terms, *at, atom);
		}
}

/* A sum is zero: M is the whole warp; or all of M voted for something, so this lane did. */
static bool
assume_sum_zero(Terms *terms, Group_facts *group, const Term *x)
{
	const Term_atom *k = terms->atoms.at + x->first;

	if (x->n == 1 && x->c == 1 && k->factor == 1) {
		const Term *all = term_at(terms, k->atom);
		group->full |= all->op == TERM_MASK;
		if (all->op == TERM_BALLOT && !all->c)
			return false;
	}
	group->majority |= group->full;
	for (uint32_t i = 0; x->n == 2 && x->c == 0 && i < 2; i++) {
		const Term *all = term_at(terms, k[i].atom),
			   *ballot = term_at(terms, k[1 - i].atom);
		if (all->op == TERM_MASK && ballot->op == TERM_BALLOT && !ballot->c &&
			k[0].factor + k[1].factor == 0)
			return false;
	}
	return true;
}

/* draws: ballots remain known as such, because lanes are paired by them. */
static bool
assume_zero(Terms *terms, Lane_state *l, Term_id a, bool draws)
{
	const Term x = *term_at(terms, a);

	if (x.op == TERM_OR)
		return assume_zero(terms, l, x.a, draws) && assume_zero(terms, l, x.b, draws);
	if (x.op == TERM_SUM)
		return assume_sum_zero(terms, &l->group, &x);
	if (x.op == TERM_BALLOT) {
		if (x.c)
			return false;
		l->round.none_wanted |= x.a == l->round.ballot;
		if (draws)
			return true;
	}
	assume_atom_zero(terms, l, a);
	return true;
}

static Term_id
special_register(Terms *terms, Sreg r, uint8_t sel)
{
	return term_make(terms, TERM_SPECIAL, r, sel, 0);
}

/* Number of threads of a block, as the text computes it. */
static Term_id
block_threads(Loop_check *s)
{
	if (!s->group.block_threads) {
		Term_id x = special_register(&s->terms, SREG_NTID, 'x'),
			y = special_register(&s->terms, SREG_NTID, 'y');
		s->group.block_threads = term_times(&s->terms, term_times(&s->terms, x, y),
			special_register(&s->terms, SREG_NTID, 'z'));
	}
	return s->group.block_threads;
}

/* Whether a < 0 implies that the group is a majority of its warp. */
static bool
is_majority(Loop_check *s, Term_id a)
{
	Terms *t = &s->terms;
	const Term x = *term_at(t, a);
	Term_id size = 0, first = 0;

	for (uint32_t i = 0; x.op == TERM_SUM && i < x.n; i++) {
		Term_id k = t->atoms.at[x.first + i].atom;
		if (term_at(t, k)->op == TERM_POPC && term_at(t, term_at(t, k)->a)->op == TERM_MASK)
			size = k;
		if (term_at(t, k)->op == TERM_AND)
			first = k;
	}
	if (!size)
		return false;
	if (a == term_sum(t, term_const(t, 16), size, UINT32_MAX))
		return true;
	if (!first ||
		(term_at(t, first)->a != term_const(t, UINT32_C(0) - 32) &&
			term_at(t, first)->b != term_const(t, UINT32_C(0) - 32)))
		return false;
	Term_id rest = term_sum(t, term_sum(t, a, size, 2), first, 1);
	uint32_t v;
	if (rest == block_threads(s))
		return true;
	const uint32_t *n = s->in.fn->f->reqntid;
	return term_is_const(t, rest, &v) && n[0] &&
		v == n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

static void
assume_sign(Loop_check *s, Group_facts *group, Term_id a, bool negative)
{
	uint32_t limit;

	if (negative && is_majority(s, a))
		group->majority = true;
	if (!negative &&
		term_is_const(&s->terms, term_sum(&s->terms, a, block_threads(s), 1), &limit)) {
		group->limited = true;
		s->buffer.block_limit = limit;
	}
}

/* Assumes a truth value. Returns false if it is contradictory; that is no fault. */
static bool
assume_truth(Loop_check *s, Lane_state *l, Term_id truth, bool value)
{
	const Term x = *term_at(&s->terms, truth);
	uint32_t v;

	if (term_is_const(&s->terms, truth, &v))
		return (v != 0) == value;
	if (x.op == TERM_NOT)
		return assume_truth(s, l, x.a, !value);
	if (x.op == TERM_BOTH && value)
		return assume_truth(s, l, x.a, true) && assume_truth(s, l, x.b, true);
	/* The vote found no lane in the loop. With look-ahead it may also be about lanes that look
	 * ahead. */
	if (x.op == TERM_ANY && !value && !x.c && !s->lookahead)
		l->group.none_in_loop = true;
	if (x.op == TERM_ANY)
		return !(term_is_const(&s->terms, x.b, &v) && v && !value) &&
			(term_is_const(&s->terms, x.b, &v) || assume_truth(s, l, x.b, value));
	if (x.op == TERM_ALL) {
		if (value && s->lookahead)
			s->lookahead->hooks.vote_all(s, l, x.a);
		return !value || assume_truth(s, l, x.b, true);
	}
	if (x.op == TERM_ZERO && value && !assume_zero(&s->terms, l, x.a, s->out.draws))
		return false;
	if (x.op == TERM_ZERO && s->lookahead && !s->lookahead->hooks.assume_zero(s, l, x.a, value))
		return false;
	if (x.op == TERM_NEGATIVE)
		assume_sign(s, &l->group, x.a, value);
	Term_id fact = value ? truth : term_not(&s->terms, truth);
	for (uint32_t i = 0; i < l->facts.n; i++)
		if (l->facts.at[i] == fact)
			return true;
		else if (l->facts.at[i] == term_not(&s->terms, fact))
			return false;
	if (!x.stable && l->facts.n < MAX_FACTS)
		l->facts.at[l->facts.n++] = fact;
	return true;
}

/* Decides a branch or guard on a machine register: the lane takes one direction, and a copy the
 * other, unless the value is known. */
bool
lane_fork_predicate(Loop_check *s, Lane_state *l, uint32_t sym, bool *value)
{
	const Output_reg *r = output_reg(&s->out, sym);
	Term_id p = l->env[r->index];
	uint32_t v;

	if (!p)
		return loop_check_fault(s, l->at.output,
			"'%.*s' is read, and nothing has set it on some way here",
			PTX_NAME(s->out.m, sym));
	if (term_is_const(&s->terms, p, &v)) {
		*value = v;
		return true;
	}
	Lane_state *k = lane_state_copy(s, l);
	k->env[r->index] = term_const(&s->terms, 0);
	if (assume_truth(s, k, p, false))
		lane_state_queue(s, k);
	l->env[r->index] = term_const(&s->terms, 1);
	*value = true;
	bool was = l->group.full;
	if (!assume_truth(s, l, p, true))
		return false;
	if (was || !l->group.full || s->lookahead)
		return true;
	lane_state_queue(s, l); /* it executes the statement again, and knows the direction */
	return false;
}

/* ---- the end of a round ---------------------------------------------------------------------- */

static bool
changes_equal(const Counter_change *a, const Counter_change *b)
{
	return a->round.ballot == b->round.ballot && a->counter == b->counter && a->now == b->now &&
		a->level == b->level && a->round.some_wanted == b->round.some_wanted &&
		a->round.none_wanted == b->round.none_wanted &&
		a->round.rows_pushed == b->round.rows_pushed &&
		a->round.task_source == b->round.task_source && a->round.slot == b->round.slot &&
		a->round.path == b->round.path && a->round.slot_base == b->round.slot_base &&
		a->full == b->full && a->facts.n == b->facts.n &&
		memcmp(a->facts.at, b->facts.at, a->facts.n * sizeof *a->facts.at) == 0;
}

/* What the round did, without a counter. */
static Counter_change
round_change(const Lane_state *l)
{
	return (Counter_change){ .round = l->round,
		.facts = l->facts,
		.full = l->group.full,
		.stmt = l->at.output };
}

/* Fills in how the lane's round changed a counter. */
static void
counter_change(const Loop_check *s, const Lane_state *l, uint32_t counter, Counter_change *c)
{
	uint32_t level = env_index_level(s, counter);

	c->counter = counter;
	c->level = level && l->env[level] ? (uint8_t)l->env[level] : NO_LEVEL;
	c->now = l->env[counter];
}

/* Hash chain of a change. */
static uint32_t *
change_chain(Observed_actions *observed, const Counter_change *c)
{
	uint64_t h = c->round.rows_pushed ^ ((uint64_t)c->counter << 32 | c->round.ballot);

	h = h * UINT64_C(0x9e3779b97f4a7c15) +
		((uint64_t)c->now << 32 | c->round.path << 8 | c->round.task_source);
	for (uint32_t i = 0; i < c->facts.n; i++)
		h = h * UINT64_C(0x9e3779b97f4a7c15) + c->facts.at[i];
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return &observed->change_chains[(h >> 40) % CHAINS];
}

static void
note_change(Loop_check *s, const Lane_state *l, uint32_t counter, Counter_change *c)
{
	counter_change(s, l, counter, c);
	uint32_t *first = change_chain(&s->observed, c);

	for (uint32_t i = *first; i; i = s->observed.changes.at[i - 1].next)
		if (changes_equal(&s->observed.changes.at[i - 1], c))
			return;
	c->next = *first;
	*vec_push(&s->observed.changes) = *c;
	*first = s->observed.changes.n;
}

static bool
is_pred(const Loop_check *s, uint32_t i)
{
	return s->out.m->syms[s->emitted.syms[i]].type == TYPE_PRED;
}

/* Updates the bound of each counter. */
static void
note_levels(Loop_check *s, Lane_state *l, Counter_change c)
{
	for (uint32_t k = 0; k < s->emitted.ncounters; k++) {
		uint32_t i = s->emitted.counters[k], at = env_index_level(s, i);
		if (!at || !l->env[i] || (l->env[i] == s->emitted.before[i] && !l->facts.n))
			continue;
		counter_change(s, l, i, &c);
		uint8_t now = change_bound(s, &c);
		l->env[at] = now == NO_LEVEL ? 0 : now;
	}
}

/* Records the changes of all counters. Task counters are no predicates; a predicate is recorded
 * only if there is nothing else, so that the vote is known. */
static void
note_all_changes(Loop_check *s, const Lane_state *l, Counter_change c)
{
	uint32_t pred = UINT32_MAX;
	bool any = false;

	for (uint32_t k = 0; k < s->emitted.ncounters; k++) {
		uint32_t i = s->emitted.counters[k];
		if (l->env[i] && is_pred(s, i))
			pred = i;
		else if (l->env[i])
			any = true, note_change(s, l, i, &c);
	}
	if (!any && pred != UINT32_MAX)
		note_change(s, l, pred, &c);
}

/* Copies the values of the lane's counters, then their levels; returns the number of terms. */
static uint32_t
counter_values(const Loop_check *s, const Lane_state *l, Term_id *held)
{
	for (uint32_t k = 0; k < s->emitted.ncounters; k++)
		held[k] = l->env[s->emitted.counters[k]];
	memcpy(held + s->emitted.ncounters, l->env + s->layout.nenv,
		s->emitted.nlevels * sizeof *held);
	return s->emitted.ncounters + s->emitted.nlevels;
}

/* Hash chain of a round. */
static uint32_t *
round_chain(Loop_check *s, const Counter_change *c, const Term_id *held)
{
	uint64_t h = c->round.rows_pushed ^
		((uint64_t)c->round.votes << 32 | c->round.path << 8 | c->full);

	for (uint32_t i = 0; i < c->facts.n; i++)
		h = h * UINT64_C(0x9e3779b97f4a7c15) + c->facts.at[i];
	for (uint32_t k = 0; k < s->emitted.ncounters + s->emitted.nlevels; k++)
		h = h * UINT64_C(0x9e3779b97f4a7c15) + held[k];
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return &s->observed.round_chains[(h >> 40) % CHAINS];
}

/* Whether every counter is unchanged since the start of the round. */
static bool
counters_are_unchanged(const Emitted_regs *emitted, const Lane_state *l)
{
	for (uint32_t k = 0; k < emitted->ncounters; k++) {
		uint32_t i = emitted->counters[k];
		if (l->env[i] && l->env[i] != emitted->before[i])
			return false;
	}
	return true;
}

/* Records the round and updates the counters' levels. Both depend only on what the lane did in the
 * round and what it knows about the counters, so that a known round is not recorded again. */
static void
note_round(Loop_check *s, Lane_state *l)
{
	Term_id held[2 * MAX_EMITTED_REGISTERS], *levels = l->env + s->layout.nenv;
	size_t size = s->emitted.nlevels * sizeof *levels;

	if (!l->round.ballot && !l->facts.n && counters_are_unchanged(&s->emitted, l))
		return;
	const Counter_change c = round_change(l);
	uint32_t n = counter_values(s, l, held), *first = round_chain(s, &c, held);
	for (uint32_t i = *first; i; i = s->observed.rounds.at[i - 1].next) {
		const Vote_round *x = &s->observed.rounds.at[i - 1];
		if (x->did.round.vote_subject != c.round.vote_subject ||
			x->did.round.votes != c.round.votes || !changes_equal(&x->did, &c) ||
			memcmp(x->counter_values, held, n * sizeof *held) != 0)
			continue;
		memcpy(levels, x->counter_values + n, size);
		return;
	}
	Vote_round x = { .did = c, .next = *first };
	x.counter_values = arena_alloc(s->arena, n * sizeof *held + size);
	memcpy(x.counter_values, held, n * sizeof *held);
	if (l->round.ballot)
		note_all_changes(s, l, c);
	note_levels(s, l, c);
	memcpy(x.counter_values + n, levels, size);
	*vec_push(&s->observed.rounds) = x;
	*first = s->observed.rounds.n;
}

/* Whether what ends here is only a part of a round of a loop with draws: the vote is a draw's, or
 * there is none. */
static bool
round_continues(const Loop_check *s, uint32_t to)
{
	return s->out.draws && to != UINT32_MAX &&
		(!to || output_operand(&s->out, to, 1)->sym == s->out.draws->at[0].has);
}

/* Value of a register for the next round, which begins with the vote `to` (0: none). Ballots of
 * other votes stay. */
static Term_id
next_round_value(Loop_check *s, uint32_t i, Term_id now, uint32_t to)
{
	const Term *x = term_at(&s->terms, now);
	uint32_t v;

	if (to && x->op == TERM_BALLOT && x->a != to)
		return now;
	bool constant = term_is_const(&s->terms, now, &v);
	if (x->stable && !(constant && !is_pred(s, i) && bitset_has(s->emitted.self_updated, i) &&
				 !round_continues(s, to)))
		return now;
	return s->emitted.before[i];
}

bool
round_is_complete(const Loop_check *s, const Lane_state *l)
{
	if (l->round.task_source || l->round.none_wanted)
		return true;
	for (uint32_t k = 0; k < s->emitted.ncounters; k++) {
		uint32_t i = s->emitted.counters[k];
		if (l->env[i] && l->env[i] != s->emitted.before[i] && !is_pred(s, i))
			return true;
	}
	return false;
}

void
round_end(Loop_check *s, Lane_state *l, uint32_t to)
{
	note_round(s, l);
	if (s->reductions.n)
		reduction_all_folded(s, l);
	if (l->round.some_wanted && !l->round.task_source)
		l->tasks.pending &= ~tasks_voted_for(&s->observed, l->round.vote_subject);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint64_t left = l->regs.defined[k] & ~s->emitted.live_across_labels[k]; left;
			left &= left - 1)
			l->env[64 * k + (uint32_t)__builtin_ctzll(left)] = 0;
		l->regs.defined[k] &= s->emitted.live_across_labels[k];
		for (uint64_t left = l->regs.defined[k]; left; left &= left - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(left);
			if (l->env[i] != s->emitted.before[i])
				l->env[i] = next_round_value(s, i, l->env[i], to);
		}
	}
	for (uint32_t i = s->emitted.n; i < s->emitted.n + s->layout.nsaved; i++) {
		if (!l->env[i])
			continue;
		const Term *x = term_at(&s->terms, l->env[i]);
		if (x->op != TERM_VALUE || (x->a & 3) != TERM_OWN ||
			!(l->tasks.pending >> (x->a >> 2) & 1))
			l->env[i] = 0;
	}
	l->reductions.folded = 0;
	memset(&l->round, 0, sizeof l->round);
	memset(&l->facts, 0, sizeof l->facts);
}
