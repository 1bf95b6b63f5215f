/* SPDX-License-Identifier: MIT */
/* Finds loops that ptxas has unrolled. The unrolled loop is a single-block loop of machine code
 * that contains most statements of a PTX block of the loop N times. Blocks with the same statements
 * at one less loop depth are parts of it: they execute the first or the remaining iterations in
 * front of it or behind it. */
#include "simt/sass/unroll_detect.h"

enum { MAX_UNROLL = 64, FEW = 3 };

typedef struct {
	const Sass_flow *f;
	const Cfg *g;
	const Loops *l;
	const Sass_block_map *block_map;
	Unrolled_loops *to;
} Unroll_finder;

/* Counts the instructions of a statement, excluding branches and guarded ones: ptxas may begin with
 * an iteration that is never executed. */
static uint32_t
count_instructions(const Unroll_finder *w, uint32_t s, uint32_t stmt)
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
count_statements(const Unroll_finder *w, uint32_t s, uint32_t block)
{
	uint32_t all = 0;
	CFG_STMTS(w->g, block, stmt)
	{
		all += count_instructions(w, s, stmt) > 0;
	}
	return all;
}

/* How many times they occur: the median, because instructions that count iterations occur once, and
 * ptxas may generate several instructions for a statement. */
static uint32_t
unroll_factor(const Unroll_finder *w, uint32_t s, uint32_t block)
{
	uint32_t times[MAX_UNROLL] = { 0 }, seen = 0, n = 1, all = count_statements(w, s, block);
	CFG_STMTS(w->g, block, stmt)
	{
		uint32_t many = count_instructions(w, s, stmt);
		times[many < MAX_UNROLL ? many : 0]++;
	}
	while (n < MAX_UNROLL - 1 && 2 * (seen += times[n]) < all)
		n++;
	return n;
}

/* Returns the innermost PTX loop that contains the location of a block; 0: none. */
static uint32_t
ptx_loop_of_block(const Unroll_finder *w, uint32_t s)
{
	const Ptx_location *h = &w->block_map->location[s];
	uint32_t block = h->kind == LOCATION_BLOCK ? h->index :
		h->kind == LOCATION_EDGE       ? cfg_succ(w->g, h->index)[h->successor] :
						 0;
	return block ? w->l->loop_of[block] : 0;
}

/* Returns the block of a PTX loop that has most of its statements in a block of machine code. */
static uint32_t
dominant_block_of_loop(const Unroll_finder *w, uint32_t s, uint32_t loop)
{
	uint32_t best = w->l->loops[loop].header, most = 0;
	BITS_EACH (b, w->l->loops[loop].blocks) {
		uint32_t n = count_statements(w, s, b);
		if (n > most)
			most = n, best = b;
	}
	return best;
}

/* Whether block `main` is the only unrolled loop for the PTX loop. */
static bool
loop_is_unique(const Unroll_finder *w, uint32_t main, uint32_t loop)
{
	for (uint32_t s = 0; s < w->f->nblocks; s++)
		if (s != main && sass_is_loop(w->f, s) && ptx_loop_of_block(w, s) == loop &&
			w->f->blocks[s].depth >= w->f->blocks[main].depth &&
			unroll_factor(w, s, dominant_block_of_loop(w, s, loop)) > 1)
			return false;
	return true;
}

/* Whether a branch skips a block. In front of the loop such a block is an iteration for trip counts
 * below one, if the loop tests at its end. */
static bool
block_is_bypassed(const Unroll_finder *w, uint32_t s)
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

/* Adds a block before or after `main` to the loop, if it is a piece of it. */
static void
add_piece(
	Unroll_finder *w, uint32_t s, uint32_t main, bool behind, Unrolled_loop *l, uint32_t number)
{
	const uint32_t depth = w->f->blocks[main].depth;
	const uint32_t all = count_statements(w, main, l->block);
	bool again = sass_is_loop(w->f, s), inside = ptx_loop_of_block(w, s) == l->loop;
	bool has_them = 2 * count_statements(w, s, l->block) > all;
	Unroll_piece t = { number, has_them ? unroll_factor(w, s, l->block) : 0, again };
	if (s != main && w->f->blocks[s].depth + !again != depth)
		return;
	if (has_them && !behind && s != main && block_is_bypassed(w, s))
		w->to->location[s] = (Ptx_location){ LOCATION_UNROLLED, 0, 0, s };
	else if (has_them && !inside && !behind)
		l->first += t.factor;
	else if (s == main || inside || (has_them && behind))
		w->to->location[s] =
			(Ptx_location){ LOCATION_UNROLLED, l->block, unroll_piece_pack(t), s };
}

static void
analyse_loop(Unroll_finder *w, uint32_t main)
{
	uint32_t loop = ptx_loop_of_block(w, main);
	bool behind = false;
	if (!loop || !sass_is_loop(w->f, main))
		return;
	Unrolled_loop l = { loop, dominant_block_of_loop(w, main, loop), 0 };
	if (unroll_factor(w, main, l.block) < 2 || count_statements(w, main, l.block) < FEW ||
		!loop_is_unique(w, main, loop))
		return;
	for (uint32_t n = 0; n < w->f->norder; n++) {
		uint32_t s = w->f->order[n];
		add_piece(w, s, main, behind, &l, n);
		behind = behind || s == main;
	}
	*vec_push(&w->to->loops) = l;
}

Unrolled_loops *
unroll_detect(
	const Sass_flow *f, const Cfg *g, const Loops *l, const Sass_block_map *block_map, Arena *a)
{
	Unrolled_loops *to = arena_zalloc(a, sizeof *to);
	Unroll_finder w = { .f = f, .g = g, .l = l, .block_map = block_map, .to = to };
	to->location = arena_array(a, f->nblocks, sizeof *to->location);
	for (uint32_t n = 0; n < f->norder; n++)
		if (!to->location[f->order[n]].kind)
			analyse_loop(&w, f->order[n]);
	return to;
}
