/* SPDX-License-Identifier: MIT */
/* Emits a loop with a waiting policy: the values, flags and pieces of wait.tpl. The loop's code
 * is copied unchanged, except that edges to a wait point, to the path and out of the loop lead
 * to the template's labels. emit_lookahead.c adds what policy `ahead` needs. */
#include "transform/emit/emit.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"
#include "transform/wait/emit_wait.h"
#include "transform/wait/wait.h"

static bool
block_is_common(const Plan *x, uint32_t b)
{
	return bits_has(x->common.blocks, b) || plan_block_in_region(x, b);
}

/* Whether the policy is `ahead` and selected iterations execute the whole loop body. */
static bool
runs_whole_iterations(const Plan *x)
{
	return x->lookahead && !x->lookahead->path_alone;
}

/* Whether of a selected iteration only the path runs, with the slice that leads to it. */
static bool
runs_path_alone(const Plan *x)
{
	return x->lookahead && x->lookahead->path_alone;
}

/* Whether lanes execute several iterations of the inner loop between two votes. */
static bool
batches_inner_iterations(const Plan *x)
{
	return x->policy == POLICY_FLATTEN && x->wait->n > 1;
}

/* Returns the label at which a lane continues after it has left the loop. */
static const char *
exit_label(const Plan *x)
{
	return runs_whole_iterations(x) ? "^run" : x->lookahead ? "^batch" : "^meet";
}

/* Returns the target of a back edge from block `from`. In straight `ahead` this code executes
 * the iteration in which the lane leaves the loop. If the loop's test reads registers only, that
 * iteration certainly leaves, and its back edge leads to ^batch instead of restarting the
 * look-ahead registers. ptxas then still knows their steps, and combines loads of neighbouring
 * words. */
static const char *
back_edge_label(const Plan *x, uint32_t from)
{
	if (runs_whole_iterations(x))
		return "^run";
	if (batches_inner_iterations(x) && loop_contains(x->fn->loops, wait_inner_loop(x), from))
		return "^step";
	return x->lookahead && x->lookahead->known_trips &&
			loop_contains(x->fn->loops, x->site->loop, from) ?
		"^batch" :
		"^meet";
}

/* ---- the loop's code ------------------------------------------------------------------------- */

static const char *
other_edge_label(const Emit *e, uint32_t to)
{
	if (!block_is_common(e->x, to))
		return emit_exit_label(e, emit_exit_number(e->x, to, 0));
	return emit_label(e, e->here.before_loop ? "f" : "b", to);
}

static bool
has_many_wait_points(const Plan *x)
{
	return x->wait->npoints != 0;
}

/* Returns the number of the wait point before the block; npoints: none. */
static uint32_t
wait_point_at(const Wait_plan *b, uint32_t block)
{
	uint32_t i = 0;

	while (i < b->npoints && b->points[i].block != block)
		i++;
	return i;
}

/* Returns the number of wait points with a prediction, which come first. */
static uint32_t
count_predicted_points(const Wait_plan *b)
{
	uint32_t i = 0;

	while (i < b->npoints && b->points[i].rank)
		i++;
	return i;
}

/* Returns the label of the wait point that the edge leads to; NULL: none. */
static const char *
wait_edge_label(const Emit *e, uint32_t from, uint32_t to)
{
	const Wait_plan *b = e->x->wait;

	if (!edge_reaches_wait_point(e->x, from, to))
		return NULL;
	uint32_t place = wait_point_at(b, to);
	if (place < b->npoints)
		return emit_label(e, e->here.before_loop ? "early_cut" : "cut", place);
	if (e->here.before_loop)
		return b->pool ? "^fill" : to == b->meeting ? "^ready" : "^early_cut";
	if (b->pool && (to == plan_header(e->x) || from == b->pool->test_block))
		return "^spent";
	return to == b->meeting ? back_edge_label(e->x, from) : "^cut";
}

/* Whether lanes reach the wait point before their first vote. */
static bool
is_reached_before_meeting(const Plan *x, uint32_t to)
{
	FN_PRED(x->fn, to, b)
		if (bits_has(x->wait->first_blocks, b))
			return true;
	return false;
}

static bool
emit_wait_point(const Emit *e, uint32_t i)
{
	const Wait_plan *b = e->x->wait;

	if (i >= b->npoints)
		return false;
	tpl_value(e->t, "k", "%u", i);
	tpl_value(e->t, "bit", "%u", 1u << (i % WARP));
	tpl_value(e->t, "at", "%s", emit_label(e, "b", b->points[i].block));
	tpl_value(e->t, "least", "%u", b->points[i].threshold);
	tpl_flag(e->t, "last", i + 1 == b->npoints);
	tpl_flag(e->t, "reached_before_meeting", is_reached_before_meeting(e->x, b->points[i].block));
	tpl_flag(e->t, "innermost", i == 0);
	return true;
}

static bool
each_wait_point(void *user, uint32_t i)
{
	return emit_wait_point(user, i);
}

static bool
each_predicted_point(void *user, uint32_t i)
{
	const Emit *e = user;

	return i < count_predicted_points(e->x->wait) && emit_wait_point(e, i);
}

static bool
each_point_outward(void *user, uint32_t i)
{
	const Emit *e = user;
	uint32_t n = count_predicted_points(e->x->wait);

	return i < n && emit_wait_point(e, n - 1 - i);
}

static bool
each_other_point(void *user, uint32_t i)
{
	const Emit *e = user;

	return emit_wait_point(e, count_predicted_points(e->x->wait) + i);
}

static const char *
loop_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	/* empty block after the path */
	if (plan_block_in_region(x, from) && !block_is_common(x, to))
		to = region_first_nonempty(x->fn, x->site->loop, to);
	if (runs_path_alone(x) && to == x->regions[0].path->entry)
		to = x->lookahead->resume[0];
	const char *place = wait_edge_label(e, from, to);
	return place ? place : other_edge_label(e, to);
}

static const char *
loop_end_label(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_exit_number(e->x, 0, stmt));
}

/* Emits the code that lanes execute before their first vote. */
static void
piece_first_blocks(void *user)
{
	Emit *e = user;
	const Bits blocks = e->x->wait->first_blocks;
	const uint32_t entry = e->x->site->entry;

	e->here.before_loop = true;
	if (!bits_has(blocks, entry))
		tpl_line(e->t, "\tbra.uni $%s;", wait_edge_label(e, 0, entry));
	else if (bits_next(blocks, 0) != entry) /* blocks of the loop may precede its header */
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "f", entry));
	BITS_EACH(b, blocks)
		copy_block(&e->first, b, emit_label(e, "f", b), emit_label(e, "f", b + 1));
}

static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "exit", "%s", e->here.before_loop ? "early" : "exit");
	tpl_value(e->t, "back", "%s", e->here.before_loop ? "^ready" : exit_label(e->x));
	emit_exits(e);
	e->here.before_loop = false;
}

static void
piece_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	uint32_t n = 0;

	BITS_EACH(b, x->wait->round_blocks) {
		if (runs_path_alone(x) && block_is_path_only(x, b))
			continue;
		if (x->policy == POLICY_AHEAD && n++ == 0 && b != x->site->entry)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "b", x->site->entry));
		copy_block(x->wait->pool ? &e->path : &e->common, b, emit_label(e, "b", b),
			emit_label(e, "b", b + 1));
	}
	if (x->wait->pool)
		tpl_write_section(e->t, "spent");
}

/* Expands the section of the policy. */
static void
piece_policy(void *user)
{
	Emit *e = user;
	static const char *const sections[] = { /* ORDER Release_rule */
		"converge", "wait", "wait", "votes", "votes", "votes", "places", "places",
		"stops"
	};

	tpl_write_section(e->t, e->x->policy == POLICY_AHEAD ? "ahead" : sections[e->x->wait->rule]);
}

/* ---- copies of the loop ---------------------------------------------------------------------- */

static void
emit_loop_copy(Emit *e, bool full)
{
	const Here outer = e->here;

	e->t->copy = full ? COPY_FULL : COPY_PARTIAL;
	e->here.full = full;
	tpl_value(e->t, "mask", "%s", full ? "0xffffffff" : "%^mask");
	tpl_write_section(e->t, "copy");
	e->t->copy = COPY_PARTIAL;
	e->here = outer;
}

static void
piece_full_copy(void *user)
{
	emit_loop_copy(user, true);
}

static void
piece_other_copy(void *user)
{
	emit_loop_copy(user, false);
}

/* ---- entry point ----------------------------------------------------------------------------- */

static void
define_values(Emit *e)
{
	const Plan *x = e->x;
	const Wait_plan *b = x->wait;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_flag(e->t, "two_copies", x->copies.two);
	tpl_value(e->t, "policy", "%s", annot_policies[x->policy].name);
	tpl_value(e->t, "meet", "%s", emit_label(e, "b", b->meeting));
	tpl_value(e->t, "cut", "%s", emit_label(e, "b", b->wait_block));
	tpl_value(e->t, "n", "%u", b->n);
	tpl_flag(e->t, "runs_whole_iterations", runs_whole_iterations(x));
	tpl_flag(e->t, "waits_at_point", b->wait_block != 0 && !has_many_wait_points(x));
	tpl_flag(e->t, "any_wait_point", has_many_wait_points(x) && b->rule != RULE_INNERMOST);
	tpl_value(e->t, "last_place", "%u", b->npoints - 1);
	tpl_flag(e->t, "predicted_points", b->rule == RULE_INNERMOST);
	tpl_flag(e->t, "several_wait_points", has_many_wait_points(x));
	tpl_flag(e->t, "waits_for_nobody", has_many_wait_points(x) && count_predicted_points(b) < b->npoints);
	tpl_value(e->t, "others", "%u", b->second);
	tpl_flag(e->t, "rotates", b->rule == RULE_ROTATE);
	tpl_value(e->t, "period", "%u", b->n + b->second);
	tpl_flag(e->t, "majority", b->rule == RULE_HALF);
	tpl_flag(e->t, "majority_ends", b->rule == RULE_MAJORITY ||
		(b->rule == RULE_LARGEST && x->policy == POLICY_MAJORITY));
	tpl_flag(e->t, "share", b->rule == RULE_SHARE);
	tpl_flag(e->t, "alternates", b->rule == RULE_ALTERNATE);
	tpl_flag(e->t, "ballots", !(b->rule == RULE_ALTERNATE || b->rule == RULE_ROTATE) ||
		!x->request.idle);
	tpl_flag(e->t, "many_exits", x->common.nexits > 1);
	tpl_flag(e->t, "batches_inner", batches_inner_iterations(x));
	tpl_flag(e->t, "draws_iterations", b->pool != NULL);
	tpl_flag(e->t, "of_block", b->pool && b->pool->of_block);
	tpl_flag(e->t, "check_threads", b->pool && b->pool->of_block && x->tasks.frame.check_threads);
	tpl_flag(e->t, "draws_first", b->pool && b->rule == RULE_HALF);
	tpl_flag(e->t, "draws_last", b->pool && b->rule == RULE_N);
	tpl_flag(e->t, "meets_each_round", x->policy != POLICY_AHEAD);
	tpl_flag(e->t, "any_reached_before_meeting",
		b->wait_block && !has_many_wait_points(x) && b->wait_block != b->meeting &&
			is_reached_before_meeting(x, b->wait_block));
	tpl_flag(e->t, "votes_any", !b->pool && b->rule == RULE_NONE);
	emit_define_fallback(e);
}

static void
define_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "first", piece_first_blocks },
		{ "blocks", piece_blocks },
		{ "exits", piece_exits },
		{ "round", piece_policy },
		{ "full_copy", piece_full_copy },
		{ "other_copy", piece_other_copy },
		{ "ways_out", emit_exit_code },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "place", each_wait_point, e);
	tpl_each(e->t, "stop", each_predicted_point, e);
	tpl_each(e->t, "outward", each_point_outward, e);
	tpl_each(e->t, "rest", each_other_point, e);
}

void
wait_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin_site(&e, x, TEMPLATE_WAIT, edits);
	if (x->wait->pool)
		emit_iteration_pool(&e);
	e.common = (Copy){ .user = &e, .edge_label = loop_edge_label, .end_label = loop_end_label, .table = "table" };
	e.path.edge_label = loop_edge_label;
	e.first = (Copy){ .user = &e, .edge_label = loop_edge_label, .end_label = loop_end_label, .table = "ftable" };
	copy_init(&e.first, x->fn, &t, plan_marker(x)->stmt, &e.named_locs);
	copy_init(&e.common, x->fn, &t, plan_marker(x)->stmt, &e.named_locs);
	define_values(&e);
	define_pieces(&e);
	emit_lookahead(&e);
	if (x->wait->pool)
		emit_define_pool_pieces(&e, b);
	emit_end_site(&e, "loop");
}
