/* SPDX-License-Identifier: MIT */
/* Emits an expanded inner loop. The code is in expand.tpl and rows.tpl; this file supplies the
 * template's values, and the copies of an iteration and of the owner's code before and after the
 * inner loop. */
#include <stdio.h>
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/expand/expand.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* ---- code of helpers ------------------------------------------------------------------------- */

static bool
stmt_is_omitted(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return !bits_has(expand_lane_loop(e)->executed, fn_local_stmt(e->x->fn, stmt));
}

static const char *
edge_label(Emit *e, uint32_t to, const char *word, const char *done)
{
	return task_region_has(e->here.region, to) && to != e->here.region->path->entry ?
		emit_label(e, word, to) :
		done;
}

static const char *
long_edge_label(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return edge_label(user, to, "b", "^ran");
}

static const char *
consecutive_edge_label(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	return edge_label(e, to, e->here.label_word, e->here.label_done);
}

static const char *
packed_edge_label(void *user, uint32_t from, uint32_t to)
{
	(void)from;
	return edge_label(user, to, "d", "^done");
}

static const char *
original_edge_label(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	return task_region_has(e->here.region, to) ? emit_label(e, "k", to) : "^kept";
}

/* Copies the block with the loop's test, without the test. */
static void
emit_test_block(Emit *e, Copy *c, const char *label, const char *following)
{
	const Trip_count *t = expand_lane_loop(e)->trips;
	uint32_t to = e->here.region->path->entry;

	copy_new_line(e->t);
	tpl_text(e->t, "$%s:", label);
	copy_block_body(c, t->last);
	if (t->top)
		FN_SUCC(e->x->fn, t->last, s)
			if (task_region_has(e->here.region, s))
				to = s;
	copy_branch(c, t->last, to, following);
}

/* Emits one iteration, which ends at label `done`. word: prefix of its block labels. */
static void
emit_iteration(Emit *e, Copy *c, const char *word, const char *done)
{
	Bits blocks = e->here.region->path->blocks;
	uint32_t entry = e->here.region->path->entry;

	if (bits_next(blocks, 0) != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, word, entry));
	for (uint32_t b = bits_next(blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(blocks, b + 1);
		const char *label = emit_label(e, word, b);
		const char *following = after == UINT32_MAX ? done : emit_label(e, word, after);
		if (b == expand_lane_loop(e)->trips->last && c->edge_label != original_edge_label)
			emit_test_block(e, c, label, following);
		else
			copy_block(c, b, label, following);
		b = after;
	}
}

static void
piece_path(void *user)
{
	Emit *e = user;

	emit_iteration(e, &e->pass_copy, "b", "^ran");
}

/* Emits iterations `first` to `last` in a row, each with its own labels and branch tables, without
 * the loop's test. letter: prefix of their names. done: prefix of the labels after them. between:
 * emitted between two of them; or NULL. */
static void
emit_consecutive_iterations(Emit *e, Copy *c, char letter, const char *done, uint32_t first,
	uint32_t last, Tpl_piece *between)
{
	const Here outer = e->here;
	const Copy saved = *c;

	for (uint32_t i = first; i <= last; i++) {
		char word[8], table[16];
		snprintf(word, sizeof word, "%c%ub", letter, i);
		snprintf(table, sizeof table, "%c%utable", letter, i);
		e->here.label_word = word;
		e->here.label_done = emit_label(e, done, i);
		c->table = table;
		c->edge_label = consecutive_edge_label;
		emit_iteration(e, c, word, e->here.label_done);
		tpl_line(e->t, "$%s:", e->here.label_done);
		if (between && i < last)
			between(e);
	}
	e->here = outer;
	c->table = saved.table;
	c->edge_label = saved.edge_label;
}

static void
piece_unrolled_passes(void *user)
{
	Emit *e = user;

	emit_consecutive_iterations(e, &e->pass_copy, 'l', "lap", 1, expand_lane_loop(e)->unroll,
		expand_at_next);
}

static void
piece_second_path(void *user)
{
	Emit *e = user;

	emit_iteration(e, &e->second_path, "d", "^done");
}

/* Emits the inner loop unchanged. */
static void
piece_original_loop(void *user)
{
	Emit *e = user;

	emit_iteration(e, &e->original_loop, "k", "^kept");
}

static void
piece_owner_iteration(void *user)
{
	Emit *e = user;
	uint32_t n = ++e->nowner_iterations;

	emit_consecutive_iterations(e, &e->original_loop, 'k', "own", n, n, NULL);
}

static void
piece_owner_round(void *user)
{
	for (uint32_t i = 0; i < expand_lane_loop(user)->owner_unroll; i++)
		piece_owner_iteration(user);
}

/* ---- the owner's code before and after the inner loop ---------------------------------------- */

static const char *
exit_label(Emit *e, uint32_t k)
{
	e->exit_used[k] = true;
	return emit_label(e, "exit", k);
}

static const char *
common_edge_label(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	if (to == e->here.region->path->entry)
		return "^want";
	if (to == plan_header(e->x) && loop_contains(e->x->fn->loops, e->x->site->loop, from))
		return "^meet";
	return bits_has(e->x->common.blocks, to) ? emit_label(e, "b", to) :
					 exit_label(e, emit_exit_number(e->x, to, 0));
}

static const char *
common_end_label(void *user, uint32_t stmt)
{
	Emit *e = user;

	return exit_label(e, emit_exit_number(e->x, 0, stmt));
}

static const char *
late_exit_label(Emit *e, uint32_t k)
{
	e->late_exit_used[k] = true;
	return emit_label(e, "gone", k);
}

static const char *
tail_edge_label(void *user, uint32_t from, uint32_t to)
{
	Emit *e = user;

	(void)from;
	if (to == plan_header(e->x))
		return "^round";
	return bits_has(e->x->common.blocks, to) ? emit_label(e, "r", to) :
					 late_exit_label(e, emit_exit_number(e->x, to, 0));
}

static const char *
tail_end_label(void *user, uint32_t stmt)
{
	Emit *e = user;

	return late_exit_label(e, emit_exit_number(e->x, 0, stmt));
}

/* Returns the blocks of common code that are reachable from `from` without the inner loop and,
 * unless `header`, without the loop's header. */
static Bits
common_blocks_from(const Emit *e, uint32_t from, bool header)
{
	const Cfg *g = e->x->fn->cfg;
	Bits within = bits_new(e->arena, g->nblocks), found = bits_new(e->arena, g->nblocks);

	bits_copy(within, e->x->common.blocks);
	if (!header)
		bits_unset(within, plan_header(e->x));
	cfg_flood(g, from, false, within, found);
	return found;
}

/* Returns the first of the blocks, or `inner`, at or after block b. */
static uint32_t
first_unit_from(Bits blocks, uint32_t inner, uint32_t b)
{
	uint32_t unit = bits_next(blocks, b);

	return inner >= b && inner < unit ? inner : unit;
}

/* Emits the blocks in text order, with `want` in place of the inner loop. word: prefix of their
 * labels. */
static void
emit_common_code(Emit *e, Copy *c, Bits blocks, const char *word)
{
	uint32_t inner = c == &e->common ? e->here.region->path->entry : UINT32_MAX;

	for (uint32_t b = first_unit_from(blocks, inner, 1), after; b != UINT32_MAX; b = after) {
		after = first_unit_from(blocks, inner, b + 1);
		const char *following = after == UINT32_MAX ? "" : after == inner ? "^want" :
			emit_label(e, word, after);
		copy_new_line(e->t);
		if (b == inner)
			tpl_write_section(e->t, "come");
		else
			copy_block(c, b, emit_label(e, word, b), following);
	}
}

static void
piece_common_code(void *user)
{
	Emit *e = user;

	Bits blocks = common_blocks_from(e, e->x->site->entry, true);

	if (expand_lane_loop(e)->trips->top)
		bits_or(blocks, common_blocks_from(e, e->here.region->path->next, true));
	emit_common_code(e, &e->common, blocks, "b");
}

static void
piece_tail(void *user)
{
	Emit *e = user;

	if (e->here.region->path->next != plan_header(e->x))
		emit_common_code(e, &e->tail, common_blocks_from(e, e->here.region->path->next, false), "r");
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
piece_late_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "left", "gone");
	tpl_value(e->t, "left_to", "round");
	bool *used = e->exit_used;
	e->exit_used = e->late_exit_used;
	emit_exits(e);
	e->exit_used = used;
}

/* ---- groups of lanes ------------------------------------------------------------------------- */

void
expand_define_group(Emit *e, bool whole)
{
	bool wide = expand_lane_loop(e)->trips->bytes == 8,
	     rests = whole && expand_lane_loop(e)->packs;

	e->here.whole_warp = whole;
	tpl_value(e->t, "mask", whole ? "0xffffffff" : "%%~mask");
	tpl_value(e->t, "size", whole ? "32" : "%%~size");
	tpl_value(e->t, "size_w", whole ? "32" : wide ? "%%~wide_size" : "%%~size");
	tpl_value(e->t, "place", whole ? "%%~lane" : "%%~place");
	tpl_value(e->t, "top", whole ? "31" : "%%~last_place");
	tpl_value(e->t, "source", whole ? "%%~from" : "%%~source");
	tpl_flag(e->t, "full_warp", whole);
	tpl_flag(e->t, "partial_group", !whole);
	tpl_flag(e->t, "balances", whole && expand_lane_loop(e)->most_uneven);
	tpl_flag(e->t, "conditional", whole && !e->here.region->outer && expand_lane_loop(e)->conditional);
	tpl_flag(e->t, "unrolled", whole && expand_lane_loop(e)->unroll > 1);
	tpl_flag(e->t, "packs", rests);
	tpl_flag(e->t, "read_only", !rests && expand_lane_loop(e)->read_only);
	tpl_flag(e->t, "writes_memory", !rests && !expand_lane_loop(e)->read_only);
}

/* Iterates over the two copies: the whole warp, and any other group. */
static bool
each_group(void *user, uint32_t i)
{
	Emit *e = user;
	bool whole = i == 0;

	if (i == 2) {
		tpl_select_region(e->t, TPL_NO_REGION);
		return false;
	}
	tpl_select_region(e->t, i + 1);
	expand_define_group(e, whole);
	tpl_value(e->t, "header", "%s", emit_label(e, "b", plan_header(e->x)));
	tpl_value(e->t, "behind", "%s", tail_edge_label(e, e->here.region->path->entry, e->here.region->path->next));
	tpl_value(e->t, "past", "%s", common_edge_label(e, e->here.region->path->entry, e->here.region->path->next));
	return true;
}

/* Gives the labels of the whole warp's copy a prefix of their own. */
static void
define_group_prefixes(Emit *e)
{
	const char **prefixes = arena_array(e->arena, 3, sizeof *prefixes);
	Buf whole = { 0 };

	buf_printf(&whole, "ccc%uw_", e->x->number);
	prefixes[1] = arena_strndup(e->arena, whole.at, whole.n);
	prefixes[2] = e->prefix;
	tpl_set_regions(e->t, prefixes, 2);
	tpl_value(e->t, "whole_enter", "%senter", prefixes[1]);
	tpl_value(e->t, "others_enter", "%senter", prefixes[2]);
	buf_free(&whole);
}

/* ---- entry point ----------------------------------------------------------------------------- */

void
expand_define_names(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "iteration", piece_path },
		{ "iteration_again", piece_second_path },
		{ "laps_in_row", piece_unrolled_passes },
		{ "as_it_is", piece_original_loop },
		{ "load_bound", expand_load_bound },
		{ "owner_round", piece_owner_round },
		{ "owner_iteration", piece_owner_iteration },
		{ "fetch", expand_fetch },
		{ "fetch_count", expand_fetch_count },
		{ "at_lane", expand_at_lane },
		{ "at_next", expand_at_next },
		{ "at_iteration", expand_at_iteration },
		{ "index_next", expand_index_next },
		{ "along", expand_stepped_values },
		{ "row_ends", expand_live_outs },
		{ "row_ends_at_once", expand_empty_live_outs },
		{ "row_identities", expand_identities },
		{ "fold", expand_fold },
		{ "from_below", expand_from_below },
		{ "from_last", expand_from_last },
		{ "sums", expand_sums },
		{ "search", expand_search },
		{ "nths", expand_nths },
		{ "lanes_below", expand_below },
	};
	bool wide = expand_lane_loop(e)->trips->bytes == 8;

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_value(e->t, "w", wide ? "64" : "32");
	tpl_value(e->t, "n", wide ? "%%~wide_n" : "%%~n");
	tpl_value(e->t, "whose", "%%~whose");
	tpl_value(e->t, "weight", "%u", e->here.region->lane_loop->most_uneven);
	tpl_flag(e->t, "sums_at_once", e->m->target >= 80);
	tpl_value(e->t, "laps_most", "%u", WARP * expand_lane_loop(e)->unroll - 1);
	tpl_value(e->t, "laps_least", wide ? "%%~wide_from" : "%%~try");
	tpl_value(e->t, "laps_size", "%u", WARP * expand_lane_loop(e)->unroll);
	tpl_value(e->t, "lane_w", wide ? "%%~wide_lane" : "%%~lane");
	tpl_value(e->t, "left_n", wide ? "%%~wide_left" : "%%~left");
	tpl_value(e->t, "owner_unroll", "%u", expand_lane_loop(e)->owner_unroll);
	tpl_flag(e->t, "owner_unrolls", expand_lane_loop(e)->owner_unroll > 1);
	tpl_flag(e->t, "owner_pairs", expand_lane_loop(e)->owner_unroll > 2);
	tpl_flag(e->t, "wide", wide);
	tpl_flag(e->t, "reductions", e->here.region->task.nreductions > 0);
	expand_define_count(e);
}

void
expand_init_copies(Emit *e)
{
	e->pass_copy.edge_label = long_edge_label;
	e->second_path.edge_label = packed_edge_label;
	e->original_loop.edge_label = original_edge_label;
	e->pass_copy.is_omitted = e->second_path.is_omitted = stmt_is_omitted;
}

static void
define_values(Emit *e)
{
	tpl_value(e->t, "loop_line", "%u", plan_marker(e->x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", task_region_marker(e->x, e->here.region)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->here.region->policy].name);
	tpl_flag(e->t, "many_exits", e->x->common.nexits > 1);
}

static void
define_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", emit_registers },
		{ "again", emit_recompute_values },
		{ "own", piece_common_code },
		{ "exits", piece_exits },
		{ "rest", piece_tail },
		{ "gone", piece_late_exits },
		{ "ways_out", emit_exit_code },
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
	emit_begin_site(&e, x, TEMPLATE_EXPAND, edits);
	e.here.region = &x->regions[0];
	emit_init_copies(&e);
	e.late_exit_used = arena_array(x->arena, x->common.nexits + 1, sizeof *e.late_exit_used);
	e.tail = e.common;
	e.common.edge_label = common_edge_label;
	e.common.end_label = common_end_label;
	e.tail.edge_label = tail_edge_label;
	e.tail.end_label = tail_end_label;
	e.tail.table = "rtable";
	expand_init_copies(&e);
	define_group_prefixes(&e);
	define_values(&e);
	expand_define_names(&e);
	define_pieces(&e);
	emit_end_site(&e, "loop");
}
