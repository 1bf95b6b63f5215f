/* SPDX-License-Identifier: MIT */
/* Finds loops that ptxas has unrolled. The unrolled loop is a single-block loop of machine code
 * that contains most statements of a PTX block of the loop N times. Blocks with the same statements
 * at one less loop depth are parts of it: they execute the first or the remaining iterations in
 * front of it or behind it. */
#include "simt/sass/unroll_detect.h"

enum { MOST_TURNS = 64, FEW = 3 };

typedef struct {
	const Sass_flow *f;
	const Cfg *g;
	const Loops *l;
	const Homes *homes;
	Unrolled *to;
} Find;

/* Counts the instructions of a statement, excluding branches and guarded ones: ptxas may begin with
 * an iteration that is never executed. */
static uint32_t
instructions(const Find *w, uint32_t s, uint32_t stmt)
{
	uint32_t n = 0;
	for (uint32_t i = w->f->blocks[s].first; i < w->f->blocks[s].end; i++) {
		const Sass_inst *x = &w->f->sass->insts.at[i];
		n += sass_stmt(w->f, i) == stmt && x->kind == SASS_PLAIN && !x->guarded;
	}
	return n;
}

/* The number of statements of a PTX block that occur in a block of machine code. */
static uint32_t
statements(const Find *w, uint32_t s, uint32_t block)
{
	uint32_t all = 0;
	CFG_STMTS(w->g, block, stmt)
	{
		all += instructions(w, s, stmt) > 0;
	}
	return all;
}

/* How many times they occur: the median, because instructions that count iterations occur once, and
 * ptxas may generate several instructions for a statement. */
static uint32_t
turns_of(const Find *w, uint32_t s, uint32_t block)
{
	uint32_t times[MOST_TURNS] = { 0 }, seen = 0, n = 1, all = statements(w, s, block);
	CFG_STMTS(w->g, block, stmt)
	{
		uint32_t many = instructions(w, s, stmt);
		times[many < MOST_TURNS ? many : 0]++;
	}
	while (n < MOST_TURNS - 1 && 2 * (seen += times[n]) < all)
		n++;
	return n;
}

/* Returns the innermost PTX loop that contains the home of a block; 0: none. */
static uint32_t
loop_at(const Find *w, uint32_t s)
{
	const Home *h = &w->homes->home[s];
	uint32_t block = h->kind == HOME_BLOCK ? h->of :
		h->kind == HOME_EDGE           ? cfg_succ(w->g, h->of)[h->way] :
						 0;
	return block ? w->l->loop_of[block] : 0;
}

/* Returns the block of a PTX loop that has most of its statements in a block of machine code. */
static uint32_t
most_of(const Find *w, uint32_t s, uint32_t loop)
{
	uint32_t best = w->l->loops[loop].header, most = 0;
	BITS_EACH (b, w->l->loops[loop].blocks) {
		uint32_t n = statements(w, s, b);
		if (n > most)
			most = n, best = b;
	}
	return best;
}

/* Whether block `main` is the only unrolled loop for the PTX loop. */
static bool
is_alone(const Find *w, uint32_t main, uint32_t loop)
{
	for (uint32_t s = 0; s < w->f->nblocks; s++)
		if (s != main && sass_is_loop(w->f, s) && loop_at(w, s) == loop &&
			w->f->blocks[s].depth >= w->f->blocks[main].depth &&
			turns_of(w, s, most_of(w, s, loop)) > 1)
			return false;
	return true;
}

/* Whether a branch skips a block. In front of the loop such a block is an iteration for trip counts
 * below one, if the loop tests at its end. */
static bool
is_led_around(const Find *w, uint32_t s)
{
	const Sass_block *k = &w->f->blocks[s];
	if (k->npred != 1 || k->nsucc != 1)
		return false;
	const Sass_block *from = &w->f->blocks[w->f->pred[k->pred]];
	for (uint32_t e = 0; e < from->nsucc; e++)
		if (w->f->succ[from->succ + e] == w->f->succ[k->succ])
			return true;
	return false;
}

/* Adds a block in front of `main` or behind it to the loop, if it is a part of it. */
static void
take(Find *w, uint32_t s, uint32_t main, bool behind, Unrolled_loop *l, uint32_t number)
{
	const uint32_t depth = w->f->blocks[main].depth;
	const uint32_t all = statements(w, main, l->block);
	bool again = sass_is_loop(w->f, s), inside = loop_at(w, s) == l->loop;
	bool has_them = 2 * statements(w, s, l->block) > all;
	Turns t = { number, has_them ? turns_of(w, s, l->block) : 0, again };
	if (s != main && w->f->blocks[s].depth + !again != depth)
		return;
	if (has_them && !behind && s != main && is_led_around(w, s))
		w->to->home[s] = (Home){ HOME_TURNS, 0, 0, s };
	else if (has_them && !inside && !behind)
		l->first += t.turns;
	else if (s == main || inside || (has_them && behind))
		w->to->home[s] = (Home){ HOME_TURNS, l->block, turns_pack(t), s };
}

static void
unroll(Find *w, uint32_t main)
{
	uint32_t loop = loop_at(w, main);
	bool behind = false;
	if (!loop || !sass_is_loop(w->f, main))
		return;
	Unrolled_loop l = { loop, most_of(w, main, loop), 0 };
	if (turns_of(w, main, l.block) < 2 || statements(w, main, l.block) < FEW ||
		!is_alone(w, main, loop))
		return;
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		take(w, s, main, behind, &l, n);
		behind = behind || s == main;
	}
	*vec_push(&w->to->loops) = l;
}

Unrolled *
unrolled_find(const Sass_flow *f, const Cfg *g, const Loops *l, const Homes *homes, Arena *a)
{
	Unrolled *to = arena_zalloc(a, sizeof *to);
	Find w = { .f = f, .g = g, .l = l, .homes = homes, .to = to };
	to->home = arena_array(a, f->nblocks, sizeof *to->home);
	for (uint32_t n = 0; n < f->norder; n++)
		if (!to->home[f->order[n]].kind)
			unroll(&w, f->order[n]);
	return to;
}
