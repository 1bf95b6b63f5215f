/* SPDX-License-Identifier: MIT */
/* Emits an expanded inner loop. The code is in expand.tpl and rows.tpl; this file supplies the
 * template's values, and the copies of an iteration and of the owner's code before and after the
 * inner loop. */
#include <stdio.h>
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* ---- code of helpers ------------------------------------------------------------------------- */

static bool
left_out(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return !bits_has(expand_rounds(e)->runs, fn_local_stmt(e->x->fn, stmt));
}

static const char *
way(Emit *e, uint32_t to, const char *word, const char *done)
{
	return part_has(e->k, to) && to != e->k->path->entry ? emit_label(e, word, to) : done;
}

static const char *
long_way(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return way(user, to, "b", "^ran");
}

static const char *
laps_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	return way(e, to, e->word, emit_label(e, "lap", (uint32_t)(e->word[1] - '0')));
}

static const char *
short_way(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return way(user, to, "d", "^done");
}

static const char *
kept_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	return part_has(e->k, to) ? emit_label(e, "k", to) : "^kept";
}

/* Copies the block with the loop's test, without the test. */
static void
put_last(Emit *e, Copy *c, const char *label, const char *following)
{
	const Trips *t = expand_rounds(e)->trips;
	uint32_t to = e->k->path->entry;

	copy_new_line(e->t);
	tpl_text(e->t, "$%s:", label);
	copy_straight(c, t->last);
	if (t->top)
		FN_SUCC(e->x->fn, t->last, s)
			if (part_has(e->k, s))
				to = s;
	copy_branch(c, t->last, to, following);
}

/* Emits one iteration, which ends at label `done`. word: prefix of its block labels. */
static void
put_iteration(Emit *e, Copy *c, const char *word, const char *done)
{
	Bits blocks = e->k->path->blocks;
	uint32_t entry = e->k->path->entry;

	if (bits_next(blocks, 0) != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, word, entry));
	for (uint32_t b = bits_next(blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(blocks, b + 1);
		const char *label = emit_label(e, word, b);
		const char *following = after == UINT32_MAX ? done : emit_label(e, word, after);
		if (b == expand_rounds(e)->trips->last && c != &e->kept)
			put_last(e, c, label, following);
		else
			copy_block(c, b, label, following);
		b = after;
	}
}

static void
piece_path(void *user)
{
	Emit *e = user;

	put_iteration(e, &e->lap, "b", "^ran");
}

/* Emits several passes in a row, each with its own labels and branch tables. */
static void
piece_laps(void *user)
{
	Emit *e = user;
	const char *table = e->lap.table;

	for (uint32_t i = 1; i <= expand_rounds(e)->laps; i++) {
		char word[8], name[16];
		snprintf(word, sizeof word, "l%ub", i);
		snprintf(name, sizeof name, "l%utable", i);
		e->word = word;
		e->lap.table = name;
		e->lap.way = laps_way;
		put_iteration(e, &e->lap, word, emit_label(e, "lap", i));
		tpl_line(e->t, "$%s:", emit_label(e, "lap", i));
		if (i < expand_rounds(e)->laps)
			expand_at_next(e);
	}
	e->lap.table = table;
	e->lap.way = long_way;
}

static void
piece_path_again(void *user)
{
	Emit *e = user;

	put_iteration(e, &e->again_path, "d", "^done");
}

/* Emits the inner loop unchanged. */
static void
piece_kept(void *user)
{
	Emit *e = user;

	put_iteration(e, &e->kept, "k", "^kept");
}

/* ---- the owner's code before and after the inner loop ---------------------------------------- */

static const char *
exit_label(Emit *e, uint32_t k)
{
	e->way_used[k] = true;
	return emit_label(e, "exit", k);
}

static const char *
own_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	if (to == e->k->path->entry)
		return "^want";
	if (to == plan_header(e->x) && loop_contains(e->x->fn->loops, e->x->site->loop, from))
		return "^meet";
	return bits_has(e->x->own, to) ? emit_label(e, "b", to) :
					 exit_label(e, emit_way(e->x, to, 0));
}

static const char *
own_end(void *user, uint32_t stmt)
{
	Emit *e = user;

	return exit_label(e, emit_way(e->x, 0, stmt));
}

static const char *
gone_label(Emit *e, uint32_t k)
{
	e->gone[k] = true;
	return emit_label(e, "gone", k);
}

static const char *
rest_way(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	if (to == plan_header(e->x))
		return "^round";
	return bits_has(e->x->own, to) ? emit_label(e, "r", to) :
					 gone_label(e, emit_way(e->x, to, 0));
}

static const char *
rest_end(void *user, uint32_t stmt)
{
	Emit *e = user;

	return gone_label(e, emit_way(e->x, 0, stmt));
}

/* Returns the blocks of common code that are reachable from `from` without the inner loop and,
 * unless `header`, without the loop's header. */
static Bits
own_blocks(const Emit *e, uint32_t from, bool header)
{
	const Cfg *g = e->x->fn->cfg;
	Bits within = bits_new(e->arena, g->nblocks), found = bits_new(e->arena, g->nblocks);

	bits_copy(within, e->x->own);
	if (!header)
		bits_unset(within, plan_header(e->x));
	cfg_flood(g, from, false, within, found);
	return found;
}

/* Returns the first of the blocks, or `inner`, at or after block b. */
static uint32_t
unit_from(Bits blocks, uint32_t inner, uint32_t b)
{
	uint32_t unit = bits_next(blocks, b);

	return inner >= b && inner < unit ? inner : unit;
}

/* Emits the blocks in text order, with `want` in place of the inner loop. word: prefix of their
 * labels. */
static void
put_own(Emit *e, Copy *c, Bits blocks, const char *word)
{
	uint32_t inner = c == &e->own ? e->k->path->entry : UINT32_MAX;

	for (uint32_t b = unit_from(blocks, inner, 1), after; b != UINT32_MAX; b = after) {
		after = unit_from(blocks, inner, b + 1);
		const char *following = after == UINT32_MAX ? "" : after == inner ? "^want" :
			emit_label(e, word, after);
		copy_new_line(e->t);
		if (b == inner)
			tpl_put(e->t, "come");
		else
			copy_block(c, b, emit_label(e, word, b), following);
	}
}

static void
piece_own(void *user)
{
	Emit *e = user;

	Bits blocks = own_blocks(e, e->x->site->entry, true);

	if (expand_rounds(e)->trips->top)
		bits_or(blocks, own_blocks(e, e->k->path->next, true));
	put_own(e, &e->own, blocks, "b");
}

static void
piece_rest(void *user)
{
	Emit *e = user;

	if (e->k->path->next != plan_header(e->x))
		put_own(e, &e->rest, own_blocks(e, e->k->path->next, false), "r");
}

static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "left", "exit");
	tpl_value(e->t, "left_to", "meet");
	emit_exits(e);
}

static void
piece_gone(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "left", "gone");
	tpl_value(e->t, "left_to", "round");
	bool *used = e->way_used;
	e->way_used = e->gone;
	emit_exits(e);
	e->way_used = used;
}

/* ---- groups of lanes ------------------------------------------------------------------------- */

void
expand_tell_group(Emit *e, bool whole)
{
	bool wide = expand_rounds(e)->trips->bytes == 8, rests = whole && expand_rounds(e)->rests;

	e->whole = whole;
	tpl_value(e->t, "mask", whole ? "0xffffffff" : "%%~mask");
	tpl_value(e->t, "size", whole ? "32" : "%%~size");
	tpl_value(e->t, "size_w", whole ? "32" : wide ? "%%~wide_size" : "%%~size");
	tpl_value(e->t, "place", whole ? "%%~lane" : "%%~place");
	tpl_value(e->t, "top", whole ? "31" : "%%~last_place");
	tpl_value(e->t, "source", whole ? "%%~from" : "%%~source");
	tpl_flag(e->t, "whole", whole);
	tpl_flag(e->t, "others", !whole);
	tpl_flag(e->t, "chooses", whole && expand_rounds(e)->chooses);
	tpl_flag(e->t, "sparse", whole && !e->k->outer && expand_rounds(e)->sparse);
	tpl_flag(e->t, "laps", whole && expand_rounds(e)->laps > 1);
	tpl_flag(e->t, "rests", rests);
	tpl_flag(e->t, "quiet", !rests && expand_rounds(e)->quiet);
	tpl_flag(e->t, "loud", !rests && !expand_rounds(e)->quiet);
}

/* Iterates over the two copies: the whole warp, and any other group. */
static bool
each_group(void *user, uint32_t i)
{
	Emit *e = user;
	bool whole = i == 0;

	if (i == 2) {
		tpl_part(e->t, TPL_NO_PART);
		return false;
	}
	tpl_part(e->t, i + 1);
	expand_tell_group(e, whole);
	tpl_value(e->t, "header", "%s", emit_label(e, "b", plan_header(e->x)));
	tpl_value(e->t, "behind", "%s", rest_way(e, e->k->path->entry, e->k->path->next));
	tpl_value(e->t, "past", "%s", own_way(e, e->k->path->entry, e->k->path->next));
	return true;
}

/* Gives the labels of the whole warp's copy a prefix of their own. */
static void
name_groups(Emit *e)
{
	const char **prefixes = arena_array(e->arena, 3, sizeof *prefixes);
	Buf whole = { 0 };

	buf_printf(&whole, "ccc%uw_", e->x->number);
	prefixes[1] = arena_strndup(e->arena, whole.at, whole.n);
	prefixes[2] = e->prefix;
	tpl_parts(e->t, prefixes, 2);
	tpl_value(e->t, "whole_enter", "%senter", prefixes[1]);
	tpl_value(e->t, "others_enter", "%senter", prefixes[2]);
	buf_free(&whole);
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Returns the limit at which rows are distributed, as the ratio of the longest row to the mean,
 * in sixteenths. Below it each owner executes its own row. One iteration on all lanes costs the
 * path; a distributed one costs the path and its share of the exchange. */
static uint64_t
weight(const Part *k)
{
	uint64_t path = k->path->cost, w = 16 * (path + rows_collecting(k)) / (path ? path : 1);

	return w < 64 ? w : 64;
}

void
expand_tell(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "iteration", piece_path },
		{ "iteration_again", piece_path_again },
		{ "laps_in_row", piece_laps },
		{ "as_it_is", piece_kept },
		{ "fetch", expand_fetch },
		{ "fetch_count", expand_fetch_count },
		{ "at_lane", expand_at_lane },
		{ "at_next", expand_at_next },
		{ "at_iteration", expand_at_iteration },
		{ "index_next", expand_index_next },
		{ "along", expand_along },
		{ "row_ends", expand_ends },
		{ "row_ends_at_once", expand_ends_at_once },
		{ "row_identities", expand_identities },
		{ "fold", expand_fold },
		{ "from_below", expand_from_below },
		{ "from_last", expand_from_last },
		{ "sums", expand_sums },
		{ "search", expand_search },
		{ "nths", expand_nths },
		{ "lanes_below", expand_below },
	};
	bool wide = expand_rounds(e)->trips->bytes == 8;

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_value(e->t, "w", wide ? "64" : "32");
	tpl_value(e->t, "n", wide ? "%%~wide_n" : "%%~n");
	tpl_value(e->t, "whose", "%%~whose");
	tpl_value(e->t, "weight", "%u", (unsigned)weight(e->k));
	tpl_flag(e->t, "sums_at_once", e->m->target >= 80);
	tpl_value(e->t, "laps_most", "%u", WARP * expand_rounds(e)->laps - 1);
	tpl_value(e->t, "laps_least", wide ? "%%~wide_from" : "%%~try");
	tpl_value(e->t, "laps_size", "%u", WARP * expand_rounds(e)->laps);
	tpl_value(e->t, "lane_w", wide ? "%%~wide_lane" : "%%~lane");
	tpl_value(e->t, "left_n", wide ? "%%~wide_left" : "%%~left");
	tpl_flag(e->t, "wide", wide);
	tpl_flag(e->t, "reductions", e->k->task.nsums > 0);
	expand_tell_count(e);
}

void
expand_copies(Emit *e)
{
	e->lap.way = long_way;
	e->again_path.way = short_way;
	e->kept.way = kept_way;
	e->lap.left_out = e->again_path.left_out = left_out;
}

static void
tell_values(Emit *e)
{
	tpl_value(e->t, "loop_line", "%u", plan_marker(e->x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", part_marker(e->x, e->k)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->k->policy].name);
	tpl_flag(e->t, "many_exits", e->x->nways > 1);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", emit_registers },
		{ "again", emit_again_values },
		{ "own", piece_own },
		{ "exits", piece_exits },
		{ "rest", piece_rest },
		{ "gone", piece_gone },
		{ "ways_out", emit_ways_out },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "group", each_group, e);
}

void
expand_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	(void)b;
	emit_begin(&e, x, TEMPLATE_EXPAND, edits);
	e.k = &x->parts[0];
	emit_copies(&e);
	e.gone = arena_array(x->arena, x->nways + 1, sizeof *e.gone);
	e.rest = e.own;
	e.own.way = own_way;
	e.own.end = own_end;
	e.rest.way = rest_way;
	e.rest.end = rest_end;
	e.rest.table = "rtable";
	expand_copies(&e);
	name_groups(&e);
	tell_values(&e);
	expand_tell(&e);
	tell_pieces(&e);
	emit_end(&e, "loop");
}
