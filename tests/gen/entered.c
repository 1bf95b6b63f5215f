/* SPDX-License-Identifier: MIT */
/* See entered.h. */
#include <string.h>
#include "tests/gen/entered.h"

enum { FEW = 25 };

void
entered_start(Entered_loops *l, const Report *r)
{
	l->n = 0;
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *x = &r->sites.at[i];
		if (x->done)
			*vec_push(l) = (Entered_loop){ .loop = x->loop.line,
				.threads = x->threads,
				.lockstep = x->lockstep,
				.bound = x->bound };
	}
}

/* Is it a loop's vote? At the entry there may be a vote of another mode. */
static bool
is_ballot(const Module *m, const Stmt *s)
{
	static const char word[] = ".ballot";
	const char *head = m->src->text + s->head;

	if (s->kind != STMT_INSN || ptx_op(m, s) != OP_VOTE)
		return false;
	for (size_t i = 0; i + sizeof word - 1 <= s->head_end - s->head; i++)
		if (memcmp(head + i, word, sizeof word - 1) == 0)
			return true;
	return false;
}

/* The line of the first ballot behind a statement (bound: of the first vote); 0: there is none. */
static uint32_t
vote_behind(const Module *m, uint32_t stmt, bool bound)
{
	uint32_t line, col;

	for (uint32_t s = stmt; s < m->nstmts; s++)
		if (bound ? m->stmts[s].kind == STMT_INSN && ptx_op(m, &m->stmts[s]) == OP_VOTE :
			    is_ballot(m, &m->stmts[s])) {
			source_position(m->src, m->stmts[s].at.pos, &line, &col);
			return line;
		}
	return 0;
}

/* The vote of the transformed loop whose annotation is in that line. */
static uint32_t
vote_of(const Module *m, uint32_t loop, bool bound)
{
	for (uint32_t k = 0; k < m->nmarkers; k++) {
		const Marker *x = &m->markers[k];
		if (x->done && !x->end && (x->annot.kind == ANNOT_FOR || x->annot.kind == ANNOT_GRID) &&
			x->cuda.line == loop)
			return vote_behind(m, x->stmt, bound);
	}
	return 0;
}

bool
entered_find(Entered_loops *l, const Module *m)
{
	bool all = true;

	for (uint32_t i = 0; i < l->n; i++) {
		l->at[i].vote = vote_of(m, l->at[i].loop, l->at[i].bound);
		all &= l->at[i].vote != 0;
	}
	return all;
}

/* How often the statement of a line was executed in all launches so far. */
static uint64_t
executed(const Sim *s, uint32_t line)
{
	Sim_line *lines;
	uint64_t found = 0;

	for (uint32_t i = sim_lines(s, LINES_PTX, &lines); i-- > 0;)
		if (lines[i].line == line)
			found = lines[i].counts.warp_insts;
	xfree(lines);
	return found;
}

bool
entered_launch(Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches)
{
	bool may = false, did = false, right = true;

	for (uint32_t i = 0; i < l->n; i++) {
		Entered_loop *x = &l->at[i];
		uint64_t votes = executed(s, x->vote);
		bool entered = votes > x->votes, fits = threads <= x->threads;
		x->votes = votes;
		x->may |= fits;
		x->did |= entered;
		may |= fits;
		did |= entered;
		right &= fits || !entered;
	}
	launches->may += may;
	launches->did += may && did;
	return right;
}

void
entered_count(const Entered_loops *l, Entered_share *apart, Entered_share *lockstep)
{
	for (uint32_t i = 0; i < l->n; i++) {
		Entered_share *share = l->at[i].lockstep ? lockstep : apart;
		share->may += l->at[i].may;
		share->did += l->at[i].may && l->at[i].did;
	}
}

bool
entered_enough(const Entered_share *s, uint32_t percent)
{
	return s->may < FEW || 100 * s->did >= percent * s->may;
}

double
entered_percent(const Entered_share *s)
{
	return s->may ? 100 * (double)s->did / (double)s->may : 0;
}
