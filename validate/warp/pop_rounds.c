/* SPDX-License-Identifier: MIT */
/* Batches of several iterations of common code per round, and several rounds of pops after their
 * votes.
 *
 * In each iteration of a batch other registers may stand for the input's. The state tracks which of
 * them holds the latest value, and no other may be read. A pending task is identified by its path
 * and its iteration; each vote is on one of them.
 *
 * After the votes lanes pop as long as there are tasks for all, by a branch back without a vote. At
 * its target, the pop label, a round begins in which no lane votes, with the known bounds of the
 * counter. Before the branch all lanes meet that began the round, even if they diverged in the
 * path.
 */
#include <string.h>
#include "validate/warp/warp.h"

static bool
is_sync(const Output_stmt *k)
{
	return k->op == OP_VOTE || k->op == OP_BAR_WARP;
}

static void
push_once(bool *seen, uint32_t *list, uint32_t *n, uint32_t i)
{
	if (!seen[i])
		list[(*n)++] = i;
	seen[i] = true;
}

/* Whether all ways from a statement reach another one, without a vote or barrier on the way. */
static bool
all_reach(Loop_check *s, uint32_t from, uint32_t to)
{
	uint32_t n = s->out.end - s->out.begin, have = 0;
	Arena_mark mark = arena_mark(s->arena);
	bool *seen = arena_array(s->arena, n + 1, 1), ok = true;
	uint32_t *list = arena_array(s->arena, n + 1, sizeof *list);

	push_once(seen, list, &have, from - s->out.begin);
	for (uint32_t i = 0; i < have && ok; i++) {
		const Output_stmt *k = &s->out.stmts[list[i]];
		if (list[i] == to - s->out.begin)
			continue;
		/* a trap ends the whole grid, so no lane waits for one that executes it */
		ok = list[i] < n && !is_sync(k) && (!(k->flags & OPF_EXIT) || k->op == OP_TRAP);
		for (uint32_t m = 0, at;
			ok && output_branch_target(&s->out, s->out.begin + list[i], m, &at); m++) {
			ok = at != 0;
			if (ok)
				push_once(seen, list, &have, at - s->out.begin);
		}
		if (ok && !k->flow.ends)
			push_once(seen, list, &have, list[i] + 1);
	}
	ok = ok && seen[to - s->out.begin];
	arena_release(s->arena, mark);
	return ok;
}

/* A guarded branch back to a label from which all ways return to it: the lanes meet before the
 * computation of its guard. */
static bool
add_pop_label(Loop_check *s, uint32_t stmt)
{
	Output_stmt *k = output_stmt(&s->out, stmt);
	uint32_t meet = stmt;

	if (k->op != OP_BRA || !s->out.m->stmts[stmt].guard || !k->flow.to || k->flow.to >= stmt ||
		output_reg(&s->out, s->out.m->stmts[stmt].sym)->kind != REG_EMITTED ||
		!all_reach(s, k->flow.to, stmt))
		return true;
	if (s->batch.npop_labels == MAX_POP_LABELS)
		return loop_check_unknown(s, stmt, "too many rounds of pops");
	while (meet > k->flow.to + 1 && s->out.m->stmts[meet].kind != STMT_LABEL)
		meet--;
	output_stmt(&s->out, k->flow.to)->flow.pop_label = (uint8_t)++s->batch.npop_labels;
	output_stmt(&s->out, meet)->flow.reconverges = true;
	return true;
}

bool
batch_init(Loop_check *s)
{
	for (uint32_t i = s->out.begin; s->batch.n > 1 && i < s->out.end; i++)
		if (!add_pop_label(s, i))
			return false;
	return true;
}

/* A fact about the value of a counter, restated for its value at the start of a round; 0 if it is
 * none. */
static Term_id
restate_fact(Loop_check *s, const Lane_state *l, Term_id truth, uint32_t counter)
{
	Terms *t = &s->terms;
	const Term fact = *term_at(t, truth), x = fact.op == TERM_NOT ? *term_at(t, fact.a) : fact;
	uint32_t v;

	if (x.op != TERM_NEGATIVE)
		return 0;
	Term_id rest = term_sum(t, x.a, l->env[counter], UINT32_MAX);
	if (!term_is_const(t, rest, &v) && !term_at(t, rest)->stable)
		return 0;
	Term_id now = term_sum(t, rest, s->emitted.before[counter], 1);
	now = term_make(t, TERM_NEGATIVE, now, 0, 0);
	return fact.op == TERM_NOT ? term_not(t, now) : now;
}

/* Keeps the latest fact about each counter. */
static Lane_facts
restate_facts(Loop_check *s, const Lane_state *l)
{
	Lane_facts kept = { 0 };

	for (uint32_t c = 0; c < s->emitted.n && kept.n < MAX_FACTS; c++) {
		Term_id found = 0;
		for (uint32_t i = l->facts.n;
			env_index_level(s, c) && l->env[c] && i-- > 0 && !found;)
			found = restate_fact(s, l, l->facts.at[i], c);
		if (found)
			kept.at[kept.n++] = found;
	}
	return kept;
}

bool
batch_begin_round(Loop_check *s, Lane_state *l)
{
	if (l->segment.diverged || l->at.task || l->segment.from != l->at.output)
		return loop_check_fault(s, l->at.output, "a lane may not reach this round of pops");
	Lane_facts kept = restate_facts(s, l);
	round_end(s, l, l->at.output);
	l->facts.n = kept.n;
	memcpy(l->facts.at, kept.at, sizeof kept.at);
	l->round.ballot = l->at.output;
	l->round.none_in_loop = l->group.none_in_loop;
	l->round.votes = term_const(&s->terms, 0);
	l->round.vote_subject = s->emitted.n + output_stmt(&s->out, l->at.output)->flow.pop_label;
	return true;
}
