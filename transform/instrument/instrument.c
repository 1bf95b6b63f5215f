/* SPDX-License-Identifier: MIT */
/* Instruments a function to count its profile points on a GPU: the counterpart of the emulator's
 * simt/decode/profile_counts.c in generated code.
 *
 * - Needs cfg, dom, loop and region, via profile_points.h.
 * - Refuses nothing: functions without profile points are unchanged.
 * - Cost: 5 to 10 instructions for a place, and 20 for each number where lanes leave. One addition
 *   for each iteration of an inner loop and each execution of a counted block. 7 to 10 instructions
 *   for an atomic operation, and for one in 32 of a lane's 12 more, including a load and an
 *   exchange. At a thread's end 8 instructions and an atomic operation per warp (before sm_80, per
 *   lane) for each of its numbers. About 12 instructions for blocks that do not count.
 *
 * Correctness (labels are those of profile.tpl):
 * - No state of the program is written: registers, local memory and counters belong to this text,
 *   and counters are only updated by atomic operations.
 * - Lanes that execute `who` together get one mask, which contains themselves; exactly one of them
 *   is the first. If they diverge afterwards, each still has that mask, and all of them reach each
 *   .sync in `most` and `tell`: only `spill` is guarded by a divergent branch.
 * - So each lane that reaches a place is counted once, with the number of lanes that arrived
 *   together.
 * - What a lane has counted itself is added to the counters where it ends: before each ret and
 *   exit, for lanes whose guard permits, and at the end of the text. A lane that ends in a called
 *   function does not report for its callers. Sums are below 2^31 before a run of less is added;
 *   larger ones are reported at once (`spill`). The number of consecutive arrivals of equal size
 *   has 64 bits.
 * - Blocks that do not count run a copy of the body, or the body without annotations
 *   (clone_function.c).
 * - The last lines of atomic operations are words of this text, too, exchanged and read atomically;
 *   which one a lane finds is arbitrary.
 * - A block updates one copy of the counters; maxima are in the first copy only.
 * - Each launch has one first thread, which adds the maxima of the previous launch to the sums.
 *   Counts of a block of the same launch before that point, or of a concurrent launch, are
 *   attributed to the previous one. The program adds those of the last launch. */
#include <stdio.h>
#include <string.h>
#include "analysis/loops/unroll_predict.h"
#include "transform/instrument/instrument.h"
#include "transform/output/clone_function.h"
#include "transform/plan/plan.h"

enum {
	BY_LANES = 33,          /* counters of a place: by number of lanes; [0] is never used */
	NO_TRIPS = 0, NO_ENTRIES = 0, NO_LAUNCHES = 0,
	OF_BEGUN = 2, OF_LOOP = 4, OF_BLOCK = 7, /* number of counters */
	ROW = 16                /* bytes: four sums */
};
#define NO_NUMBER UINT32_MAX /* for a register without a number in its name */

/* ---- counters -------------------------------------------------------------------------------- */

uint32_t
count_take(Counting *w, uint32_t n)
{
	uint32_t left = SIDE_BY_SIDE - w->counters % SIDE_BY_SIDE, first = w->counters;

	first += n > left ? left : 0;
	w->counters = first + n;
	return first;
}

uint32_t
count_offset(uint32_t counter)
{
	return 8 * (counter / SIDE_BY_SIDE * COPIES * SIDE_BY_SIDE + counter % SIDE_BY_SIDE);
}

/* ---- places in the text ---------------------------------------------------------------------- */

/* Returns the position of a block's counting code: after its labels and the marker that it begins
 * with. */
static uint32_t
place(const Fn *fn, uint32_t block)
{
	const Block *b = &fn->cfg->blocks[block];
	uint32_t s = b->stmt;

	while (s < b->end && fn_stmt(fn, s)->kind == STMT_LABEL)
		s++;
	if (s < b->end && fn_stmt(fn, s)->kind == STMT_MARKER)
		return fn_stmt(fn, s)->at.end;
	return s > b->stmt ? fn_stmt(fn, s - 1)->at.end : fn_stmt(fn, s)->at.pos;
}

size_t
count_begin(Counting *w)
{
	tpl_value(&w->t, "place", "%u", ++w->places);
	buf_putc(&w->t.out, '\n');
	return w->t.out.n - 1;
}

void
count_insert(Counting *w, uint32_t pos, size_t from)
{
	edit_insert(w->edits, pos, w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

/* Inserts a section at the beginning of a block. */
static void
put(Counting *w, uint32_t block, const char *section)
{
	size_t from = count_begin(w);

	tpl_put(&w->t, section);
	count_insert(w, place(w->fn, block), from);
}

/* Moves the text written since `from` to a buffer. */
static void
take(Counting *w, size_t from, Buf *to)
{
	buf_add(to, w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

/* ---- registers of the lanes ------------------------------------------------------------------ */

/* Declares a register of each lane, initialised with 0. */
static void
own_bits(Counting *w, uint32_t bits, const char *name, uint32_t number)
{
	size_t from = w->t.out.n;

	buf_printf(&w->names, "\n\t.reg .b%u \t%%%s%s%u;", bits, w->t.prefix, name, number);
	tpl_value(&w->t, "bits", "%u", bits);
	tpl_value(&w->t, "number", "%u", number);
	tpl_value(&w->t, "mine", "%%%s%s%u", w->t.prefix, name, number);
	tpl_put(&w->t, "zero");
	take(w, from, &w->zeros);
}

static void
own_register(Counting *w, const char *name, uint32_t number)
{
	own_bits(w, 32, name, number);
}

static void
tell(Counting *w, const char *section, const char *name, uint32_t number, uint32_t counter)
{
	*vec_push(&w->told) = (Told){ section, name, number, counter };
}

void
count_sum(Counting *w, const char *name, uint32_t number, uint32_t counter)
{
	own_register(w, name, number);
	tell(w, "tell", name, number, counter);
}

static void
count_together(Counting *w, Block_list where, uint32_t counter)
{
	own_register(w, "like", w->cuts);
	own_bits(w, 64, "times", w->cuts);
	tell(w, "tell_like", "times", w->cuts, counter);
	tpl_value(&w->t, "k", "%u", w->cuts);
	tpl_value(&w->t, "offset", "%u", count_offset(counter));
	for (uint32_t i = 0; i < where.n; i++)
		put(w, where.at[i], "together");
}

/* Returns the counters for places at which a loop or an iteration begins, adding the counting code
 * unless another profile point of the loop has added it. */
static uint32_t
begun(Counting *w, Block_list begins)
{
	uint32_t first = begins.at[0], k = w->begun.n;

	for (uint32_t i = 0; i < k; i++)
		if (w->begun.at[i].block == first)
			return w->begun.at[i].counter;
	uint32_t counter = count_take(w, OF_BEGUN);
	*vec_push(&w->begun) = (Begun){ first, counter };
	count_sum(w, "lanes", k, counter);
	count_sum(w, "warps", k, counter + 1);
	for (uint32_t i = 0; i < begins.n; i++)
		put(w, begins.at[i], "begun");
	return counter;
}

/* Makes the launch's first thread add up the maximum of the previous launch. */
static void
add_launch(Counting *w, uint32_t counter)
{
	size_t from = w->t.out.n;

	tpl_value(&w->t, "third", "%u", count_offset(counter + 2));
	tpl_value(&w->t, "fourth", "%u", count_offset(counter + 3));
	tpl_value(&w->t, "fifth", "%u", count_offset(counter + 4));
	tpl_put(&w->t, "launched");
	take(w, from, &w->launched);
}

/* Sets the template values for a number. */
static void
about(Counting *w, uint32_t number)
{
	const Number *n = &w->numbers.at[number];

	tpl_value(&w->t, "number", "%u", number);
	tpl_value(&w->t, "mine", "%%%strips%u", w->t.prefix, number);
	tpl_value(&w->t, "row", "%u", n->row);
	tpl_flag(&w->t, "block", n->block);
	tpl_value(&w->t, "offset", "%u", count_offset(n->counter));
	tpl_value(&w->t, "second", "%u", count_offset(n->counter + 1));
	if (n->block) {
		tpl_value(&w->t, "sixth", "%u", count_offset(n->counter + 5));
		tpl_value(&w->t, "seventh", "%u", count_offset(n->counter + 6));
	}
}

static void
own_row(Counting *w, uint32_t number)
{
	size_t from = w->t.out.n;

	about(w, number);
	tpl_put(&w->t, "zero_row");
	take(w, from, &w->zeros);
}

/* Adds a number, its registers and its counting code. */
static void
add_number(Counting *w, uint32_t counter, bool block, Block_list turns)
{
	static const char *const sums[] = { "sum", "by", "squares", "apart" };
	static const uint32_t to[] = { 0, 1, 5, 6 };
	uint32_t k = w->numbers.n;

	*vec_push(&w->numbers) = (Number){ counter, w->own, block };
	w->own += ROW;
	own_row(w, k);
	tell(w, "get", NULL, k, 0);
	for (uint32_t i = 0; i < (block ? 4 : 2); i++)
		tell(w, "tell", sums[i], NO_NUMBER, counter + to[i]);
	own_register(w, "trips", k);
	own_register(w, "top", k);
	tell(w, "tell_most", "top", k, counter + 2);
	if (block)
		own_register(w, "then", k);
	about(w, k);
	if (w->launches != NO_LAUNCHES)
		add_launch(w, counter);
	for (uint32_t i = 0; i < turns.n; i++)
		put(w, turns.at[i], "trip");
}

/* Adds up what lanes that have left counted, for the numbers from `first` on. runs: also count
 * lanes that have run the profile point before. */
static void
add_up(Counting *w, Block_list where, uint32_t first, bool runs)
{
	tpl_flag(&w->t, "repeats", runs);
	tpl_value(&w->t, "cut", "%u", first);
	for (uint32_t i = 0; i < where.n; i++) {
		size_t from = count_begin(w);
		tpl_put(&w->t, "left");
		for (uint32_t k = first; k < w->numbers.n; k++) {
			about(w, k);
			tpl_put(&w->t, "trips");
		}
		if (runs)
			tpl_put(&w->t, "ran");
		count_insert(w, place(w->fn, where.at[i]), from);
	}
}

/* Lets ptxas unroll an inner loop, whose iterations need no marker any more. */
static void
let_unroll(Counting *w, Block_list turns)
{
	const Loops *l = w->fn->loops;

	for (uint32_t i = 0; i < turns.n; i++) {
		uint32_t loop = l->loop_of[turns.at[i]];
		if (!loop || bits_has(w->unrolled, loop))
			continue;
		bits_set(w->unrolled, loop);
		FN_BLOCK_STMTS(w->fn, l->loops[loop].header, s)
			if (unrolled_forbids(w->m, fn_stmt(w->fn, s)))
				edit_replace(w->edits, fn_stmt(w->fn, s)->at, "", 0);
	}
}

/* Adds the counters of an inner loop's trip count. */
static uint32_t
trips(Counting *w, const Cut_places *c)
{
	uint32_t counter = w->counters, first = w->numbers.n;

	w->counters += OF_LOOP;
	let_unroll(w, c->turns);
	add_number(w, counter, false, c->turns);
	add_up(w, c->leaves, first, false);
	return counter;
}

/* Adds the counters of a profile point's blocks, and *again for lanes that have run it before. */
static uint32_t
blocks(Counting *w, const Cut_places *c, uint32_t *again)
{
	uint32_t counter = w->counters, first = w->numbers.n;

	w->counters += OF_BLOCK * c->nblocks;
	for (uint32_t i = 0; i < c->nblocks; i++)
		add_number(w, counter + OF_BLOCK * i, true, c->blocks[i].turns);
	if (c->repeats) {
		*again = w->counters++;
		own_register(w, "ran", first);
		count_sum(w, "again", first, *again);
	}
	add_up(w, c->ends, first, c->repeats);
	return counter;
}

/* ---- data for the program -------------------------------------------------------------------- */

/* Adds a row of OF_CUT numbers to the table: position of the record's first lines, the counters,
 * the number of blocks, and the counters of loop entries, of launches, of repeated runs, and of
 * atomic operations. */
static void
tell_cut(Counting *w, const Cut_places *c, const uint32_t *row)
{
	Profile_key key = profile_key(w->fn, c->region, w->arena);

	buf_printf(&w->table, "%s%u", w->cuts++ ? ", " : "", (unsigned)w->texts.n);
	for (uint32_t i = 1; i < OF_CUT; i++)
		buf_printf(&w->table, ", %u", row[i]);
	profile_put_key(&key, &w->texts);
	buf_putc(&w->texts, '\0');
}

static void
count_cut(Counting *w, const Cut_places *c)
{
	uint32_t row[OF_CUT] = { 0 };

	row[1] = begun(w, c->begins);
	row[2] = count_take(w, BY_LANES);
	count_together(w, c->enters, row[2]);
	row[3] = c->turns.n ? trips(w, c) : NO_TRIPS;
	row[4] = c->nblocks ? blocks(w, c, &row[8]) : NO_TRIPS;
	row[5] = c->nblocks;
	row[6] = c->comes.n ? begun(w, c->comes) : NO_ENTRIES;
	row[7] = w->launches;
	row[9] = count_atomics(w, c);
	tell_cut(w, c, row);
}

/* ---- begin and end of a function ------------------------------------------------------------- */

/* Writes the code for the beginning of a launch, after the rest of the head. */
static void
put_launch(Counting *w)
{
	tpl_value(&w->t, "offset", "%u", count_offset(w->launches));
	tpl_put(&w->t, "launch");
	buf_add(&w->t.out, w->launched.at, w->launched.n);
	tpl_put(&w->t, "begun_launch");
}

/* Writes the body for blocks that do not count, after the counting one. */
static void
put_plain(Counting *w)
{
	const Cfg *g = w->fn->cfg;
	size_t from = count_begin(w);

	if (g->blocks[g->nblocks - 1].falls)
		tpl_put(&w->t, "ended");
	tpl_put(&w->t, "plain");
	plain_put(w->fn, w->plain, &w->t, w->arena);
	count_insert(w, w->fn->f->block.end - 1, from);
}

/* Inserts the common declarations and initialisation before the function's body. */
static void
put_head(Counting *w)
{
	tpl_put(&w->t, "begin");
	buf_add(&w->t.out, w->zeros.at, w->zeros.n);
	if (w->launches != NO_LAUNCHES)
		put_launch(w);
	if (w->opt->profile_sampling > 0)
		put_plain(w);
	tpl_end(&w->t);
	buf_add(&w->names, w->t.out.at, w->t.out.n);
	edit_insert(w->edits, w->fn->f->block.pos + 1, w->names.at, w->names.n);
}

static void
put_told(Counting *w, const Told *t)
{
	if (!t->name)
		about(w, t->number);
	else if (t->number == NO_NUMBER)
		tpl_value(&w->t, "mine", "%%%s%s", w->t.prefix, t->name);
	else
		tpl_value(&w->t, "mine", "%%%s%s%u", w->t.prefix, t->name, t->number);
	tpl_value(&w->t, "k", "%u", t->number);
	tpl_value(&w->t, "number", "%u", (unsigned)(t - w->told.at));
	tpl_value(&w->t, "offset", "%u", count_offset(t->counter));
	tpl_put(&w->t, t->section);
}

/* Makes the lanes that a guard lets pass report their counts. */
static void
put_end(Counting *w, uint32_t pos, const Stmt *guarded)
{
	size_t from = count_begin(w);

	tpl_flag(&w->t, "guarded", guarded);
	if (guarded)
		tpl_value(&w->t, "stays", "%s%.*s", guarded->guard == 1 ? "!" : "",
			PTX_NAME(w->m, guarded->sym));
	tpl_put(&w->t, "ends");
	for (uint32_t i = 0; i < w->told.n; i++)
		put_told(w, &w->told.at[i]);
	tpl_put(&w->t, "told");
	count_insert(w, pos, from);
}

/* Inserts reports before each exit and at the end of the text. A trap loses all counters anyway. */
static void
put_ends(Counting *w)
{
	FN_PRED(w->fn, 0, b) {
		uint32_t last = cfg_terminator(w->fn->cfg, b);
		const Stmt *s = last ? fn_stmt(w->fn, last) : NULL;
		Op op = s ? ptx_op(w->m, s) : OP_UNKNOWN;
		if (op == OP_RET || op == OP_EXIT)
			put_end(w, s->at.pos, s->guard ? s : NULL);
		if (b == w->fn->cfg->nblocks - 1 && w->fn->cfg->blocks[b].falls)
			put_end(w, w->fn->f->block.end - 1, NULL);
	}
}

static bool
has_atomics(const Cuts *cuts)
{
	for (uint32_t i = 0; i < cuts->n; i++)
		if (cuts->at[i].natomics)
			return true;
	return false;
}

void
count_function(Counting *w, const Fn *fn, const Fn *plain, const char *prefix)
{
	Cuts cuts = cuts_find(fn, w->arena);

	if (!cuts.n)
		return;
	w->fn = fn;
	w->plain = plain;
	w->unrolled = bits_new(w->arena, fn->loops->nloops);
	tpl_init(&w->t, TEMPLATE_PROFILE, w->opt->omit, w->arena);
	tpl_begin(&w->t, prefix);
	tpl_flag(&w->t, "atomics", has_atomics(&cuts));
	tpl_flag(&w->t, "sampled", w->opt->profile_sampling > 0);
	tpl_flag(&w->t, "redux", w->m->target >= 80);
	tpl_value(&w->t, "counters", "%scounters", prefix);
	tpl_value(&w->t, "others", "%u", (1u << w->opt->profile_sampling) - 1);
	tpl_value(&w->t, "sampling", "%u", w->opt->profile_sampling);
	tpl_value(&w->t, "copies", "%u", COPIES - 1);
	tpl_value(&w->t, "apart", "%u", 8 * SIDE_BY_SIDE);
	tpl_value(&w->t, "own", "%sown", prefix);
	w->names.n = w->zeros.n = w->launched.n = 0;
	w->begun.n = w->numbers.n = w->told.n = w->own = 0;
	w->launches = w->fn->f->entry ? w->counters++ : NO_LAUNCHES;
	buf_putc(&w->t.out, '\n');
	tpl_put(&w->t, "head");
	for (uint32_t i = 0; i < cuts.n; i++)
		count_cut(w, &cuts.at[i]);
	if (w->own)
		buf_printf(&w->names, "\n\t.local .align %u .b8 \t%sown[%u];", ROW, prefix, w->own);
	put_ends(w);
	put_head(w);
	tpl_release(&w->t);
}

