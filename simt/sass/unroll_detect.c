/* SPDX-License-Identifier: MIT */
/* Finds loops that ptxas has unrolled: a block of machine code that is a loop by itself and has
 * most statements of a PTX block of the loop N times. What is one loop less deep and has them as
 * well is a part of it: run in front of the loop, or behind, for what remains.
 */
#include "simt/sass/unroll_detect.h"

enum { MOST_TURNS = 64, FEW = 3 };

typedef struct {
	const Sass_flow *f;
	const Cfg *g;
	const Loops *l;
	const Homes *homes;
	Unrolled *to;
} Find;

/* Those of a statement, without what only leads on, or may be off: ptxas may begin with an
 * iteration that never is. */
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

/* How many statements of a PTX block a block of machine code has. */
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

/* How many times it has them: that of middling frequency, as what counts iterations is there once,
 * and ptxas may make several instructions of one statement. */
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

/* The innermost PTX loop that the home of a block is in; 0: in none. */
static uint32_t
loop_at(const Find *w, uint32_t s)
{
	const Home *h = &w->homes->home[s];
	uint32_t block = h->kind == HOME_BLOCK ? h->of :
		h->kind == HOME_EDGE           ? cfg_succ(w->g, h->of)[h->way] :
						 0;
	return block ? w->l->loop_of[block] : 0;
}

/* The block of a PTX loop that a block of machine code has most statements of. */
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

/* Is the loop that block `main` is of PTX loop .loop the only one? */
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

/* Does a branch lead around a block? In front of the loop that is an iteration for trip counts
 * below one, which a loop has that tests at its end. */
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

/* Takes a block, which is in front of `main` or behind it, as a part of the loop, if it is. */
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
