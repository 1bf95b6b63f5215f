/* SPDX-License-Identifier: MIT */
/* Votes and barriers as a lane reaches them, and the segments between them.
 *
 * If a label with several predecessors is followed only by computation up to a vote or barrier, the
 * segment already ends at the label (Step.closes): every way to the vote leads through the label,
 * and no way leads from there elsewhere, so the lanes that must reach one must reach the other,
 * even if they diverged. If lanes of the segment reach another place, segment() reports a fault.
 * After the label all lanes compute the same values from the same operands. States are compared
 * after it, which merges those that differ only in how lanes came there.
 */
#include "validate/warp/warp.h"

/* Whether lanes of one group may be in both at a time. */
static bool
together(const Segment *g, const Segment *h)
{
	return g->from == h->from && g->way == h->way && g->over == h->over &&
		!(g->agreed && g->agreed == h->agreed && g->agreed_taken != h->agreed_taken);
}

/* The segment that ends at `to`; NULL if lanes in it may reach another place. */
static Segment *
segment(Site *s, const Lane *l, uint32_t to)
{
	const Segment key = { .from = l->sync, .way = l->way, .over = l->since_over, .to = to,
		.agreed = l->agreed, .agreed_taken = l->agreed_taken };
	uint32_t *last = &s->begins[(l->sync * 31 + l->way) % SEGMENT_CHAINS];
	Segment *found = NULL;

	for (uint32_t i = *last; i; i = s->segments.at[i - 1].next) {
		Segment *g = &s->segments.at[i - 1];
		if (!together(g, &key))
			continue;
		if (g->to != to)
			return NULL;
		if (g->agreed == key.agreed)
			found = g;
	}
	if (found)
		return found;
	*vec_push(&s->segments) = key;
	found = &s->segments.at[s->segments.n - 1];
	found->next = *last;
	*last = s->segments.n;
	return found;
}

/* Whether the lane took a branch that implies a vote that was not empty. */
static bool
somebody_wants(const Site *s, const Lane *l)
{
	for (uint32_t i = 0; i < l->nfacts; i++) {
		const Term *x = term_at(&s->terms, l->facts[i]);
		if (x->op != TERM_NOT)
			continue;
		x = term_at(&s->terms, x->a);
		if (x->op == TERM_ZERO && x->a == l->votes)
			return true;
	}
	return false;
}

/* Records whether the lane comes here only if some lane wants the path. */
static void
note_some(Site *s, Lane *l)
{
	if (l->ballot && l->nfacts && somebody_wants(s, l)) {
		l->some = l->ballot;
		l->some_over = l->ballot_over;
	}
}

/* Ends a segment and begins the next one. */
static bool
come_to(Site *s, Lane *l, uint32_t to, uint32_t stmt)
{
	Segment *g = segment(s, l, to);

	if (!g)
		return site_fault(s, stmt, "lanes may reach different votes or barriers");
	g->did |= l->did;
	g->ran |= l->ran_since;
	note_some(s, l);
	if (l->some) {
		g->some = l->some;
		g->some_over = l->some_over;
	}
	l->some = 0;
	l->some_over = false;
	l->sync = to;
	l->way = l->agreed = l->agreed_taken = 0;
	g->to_over = l->over;
	l->since_over = l->over;
	l->did = 0;
	l->ran_since = false;
	return true;
}

/* Whether the lane votes that it has left the loop. A lane in the fallback does so while the input
 * is still inside. */
static bool
votes_out(const Site *s, const Lane *l)
{
	uint32_t v;

	for (uint32_t k = 0; k < 2; k++)
		for (uint64_t left = s->asked[k] & l->holds[k]; left; left &= left - 1) {
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
must_step(const Site *s, const Lane *l, uint32_t to)
{
	bool pops = to != LEAVES && s->out->stmts[to].kind == STMT_LABEL && step_at(s, to)->meets;

	return !(s->bound && s->counts_votes) && !s->ahead && !pops &&
		(l->hand || l->task || (cursor_inside(s, l) && !votes_out(s, l)));
}

static bool
arrive(Site *s, Lane *l, uint32_t to, uint32_t stmt)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t *since = to == LEAVES ? NULL : &step_at(s, to)->since[i];
		s->grown |= s->ahead && since && l->wrote[i] & ~*since;
		if (since)
			*since |= l->wrote[i];
		l->made[i] &= s->ahead && since ? ~*since : 0;
		l->wrote[i] = 0;
	}
	bool ok = come_to(s, l, to, stmt);
	l->parted = false;
	l->branches = 0;
	l->idle = must_step(s, l, to) ? l->idle : 0;
	return ok;
}

bool
votes_meet(Site *s, Lane *l)
{
	return arrive(s, l, l->o, l->o);
}

bool
votes_pass(Site *s, Lane *l)
{
	if (!l->parted && l->sync != l->o && !come_to(s, l, l->o, l->o))
		return false;
	if (l->ballot && step_at(s, l->o)->quiet && round_ended(s, l)) {
		if (!step_at(s, l->o)->closes) /* nothing lies between here and the vote */
			note_some(s, l);
		round_close(s, l, UINT32_MAX);
	}
	return true;
}

bool
votes_leave(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t v;

	for (uint32_t i = 0; i < s->nmachine; i++)
		if (l->env[i] && !(term_is_const(&s->terms, l->env[i], &v) && v == 0))
			s->left[i >> 6] |= UINT64_C(1) << (i & 63);
	if (l->hand)
		return site_fault(s, stmt, "a lane leaves while it has a task");
	if (!sums_folded(s, l) || !sums_given(s, l, stmt))
		return false;
	return arrive(s, l, LEAVES, stmt);
}

/* Whether the operand is the mask of the group. */
static bool
names_all(Site *s, Lane *l, uint32_t stmt, uint32_t k)
{
	Term_id m = inserted_operand(s, l, stmt, k);
	uint32_t v;

	if (term_is_const(&s->terms, m, &v))
		return v == UINT32_MAX && l->full;
	return m && term_at(&s->terms, m)->op == TERM_MASK;
}

static void
note_wanted(Site *s, uint32_t ballot, bool over)
{
	for (uint32_t i = 0; i < s->wanted.n; i++)
		if (s->wanted.at[i].from == ballot && s->wanted.at[i].over == over)
			return;
	*vec_push(&s->wanted) = (Segment){ .from = ballot, .over = over };
}

static bool
run_ballot(Site *s, Lane *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = inserted_predicate(s, l, sym);
	uint32_t v, i = site_reg(s, sym)->index,
		    to = step_operand(s, stmt, 0)->sym;

	if (!p || !term_is_const(&s->terms, p, &v) || site_reg(s, sym)->kind != REG_MACHINE)
		return site_fault(
			s, stmt, "whether a lane has a task is not known where it votes on that");
	for (uint32_t k = 1; k <= s->npaths && (l->fresh || l->nsliced); k++)
		if (!owner_sliced_all(s, l, k))
			return false;
	if (!sums_ready(s, l, stmt) || !arrive(s, l, stmt, stmt))
		return false;
	round_close(s, l, stmt);
	s->wants[i] &= v ? l->hand : ~l->hand;
	if (v) /* the iterations of a batch vote in order */
		s->wants[i] &= -s->wants[i];
	if (!s->wants[i] && !s->bound)
		return site_fault(s, stmt, "a lane %s it wants the path, and %s",
			v ? "votes that" : "does not vote that",
			v ? "has no task of it" : "has one");
	l->ballot = stmt;
	l->ballot_over = l->over;
	l->wish = i + 1;
	l->turn = 0;
	l->wanted = v;
	if (v)
		note_wanted(s, stmt, l->over);
	l->votes = term_make(&s->terms, TERM_BALLOT, stmt, i, v);
	inserted_set(s, l, to, l->votes, false);
	return true;
}

static bool
run_any(Site *s, Lane *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = inserted_predicate(s, l, sym);
	uint32_t v, to = step_operand(s, stmt, 0)->sym;

	if (!p)
		return site_fault(s, stmt, "a vote on '%.*s', which nothing has set",
			PTX_NAME(s->out, sym));
	if (!arrive(s, l, stmt, stmt))
		return false;
	if (!l->hand && l->turn <= s->turns) /* its iterations need no votes: a round may begin */
		l->turn = 0;
	if (!term_is_const(&s->terms, p, &v) || !v)
		p = term_make(&s->terms, TERM_ANY, stmt, p, sym == to);
	inserted_set(s, l, to, p, false);
	return true;
}

/* A lane that votes against it knows the outcome. */
static bool
run_all(Site *s, Lane *l, uint32_t stmt, uint32_t sym)
{
	Term_id p = inserted_predicate(s, l, sym);
	uint32_t v;

	if (!p)
		return site_fault(s, stmt, "a vote on '%.*s', which nothing has set",
			PTX_NAME(s->out, sym));
	if (!arrive(s, l, stmt, stmt))
		return false;
	if (!term_is_const(&s->terms, p, &v) || v)
		p = term_make(&s->terms, TERM_ALL, stmt, p, 0);
	inserted_set(s, l, step_operand(s, stmt, 0)->sym, p, false);
	return true;
}

/* The result is uniform but unknown. */
static bool
run_redux(Site *s, Lane *l, uint32_t stmt)
{
	if (!names_all(s, l, stmt, 2))
		return site_fault(s, stmt, "a reduction does not name the converged lanes");
	if (!arrive(s, l, stmt, stmt))
		return false;
	inserted_set(s, l, step_operand(s, stmt, 0)->sym,
		term_make(&s->terms, TERM_UNKNOWN, stmt, 0, 0), false);
	return true;
}

static bool
run_vote(Site *s, Lane *l, uint32_t stmt)
{
	const Opnd *p = step_operand(s, stmt, 1);
	Vote_kind vote = (Vote_kind)step_at(s, stmt)->vote;

	if (p->kind != OPND_SYM || vote == VOTE_OTHER)
		return site_unknown(s, stmt, "a vote of another form");
	if (!names_all(s, l, stmt, 2))
		return site_fault(s, stmt, "a vote does not name the converged lanes");
	return vote == VOTE_BALLOT ? run_ballot(s, l, stmt, p->sym) :
		vote == VOTE_ANY   ? run_any(s, l, stmt, p->sym) :
				     run_all(s, l, stmt, p->sym);
}

bool
votes_run(Site *s, Lane *l, uint32_t stmt)
{
	switch ((Op)step_at(s, stmt)->op) {
	case OP_VOTE: return run_vote(s, l, stmt);
	case OP_BAR_WARP:
		return names_all(s, l, stmt, 0) ? arrive(s, l, stmt, stmt) :
			site_fault(s, stmt, "a barrier does not name the converged lanes");
	case OP_REDUX: return run_redux(s, l, stmt);
	case OP_ACTIVEMASK:
		inserted_set(s, l, step_operand(s, stmt, 0)->sym,
			term_make(&s->terms, TERM_MASK, stmt, 0, 0), false);
		return true;
	default: return inserted_compute(s, l, stmt);
	}
}
