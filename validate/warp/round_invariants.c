/* SPDX-License-Identifier: MIT */
/* Checks what all lanes did together: rounds and rows.
 *
 * A round changes its task counter in one of five ways. The amount, the tests passed on the way,
 * and the actions of lanes must match. Then each task is pushed once, and run once, by one lane,
 * from the slot that it was pushed to.
 */
#include <string.h>
#include "validate/warp/warp.h"

static bool bitset_has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* ---- rounds ---------------------------------------------------------------------------------- */

typedef struct {
	uint32_t ballot, counter, path;
	bool stack, queue;
} Path_vote;

typedef struct {
	Loop_check *s;
	Path_vote *votes; uint32_t nvotes;
	uint64_t *rows;         /* by path: the rows that are pushed */
	uint32_t *slots;        /* by path: the number of slots that pushes may need */
} Buffer_checker;

static bool
fault_change(Loop_check *s, const Counter_change *c, const char *what)
{
	return loop_check_fault(s, c->stmt, "a round ends here in which %s", what);
}

static bool
change_pushed_all(const Buffer_checker *k, const Counter_change *c, const Path_vote *v)
{
	return c->round.rows_pushed == k->rows[v->path - 1] &&
		(c->round.slot_base == 0 || c->round.slot_base == c->counter + 1);
}

static bool
change_has_base(const Counter_change *c)
{
	return c->round.slot_base == 0 || c->round.slot_base == c->counter + 1;
}

/* All lanes run a path: owners their own task and the others the topmost ones, or all lanes the
 * last ones. */
static bool
check_run(const Buffer_checker *k, const Counter_change *c, Path_vote *v)
{
	bool rows = k->rows[v->path - 1] != 0;

	if (!round_fills_warp(k->s, c))
		return fault_change(k->s, c, "tasks are popped that need not be there");
	if (!c->round.task_source || c->round.path != v->path || !change_has_base(c))
		return fault_change(k->s, c, "a lane does not run its path");
	if (c->round.slot == SLOT_LAST || c->round.rows_pushed) {
		v->queue = true;
		if (c->round.task_source == SOURCE_OWN ||
			(c->round.some_wanted && rows && !change_pushed_all(k, c, v)) ||
			(rows && c->round.slot != SLOT_LAST))
			return fault_change(k->s, c, "a task is lost");
		return true;
	}
	v->stack |= rows;
	if (c->round.some_wanted ? c->round.task_source == SOURCE_POPPED :
				   c->round.task_source == SOURCE_OWN ||
				(rows && c->round.slot != SLOT_BELOW_TOP))
		return fault_change(k->s, c, "a lane runs a task that is not its own");
	return true;
}

/* As many lanes as there are tasks run the path, and the others continue. */
static bool
check_some(const Buffer_checker *k, const Counter_change *c, Path_vote *v)
{
	Loop_check *s = k->s;
	Terms *t = &s->terms;
	bool rows = k->rows[v->path - 1] != 0;
	Term_id lt = term_make(t, TERM_SPECIAL, SREG_LANEMASK_LT, 0, 0), all = round_lane_mask(s);
	Term_id slot = term_sum(t, c->now, term_popc(&s->terms, term_and(t, all, lt)), 1);
	Term_id last = term_make(
		t, TERM_NEGATIVE, term_sum(t, slot, round_waiting(s, c), UINT32_MAX), 0, 0);
	bool runs = c->round.task_source && c->round.path == v->path && change_has_base(c),
	     mine = c->round.some_wanted;

	if (round_knows(c, last) || round_knows(c, term_not(t, last))) {
		v->queue = true;
		if (c->round.some_wanted && rows && !change_pushed_all(k, c, v))
			return fault_change(s, c, "a task is lost");
		runs = runs && c->round.task_source != SOURCE_OWN &&
			(!rows || c->round.slot == SLOT_LEAST);
		return round_knows(c, last) ? runs || fault_change(s, c, "a lane does not run its path") :
					!c->round.task_source || fault_change(s, c, "a lane runs a task that is not there");
	}
	v->stack |= rows;
	for (uint32_t literal = 0; !c->round.some_wanted && literal <= c->full; literal++) {
		Term_id idle = term_make(
			t, TERM_XOR, c->round.votes, literal ? term_const(t, UINT32_MAX) : all, 0);
		Term_id below = term_make(t, TERM_NEGATIVE,
			term_sum(t, term_popc(t, term_and(t, idle, lt)),
				round_initial_value(&s->emitted, c->counter), UINT32_MAX),
			0, 0);
		mine |= round_knows(c, below);
		if (round_knows(c, term_not(t, below)))
			return !c->round.task_source || fault_change(s, c, "a lane runs a task that is not there");
	}
	if (!mine || !runs || c->round.rows_pushed)
		return fault_change(s, c, "a lane does not run its path");
	if (c->round.some_wanted ? c->round.task_source == SOURCE_POPPED :
				   c->round.task_source == SOURCE_OWN ||
				(rows && c->round.slot != SLOT_BELOW_TOP))
		return fault_change(s, c, "a lane runs a task that is not its own");
	return true;
}

/* Lanes that vote for the path push their tasks. */
static bool
check_push(const Buffer_checker *k, const Counter_change *c, const Path_vote *v)
{
	if (c->round.task_source)
		return fault_change(k->s, c, "a path is run, and its task waits still");
	if (c->round.some_wanted && !change_pushed_all(k, c, v))
		return fault_change(k->s, c, "not all of a task is pushed");
	if (!c->round.some_wanted && c->round.rows_pushed)
		return fault_change(k->s, c, "a lane without a task pushes one");
	return change_bound(k->s, c) != NO_LEVEL ||
		fault_change(k->s, c, "more tasks may wait than there are slots");
}

/* As many lanes as there are remaining tasks run them. */
static bool
check_drain(const Buffer_checker *k, const Counter_change *c, const Path_vote *v)
{
	Loop_check *s = k->s;
	Terms *t = &s->terms;
	Term_id lt = term_make(t, TERM_SPECIAL, SREG_LANEMASK_LT, 0, 0);
	Term_id rank = term_popc(t, term_and(t, round_lane_mask(s), lt));
	Term_id mine = term_make(t, TERM_NEGATIVE,
		term_sum(t, rank, round_initial_value(&s->emitted, c->counter), UINT32_MAX), 0, 0);

	if (c->round.some_wanted)
		return fault_change(s, c, "a lane's task is lost");
	if (round_knows(c,
		    term_make(t, TERM_ZERO, round_initial_value(&s->emitted, c->counter), 0, 0)) ||
		round_knows(c, term_not(t, mine)))
		return !c->round.task_source || fault_change(s, c, "a lane runs a task that is not there");
	if (!round_knows(c, mine) || !c->round.task_source || c->round.task_source == SOURCE_OWN ||
		c->round.path != v->path || c->level != 1)
		return fault_change(s, c, "tasks that are left are not run");
	return k->rows[v->path - 1] == 0 || c->round.slot == SLOT_FIRST ||
		fault_change(s, c, "a lane runs a task that is not there");
}

static bool
check_change(const Buffer_checker *k, const Counter_change *c, Path_vote *v)
{
	Loop_check *s = k->s;
	Terms *t = &s->terms;
	Term_id was = round_initial_value(&s->emitted, c->counter);

	if (s->paths.at[v->path - 1].all_dead &&
		(!c->round.task_source || c->round.path == v->path))
		return true; /* the task does nothing, so it may be run any number of times */
	if (c->now == was && output_stmt(&s->out, c->round.ballot)->flow.pop_label)
		return fault_change(s, c, "nothing is popped");
	if (c->now == was) {
		if (c->round.task_source || c->round.rows_pushed)
			return fault_change(s, c, "a task is run or pushed, but the counter is unchanged");
		return !c->round.some_wanted || fault_change(s, c, "a lane's task is neither run nor pushed");
	}
	if (c->now == round_waiting(s, c))
		return check_push(k, c, v);
	if (round_took_all(s, c))
		return check_run(k, c, v);
	if (round_took_some(s, c))
		return check_some(k, c, v);
	if (c->now == term_const(t, 0))
		return check_drain(k, c, v);
	return fault_change(s, c, "the counter of tasks is changed by another number");
}

static Path_vote *
find_vote(const Buffer_checker *k, uint32_t ballot)
{
	for (uint32_t j = 0; j < k->nvotes; j++)
		if (k->votes[j].ballot == ballot)
			return &k->votes[j];
	return NULL;
}

static bool
is_counter_of(Loop_check *s, const Counter_change *c)
{
	return (term_factor(&s->terms, c->now, term_popc(&s->terms, c->round.votes)) &&
		       term_factor(
			       &s->terms, c->now, round_initial_value(&s->emitted, c->counter))) ||
		round_took_some(s, c);
}

/* A round of pops uses the counter of its path's votes. */
static bool
find_counters_of_pops(Buffer_checker *k)
{
	const Loop_check *s = k->s;

	for (uint32_t i = 0; i < k->nvotes; i++) {
		Path_vote *v = &k->votes[i];
		for (uint32_t j = 0;
			output_stmt(&s->out, v->ballot)->flow.pop_label && j < k->nvotes; j++)
			if (k->votes[j].path == v->path &&
				!output_stmt(&s->out, k->votes[j].ballot)->flow.pop_label)
				v->counter = k->votes[j].counter;
	}
	return true;
}

/* Finds the votes and the counter of each. */
static bool
find_votes(Buffer_checker *k)
{
	Loop_check *s = k->s;

	k->votes = arena_array(s->arena, s->observed.changes.n + 1, sizeof *k->votes);
	for (uint32_t i = 0; i < s->observed.changes.n; i++) {
		const Counter_change *c = &s->observed.changes.at[i];
		uint64_t wants = tasks_voted_for(&s->observed, c->round.vote_subject);
		Path_vote *v = find_vote(k, c->round.ballot);
		if (!v) {
			v = &k->votes[k->nvotes++];
			*v = (Path_vote){ .ballot = c->round.ballot, .counter = UINT32_MAX };
		}
		wants = output_stmt(&s->out, c->round.ballot)->flow.pop_label ?
			paths_of_tasks(&s->paths, wants) :
			wants;
		if (wants == 0 || (wants & (wants - 1)))
			return loop_check_fault(
				s, c->round.ballot, "it is not known which path the lanes vote on");
		v->path = 1 + task_path(&s->paths, (uint32_t)__builtin_ctzll(wants));
		if (output_stmt(&s->out, c->round.ballot)->flow.pop_label || !is_counter_of(s, c))
			continue;
		if (v->counter != UINT32_MAX && v->counter != c->counter)
			return loop_check_fault(s, c->round.ballot, "two counters go by one vote");
		v->counter = c->counter;
	}
	return find_counters_of_pops(k);
}

static bool
is_counter(const Buffer_checker *k, uint32_t reg)
{
	for (uint32_t j = 0; j < k->nvotes; j++)
		if (k->votes[j].counter == reg)
			return true;
	return false;
}

static bool
check_rounds(Buffer_checker *k)
{
	Loop_check *s = k->s;

	for (uint32_t i = 0; i < s->observed.changes.n; i++) {
		const Counter_change *c = &s->observed.changes.at[i];
		Path_vote *v = find_vote(k, c->round.ballot);
		if (v->counter == UINT32_MAX)
			return loop_check_fault(s, c->round.ballot, "no counter goes by the vote");
		if (c->counter == v->counter && !check_change(k, c, v))
			return false;
		if (c->counter != v->counter && is_counter(k, c->counter) &&
			c->now != round_initial_value(&s->emitted, c->counter))
			return fault_change(s, c, "the counter of another path's tasks is changed");
	}
	for (uint32_t j = 0; j < k->nvotes; j++) {
		if (k->votes[j].stack && k->votes[j].queue)
			return loop_check_fault(s, k->votes[j].ballot, "tasks are taken in two ways");
		if (bitset_has(s->observed.left, k->votes[j].counter))
			return loop_check_fault(s, s->out.begin, "lanes leave while tasks may wait");
	}
	return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void
find_slots(Buffer_checker *k)
{
	Loop_check *s = k->s;

	k->slots = arena_array(s->arena, s->paths.n + 1, sizeof *k->slots);
	for (uint32_t p = 0; p < s->paths.n; p++)
		k->slots[p] = 32;
	for (uint32_t i = 0; i < s->observed.changes.n; i++) {
		const Counter_change *c = &s->observed.changes.at[i];
		const Path_vote *v = find_vote(k, c->round.ballot);
		uint32_t most = 32 * (c->level + 1u);
		uint32_t *slots = v->path && v->path <= s->paths.n ? &k->slots[v->path - 1] : NULL;
		if (slots && c->round.rows_pushed && v->counter == c->counter && most > *slots &&
			!round_is_partial(s, c))
			*slots = most;
	}
}

static uint32_t
row_end(const Buffer_checker *k, const Buffer_row *a)
{
	return a->at + a->size * (a->lanes ? 32 : k->slots[a->path]);
}

static bool
rows_are_disjoint(const Buffer_checker *k, const Buffer_row *a, const Buffer_row *b)
{
	return row_end(k, a) <= b->at || row_end(k, b) <= a->at;
}

/* Number of threads of the largest block that reaches the buffer. */
static uint32_t
max_threads(const Loop_check *s)
{
	const Func *f = s->in.fn->f;
	const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
	uint64_t most = (uint64_t)n[0] * n[1] * n[2];

	if (!s->buffer.unlimited && s->buffer.block_limit)
		return s->buffer.block_limit;
	return most && most < 1024 ? (uint32_t)most : 1024;
}

static bool
check_rows(Buffer_checker *k)
{
	Loop_check *s = k->s;

	find_slots(k);

	for (uint32_t i = 0; i < s->buffer.rows.n; i++) {
		const Buffer_row *a = &s->buffer.rows.at[i];
		if (a->popped && !a->pushed)
			return loop_check_fault(s, s->out.begin, "a value is popped that is not pushed");
		if (a->at % a->size || a->at > s->buffer.stride || row_end(k, a) > s->buffer.stride)
			return loop_check_fault(
				s, s->out.begin, "a row lies outside of the warp's part of the buffer");
		for (uint32_t j = 0; j < i; j++)
			if ((!a->bit || s->buffer.rows.at[j].at != a->at) &&
				!rows_are_disjoint(k, a, &s->buffer.rows.at[j]))
				return loop_check_fault(s, s->out.begin, "rows of the buffer overlap");
	}
	const Var *v = s->buffer.sym ? ptx_var(s->out.m, s->buffer.sym) : NULL;
	if (v && (uint64_t)(max_threads(s) + 31) / 32 * s->buffer.stride > v->bytes)
		return loop_check_fault(
			s, s->out.begin, "a block may have more warps than the buffer has parts");
	return true;
}

static void
find_rows(Buffer_checker *k)
{
	const Loop_check *s = k->s;

	k->rows = arena_array(s->arena, s->paths.n + 1, sizeof *k->rows);
	for (uint32_t i = 0; i < s->buffer.rows.n && i < 64; i++)
		if (s->buffer.rows.at[i].pushed)
			k->rows[s->buffer.rows.at[i].path] |= UINT64_C(1) << i;
}

static void
note_target(Bits seen, uint32_t *list, uint32_t *n, uint32_t i)
{
	if (!bits_has(seen, i))
		list[(*n)++] = i;
	bits_set(seen, i);
}

/* The inserted statements that the text's control flow reaches at all, numbered from 0. */
static Bits
find_branch_targets(Loop_check *s)
{
	uint32_t n = s->out.end - s->out.begin, have = 0, to;
	Bits seen = bits_new(s->arena, n + 1);
	uint32_t *list = arena_array(s->arena, n + 1, sizeof *list);

	note_target(seen, list, &have, 0);
	for (uint32_t i = 0; i < have; i++) {
		for (uint32_t k = 0; list[i] < n &&
			output_branch_target(&s->out, s->out.begin + list[i], k, &to);
			k++)
			if (to)
				note_target(seen, list, &have, to - s->out.begin);
		if (list[i] < n && !s->out.stmts[list[i]].flow.ends)
			note_target(seen, list, &have, list[i] + 1);
	}
	return seen;
}

static bool
any_jumps(const Collected_paths *paths)
{
	for (uint32_t i = 0; i < paths->n; i++)
		if (paths->at[i].has_tail)
			return true;
	return false;
}

/* Every statement must be reached by some lane. Exceptions are statements that the control flow
 * cannot reach: with tail capture, the common code's copy of what only tasks execute; with
 * look-ahead, the recording of a path that no branch of the input leads to. */
static bool
check_reached(Loop_check *s)
{
	bool jumps = any_jumps(&s->paths), some_led = false;
	Bits led = { 0 };

	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		const Output_stmt *k = output_stmt(&s->out, i);
		const Stmt *t = &s->out.m->stmts[i];
		if (t->kind != STMT_INSN || t->guard || k->flags & OPF_BRANCH ||
			bits_has(s->observed.reached, ptx_local_stmt(s->out.f, i)))
			continue;
		if (!some_led)
			led = find_branch_targets(s);
		some_led = true;
		bool left_over = jumps && !k->writes_emitted && !k->buffer && k->op != OP_VOTE &&
			k->op != OP_BAR_WARP && !bits_has(led, i - s->out.begin);
		left_over |= s->lookahead && k->writes_emitted && k->op == OP_OR &&
			!bits_has(led, i - s->out.begin);
		if (!left_over)
			return loop_check_fault(s, i, "no lane comes here");
	}
	return true;
}

bool
check_buffer(Loop_check *s)
{
	Buffer_checker k = { .s = s };

	if (!check_segments(s) || !check_reached(s))
		return false;
	if (s->paths.n == 0)
		return true;
	find_rows(&k);
	return find_votes(&k) && check_rounds(&k) && check_rows(&k) && check_barrier_order(s);
}
