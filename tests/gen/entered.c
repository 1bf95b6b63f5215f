/* SPDX-License-Identifier: MIT */
/* Whether launches enter the transformed loops. See entered.h. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/entered.h"

/* FEW: the minimum number of kernels for a verdict; CHANCE: the tolerated distance below the
 * required share, in standard deviations. */
enum { FEW = 25, CHANCE = 5, WARP = 32 };

static void
take_label(Entered_copy *k, const char *label)
{
	snprintf(k->label, sizeof k->label, "%s", label ? label : "");
}

void
entered_start(Entered_loops *l, const Report *r)
{
	l->n = 0;
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *x = &r->sites.at[i];
		if (!x->done)
			continue;
		Entered_loop *to = vec_push(l);
		*to = (Entered_loop){ .threads = x->code.threads, .lockstep = x->code.lockstep };
		take_label(&to->full, x->code.meeting_label_full);
		take_label(&to->others, x->code.meeting_label);
	}
	for (uint32_t i = 0; i < r->remaps.n; i++) {
		const Report_remap *x = &r->remaps.at[i];
		if (!x->done)
			continue;
		Entered_loop *to = vec_push(l);
		*to = (Entered_loop){ .threads = x->threads, .remap = true };
		take_label(&to->others, x->meeting_label);
	}
}

/* Returns the line of the instruction after the first label of that name after statement *from, and
 * sets *from to the label; 0 if there is none. */
static uint32_t
line_behind(const Module *m, const char *label, uint32_t *from)
{
	size_t n = strlen(label);
	uint32_t line = 0, col;

	for (uint32_t s = *from + 1; s < m->nstmts && !line; s++) {
		const Stmt *at = &m->stmts[s];
		if (at->kind != STMT_LABEL || (size_t)ptx_name_len(m, at->sym) != n ||
			memcmp(ptx_name_text(m, at->sym), label, n) != 0)
			continue;
		*from = s;
		while (++s < m->nstmts && m->stmts[s].kind != STMT_INSN)
			;
		source_position(m->src, m->stmts[s].at.pos, &line, &col);
	}
	return line;
}

bool
entered_find(Entered_loops *l, const Module *m)
{
	bool all = true;

	for (uint32_t i = 0; i < l->n; i++) {
		Entered_loop *x = &l->at[i];
		uint32_t from = 0;
		x->full.line = *x->full.label ? line_behind(m, x->full.label, &from) : 0;
		x->others.line = line_behind(m, x->others.label, &from);
		all &= x->others.line && !*x->full.label == !x->full.line;
	}
	return all;
}

/* Returns how often the lanes of a copy have met in all launches so far. */
static uint64_t
executed(const Sim *s, const Entered_copy *x)
{
	Sim_line *lines;
	uint64_t found = 0;

	for (uint32_t i = sim_lines(s, LINES_PTX, &lines); i-- > 0;)
		if (x->line && lines[i].line == x->line)
			found += lines[i].counts.warp_insts;
	xfree(lines);
	return found;
}

/* Whether a launch that may enter a copy did so. */
static bool
enters(Entered_copy *k, const Sim *s, bool may)
{
	uint64_t rounds = executed(s, k);
	bool entered = rounds > k->rounds;

	k->rounds = rounds;
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
		bool entered = enters(&x->full, s, fits && x->full.line && threads >= WARP);
		entered |= enters(&x->others, s, fits && (threads % WARP || !x->full.line));
		may |= fits;
		did |= entered;
		right &= fits || !entered;
	}
	launches->may += may;
	launches->did += may && did;
	/* the other loops of the kernel are like this one */
	launches->square += may * KERNEL_LAUNCHES;
	return right;
}

static void
count_copy(const Entered_copy *k, Entered_share *share)
{
	share->may += k->may;
	share->did += k->may && k->did;
}

void
entered_add(Entered_share *to, const Entered_share *s)
{
	to->may += s->may;
	to->did += s->did;
	to->square += s->square;
}

static void
add_kernel(Entered_share *to, Entered_share kernel)
{
	kernel.square = kernel.may * kernel.may;
	entered_add(to, &kernel);
}

void
entered_count(const Entered_loops *l, Entered_shares *to)
{
	Entered_shares kernel = { 0 };

	for (uint32_t i = 0; i < l->n; i++) {
		const Entered_loop *x = &l->at[i];
		count_copy(&x->full, x->lockstep ? &kernel.lockstep : &kernel.apart);
		count_copy(&x->others, x->remap ? &kernel.remaps : &kernel.others);
	}
	add_kernel(&to->lockstep, kernel.lockstep);
	add_kernel(&to->apart, kernel.apart);
	add_kernel(&to->others, kernel.others);
	add_kernel(&to->remaps, kernel.remaps);
}

bool
entered_enough(const Entered_share *s, uint32_t percent)
{
	uint64_t wanted = percent * s->may;

	if (s->may * s->may < FEW * s->square || 100 * s->did >= wanted)
		return true;
	uint64_t lacks = wanted - 100 * s->did; /* variance of did: at most square * p * (1 - p) */
	return lacks * lacks < (uint64_t)CHANCE * CHANCE * percent * (100 - percent) * s->square;
}

double
entered_percent(const Entered_share *s)
{
	return s->may ? 100 * (double)s->did / (double)s->may : 0;
}
