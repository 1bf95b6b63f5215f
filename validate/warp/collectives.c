/* SPDX-License-Identifier: MIT */
/* Votes and barriers as a lane reaches them, and the segments between them.
 *
 * If a label with several predecessors is followed only by computation up to a vote or barrier, the
 * segment already ends at the label (Output_stmt.closes): every path to the vote passes the label,
 * and every path from the label reaches the vote, so the same lanes must reach both, even if they
 * have diverged. If lanes of the segment reach another place, segment_to() returns NULL.
 * After the label all lanes compute the same values from the same operands. States are compared
 * after it, which merges those that differ only in how lanes came there.
 */
#include <string.h>
#include "validate/warp/warp.h"

/* Whether lanes of one group may be in both at a time. */
static bool
segments_may_coexist(const Sync_segment *g, const Sync_segment *h)
{
	return g->from == h->from && g->branch_hash == h->branch_hash &&
		g->none_in_loop == h->none_in_loop &&
		!(g->agreed && g->agreed == h->agreed && g->agreed_taken != h->agreed_taken);
}

/* The segment that ends at `to`; NULL if lanes in it may reach another place. */
static Sync_segment *
segment_to(Observed_actions *observed, const Lane_segment *segment, uint32_t to)
{
	const Sync_segment key = { .from = segment->from,
		.branch_hash = segment->branch_hash,
		.none_in_loop = segment->none_in_loop,
		.to = to,
		.agreed = segment->agreed,
		.agreed_taken = segment->agreed_taken };
	uint32_t *last = &observed->segment_chains[(segment->from * 31 + segment->branch_hash) %
		SEGMENT_CHAINS];
	Sync_segment *found = NULL;

	for (uint32_t i = *last; i; i = observed->segments.at[i - 1].next) {
		Sync_segment *g = &observed->segments.at[i - 1];
		if (!segments_may_coexist(g, &key))
			continue;
		if (g->to != to)
			return NULL;
		if (g->agreed == key.agreed)
			found = g;
	}
	if (found)
		return found;
	*vec_push(&observed->segments) = key;
	found = &observed->segments.at[observed->segments.n - 1];
	found->next = *last;
	*last = observed->segments.n;
	return found;
}

/* Whether the lane took a branch that implies a vote that was not empty. */
static bool
vote_was_not_empty(const Terms *terms, const Lane_state *l)
{
	for (uint32_t i = 0; i < l->facts.n; i++) {
		const Term *x = term_at(terms, l->facts.at[i]);
		if (x->op != TERM_NOT)
			continue;
		x = term_at(terms, x->a);
		if (x->op == TERM_ZERO && x->a == l->round.votes)
			return true;
	}
	return false;
}

/* Records whether the lane comes here only if some lane wants the path. */
static void
note_wanting_vote(Terms *terms, Lane_state *l)
{
	if (l->round.ballot && l->facts.n && vote_was_not_empty(terms, l)) {
		l->segment.wanting_vote = l->round.ballot;
		l->segment.wanting_none_in_loop = l->round.none_in_loop;
	}
}

/* Ends a segment and begins the next one. */
static bool
end_segment(Loop_check *s, Lane_state *l, uint32_t to, uint32_t stmt)
{
	Sync_segment *g = segment_to(&s->observed, &l->segment, to);

	if (!g)
		return loop_check_fault(s, stmt, "lanes may reach different votes or barriers");
	g->effects |= l->segment.effects;
	g->ran |= l->segment.ran;
	note_wanting_vote(&s->terms, l);
	if (l->segment.wanting_vote) {
		g->wanting_vote = l->segment.wanting_vote;
		g->wanting_none_in_loop = l->segment.wanting_none_in_loop;
	}
	g->to_none_in_loop = l->group.none_in_loop;
	memset(&l->segment, 0, sizeof l->segment);
	l->segment.from = to;
	l->segment.none_in_loop = l->group.none_in_loop;
	return true;
}

/* Whether the lane votes that it has left the loop. A lane in the fallback does so while the input
 * is still inside. */
static bool
votes_out(const Loop_check *s, const Lane_state *l)
{
	uint32_t v;

	for (uint32_t k = 0; k < 2; k++)
		for (uint64_t left = s->emitted.any_operands[k] & l->regs.defined[k]; left;
			left &= left - 1) {
			Term_id in = l->env[64 * k + (uint32_t)__builtin_ctzll(left)];
			if (term_is_const(&s->terms, in, &v) && !v)
				return true;
		}
	return false;
}

/* Whether the lane must execute a statement of the input before it returns to a state; otherwise a
 * vote counts as progress. If tasks are collected, or no votes are counted, a lane never waits for
 * others while it is in the loop or has a task. At a pop label a vote suffices, as it removes
 * tasks. */
static bool
must_step(const Loop_check *s, const Lane_state *l, uint32_t to)
{
	bool pops = to != LEAVES_LOOP && s->out.m->stmts[to].kind == STMT_LABEL &&
		output_stmt(&s->out, to)->flow.reconverges;

	return !(s->paths.n == 0 && s->out.counts_votes) && !s->lookahead && !pops &&
		(l->tasks.pending || l->at.task ||
			(input_is_in_loop(s, &l->at) && !votes_out(s, l)));
}

static bool
enter_segment(Loop_check *s, Lane_state *l, uint32_t to, uint32_t stmt)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t *since = to == LEAVES_LOOP ?
			NULL :
			&output_stmt(&s->out, to)->regs.divergent_since_sync[i];
		s->divergence.grown |=
			s->lookahead && since && l->regs.written_by_some[i] & ~*since;
		if (since)
			*since |= l->regs.written_by_some[i];
		l->regs.written_by_all[i] &= s->lookahead && since ? ~*since : 0;
		l->regs.written_by_some[i] = 0;
	}
	bool ok = end_segment(s, l, to, stmt);
	l->branches = 0;
	l->idle = must_step(s, l, to) ? l->idle : 0;
	return ok;
}

bool
collective_at_meeting(Loop_check *s, Lane_state *l)
{
	return enter_segment(s, l, l->at.output, l->at.output);
}

bool
collective_at_label(Loop_check *s, Lane_state *l)
{
	if (!l->segment.diverged && l->segment.from != l->at.output &&
		!end_segment(s, l, l->at.output, l->at.output))
		return false;
	if (l->round.ballot && output_stmt(&s->out, l->at.output)->flow.ends_round &&
		round_is_complete(s, l)) {
		/* nothing lies between here and the vote */
		if (!output_stmt(&s->out, l->at.output)->flow.closes)
			note_wanting_vote(&s->terms, l);
		round_end(s, l, UINT32_MAX);
	}
	return true;
}

bool
collective_on_exit(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	uint32_t v;

	for (uint32_t i = 0; i < s->emitted.n; i++)
		if (l->env[i] && !(term_is_const(&s->terms, l->env[i], &v) && v == 0))
			s->observed.left[i >> 6] |= UINT64_C(1) << (i & 63);
	if (l->tasks.pending)
		return loop_check_fault(s, stmt, "a lane leaves while it has a task");
	if (!reduction_all_folded(s, l) || !reduction_all_given(s, l, stmt))
		return false;
	return enter_segment(s, l, LEAVES_LOOP, stmt);
}

/* Whether the operand is the mask of the group. */
static bool
operand_names_all_lanes(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k)
{
	Term_id m = scalar_operand(s, l, stmt, k);
	uint32_t v;

	if (term_is_const(&s->terms, m, &v))
		return v == UINT32_MAX && l->group.full;
	return m && term_at(&s->terms, m)->op == TERM_MASK;
}

static void
note_wanted(Observed_actions *observed, uint32_t ballot, bool over)
{
	for (uint32_t i = 0; i < observed->wanted.n; i++)
		if (observed->wanted.at[i].from == ballot &&
			observed->wanted.at[i].none_in_loop == over)
			return;
	*vec_push(&observed->wanted) = (Sync_segment){ .from = ballot, .none_in_loop = over };
}

static bool
run_ballot(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = scalar_predicate(s, l, sym);
	uint32_t v, i = output_reg(&s->out, sym)->index,
		    to = output_operand(&s->out, stmt, 0)->sym;

	if (!p || !term_is_const(&s->terms, p, &v) || output_reg(&s->out, sym)->kind != REG_EMITTED)
		return loop_check_fault(
			s, stmt, "whether a lane has a task is not known where it votes on that");
	for (uint32_t k = 1; k <= s->paths.n && (l->tasks.fresh || l->slice.n); k++)
		if (!owner_check_slice(s, l, k))
			return false;
	if (!reduction_is_ready(s, l, stmt) || !enter_segment(s, l, stmt, stmt))
		return false;
	round_end(s, l, stmt);
	s->observed.vote_subjects[i] &= v ? l->tasks.pending : ~l->tasks.pending;
	if (v) /* the iterations of a batch vote in order */
		s->observed.vote_subjects[i] &= -s->observed.vote_subjects[i];
	if (!s->observed.vote_subjects[i] && s->paths.n)
		return loop_check_fault(s, stmt, "a lane %s it wants the path, and %s",
			v ? "votes that" : "does not vote that",
			v ? "has no task of it" : "has one");
	l->round.ballot = stmt;
	l->round.none_in_loop = l->group.none_in_loop;
	l->round.vote_subject = i + 1;
	l->tasks.batch_index = 0;
	l->round.some_wanted = v;
	if (v)
		note_wanted(&s->observed, stmt, l->group.none_in_loop);
	l->round.votes = term_make(&s->terms, TERM_BALLOT, stmt, i, v);
	scalar_set(s, l, to, l->round.votes, false);
	return true;
}

static bool
run_any(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = scalar_predicate(s, l, sym);
	uint32_t v, to = output_operand(&s->out, stmt, 0)->sym;

	if (!p)
		return loop_check_fault(s, stmt, "a vote on '%.*s', which nothing has set",
			PTX_NAME(s->out.m, sym));
	if (!enter_segment(s, l, stmt, stmt))
		return false;
	/* its iterations need no votes: a round may begin */
	if (!l->tasks.pending && l->tasks.batch_index <= s->batch.n)
		l->tasks.batch_index = 0;
	if (!term_is_const(&s->terms, p, &v) || !v)
		p = term_make(&s->terms, TERM_ANY, stmt, p, sym == to);
	scalar_set(s, l, to, p, false);
	return true;
}

/* vote.all: a lane that votes false knows that the result is false. */
static bool
run_all(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = scalar_predicate(s, l, sym);
	uint32_t v;

	if (!p)
		return loop_check_fault(s, stmt, "a vote on '%.*s', which nothing has set",
			PTX_NAME(s->out.m, sym));
	if (!enter_segment(s, l, stmt, stmt))
		return false;
	if (!term_is_const(&s->terms, p, &v) || v)
		p = term_make(&s->terms, TERM_ALL, stmt, p, 0);
	scalar_set(s, l, output_operand(&s->out, stmt, 0)->sym, p, false);
	return true;
}

/* The result is uniform but unknown. */
static bool
run_redux(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	if (!operand_names_all_lanes(s, l, stmt, 2))
		return loop_check_fault(s, stmt, "a reduction does not name the converged lanes");
	if (!enter_segment(s, l, stmt, stmt))
		return false;
	scalar_set(s, l, output_operand(&s->out, stmt, 0)->sym,
		term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0), false);
	return true;
}

static bool
run_vote(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Opnd *p = output_operand(&s->out, stmt, 1);
	Vote_kind vote = (Vote_kind)output_stmt(&s->out, stmt)->vote;

	if (p->kind != OPND_SYM || vote == VOTE_OTHER)
		return loop_check_unknown(s, stmt, "a vote of another form");
	if (!operand_names_all_lanes(s, l, stmt, 2))
		return loop_check_fault(s, stmt, "a vote does not name the converged lanes");
	return vote == VOTE_BALLOT ? run_ballot(s, l, stmt, p->sym) :
		vote == VOTE_ANY   ? run_any(s, l, stmt, p->sym) :
				     run_all(s, l, stmt, p->sym);
}

bool
collective_run(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	switch ((Op)output_stmt(&s->out, stmt)->op) {
	case OP_VOTE: return run_vote(s, l, stmt);
	case OP_BAR_WARP:
		return operand_names_all_lanes(s, l, stmt, 0) ? enter_segment(s, l, stmt, stmt) :
			loop_check_fault(s, stmt, "a barrier does not name the converged lanes");
	case OP_REDUX: return run_redux(s, l, stmt);
	case OP_ACTIVEMASK:
		scalar_set(s, l, output_operand(&s->out, stmt, 0)->sym,
			term_make(&s->terms, TERM_MASK, stmt, 0, 0), false);
		return true;
	default: return scalar_compute(s, l, stmt);
	}
}
