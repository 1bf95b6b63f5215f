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

/* Does the marker begin an annotated loop? */
static bool
is_loop(const Marker *k)
{
	return !k->end && (k->annot.kind == ANNOT_FOR || k->annot.kind == ANNOT_GRID);
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

/* The lines of the ballots (bound: of all votes) behind a statement, up to the next annotated loop: those of a loop, which may stand there more than
 * once. */
static void
votes_behind(const Module *m, uint32_t stmt, Entered_loop *x)
{
	uint32_t line, col;

	for (uint32_t s = stmt + 1; s < m->nstmts && x->nlines < ENTERED_VOTES; s++) {
		const Stmt *at = &m->stmts[s];
		if (at->kind == STMT_MARKER && is_loop(&m->markers[at->sym]))
			return;
		if (x->bound ? at->kind != STMT_INSN || ptx_op(m, at) != OP_VOTE : !is_ballot(m, at))
			continue;
		source_position(m->src, at->at.pos, &line, &col);
		x->line[x->nlines++] = line;
	}
}

/* The votes of the transformed loop whose annotation is in that line. */
static void
votes_of(const Module *m, Entered_loop *x)
{
	x->nlines = 0;
	for (uint32_t k = 0; k < m->nmarkers && !x->nlines; k++)
		if (m->markers[k].done && is_loop(&m->markers[k]) && m->markers[k].cuda.line == x->loop)
			votes_behind(m, m->markers[k].stmt, x);
}

bool
entered_find(Entered_loops *l, const Module *m)
{
	bool all = true;

	for (uint32_t i = 0; i < l->n; i++) {
		votes_of(m, &l->at[i]);
		all &= l->at[i].nlines != 0;
	}
	return all;
}

/* How often a loop's votes were executed in all launches so far. */
static uint64_t
executed(const Sim *s, const Entered_loop *x)
{
	Sim_line *lines;
	uint64_t found = 0;

	for (uint32_t i = sim_lines(s, LINES_PTX, &lines); i-- > 0;)
		for (uint32_t k = 0; k < x->nlines; k++)
			if (lines[i].line == x->line[k])
				found += lines[i].counts.warp_insts;
	xfree(lines);
	return found;
}

bool
entered_launch(Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches)
{
	bool may = false, did = false, right = true;

	for (uint32_t i = 0; i < l->n; i++) {
		Entered_loop *x = &l->at[i];
		uint64_t votes = executed(s, x);
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
