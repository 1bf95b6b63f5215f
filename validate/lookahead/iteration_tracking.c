/* SPDX-License-Identifier: MIT */
/* Lanes that look ahead: how a lane passes through look-ahead iterations, selects some and executes
 * them. transfer.c has the effects of statements.
 *
 * Such a text keeps two things apart. Look-ahead executes the common code of an iteration on
 * separate registers. The lane's position in the input is in that iteration; if it reaches a path,
 * the lane continues after the path, and must record the iteration. Execution is the input's code
 * on the input's registers, one selected iteration after the other.
 *
 * The proof checks:
 *
 * - A word of selected iterations has bit w - o for each iteration w of the batch, in [a, b), that
 *   needs a path (TERM_SELECTED_SET). The end of a look-ahead iteration extends the range by one
 *   whether or not the iteration needs a path, so that the states of both kinds are merged. After
 *   the last look-ahead iteration, and with origin 0, the word is the set of iterations to be
 *   executed (TERM_PENDING).
 * - After the lowest bit is removed, the iteration with this number (TERM_CURRENT) must be
 *   executed, past its path, before the next bit is removed. The word must be empty when the next
 *   batch begins, and when the lane leaves.
 * - Registers that the loop writes have no known value when an iteration is executed, except those
 *   that only paths write. The loop's induction variables must therefore be set first: to their
 *   value at the start of the batch plus the iteration's number times the increment. The increment
 *   is found during look-ahead, as the difference of a register's value at the end of an iteration
 *   and at its start, and must be the same in each.
 * - A lane whose look-ahead leaves the loop looks no further (TERM_PASSED is the iteration). It
 *   executes its selected iterations, then its last one again, without a path, or selected like the
 *   others. That iteration takes the same way as in look-ahead if it reads the same values. Paths
 *   of other iterations write nothing that it reads, as the annotation promises. If its own path
 *   has run by then, nothing that decides its way, or is read after the loop, may come from memory
 *   that a path could write.
 *
 * So each iteration's path is run once, in the order of iterations, on the values that it has in
 * the input, and the lane leaves with the values of its last iteration.
 */
#include <string.h>
#include "validate/lookahead/lookahead.h"

static bool bitset_has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* ---- state of a lane ------------------------------------------------------------------------- */

static Term_id
origin_is_noted(Terms *terms, uint32_t from, uint32_t to, uint32_t origin)
{
	return term_make(terms, TERM_SELECTED_SET, from, to, origin);
}

/* Whether a term with the op occurs in the term. */
static bool
has_op(const Terms *terms, Term_id a, Term_op op)
{
	const Term *x = term_at(terms, a);

	if (x->op == op)
		return true;
	for (uint32_t i = 0; x->op == TERM_SUM && i < x->n; i++)
		if (has_op(terms, terms->atoms.at[x->first + i].atom, op))
			return true;
	switch ((Term_op)x->op) {
	case TERM_AND: case TERM_OR: case TERM_MUL: case TERM_BOTH:
		return has_op(terms, x->a, op) || has_op(terms, x->b, op);
	case TERM_ZERO: case TERM_NEGATIVE: case TERM_NOT: case TERM_WIDE: case TERM_LOWEST:
	case TERM_REVERSED: case TERM_BIT: return has_op(terms, x->a, op);
	default: return false;
	}
}

/* Forgets the values of machine registers in which the op occurs. */
static void
forget_op(Loop_check *s, Lane_state *l, Term_op op)
{
	for (uint32_t i = 0; i < s->emitted.n; i++)
		if (l->env[i] && has_op(&s->terms, l->env[i], op))
			l->env[i] = term_make(&s->terms, TERM_UNKNOWN, UINT32_MAX, i, 1);
}

static void
forget_facts(Lane_state *l)
{
	memset(&l->facts, 0, sizeof l->facts);
}

/* Forgets the values of registers that common code writes. Those that only paths write stay. */
static void
forget_iteration(Loop_check *s, Lane_state *l)
{
	for (uint32_t k = 1; k <= s->lookahead->n; k++)
		if (bits_has(s->lookahead->own_writes,
			    fn_local(s->in.fn, s->lookahead->regs[k - 1].sym)))
			*lookahead_original(s, l, k) = 0;
}

static void
move_to_header(Loop_check *s, Lane_state *l)
{
	l->at.input = s->lookahead->start;
	l->at.ended = 0;
	l->lookahead.begun = l->lookahead.looked = false;
	memset(&l->assumed, 0, sizeof l->assumed);
}

/* ---- look-ahead ------------------------------------------------------------------------------ */

/* A look-ahead iteration ends: extends the words by it. */
static bool
count_lookahead(Loop_check *s, Lane_state *l)
{
	Lookahead *a = s->lookahead;
	uint32_t j = l->lookahead.iterations_seen;

	if (l->lookahead.pending)
		return loop_check_fault(s, l->at.output, "an iteration that wants its path is not noted");
	if (j == 32)
		return loop_check_fault(s, l->at.output, "a batch is longer than a word");
	if (j == 0) /* these registers are set before the next read */
		forget_iteration(s, l);
	l->lookahead.iterations_seen++;
	l->lookahead.looked = l->lookahead.begun = l->lookahead.selected = false;
	for (uint32_t i = 0; i < s->emitted.n; i++) {
		const Term x = *term_at(&s->terms, l->env[i]);
		if (bitset_has(a->selection.first_words, i) && x.op == TERM_SELECTED_SET &&
			x.b == j)
			l->env[i] = origin_is_noted(&s->terms, x.a, j + 1, x.c);
	}
	for (uint32_t k = 1; k <= a->n; k++) {
		Loop_register *r = &a->regs[k - 1];
		Term_id *now = lookahead_value(s, l, k), base;
		if (!bits_has(s->in.fn->live->in[a->header], fn_local(s->in.fn, r->sym))) {
			*now = 0;
			continue;
		}
		if (r->irregular)
			continue;
		if (!*now) {
			r->irregular = true;
			continue;
		}
		base = lookahead_batch_start(s, k);
		Term_id d = term_sum(&s->terms, *now, base, UINT32_MAX);
		if (j == 0 && !r->step && !has_op(&s->terms, d, TERM_BATCH_START) &&
			!has_op(&s->terms, d, TERM_MATCHES_INPUT))
			r->step = d;
		if (!r->step || *now != term_sum(&s->terms, base, r->step, j + 1)) {
			r->irregular = true;
			if (r->used)
				return loop_check_fault(s, l->at.output,
					"an iteration does not add to '%.*s' what the text says",
					PTX_NAME(s->in.m, r->sym));
		}
	}
	return true;
}

/* The look-ahead iteration leaves the loop. */
static bool
leave_in_lookahead(Loop_check *s, Lane_state *l)
{
	Lookahead *a = s->lookahead;
	uint32_t j = l->lookahead.iterations_seen, v;

	if (l->lookahead.pending)
		return loop_check_fault(s, l->at.output, "an iteration that wants its path is not noted");
	for (uint32_t i = 0; i < s->emitted.n; i++) {
		const Term x = *term_at(&s->terms, l->env[i]);
		if (bitset_has(a->selection.first_words, i) && x.op == TERM_SELECTED_SET &&
			(x.b == j || x.b == j + 1))
			l->env[i] = origin_is_noted(&s->terms, x.a, LOOKED_AT_ALL, x.c);
		else if (bitset_has(s->divergence.possible, i) &&
			(bitset_has(s->emitted.self_updated, i) ||
				bitset_has(a->selection.tallies, i)) &&
			!bitset_has(a->selection.words, i) &&
			s->out.m->syms[s->emitted.syms[i]].type != TYPE_PRED &&
			term_is_const(&s->terms, l->env[i], &v) && v == j)
			l->env[i] = lookahead_atom(s, TERM_PASSED);
	}
	memset(lookahead_value(s, l, 1), 0, a->n * sizeof(Term_id));
	forget_iteration(s, l);
	l->at.input = a->start; /* the text may still test predicates that the lane knows */
	l->at.ended = 0;
	l->lookahead.begun = l->lookahead.looked = l->lookahead.selected = false;
	l->lookahead.leaves_loop = true;
	l->lookahead.iterations_seen = 0;
	l->lookahead.stay_index = l->lookahead.stay_index_at_start = l->lookahead.stay_vote = 0;
	return true;
}

/* A batch is complete, or the first one begins. */
static void
start_batch(Loop_check *s, Lane_state *l)
{
	Lookahead *a = s->lookahead;

	for (uint32_t k = 1; k <= a->n; k++)
		if (*lookahead_value(s, l, k))
			*lookahead_value(s, l, k) =
				a->regs[k - 1].step && !a->regs[k - 1].irregular ?
				lookahead_batch_start(s, k) :
				lookahead_atom(s, TERM_MATCHES_INPUT);
	forget_op(s, l, TERM_BATCH_START);
	forget_op(s, l, TERM_CURRENT);
	l->lookahead = (Lookahead_state){ .phase = PHASE_LOOKAHEAD, .owed = OWED_NONE };
	move_to_header(s, l);
}

/* ---- position -------------------------------------------------------------------------------- */

/* The lane has reached the loop header. Returns false if it ends here. */
static bool
reach_header(Lookahead_state *state)
{
	if (state->phase == PHASE_LAST)
		return false; /* look-ahead left the loop in this iteration */
	if (state->phase == PHASE_LOOKAHEAD)
		state->looked = true;
	state->ran |= state->due;
	state->begun = false;
	return true;
}

static bool
reach_outside(Loop_check *s, Lane_state *l)
{
	switch ((Phase)l->lookahead.phase) {
	case PHASE_LOOKAHEAD: return l->lookahead.leaves_loop || leave_in_lookahead(s, l);
	case PHASE_SELECTED:
		if (!l->lookahead.due)
			break;
		if (!l->lookahead.leaves_loop || !l->lookahead.ends)
			return false; /* in look-ahead, this iteration continued */
		for (uint32_t i = 0; i < s->emitted.n; i++)
			if (l->env[i] && term_at(&s->terms, l->env[i])->op == TERM_PENDING)
				l->env[i] = term_const(&s->terms, 0);
		l->lookahead = (Lookahead_state){ .phase = PHASE_OUT, .owed = OWED_NONE };
		break;
	default: l->lookahead = (Lookahead_state){ .phase = PHASE_OUT, .owed = OWED_NONE }; break;
	}
	return true;
}

bool
lookahead_reached(Loop_check *s, Lane_state *l, bool *moved)
{
	Lookahead *a = s->lookahead;
	uint32_t stmt = l->at.input, b;

	*moved = false;
	if (l->lookahead.phase == PHASE_FIRST || l->lookahead.phase == PHASE_OUT)
		return true;
	if (!lookahead_in_loop(&s->in, stmt) || l->at.ended)
		return reach_outside(s, l);
	b = input_stmt(&s->in, stmt)->block;
	if (s->in.fn->cfg->blocks[b].stmt != stmt)
		return true;
	if (b == a->header && l->lookahead.begun)
		return reach_header(&l->lookahead);
	if (l->lookahead.in_path && !bits_has(a->paths.only, b)) {
		l->lookahead.in_path = false;
		l->lookahead.ran = !lookahead_reaches_path(s, b);
	}
	if (!a->paths.of_block[b])
		return true;
	if (l->lookahead.phase == PHASE_SELECTED) {
		l->lookahead.in_path = true;
		return true;
	}
	if (l->lookahead.phase == PHASE_LOOKAHEAD) {
		l->lookahead.pending = l->lookahead.selected ? 0 : (uint8_t)a->paths.of_block[b];
		for (uint32_t k = 1; k <= a->n; k++)
			if (bits_has(a->paths.writes[a->paths.of_block[b] - 1],
				    fn_local(s->in.fn, a->regs[k - 1].sym)))
				*lookahead_value(s, l, k) = 0;
	}
	l->at.input = a->paths.resume[a->paths.of_block[b] - 1];
	*moved = true;
	return true;
}

bool
lookahead_before_stmt(Loop_check *s, Lane_state *l)
{
	uint32_t at = l->lookahead.stay_index ? input_branch(s, &l->at) : 0;
	bool taken;

	if (at && lookahead_stays(s, l, at, &taken) && !input_take_branch(s, l, taken))
		return false;
	if (l->lookahead.phase == PHASE_LOOKAHEAD && l->lookahead.looked && !l->lookahead.pending &&
		!count_lookahead(s, l))
		return false;
	if (l->lookahead.stay_index && !l->lookahead.begun)
		l->lookahead.stay_index_at_start = *lookahead_value(
			s, l, s->lookahead->stay_proofs[l->lookahead.stay_vote].number);
	return true;
}

void
lookahead_merge(Loop_check *s, Lane_state *l)
{
	uint32_t at = input_branch(s, &l->at);

	for (uint32_t i = l->assumed.n; i-- > 0;) /* except for the branch that the lane is at */
		if (!at || fn_stmt(s->in.fn, at)->sym != l->assumed.at[i].sym)
			lane_forget_predicate(&l->assumed, l->assumed.at[i].sym);
	forget_facts(l);
	if (s->out.m->stmts[l->at.output].kind == STMT_LABEL)
		l->lookahead.stay_index = l->lookahead.stay_index_at_start =
			l->lookahead.stay_vote = 0;
}

/* ---- votes and selected iterations ----------------------------------------------------------- */

bool
lookahead_at_vote(Loop_check *s, Lane_state *l)
{
	forget_facts(l);
	if (l->lookahead.phase == PHASE_LAST && l->lookahead.begun)
		return loop_check_fault(s, l->at.output, "a lane reaches a vote in its last iteration");
	if (l->lookahead.phase != PHASE_FIRST)
		return true;
	if (!lookahead_in_loop(&s->in, l->at.input) || l->at.ended) {
		l->lookahead.phase = PHASE_OUT;
		l->lookahead.owed = OWED_NONE;
	} else if (l->at.input != s->lookahead->start) {
		return loop_check_unknown(
			s, l->at.output, "lanes that meet elsewhere than where iterations begin");
	} else {
		l->lookahead = (Lookahead_state){ .phase = PHASE_LOOKAHEAD, .owed = OWED_NONE };
		move_to_header(s, l);
	}
	return true;
}

/* Whether the term contains all selected iterations of the batch. The lane must have executed a
 * look-ahead iteration, or it might never terminate. */
static bool
notes_cover_batch(const Lookahead_state *state, const Term *x)
{
	return state->phase == PHASE_LOOKAHEAD && x->a == 0 && x->c == 0 &&
		(state->leaves_loop ? x->b == LOOKED_AT_ALL :
					    x->b == state->iterations_seen && x->b > 0 &&
					!state->begun && !state->pending);
}

static bool
finish_run(Loop_check *s, Lane_state *l)
{
	if (l->lookahead.due && !l->lookahead.ran)
		return loop_check_fault(s, l->at.output, "a noted iteration is not run");
	l->lookahead.due = l->lookahead.ran = l->lookahead.in_path = false;
	return true;
}

static bool
batch_is_done(Loop_check *s, Lane_state *l)
{
	if (!finish_run(s, l))
		return false;
	if (l->lookahead.leaves_loop && l->lookahead.ends)
		return false; /* the iteration in which it leaves would be lost */
	forget_iteration(s, l);
	if (!l->lookahead.leaves_loop) {
		start_batch(s, l);
		return true;
	}
	l->lookahead = (Lookahead_state){ .phase = PHASE_LAST, .owed = OWED_NONE };
	move_to_header(s, l);
	return true;
}

bool
lookahead_assume_zero(Loop_check *s, Lane_state *l, Term_id word, bool zero)
{
	const Term x = *term_at(&s->terms, word);

	if (x.op == TERM_PENDING) {
		if (zero)
			return batch_is_done(s, l);
		l->lookahead.owed = OWED_SOME;
	} else if (x.op == TERM_SELECTED_SET) {
		if (!notes_cover_batch(&l->lookahead, &x))
			return loop_check_fault(s, l->at.output, "these are not all notes of a batch");
		if (zero)
			return batch_is_done(s, l);
		for (uint32_t i = 0; i < s->emitted.n; i++)
			if (l->env[i] == word)
				l->env[i] = lookahead_atom(s, TERM_PENDING);
		l->lookahead.phase = PHASE_SELECTED;
		l->lookahead.owed = OWED_SOME;
	}
	return true;
}

bool
lookahead_take_lowest(Loop_check *s, Lane_state *l)
{
	Term_id owed = lookahead_atom(s, TERM_PENDING),
		lowest = term_make(&s->terms, TERM_LOWEST, owed, 0, 0);

	if (l->lookahead.phase != PHASE_SELECTED || l->lookahead.owed != OWED_SOME)
		return loop_check_fault(s, l->at.output, "an iteration is taken where none need be noted");
	if (!finish_run(s, l))
		return false;
	forget_op(s, l, TERM_CURRENT);
	for (uint32_t i = 0; i < s->emitted.n; i++)
		if (l->env[i] == lowest)
			l->env[i] = lookahead_atom(s, TERM_CURRENT);
	forget_op(s, l, TERM_PENDING);
	forget_facts(l);
	forget_iteration(s, l);
	l->lookahead.due = true;
	l->lookahead.owed = OWED_MAYBE;
	move_to_header(s, l);
	return true;
}

bool
lookahead_leave(Loop_check *s, Lane_state *l, uint32_t in)
{
	bool begins = l->lookahead.phase == PHASE_LOOKAHEAD && !l->lookahead.leaves_loop &&
		!l->lookahead.iterations_seen && !l->lookahead.begun && !l->lookahead.looked;

	if (l->lookahead.phase != PHASE_OUT && l->lookahead.phase != PHASE_FIRST && !begins)
		return loop_check_fault(s, l->at.output, "a lane leaves while it has iterations to run");
	for (uint32_t k = 1; k <= s->lookahead->n; k++) {
		uint32_t sym = s->lookahead->regs[k - 1].sym;
		Term_id now = *lookahead_original(s, l, k);
		if (now == lookahead_atom(s, TERM_MATCHES_INPUT) ||
			!input_register_is_live(&s->in, in, sym))
			continue;
		if (now == lookahead_atom(s, TERM_READ))
			return loop_check_unknown(s, l->at.output, "a last iteration that reads memory again");
		return loop_check_fault(
			s, l->at.output, "a lane continues without its '%.*s'", PTX_NAME(s->in.m, sym));
	}
	return true;
}
