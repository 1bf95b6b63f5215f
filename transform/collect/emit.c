/* SPDX-License-Identifier: MIT */
/* Emits a collected loop. The code itself is in collect.tpl; this file supplies the template's
 * values and flags, and its pieces: copies of the loop's code (copy_code.h) and moves of tasks
 * (emit_context.c). The result precedes the original loop, in a scope of its own. */
#include <stdio.h>
#include <string.h>
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* ---- entry ----------------------------------------------------------------------------------- */

static void
piece_before_loop(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	e->early = true;
	BITS_EACH(b, x->own)
		if (!loop_contains(x->fn->loops, x->site->loop, b))
			copy_block(&e->own, b, emit_site_label(e, "b", b), "");
}

/* Emits the places at which lanes park that leave from the code just copied, before or in the
 * loop. */
static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "exit", "%s", e->early ? "early" : "exit");
	tpl_value(e->t, "parked", "%s",
		e->lockstep        ? emit_site_label(e, "b", plan_header(e->x)) :
			e->early   ? "~round" :
				     emit_vote(e));
	emit_exits(e);
	e->early = false;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Sets the labels at which lanes continue that have no task while the current part's path
 * executes: after the path, or at the meeting point of an inner loop that is expanded in it. */
static void
tell_lacks(Emit *e)
{
	const Plan *x = e->x;
	const Part *rows = plan_rows_in(x, e->part);
	bool last = e->part == x->nparts;
	const char *lacks = rows ? emit_of_part(e, (uint32_t)(rows - x->parts) + 1,
					   e->k->task.nsums ? "lacks" : "idle") :
				   NULL;

	tpl_value(e->t, "skip", "%s", lacks ? lacks : "^ran");
	tpl_value(e->t, "done", "%s", lacks ? lacks : e->turns ? "^done" : "^ran");
	tpl_value(e->t, "drained", "%s",
		lacks               ? lacks :
			e->k->steps ? "^vote" :
			last        ? emit_vote(e) :
				      "^ran");
	tpl_flag(e->t, "tells_tasks", rows && e->k->task.nsums);
	if (rows)
		tpl_value(e->t, "has", "%%%s", emit_of_part(e, (uint32_t)(rows - x->parts) + 1, "has"));
}

/* Sets the values and flags of the part's sections: where lanes continue if the part has no
 * task, and which part tests whether any lane is still in its loop. */
static void
tell_part(Emit *e)
{
	const Plan *x = e->x;
	bool first = e->part == 1, last = e->part == x->nparts;
	bool looks = e->lockstep && !e->turns ? first : last, drains = looks || !e->full;

	tpl_value(e->t, "path_line", "%u", part_marker(x, e->k)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->k->policy].name);
	tpl_value(e->t, "want", "%s", e->grouped ? "%~mine" : "%^want");
	tpl_value(e->t, "number", "%u", e->part);
	tpl_value(e->t, "its_bit", "%u", UINT32_C(1) << (e->grouped ? e->part : 0));
	tpl_value(e->t, "none", "%s", drains ? "^none" : "^ran");
	tpl_value(e->t, "wait", "%s", drains ? "^wait" : "^ran");
	tpl_value(e->t, "empty", "%s", !last ? "^ran" : x->nparts > 1 ? emit_vote(e) : "~leave");
	tpl_flag(e->t, "context", e->k->task.nslots > 0);
	tpl_flag(e->t, "kept_values", e->k->task.nkept > 0);
	tpl_flag(e->t, "reductions", e->k->task.nsums > 0);
	tell_lacks(e);
	tpl_value(e->t, "least", "%u", e->k->threshold);
	if (!e->k->threshold)
		tpl_value(e->t, "enough", "%s", e->full ? "32" : "%~size");
	else if (e->full)
		tpl_value(e->t, "enough", "%u", e->k->threshold);
	else
		tpl_value(e->t, "enough", "%s", "%^enough");
	tpl_flag(e->t, "scored", x->retreat.on && !e->k->outer);
	tpl_flag(e->t, "looks_back", x->retreat.on && first && e->turn <= 1);
	tpl_flag(e->t, "scored_turns", x->retreat.on && e->turns);
	tpl_value(e->t, "gained", "%d", e->k->gained);
	tpl_value(e->t, "unwanted", "%d", e->k->unwanted);
	tpl_value(e->t, "spent", "%d", e->k->spent);
	tpl_flag(e->t, "threshold", e->k->threshold != 0);
	tpl_flag(e->t, "no_threshold", e->k->threshold == 0);
	tpl_flag(e->t, "ranks", e->k->threshold || e->k->task.nslots > 0);
	tpl_flag(e->t, "asks_first", (e->full || !x->two_copies) && plan_asks_first(x, e->k));
	tpl_value(e->t, "nobody", "%s",
		x->nparts > 1 || e->lockstep ? "^ran" : emit_site_label(e, "b", plan_header(x)));
	tpl_flag(e->t, "kept", emit_kept(e));
	tpl_flag(e->t, "keeps_wish", emit_kept(e) && !e->grouped);
	tpl_flag(e->t, "last", last);
	tpl_flag(e->t, "drains", drains);
	tpl_flag(e->t, "looks", looks);
	tpl_flag(e->t, "ends", last && x->nparts > 1);
	tpl_flag(e->t, "over", last && (x->nparts > 1 || e->k->steps));
	tpl_flag(e->t, "steps", e->k->steps);
}

void
emit_take(Emit *e, uint32_t part)
{
	e->part = part;
	e->k = part ? &e->x->parts[part - 1] : NULL;
	tpl_part(e->t, part);
	if (part)
		tell_part(e);
}

static bool
each_part(void *user, uint32_t i)
{
	Emit *e = user;

	if (i == 0)
		e->held = e->part;
	emit_take(e, i < e->x->nparts ? i + 1 : e->held);
	return i < e->x->nparts;
}

/* Iterates over the batch at the votes. */
static bool
each_turn(void *user, uint32_t i)
{
	Emit *e = user;

	e->turn = e->turns ? i + 1 : 0;
	if (e->turn > e->turns || (i && !e->turns)) {
		e->turn = 0;
		return false;
	}
	if (e->turns)
		tpl_value(e->t, "want", "%%^want%u", e->turn);
	tpl_flag(e->t, "looks_back", e->x->retreat.on && e->part == 1 && i == 0);
	return true;
}

/* Iterates over the bits of the path numbers in a shared vote. */
static bool
each_bit(void *user, uint32_t i)
{
	const Emit *e = user;
	uint32_t bit = UINT32_C(1) << i;

	tpl_value(e->t, "weight", "%u", bit);
	tpl_value(e->t, "not", "%%~not%u", bit);
	return bit <= e->x->nparts;
}

/* Names the parts. If there is only one, its prefix is the site's. */
static void
name_parts(Emit *e)
{
	const Plan *x = e->x;
	uint32_t n = x->nparts + x->nrows;

	e->prefixes = arena_array(e->arena, n + 1, sizeof *e->prefixes);
	for (uint32_t i = 1; i <= n; i++) {
		char prefix[48];
		if (n == 1)
			snprintf(prefix, sizeof prefix, "ccc%u_", x->number);
		else
			snprintf(prefix, sizeof prefix, "ccc%up%u_", x->number, i);
		e->prefixes[i] = arena_strndup(e->arena, prefix, strlen(prefix));
	}
	tpl_parts(e->t, e->prefixes, n);
}

/* ---- copies of the loop ---------------------------------------------------------------------- */

static void
put_copy(Emit *e, bool full)
{
	e->t->copy = full ? COPY_FULL : COPY_OTHERS;
	e->full = full;
	e->lockstep = full && e->x->lockstep.on;
	e->turns = full && e->x->turns > 1 ? e->x->turns : 0;
	e->grouped = full && e->x->grouped;
	e->chain = 0;
	tpl_flag(e->t, "grouped", e->grouped);
	tpl_value(e->t, "mask", full ? "0xffffffff" : "%%~mask");
	tpl_value(e->t, "size", full ? "32" : "%%~size");
	tpl_flag(e->t, "full", full);
	tpl_flag(e->t, "retreats_over", e->x->retreat.on && full);
	tpl_flag(e->t, "retreats_here", e->x->retreat.on && !full);
	tpl_flag(e->t, "hands_over", full && !emit_drains_itself(e->x));
	tpl_flag(e->t, "drains_full", !full && e->x->two_copies && !emit_drains_itself(e->x));
	tpl_flag(e->t, "lockstep", e->lockstep);
	tpl_flag(e->t, "turns", e->turns != 0);
	tpl_flag(e->t, "one_turn", e->turns == 0);
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

static bool
any_reductions(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].task.nsums)
			return true;
	return false;
}

static bool
any_folds(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (task_folds(&x->parts[i].task))
			return true;
	return false;
}

static bool
any_queue(const Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].policy == POLICY_QUEUE)
			return true;
	return false;
}

static void
tell_values(Emit *e, const Buffer *b)
{
	const Plan *x = e->x;
	const char *header = emit_site_label(e, "b", plan_header(x));
	bool counts = !x->frame.block || x->frame.check_threads;
	bool partial = x->frame.block % WARP != 0 || !x->frame.block;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", part_marker(x, &x->parts[0])->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[x->parts[0].policy].name);
	tpl_value(e->t, "threads", "%u", x->frame.threads);
	if (counts)
		tpl_value(e->t, "block", "%%~block");
	else
		tpl_value(e->t, "block", "%u", x->frame.block);
	tpl_value(e->t, "buffer", "%s", b->name);
	tpl_value(e->t, "tasks", "%s", "%~base");
	tpl_value(e->t, "paths", "%u", x->nparts);
	tpl_flag(e->t, "pushes", x->frame.warp_bytes > 0);
	tpl_value(e->t, "stride", "%u", b->stride);
	tpl_value(e->t, "header", "%s", header);
	tpl_value(e->t, "first", "%s", emit_vote(e));
	tpl_flag(e->t, "several", x->nparts > 1);
	tpl_flag(e->t, "any_over", x->nparts > 1 || plan_steps(x));
	tpl_flag(e->t, "two_copies", x->two_copies);
	tpl_flag(e->t, "check_threads", x->frame.check_threads);
	tpl_flag(e->t, "counts_block", counts && !x->frame.check_threads);
	tpl_flag(e->t, "partial_warps", partial);
	tpl_flag(e->t, "uses_thread", partial || x->frame.warp_bytes > 0);
	tpl_flag(e->t, "queue", any_queue(x));
	tpl_flag(e->t, "any_reductions", any_reductions(x));
	tpl_flag(e->t, "any_folds", any_folds(x));
	tpl_flag(e->t, "keeps", x->nkept > 0);
	tpl_flag(e->t, "early", any_queue(x) || any_folds(x) || x->nkept);
	tpl_flag(e->t, "uses_buffer", x->frame.warp_bytes > 0);
	tpl_flag(e->t, "three_dims", x->frame.dims > 2);
	tpl_flag(e->t, "two_dims", x->frame.dims == 2);
	tpl_flag(e->t, "many_dims", x->frame.dims > 1);
	tpl_flag(e->t, "many_exits", x->nways > 1);
	emit_tell_retreat(e);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", part_registers },
		{ "again", emit_again_values },
		{ "slice", part_slice },
		{ "behind_path", part_behind_path },
		{ "blocks", part_blocks },
		{ "exits", piece_exits },
		{ "prefix", part_prefix },
		{ "before_loop", piece_before_loop },
		{ "to_branch", part_to_branch },
		{ "to_header", part_to_header },
		{ "compute", part_compute },
		{ "path", part_path },
		{ "full_copy", piece_full_copy },
		{ "other_copy", piece_other_copy },
		{ "ways_out", emit_ways_out },
		{ "first_vote", part_first_vote },
		{ "next_vote", part_next_vote },
		{ "addresses", task_addresses },
		{ "take_own", group_take_own },
		{ "push_wanted", group_push },
		{ "runs", part_first_run },
		{ "hold_own", task_hold },
		{ "pop", task_pop },
		{ "pop_mine", task_pop_mine },
		{ "pop_left", task_pop_left },
		{ "push", task_push },
		{ "my_rows", kept_mine },
		{ "keep", kept_store },
		{ "owners_rows", kept_owners },
		{ "take_kept", kept_load },
		{ "my_slots", update_mine },
		{ "identities", update_begin },
		{ "fold_task", update_slots },
		{ "fold_step", update_slots_again },
		{ "fold_slots", update_end },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "part", each_part, e);
	tpl_each(e->t, "turn", each_turn, e);
	tpl_each(e->t, "bit", each_bit, e);
}

void
ccc_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin(&e, x, TEMPLATE_CCC, edits);
	name_parts(&e);
	emit_copies(&e);
	e.alike = x->grouped ? group_alike(x) : 0;
	tell_values(&e, b);
	tell_pieces(&e);
	emit_rows_tell(&e);
	emit_end(&e, "loop");
}
