/* SPDX-License-Identifier: MIT */
/* The text of a bound plan: bound.tpl's values, flags and pieces. The loop's code is copied as it
 * stands, with other ways: those to the meeting place, to the path and out of the loop lead to the
 * template's labels. What `ahead` adds is emit_ahead.c's. */
#include "transform/emit.h"
#include "transform/passes.h"

static bool
in_own(const Plan *x, uint32_t b)
{
	return bits_has(x->own, b) || plan_in_path(x, b);
}

/* Is it policy `ahead`, and are noted iterations run whole? */
static bool
whole(const Plan *x)
{
	return x->policy == POLICY_AHEAD && !x->bound.straight;
}

/* Where control goes when the lane has left. */
static const char *
out(const Plan *x)
{
	return whole(x) ? "^run" : x->bound.straight ? "^batch" : "^meet";
}

/* Where control goes from a block of the loop's code by its way back. A lane that looks ahead runs
 * that code, where noted iterations are run straight, for the iteration by which it leaves: if its
 * test reads registers only, it leaves, and its looks do not begin anew. (Then ptxas knows by how
 * much they step, and joins loads of neighbouring words.) */
static const char *
back(const Plan *x, uint32_t from)
{
	if (whole(x))
		return "^run";
	return x->bound.sure && loop_contains(x->fn->loops, x->site->loop, from) ? "^batch" :
										   "^meet";
}

/* ---- the loop's code ------------------------------------------------------------------------- */

static const char *
other_way(const Emit *e, uint32_t to)
{
	return in_own(e->x, to) ? emit_label(e, "b", to) : emit_exit_label(e, emit_way(e->x, to, 0));
}

/* Lanes wait at the arms of a branch, which are more than two. */
static bool
many_places(const Plan *x)
{
	return x->bound.narms > 2;
}

static const char *
place_way(const Emit *e, uint32_t to)
{
	for (uint32_t i = 0; i < e->x->bound.narms; i++)
		if (e->x->bound.arms[i]->entry == to)
			return emit_label(e, "cut", i);
	return other_way(e, to);
}

static bool
each_place(void *user, uint32_t i)
{
	const Emit *e = user;

	if (i >= e->x->bound.narms)
		return false;
	tpl_value(e->t, "k", "%u", i);
	tpl_value(e->t, "bit", "%u", 1u << i);
	tpl_value(e->t, "arm", "%s", emit_label(e, "b", e->x->bound.arms[i]->entry));
	tpl_flag(e->t, "last", i + 1 == e->x->bound.narms);
	return true;
}

static const char *
loop_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;
	const Plan *x = e->x;

	if (x->bound.pool && emit_pool_way(e, from, to))
		return emit_pool_way(e, from, to);
	if (plan_in_path(x, from) && !in_own(x, to)) /* an empty block behind the path */
		to = region_resolve(x->fn, x->site->loop, to);
	if (x->bound.straight && to == x->parts[0].path->entry)
		to = x->bound.resume[0];
	if (many_places(x))
		return place_way(e, to);
	if (to == x->bound.meet &&
		(!x->bound.behind || loop_contains(x->fn->loops, x->bound.behind, from)))
		return back(x, from);
	if (to == x->bound.cut)
		return "^cut";
	return other_way(e, to);
}

static const char *
loop_end(void *user, uint32_t stmt)
{
	const Emit *e = user;

	return emit_exit_label(e, emit_way(e->x, 0, stmt));
}

static void
piece_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	bool first = true;

	FN_BLOCKS(x->fn, b) {
		if (!in_own(x, b) || (x->bound.straight && bound_beyond(x, b)))
			continue;
		if (first && b != x->site->entry)
			tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, "b", x->site->entry));
		first = false;
		Copy *c = x->bound.pool && loop_contains(x->fn->loops, x->site->loop, b) ?
			&e->path : &e->own;
		copy_block(c, b, emit_label(e, "b", b), emit_label(e, "b", b + 1));
	}
	if (x->bound.pool)
		tpl_put(e->t, "fill");
}

/* The section of the policy. */
static void
piece_policy(void *user)
{
	Emit *e = user;
	static const char *const sections[] = { /* ORDER Bound_rule */
		"converge", "wait", "wait", "votes", "votes", "votes", "places", "places"
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

/* ---- the whole ------------------------------------------------------------------------------- */

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
	tpl_value(e->t, "back", "%s", out(x));
	tpl_flag(e->t, "wait", b->cut != 0 && !many_places(x));
	tpl_flag(e->t, "places", many_places(x));
	tpl_value(e->t, "last_place", "%u", b->narms - 1);
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
	tpl_flag(e->t, "pool", b->pool != NULL);
	emit_tell_retreat(e);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "blocks", piece_blocks },
		{ "exits", emit_exits },
		{ "round", piece_policy },
		{ "full_copy", piece_full_copy },
		{ "other_copy", piece_other_copy },
		{ "ways_out", emit_ways_out },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "place", each_place, e);
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
	copy_init(&e.own, x->fn, &t, plan_marker(x)->stmt, &e.told);
	tell_values(&e);
	tell_pieces(&e);
	emit_ahead(&e);
	if (x->bound.pool)
		emit_pool_pieces(&e);
	emit_end(&e, "loop");
}
