/* SPDX-License-Identifier: MIT */
/* See entered.h. */
#include <string.h>
#include "tests/gen/entered.h"

enum { FEW = 25, WARP = 32 };

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
				.bound = x->bound,
				.two_copies = x->two_copies };
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

/* The loop's copy that a vote belongs to: where there are two, the one for full warps names all
 * lanes by their number. */
static Entered_copy *
copy_of(Entered_loop *x, const Module *m, const Stmt *s)
{
	if (!x->two_copies)
		return &x->others;
	return m->opnds[ptx_operand(m, s, 2)].kind == OPND_SYM ? &x->others : &x->full;
}

/* Is it one of the loop's votes? Where nothing moves, any is. */
static bool
is_vote(const Entered_loop *x, const Module *m, const Stmt *s)
{
	return x->bound ? s->kind == STMT_INSN && ptx_op(m, s) == OP_VOTE : is_ballot(m, s);
}

/* Finds the votes of a loop, which are behind its marker, up to the next annotated loop. */
static bool
find_votes(Entered_loop *x, const Module *m, uint32_t stmt)
{
	uint32_t line, col;

	for (uint32_t s = stmt + 1; s < m->nstmts; s++) {
		const Stmt *at = &m->stmts[s];
		if (at->kind == STMT_MARKER && is_loop(&m->markers[at->sym]))
			break;
		if (!is_vote(x, m, at))
			continue;
		Entered_copy *k = copy_of(x, m, at);
		source_position(m->src, at->at.pos, &line, &col);
		if (k->nlines < ENTERED_VOTES)
			k->line[k->nlines++] = line;
	}
	return x->others.nlines && !x->two_copies == !x->full.nlines;
}

static bool
find_loop(Entered_loop *x, const Module *m)
{
	for (uint32_t k = 0; k < m->nmarkers; k++)
		if (m->markers[k].done && is_loop(&m->markers[k]) &&
			m->markers[k].cuda.line == x->loop)
			return find_votes(x, m, m->markers[k].stmt);
	return false;
}

bool
entered_find(Entered_loops *l, const Module *m)
{
	bool all = true;

	for (uint32_t i = 0; i < l->n; i++)
		all &= find_loop(&l->at[i], m);
	return all;
}

/* How often a copy's votes were executed in all launches so far. */
static uint64_t
executed(const Sim *s, const Entered_copy *x)
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

/* Did a launch that may enter a copy do so? */
static bool
enters(Entered_copy *k, const Sim *s, bool may)
{
	uint64_t votes = executed(s, k);
	bool entered = votes > k->votes;

	k->votes = votes;
	k->may |= may;
	k->did |= entered;
	return entered;
}

bool
entered_launch(Entered_loops *l, const Sim *s, uint32_t threads, Entered_share *launches)
{
	bool may = false, did = false, right = true;

	for (uint32_t i = 0; i < l->n; i++) {
		Entered_loop *x = &l->at[i];
		bool fits = threads <= x->threads;
		bool entered = enters(&x->full, s, fits && x->two_copies && threads >= WARP);
		entered |= enters(&x->others, s, fits && (threads % WARP || !x->two_copies));
		may |= fits;
		did |= entered;
		right &= fits || !entered;
	}
	launches->may += may;
	launches->did += may && did;
	return right;
}

static void
count(const Entered_copy *k, Entered_share *share)
{
	share->may += k->may;
	share->did += k->may && k->did;
}

void
entered_count(const Entered_loops *l, Entered_shares *to)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const Entered_loop *x = &l->at[i];
		count(&x->full, x->lockstep ? &to->lockstep : &to->apart);
		count(&x->others, &to->others);
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
