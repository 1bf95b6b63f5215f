/* SPDX-License-Identifier: MIT */
/* Emits a collected loop. The code itself is in collect.tpl; this file supplies the template's
 * values and flags, and its pieces: copies of the loop's code (copy_code.h) and moves of tasks
 * (emit_context.c). The result precedes the original loop, in a separate scope. */
#include <stdio.h>
#include <string.h>
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* ---- entry ----------------------------------------------------------------------------------- */

static void
piece_before_loop(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	e->here.before_loop = true;
	BITS_EACH(b, x->common.blocks)
		if (!loop_contains(x->fn->loops, x->site->loop, b))
			copy_block(&e->common, b, emit_site_label(e, "b", b), "");
}

/* Emits the places at which lanes park that leave from the code just copied, before or in the
 * loop. */
static void
piece_exits(void *user)
{
	Emit *e = user;

	tpl_value(e->t, "exit", "%s", e->here.before_loop ? "early" : "exit");
	tpl_value(e->t, "parked", "%s",
		e->here.lockstep        ? emit_site_label(e, "b", plan_header(e->x)) :
			e->here.before_loop ? "~round" :
				     emit_first_vote_label(e));
	emit_exits(e);
	e->here.before_loop = false;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Sets the labels at which lanes continue that have no task while the current region's path
 * executes: after the path, or at the meeting point of an inner loop that is expanded in it. */
static void
define_no_task_labels(Emit *e)
{
	const Plan *x = e->x;
	const Task_region *rows = plan_expansion_in(x, e->here.region_number);
	bool last = e->here.region_number == x->nregions;
	const char *lacks = rows ? emit_region_label(e, (uint32_t)(rows - x->regions) + 1,
					   e->here.region->task.nreductions ? "lacks" : "idle") :
				   NULL;

	tpl_value(e->t, "skip", "%s", lacks ? lacks : "^ran");
	tpl_value(e->t, "done", "%s", lacks ? lacks : e->here.batch ? "^done" : "^ran");
	tpl_value(e->t, "drained", "%s",
		lacks               ? lacks :
			e->here.region->by_iteration ? "^vote" :
			last        ? emit_first_vote_label(e) :
				      "^ran");
	tpl_flag(e->t, "reports_tasks", rows && e->here.region->task.nreductions);
	if (rows)
		tpl_value(e->t, "has", "%%%s", emit_region_label(e, (uint32_t)(rows - x->regions) + 1, "has"));
}

/* Sets the values and flags of the region's sections: where lanes continue if the region has no
 * task, and which region tests whether any lane is still in its loop. */
static void
define_region_names(Emit *e)
{
	const Plan *x = e->x;
	bool first = e->here.region_number == 1, last = e->here.region_number == x->nregions;
	bool first_votes = e->here.lockstep && !e->here.batch ? first : last;
	bool drains = first_votes || !e->here.full;

	tpl_value(e->t, "path_line", "%u", task_region_marker(x, e->here.region)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->here.region->policy].name);
	tpl_value(e->t, "want", "%s", e->here.shares_vote ? "%~mine" : "%^want");
	tpl_value(e->t, "number", "%u", e->here.region_number);
	tpl_value(e->t, "its_bit", "%u", UINT32_C(1) << (e->here.shares_vote ? e->here.region_number : 0));
	tpl_value(e->t, "none", "%s", drains ? "^none" : "^ran");
	tpl_value(e->t, "wait", "%s", drains ? "^wait" : "^ran");
	tpl_value(e->t, "empty", "%s", !last ? "^ran" : x->nregions > 1 ? emit_first_vote_label(e) : "~leave");
	tpl_flag(e->t, "has_context", e->here.region->task.nslots > 0);
	tpl_flag(e->t, "lane_invariants", e->here.region->task.ninvariants > 0);
	tpl_flag(e->t, "reductions", e->here.region->task.nreductions > 0);
	define_no_task_labels(e);
	tpl_value(e->t, "least", "%u", e->here.region->threshold);
	if (!e->here.region->threshold)
		tpl_value(e->t, "enough", "%s", e->here.full ? "32" : "%~size");
	else if (e->here.full)
		tpl_value(e->t, "enough", "%u", e->here.region->threshold);
	else
		tpl_value(e->t, "enough", "%s", "%^enough");
	tpl_flag(e->t, "counts_credit", x->fallback.enabled && !e->here.region->outer);
	tpl_flag(e->t, "checks_credit", x->fallback.enabled && first && e->here.batch_index <= 1);
	tpl_flag(e->t, "counts_batch_credit", x->fallback.enabled && e->here.batch);
	tpl_value(e->t, "gained", "%d", e->here.region->credit_wanted);
	tpl_value(e->t, "unwanted", "%d", e->here.region->credit_idle);
	tpl_value(e->t, "spent", "%d", e->here.region->credit_run);
	tpl_flag(e->t, "threshold", e->here.region->threshold != 0);
	tpl_flag(e->t, "no_threshold", e->here.region->threshold == 0);
	tpl_flag(e->t, "needs_rank", e->here.region->threshold || e->here.region->task.nslots > 0);
	tpl_flag(e->t, "tests_vote_first", (e->here.full || !x->copies.two) && plan_tests_vote_first(x, e->here.region));
	tpl_value(e->t, "nobody", "%s",
		x->nregions > 1 || e->here.lockstep ? "^ran" : emit_site_label(e, "b", plan_header(x)));
	tpl_flag(e->t, "task_in_registers", emit_task_waits_in_registers(e));
	tpl_flag(e->t, "saves_want", emit_task_waits_in_registers(e) && !e->here.shares_vote);
	tpl_flag(e->t, "last", last);
	tpl_flag(e->t, "drains", drains);
	tpl_flag(e->t, "votes_on_exit", first_votes);
	tpl_flag(e->t, "tests_tasks_left", last && x->nregions > 1);
	tpl_flag(e->t, "sets_all_done", last && (x->nregions > 1 || e->here.region->by_iteration));
	tpl_flag(e->t, "iteration_tasks", e->here.region->by_iteration);
}

void
emit_select_region(Emit *e, uint32_t number)
{
	e->here.region_number = number;
	e->here.region = number ? &e->x->regions[number - 1] : NULL;
	tpl_select_region(e->t, number);
	if (number)
		define_region_names(e);
}

static bool
each_region(void *user, uint32_t i)
{
	Emit *e = user;

	if (i == 0)
		e->here.outer_region = e->here.region_number;
	emit_select_region(e, i < e->x->nregions ? i + 1 : e->here.outer_region);
	return i < e->x->nregions;
}

/* Iterates over the batch at the votes. */
static bool
each_batch_index(void *user, uint32_t i)
{
	Emit *e = user;

	e->here.batch_index = e->here.batch ? i + 1 : 0;
	if (e->here.batch_index > e->here.batch || (i && !e->here.batch)) {
		e->here.batch_index = 0;
		return false;
	}
	if (e->here.batch)
		tpl_value(e->t, "want", "%%^want%u", e->here.batch_index);
	tpl_flag(e->t, "checks_credit", e->x->fallback.enabled && e->here.region_number == 1 && i == 0);
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
	return bit <= e->x->nregions;
}

/* Names the regions. If there is only one, its prefix is the site's. */
static void
define_region_prefixes(Emit *e)
{
	const Plan *x = e->x;
	uint32_t n = x->nregions + x->nexpansions;

	e->prefixes = arena_array(e->arena, n + 1, sizeof *e->prefixes);
	for (uint32_t i = 1; i <= n; i++) {
		char prefix[48];
		if (n == 1)
			snprintf(prefix, sizeof prefix, "ccc%u_", x->number);
		else
			snprintf(prefix, sizeof prefix, "ccc%up%u_", x->number, i);
		e->prefixes[i] = arena_strndup(e->arena, prefix, strlen(prefix));
	}
	tpl_set_regions(e->t, e->prefixes, n);
}

/* ---- copies of the loop ---------------------------------------------------------------------- */

static void
emit_loop_copy(Emit *e, bool full)
{
	const Collect_plan *c = e->x->collect;
	const Here outer = e->here;

	e->t->copy = full ? COPY_FULL : COPY_PARTIAL;
	e->here = (Here){ .full = full,
		.lockstep = full && c->lockstep.enabled,
		.batch = full && c->batch > 1 ? c->batch : 0,
		.shares_vote = full && c->shares_vote };
	tpl_flag(e->t, "shares_vote", e->here.shares_vote);
	tpl_value(e->t, "mask", full ? "0xffffffff" : "%%~mask");
	tpl_value(e->t, "size", full ? "32" : "%%~size");
	tpl_flag(e->t, "full", full);
	tpl_flag(e->t, "falls_back_to_partial_copy", e->x->fallback.enabled && full);
	tpl_flag(e->t, "falls_back_here", e->x->fallback.enabled && !full);
	tpl_flag(e->t, "jumps_to_partial_copy", full && !emit_full_copy_drains(e->x));
	tpl_flag(e->t, "is_drain_target", !full && e->x->copies.two && !emit_full_copy_drains(e->x));
	tpl_flag(e->t, "lockstep", e->here.lockstep);
	tpl_flag(e->t, "batched", e->here.batch != 0);
	tpl_flag(e->t, "not_batched", e->here.batch == 0);
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

static bool
any_reductions(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].task.nreductions)
			return true;
	return false;
}

static bool
any_folds_into_owner(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (task_folds_into_owner(&x->regions[i].task))
			return true;
	return false;
}

static bool
any_queue(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].policy == POLICY_QUEUE)
			return true;
	return false;
}

static void
define_values(Emit *e, const Buffer *b)
{
	const Plan *x = e->x;
	const char *header = emit_site_label(e, "b", plan_header(x));
	bool counts = !x->tasks.frame.block || x->tasks.frame.check_threads;
	bool partial = x->tasks.frame.block % WARP != 0 || !x->tasks.frame.block;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", task_region_marker(x, &x->regions[0])->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[x->regions[0].policy].name);
	tpl_value(e->t, "threads", "%u", x->tasks.frame.threads);
	if (counts)
		tpl_value(e->t, "block", "%%~block");
	else
		tpl_value(e->t, "block", "%u", x->tasks.frame.block);
	tpl_value(e->t, "buffer", "%s", b->name);
	tpl_value(e->t, "tasks", "%s", "%~base");
	tpl_value(e->t, "paths", "%u", x->nregions);
	tpl_flag(e->t, "pushes", x->tasks.frame.warp_bytes > 0);
	tpl_value(e->t, "stride", "%u", b->stride);
	tpl_value(e->t, "header", "%s", header);
	tpl_value(e->t, "first", "%s", emit_first_vote_label(e));
	tpl_flag(e->t, "several_regions", x->nregions > 1);
	tpl_flag(e->t, "uses_all_done", x->nregions > 1 || plan_has_iteration_tasks(x));
	tpl_flag(e->t, "two_copies", x->copies.two);
	tpl_flag(e->t, "check_threads", x->tasks.frame.check_threads);
	tpl_flag(e->t, "counts_block", counts && !x->tasks.frame.check_threads);
	tpl_flag(e->t, "partial_warps", partial);
	tpl_flag(e->t, "uses_thread", partial || x->tasks.frame.warp_bytes > 0);
	tpl_flag(e->t, "queue", any_queue(x));
	tpl_flag(e->t, "any_reductions", any_reductions(x));
	tpl_flag(e->t, "any_folds_into_owner", any_folds_into_owner(x));
	tpl_flag(e->t, "any_lane_invariants", x->tasks.ninvariants > 0);
	tpl_flag(e->t, "barrier_before_vote", any_queue(x) || any_folds_into_owner(x) || x->tasks.ninvariants);
	tpl_flag(e->t, "uses_buffer", x->tasks.frame.warp_bytes > 0);
	tpl_flag(e->t, "three_dims", x->tasks.frame.dims > 2);
	tpl_flag(e->t, "two_dims", x->tasks.frame.dims == 2);
	tpl_flag(e->t, "many_dims", x->tasks.frame.dims > 1);
	tpl_flag(e->t, "many_exits", x->common.nexits > 1);
	emit_define_fallback(e);
}

static void
define_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", emit_declare_registers },
		{ "again", emit_recompute_values },
		{ "slice", emit_owner_slice },
		{ "behind_path", emit_code_after_path },
		{ "blocks", emit_common_blocks },
		{ "exits", piece_exits },
		{ "prefix", emit_branch_prefix },
		{ "before_loop", piece_before_loop },
		{ "to_branch", emit_chain_to_branch },
		{ "to_header", emit_chain_to_header },
		{ "compute", emit_derived_values },
		{ "path", emit_path_copy },
		{ "full_copy", piece_full_copy },
		{ "other_copy", piece_other_copy },
		{ "ways_out", emit_exit_code },
		{ "first_vote", emit_votes },
		{ "next_vote", emit_next_vote },
		{ "addresses", task_addresses },
		{ "take_own", shared_vote_load_own },
		{ "push_wanted", shared_vote_push },
		{ "runs", emit_first_run },
		{ "hold_own", task_save_own_in_batch },
		{ "pop", task_pop },
		{ "pop_mine", task_pop_selected },
		{ "pop_left", task_pop_remaining },
		{ "push", task_push },
		{ "my_rows", lane_invariants_own_address },
		{ "keep", lane_invariants_store },
		{ "owners_rows", lane_invariants_owner_address },
		{ "take_kept", lane_invariants_load },
		{ "my_slots", reduction_own_address },
		{ "identities", reduction_init_slots },
		{ "fold_task", reduction_fold_into_owner },
		{ "fold_step", reduction_refold_into_owner },
		{ "fold_slots", reduction_collect_slots },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "region", each_region, e);
	tpl_each(e->t, "turn", each_batch_index, e);
	tpl_each(e->t, "bit", each_bit, e);
}

void
collect_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin_site(&e, x, TEMPLATE_COLLECT, edits);
	define_region_prefixes(&e);
	emit_init_copies(&e);
	e.row_distance = x->collect->shares_vote ? shared_vote_row_distance(x) : 0;
	define_values(&e, b);
	define_pieces(&e);
	emit_define_expansions(&e);
	emit_end_site(&e, "loop");
}
