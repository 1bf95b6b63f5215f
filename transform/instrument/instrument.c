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
	OF_LAUNCH = 2, OF_BEGUN = 2, OF_LOOP = 4, OF_BLOCK = 7, /* number of counters */
	ROW = 16                /* bytes: four sums */
};
#define NO_NUMBER UINT32_MAX /* for a register without a number in its name */

/* ---- counters -------------------------------------------------------------------------------- */

uint32_t
instrument_reserve_counters(Instrumentation *w, uint32_t n)
{
	uint32_t left = SIDE_BY_SIDE - w->counters % SIDE_BY_SIDE, first = w->counters;

	first += n > left ? left : 0;
	w->counters = first + n;
	return first;
}

uint32_t
instrument_counter_offset(uint32_t counter)
{
	return 8 * (counter / SIDE_BY_SIDE * COPIES * SIDE_BY_SIDE + counter % SIDE_BY_SIDE);
}

/* ---- places in the text ---------------------------------------------------------------------- */

/* Returns the position of a block's counting code: after its labels and the marker that it begins
 * with. */
static uint32_t
counting_position(const Fn *fn, uint32_t block)
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
instrument_begin_text(Instrumentation *w)
{
	tpl_value(&w->t, "place", "%u", ++w->places);
	buf_putc(&w->t.out, '\n');
	return w->t.out.n - 1;
}

void
instrument_insert(Instrumentation *w, uint32_t pos, size_t from)
{
	edit_insert(w->edits, pos, w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

void
instrument_section(Instrumentation *w, uint32_t block, const char *section)
{
	size_t from = instrument_begin_text(w);

	tpl_write_section(&w->t, section);
	instrument_insert(w, counting_position(w->fn, block), from);
}

/* Moves the text written since `from` to a buffer. */
static void
move_text(Instrumentation *w, size_t from, Buf *to)
{
	buf_add(to, w->t.out.at + from, w->t.out.n - from);
	w->t.out.n = from;
}

/* ---- registers of the lanes ------------------------------------------------------------------ */

/* Declares a register of each lane, initialised with 0. */
static void
declare_lane_register(Instrumentation *w, uint32_t bits, const char *name, uint32_t number)
{
	size_t from = w->t.out.n;

	buf_printf(&w->names, "\n\t.reg .b%u \t%%%s%s%u;", bits, w->t.prefix, name, number);
	tpl_value(&w->t, "bits", "%u", bits);
	tpl_value(&w->t, "number", "%u", number);
	tpl_value(&w->t, "mine", "%%%s%s%u", w->t.prefix, name, number);
	tpl_write_section(&w->t, "zero");
	move_text(w, from, &w->zeros);
}

static void
declare_lane_counter(Instrumentation *w, const char *name, uint32_t number)
{
	declare_lane_register(w, 32, name, number);
}

static void
add_flush(Instrumentation *w, const char *section, const char *name, uint32_t number,
	uint32_t counter)
{
	*vec_push(&w->flushes) = (Counter_flush){ section, name, number, counter };
}

void
instrument_sum(Instrumentation *w, const char *name, uint32_t number, uint32_t counter)
{
	declare_lane_counter(w, name, number);
	add_flush(w, "tell", name, number, counter);
}

static void
count_converged(Instrumentation *w, Block_list where, uint32_t counter)
{
	declare_lane_counter(w, "like", w->points);
	declare_lane_register(w, 64, "times", w->points);
	add_flush(w, "tell_like", "times", w->points, counter);
	tpl_value(&w->t, "k", "%u", w->points);
	tpl_value(&w->t, "offset", "%u", instrument_counter_offset(counter));
	for (uint32_t i = 0; i < where.n; i++)
		instrument_section(w, where.at[i], "together");
}

/* Returns the counters for places at which a loop or an iteration begins, or lanes leave a loop,
 * adding the counting code unless another profile point of the loop has added it. */
static uint32_t
count_begins(Instrumentation *w, Block_list begins)
{
	uint32_t first = begins.at[0], k = w->begins.n;

	for (uint32_t i = 0; i < k; i++)
		if (w->begins.at[i].block == first)
			return w->begins.at[i].counter;
	uint32_t counter = instrument_reserve_counters(w, OF_BEGUN);
	*vec_push(&w->begins) = (Begin_counter){ first, counter };
	instrument_sum(w, "lanes", k, counter);
	instrument_sum(w, "warps", k, counter + 1);
	for (uint32_t i = 0; i < begins.n; i++)
		instrument_section(w, begins.at[i], "begun");
	return counter;
}

/* Makes the launch's first thread add up the maximum of the previous launch. */
static void
count_launch_maximum(Instrumentation *w, uint32_t counter)
{
	size_t from = w->t.out.n;

	tpl_value(&w->t, "third", "%u", instrument_counter_offset(counter + 2));
	tpl_value(&w->t, "fourth", "%u", instrument_counter_offset(counter + 3));
	tpl_value(&w->t, "fifth", "%u", instrument_counter_offset(counter + 4));
	tpl_write_section(&w->t, "launched");
	move_text(w, from, &w->launched);
}

/* Sets the template values for a number. */
static void
set_section_number(Instrumentation *w, uint32_t number)
{
	const Lane_count *n = &w->numbers.at[number];

	tpl_value(&w->t, "number", "%u", number);
	tpl_value(&w->t, "mine", "%%%strips%u", w->t.prefix, number);
	tpl_value(&w->t, "row", "%u", n->row);
	tpl_flag(&w->t, "block", n->block);
	tpl_value(&w->t, "offset", "%u", instrument_counter_offset(n->counter));
	tpl_value(&w->t, "second", "%u", instrument_counter_offset(n->counter + 1));
	if (n->block) {
		tpl_value(&w->t, "sixth", "%u", instrument_counter_offset(n->counter + 5));
		tpl_value(&w->t, "seventh", "%u", instrument_counter_offset(n->counter + 6));
	}
}

static void
load_lane_row(Instrumentation *w, uint32_t number)
{
	size_t from = w->t.out.n;

	set_section_number(w, number);
	tpl_write_section(&w->t, "zero_row");
	move_text(w, from, &w->zeros);
}

/* Adds a number, its registers and its counting code. */
static void
add_lane_count(Instrumentation *w, uint32_t counter, bool block, Block_list starts)
{
	static const char *const sums[] = { "sum", "by", "squares", "apart" };
	static const uint32_t to[] = { 0, 1, 5, 6 };
	uint32_t k = w->numbers.n;

	*vec_push(&w->numbers) = (Lane_count){ counter, w->local_bytes, block };
	w->local_bytes += ROW;
	load_lane_row(w, k);
	add_flush(w, "get", NULL, k, 0);
	for (uint32_t i = 0; i < (block ? 4 : 2); i++)
		add_flush(w, "tell", sums[i], NO_NUMBER, counter + to[i]);
	declare_lane_counter(w, "trips", k);
	declare_lane_counter(w, "top", k);
	add_flush(w, "tell_most", "top", k, counter + 2);
	if (block)
		declare_lane_counter(w, "then", k);
	set_section_number(w, k);
	if (w->launches != NO_LAUNCHES)
		count_launch_maximum(w, counter);
	for (uint32_t i = 0; i < starts.n; i++)
		instrument_section(w, starts.at[i], "trip");
}

/* Adds up what lanes that have left counted, for the numbers from `first` on. runs: also count
 * lanes that have run the profile point before. */
static void
flush_on_exit(Instrumentation *w, Block_list where, uint32_t first, bool runs)
{
	tpl_flag(&w->t, "comparable_runs", runs);
	tpl_value(&w->t, "cut", "%u", first);
	for (uint32_t i = 0; i < where.n; i++) {
		size_t from = instrument_begin_text(w);
		tpl_write_section(&w->t, "left");
		for (uint32_t k = first; k < w->numbers.n; k++) {
			set_section_number(w, k);
			tpl_write_section(&w->t, "trips");
		}
		if (runs)
			tpl_write_section(&w->t, "ran");
		instrument_insert(w, counting_position(w->fn, where.at[i]), from);
	}
}

/* Lets ptxas unroll an inner loop whose iterations need no marker. */
static void
allow_unrolling(Instrumentation *w, Block_list starts)
{
	const Loops *l = w->fn->loops;

	for (uint32_t i = 0; i < starts.n; i++) {
		uint32_t loop = l->loop_of[starts.at[i]];
		if (!loop || bits_has(w->unrolled, loop))
			continue;
		bits_set(w->unrolled, loop);
		FN_BLOCK_STMTS(w->fn, l->loops[loop].header, s)
			if (unroll_pragma_forbids(w->m, fn_stmt(w->fn, s)))
				edit_replace(w->edits, fn_stmt(w->fn, s)->at, "", 0);
	}
}

/* Adds the counters of an inner loop's trip count. */
static uint32_t
count_trips(Instrumentation *w, const Profile_point *c)
{
	uint32_t counter = w->counters, first = w->numbers.n;

	w->counters += OF_LOOP;
	allow_unrolling(w, c->trips);
	add_lane_count(w, counter, false, c->trips);
	flush_on_exit(w, c->ended, first, false);
	return counter;
}

/* Adds the counters of a profile point's blocks, and *again for lanes that have run it before. */
static uint32_t
count_blocks(Instrumentation *w, const Profile_point *c, uint32_t *again)
{
	uint32_t counter = w->counters, first = w->numbers.n;

	w->counters += OF_BLOCK * c->nblocks;
	for (uint32_t i = 0; i < c->nblocks; i++)
		add_lane_count(w, counter + OF_BLOCK * i, true, c->blocks[i].trips);
	if (c->comparable) {
		*again = w->counters++;
		declare_lane_counter(w, "ran", first);
		instrument_sum(w, "again", first, *again);
	}
	flush_on_exit(w, c->ended, first, c->comparable);
	return counter;
}

/* ---- data for the program -------------------------------------------------------------------- */

/* Adds a row of POINT_RECORD_NUMBERS numbers to the table: position of the record's first lines,
 * the counters, the number of blocks, and the counters of loop entries, of launches, of repeated
 * runs, of atomic operations, of loop exits, and of
 * whole executions, which have a record with no other number. */
static void
write_point_record(Instrumentation *w, const Profile_point *c, const uint32_t *row)
{
	Profile_key key = profile_key(w->fn, c->region, w->arena);

	buf_printf(&w->table, "%s%u", w->points++ ? ", " : "", (unsigned)w->texts.n);
	for (uint32_t i = 1; i < POINT_RECORD_NUMBERS; i++)
		buf_printf(&w->table, ", %u", row[i]);
	profile_put_key(&key, &w->texts);
	buf_putc(&w->texts, '\0');
}

static void
instrument_point(Instrumentation *w, const Profile_point *c)
{
	uint32_t row[POINT_RECORD_NUMBERS] = { 0 };

	if (c->whole) {
		row[11] = count_trips(w, c);
		write_point_record(w, c, row);
		return;
	}
	row[1] = count_begins(w, c->iteration_starts);
	row[2] = instrument_reserve_counters(w, BY_LANES);
	count_converged(w, c->entered, row[2]);
	row[3] = c->trips.n ? count_trips(w, c) : NO_TRIPS;
	row[4] = c->nblocks ? count_blocks(w, c, &row[8]) : NO_TRIPS;
	row[5] = c->nblocks;
	row[6] = c->reached.n ? count_begins(w, c->reached) : NO_ENTRIES;
	row[7] = w->launches;
	row[9] = instrument_atomics(w, c);
	row[10] = c->exits.n ? count_begins(w, c->exits) : NO_ENTRIES;
	write_point_record(w, c, row);
}

/* ---- begin and end of a function ------------------------------------------------------------- */

/* Writes the code for the beginning of a launch, after the rest of the head. */
static void
write_launch_code(Instrumentation *w)
{
	tpl_value(&w->t, "offset", "%u", instrument_counter_offset(w->launches));
	tpl_value(&w->t, "largest", "%u", instrument_counter_offset(w->launches + 1));
	tpl_write_section(&w->t, "launch");
	buf_add(&w->t.out, w->launched.at, w->launched.n);
	tpl_write_section(&w->t, "begun_launch");
}

/* Writes the body for blocks that do not count, after the counting one. */
static void
write_uninstrumented_body(Instrumentation *w)
{
	const Cfg *g = w->fn->cfg;
	size_t from = instrument_begin_text(w);

	if (g->blocks[g->nblocks - 1].falls)
		tpl_write_section(&w->t, "ended");
	tpl_write_section(&w->t, "plain");
	write_second_body(w->fn, w->plain, &w->t, w->arena);
	instrument_insert(w, w->fn->f->block.end - 1, from);
}

/* Inserts the common declarations and initialisation before the function's body. */
static void
write_head(Instrumentation *w)
{
	tpl_write_section(&w->t, "begin");
	buf_add(&w->t.out, w->zeros.at, w->zeros.n);
	if (w->launches != NO_LAUNCHES)
		write_launch_code(w);
	if (w->opt->instrument.sampling > 0)
		write_uninstrumented_body(w);
	tpl_end(&w->t);
	buf_add(&w->names, w->t.out.at, w->t.out.n);
	edit_insert(w->edits, w->fn->f->block.pos + 1, w->names.at, w->names.n);
}

static void
write_flush(Instrumentation *w, const Counter_flush *t)
{
	if (!t->name)
		set_section_number(w, t->number);
	else if (t->number == NO_NUMBER)
		tpl_value(&w->t, "mine", "%%%s%s", w->t.prefix, t->name);
	else
		tpl_value(&w->t, "mine", "%%%s%s%u", w->t.prefix, t->name, t->number);
	tpl_value(&w->t, "k", "%u", t->number);
	tpl_value(&w->t, "number", "%u", (unsigned)(t - w->flushes.at));
	tpl_value(&w->t, "offset", "%u", instrument_counter_offset(t->counter));
	tpl_write_section(&w->t, t->section);
}

/* Makes the lanes that a guard lets pass report their counts. */
static void
write_exit_code(Instrumentation *w, uint32_t pos, const Stmt *guarded)
{
	size_t from = instrument_begin_text(w);

	tpl_flag(&w->t, "guarded", guarded);
	if (guarded)
		tpl_value(&w->t, "stays", "%s%.*s", guarded->guard == 1 ? "!" : "",
			PTX_NAME(w->m, guarded->sym));
	tpl_write_section(&w->t, "ends");
	for (uint32_t i = 0; i < w->flushes.n; i++)
		write_flush(w, &w->flushes.at[i]);
	tpl_write_section(&w->t, "told");
	instrument_insert(w, pos, from);
}

/* Inserts reports before each exit and at the end of the text. A trap loses all counters anyway. */
static void
write_all_exit_code(Instrumentation *w)
{
	FN_PRED(w->fn, 0, b) {
		uint32_t last = cfg_terminator(w->fn->cfg, b);
		const Stmt *s = last ? fn_stmt(w->fn, last) : NULL;
		Op op = s ? ptx_op(w->m, s) : OP_UNKNOWN;
		if (op == OP_RET || op == OP_EXIT)
			write_exit_code(w, s->at.pos, s->guard ? s : NULL);
		if (b == w->fn->cfg->nblocks - 1 && w->fn->cfg->blocks[b].falls)
			write_exit_code(w, w->fn->f->block.end - 1, NULL);
	}
}

static bool
has_atomics(const Profile_points *points)
{
	for (uint32_t i = 0; i < points->n; i++)
		if (points->at[i].natomics)
			return true;
	return false;
}

void
instrument_function(Instrumentation *w, const Fn *fn, const Fn *plain, const char *prefix)
{
	Profile_points points = profile_points_find(fn, w->arena);

	if (!points.n)
		return;
	w->fn = fn;
	w->plain = plain;
	w->unrolled = bits_new(w->arena, fn->loops->nloops);
	tpl_init(&w->t, TEMPLATE_PROFILE, w->opt->debug.omit, w->arena);
	tpl_begin(&w->t, prefix);
	tpl_flag(&w->t, "atomics", has_atomics(&points));
	tpl_flag(&w->t, "sampled", w->opt->instrument.sampling > 0);
	tpl_flag(&w->t, "redux", w->m->target >= 80);
	tpl_value(&w->t, "counters", "%scounters", prefix);
	tpl_value(&w->t, "others", "%u", (1u << w->opt->instrument.sampling) - 1);
	tpl_value(&w->t, "sampling", "%u", w->opt->instrument.sampling);
	tpl_value(&w->t, "copies", "%u", COPIES - 1);
	tpl_value(&w->t, "apart", "%u", 8 * SIDE_BY_SIDE);
	tpl_value(&w->t, "own", "%sown", prefix);
	w->names.n = w->zeros.n = w->launched.n = 0;
	w->begins.n = w->numbers.n = w->flushes.n = w->local_bytes = 0;
	w->launches = w->fn->f->entry ? w->counters : NO_LAUNCHES;
	w->counters += w->fn->f->entry ? OF_LAUNCH : 0;
	buf_putc(&w->t.out, '\n');
	tpl_write_section(&w->t, "head");
	for (uint32_t i = 0; i < points.n; i++)
		instrument_point(w, &points.at[i]);
	if (w->local_bytes)
		buf_printf(&w->names, "\n\t.local .align %u .b8 \t%sown[%u];", ROW, prefix, w->local_bytes);
	write_all_exit_code(w);
	write_head(w);
	tpl_release(&w->t);
}

