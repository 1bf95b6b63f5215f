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
in_own(const Plan *x, uint32_t b)
{
	return bits_has(x->own, b) || plan_in_path(x, b);
}

/* Whether the policy is `ahead` and selected iterations execute the whole loop body. */
static bool
whole(const Plan *x)
{
	return x->policy == POLICY_AHEAD && !x->bound.straight;
}

/* Whether lanes execute several iterations of the inner loop between two votes. */
static bool
in_steps(const Plan *x)
{
	return x->policy == POLICY_FLATTEN && x->bound.n > 1;
}

/* Returns the label at which a lane continues after it has left the loop. */
static const char *
out(const Plan *x)
{
	return whole(x) ? "^run" : x->bound.straight ? "^batch" : "^meet";
}

/* Returns the target of a back edge from block `from`. In straight `ahead` this code executes
 * the iteration in which the lane leaves the loop. If the loop's test reads registers only, that
 * iteration certainly leaves, and its back edge leads to ^batch instead of restarting the
 * look-ahead registers. ptxas then still knows their steps, and combines loads of neighbouring
 * words. */
static const char *
back(const Plan *x, uint32_t from)
{
	if (whole(x))
		return "^run";
	if (in_steps(x) && loop_contains(x->fn->loops, bound_inner(x), from))
		return "^step";
	return x->bound.sure && loop_contains(x->fn->loops, x->site->loop, from) ? "^batch" :
										   "^meet";
}

/* ---- the loop's code ------------------------------------------------------------------------- */

static const char *
other_way(const Emit *e, uint32_t to)
{
	if (!in_own(e->x, to))
		return emit_exit_label(e, emit_way(e->x, to, 0));
	return emit_label(e, e->early ? "f" : "b", to);
}

static bool
many_places(const Plan *x)
{
	return x->bound.nplaces != 0;
}

/* Returns the number of the wait point in front of the block; nplaces: none. */
static uint32_t
place_at(const Bound *b, uint32_t block)
{
	uint32_t i = 0;

	while (i < b->nplaces && b->places[i].block != block)
		i++;
	return i;
}

/* Returns the number of wait points with a prediction, which come first. */
static uint32_t
predictions(const Bound *b)
{
	uint32_t i = 0;

	while (i < b->nplaces && b->places[i].rank)
		i++;
	return i;
}

/* Returns the label of the wait point that the edge leads to; NULL: none. */
static const char *
place_way(const Emit *e, uint32_t from, uint32_t to)
{
	const Bound *b = &e->x->bound;

	if (!bound_stands(e->x, from, to))
		return NULL;
	uint32_t place = place_at(b, to);
	if (place < b->nplaces)
		return emit_label(e, e->early ? "early_cut" : "cut", place);
	if (e->early)
		return b->pool ? "^fill" : to == b->meet ? "^ready" : "^early_cut";
	if (b->pool && (to == plan_header(e->x) || from == b->pool->last))
		return "^spent";
	return to == b->meet ? back(e->x, from) : "^cut";
}

/* Whether lanes reach the wait point before their first vote. */
static bool
comes_first(const Plan *x, uint32_t to)
{
	FN_PRED(x->fn, to, b)
		if (bits_has(x->bound.first, b))
			return true;
	return false;
}

static bool
put_place(const Emit *e, uint32_t i)
{
	const Bound *b = &e->x->bound;

	if (i >= b->nplaces)
		return false;
	tpl_value(e->t, "k", "%u", i);
	tpl_value(e->t, "bit", "%u", 1u << (i % WARP));
	tpl_value(e->t, "at", "%s", emit_label(e, "b", b->places[i].block));
	tpl_value(e->t, "least", "%u", b->places[i].least);
	tpl_flag(e->t, "last", i + 1 == b->nplaces);
	tpl_flag(e->t, "early", comes_first(e->x, b->places[i].block));
	tpl_flag(e->t, "innermost", i == 0);
	return true;
}

static bool
each_place(void *user, uint32_t i)
{
	return put_place(user, i);
}

static bool
each_stop(void *user, uint32_t i)
{
	const Emit *e = user;

	return i < predictions(&e->x->bound) && put_place(e, i);
}

static bool
each_outward(void *user, uint32_t i)
{
	const Emit *e = user;
	uint32_t n = predictions(&e->x->bound);

	return i < n && put_place(e, n - 1 - i);
}

static bool
each_rest(void *user, uint32_t i)
{
	const Emit *e = user;

	return put_place(e, predictions(&e->x->bound) + i);
}

static const char *
loop_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	if (plan_in_path(x, from) && !in_own(x, to)) /* empty block after the path */
		to = region_resolve(x->fn, x->site->loop, to);
	if (x->bound.straight && to == x->parts[0].path->entry)
		to = x->bound.resume[0];
	const char *place = place_way(e, from, to);
	return place ? place : other_way(e, to);
}

static const char *
loop_end(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_way(e->x, 0, stmt));
}

/* Emits the code that lanes execute before their first vote. */
static void
piece_first(void *user)
{
	Emit *e = user;

	e->early = true;
	if (!bits_has(e->x->bound.first, e->x->site->entry))
		tpl_line(e->t, "\tbra.uni $%s;", place_way(e, 0, e->x->site->entry));
	BITS_EACH(b, e->x->bound.first)
		copy_block(&e->first, b, emit_label(e, "f", b), emit_label(e, "f", b + 1));
}

static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "exit", "%s", e->early ? "early" : "exit");
	tpl_value(e->t, "back", "%s", e->early ? "^ready" : out(e->x));
	emit_exits(e);
	e->early = false;
}

static void
piece_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	uint32_t n = 0;

	BITS_EACH(b, x->bound.later) {
		if (x->bound.straight && bound_beyond(x, b))
			continue;
		if (x->policy == POLICY_AHEAD && n++ == 0 && b != x->site->entry)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "b", x->site->entry));
		copy_block(x->bound.pool ? &e->path : &e->own, b, emit_label(e, "b", b),
			emit_label(e, "b", b + 1));
	}
	if (x->bound.pool)
		tpl_put(e->t, "spent");
}

/* Expands the section of the policy. */
static void
piece_policy(void *user)
{
	Emit *e = user;
	static const char *const sections[] = { /* ORDER Bound_rule */
		"converge", "wait", "wait", "votes", "votes", "votes", "places", "places",
		"stops"
	};

	tpl_put(e->t, e->x->policy == POLICY_AHEAD ? "ahead" : sections[e->x->bound.rule]);
}

/* ---- copies of the loop ---------------------------------------------------------------------- */

static void
put_copy(Emit *e, bool full)
{
	e->t->copy = full ? COPY_FULL : COPY_OTHERS;
	e->full = full;
	tpl_value(e->t, "mask", "%s", full ? "0xffffffff" : "%^mask");
	tpl_put(e->t, "copy");
	e->t->copy = COPY_OTHERS;
}

static void
piece_full_copy(void *user)
{
	put_copy(user, true);
}

static void
piece_other_copy(void *user)
{
	put_copy(user, false);
}

/* ---- entry point ----------------------------------------------------------------------------- */

static void
tell_values(Emit *e)
{
	const Plan *x = e->x;
	const Bound *b = &x->bound;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_flag(e->t, "two_copies", x->two_copies);
	tpl_value(e->t, "policy", "%s", annot_policies[x->policy].name);
	tpl_value(e->t, "meet", "%s", emit_label(e, "b", b->meet));
	tpl_value(e->t, "cut", "%s", emit_label(e, "b", b->cut));
	tpl_value(e->t, "n", "%u", b->n);
	tpl_flag(e->t, "whole", whole(x));
	tpl_flag(e->t, "wait", b->cut != 0 && !many_places(x));
	tpl_flag(e->t, "places", many_places(x) && b->rule != RULE_INNERMOST);
	tpl_value(e->t, "last_place", "%u", b->nplaces - 1);
	tpl_flag(e->t, "stops", b->rule == RULE_INNERMOST);
	tpl_flag(e->t, "stands", many_places(x));
	tpl_flag(e->t, "rests", many_places(x) && predictions(b) < b->nplaces);
	tpl_value(e->t, "others", "%u", b->second);
	tpl_flag(e->t, "in_turn", b->rule == RULE_ROUND);
	tpl_value(e->t, "period", "%u", b->n + b->second);
	tpl_flag(e->t, "majority", b->rule == RULE_HALF);
	tpl_flag(e->t, "majority_ends", b->rule == RULE_MAJORITY ||
		(b->rule == RULE_MOST && x->policy == POLICY_MAJORITY));
	tpl_flag(e->t, "share", b->rule == RULE_SHARE);
	tpl_flag(e->t, "turns", b->rule == RULE_TURNS);
	tpl_flag(e->t, "ballots", !(b->rule == RULE_TURNS || b->rule == RULE_ROUND) ||
		!x->asked.idle);
	tpl_flag(e->t, "many_exits", x->nways > 1);
	tpl_flag(e->t, "steps", in_steps(x));
	tpl_flag(e->t, "pool", b->pool != NULL);
	tpl_flag(e->t, "draws_first", b->pool && b->rule == RULE_HALF);
	tpl_flag(e->t, "draws_last", b->pool && b->rule == RULE_N);
	tpl_flag(e->t, "meets", x->policy != POLICY_AHEAD);
	tpl_flag(e->t, "early_cut",
		b->cut && !many_places(x) && b->cut != b->meet && comes_first(x, b->cut));
	tpl_flag(e->t, "asks_any", !b->pool && b->rule == RULE_NONE);
	emit_tell_retreat(e);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "first", piece_first },
		{ "blocks", piece_blocks },
		{ "exits", piece_exits },
		{ "round", piece_policy },
		{ "full_copy", piece_full_copy },
		{ "other_copy", piece_other_copy },
		{ "ways_out", emit_ways_out },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "place", each_place, e);
	tpl_each(e->t, "stop", each_stop, e);
	tpl_each(e->t, "outward", each_outward, e);
	tpl_each(e->t, "rest", each_rest, e);
}

void
bound_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	(void)b;
	emit_begin(&e, x, TEMPLATE_BOUND, edits);
	if (x->bound.pool)
		emit_pool(&e);
	e.own = (Copy){ .user = &e, .way = loop_way, .end = loop_end, .table = "table" };
	e.path.way = loop_way;
	e.first = (Copy){ .user = &e, .way = loop_way, .end = loop_end, .table = "ftable" };
	copy_init(&e.first, x->fn, &t, plan_marker(x)->stmt, &e.told);
	copy_init(&e.own, x->fn, &t, plan_marker(x)->stmt, &e.told);
	tell_values(&e);
	tell_pieces(&e);
	emit_ahead(&e);
	if (x->bound.pool)
		emit_pool_pieces(&e);
	emit_end(&e, "loop");
}
