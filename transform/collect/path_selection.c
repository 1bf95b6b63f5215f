/* SPDX-License-Identifier: MIT */
/* Selects the paths of a loop to collect, and the order of their votes.
 *
 * Every annotated path is a candidate. A path that cannot be collected stays in the code around
 * it, and the report says why. Paths nested in a candidate are cut out of it (CCC 3.4); their
 * votes follow its vote. Shared memory goes to the costliest paths first (CCC 4.3), as long as
 * the block sizes that launches may use still fit: one more path does not justify that larger
 * blocks execute the original loop.
 *
 * The cases of a `switch` are candidates that the user did not select individually: paths(N)
 * keeps the N costliest ones, and paths(auto) drops those that cost less than a vote. */
#include <stdlib.h>
#include "transform/collect/collect.h"
#include "transform/collect/path_selection.h"
#include "transform/expand/expand.h"
#include "transform/task/shared_layout.h"
#include "transform/legality/legality.h"
#include "transform/plan/describe_pragma.h"
#include "transform/task/task.h"

/* remaining candidates, in the order in which they get shared memory */
typedef struct { uint32_t *order, n; } Allocation_order;

/* ---- remaining candidates, in the order of their votes --------------------------------------- */

/* The remaining candidates, from 1 in the order of execution, in their nesting: the first one in
 * another, or in none (0), and the next one in the same. */
typedef struct { uint32_t *first, *next; } Nesting;

/* Adds the regions whose innermost enclosing candidate is `outer` (0: none), each followed by the
 * regions nested in it. */
static void
add_task_regions(Region_selection *c, const uint32_t *order, const Nesting *t, uint32_t outer)
{
	Plan *x = c->x;
	uint32_t number = x->nregions;

	for (uint32_t i = t->first[outer]; i; i = t->next[i]) {
		c->of[x->nregions] = order[i - 1];
		x->regions[x->nregions] = c->all[order[i - 1]];
		x->regions[x->nregions++].outer = number;
		add_task_regions(c, order, t, i);
	}
}

/* Cuts nested regions out of the enclosing paths (docs/proofs/collect.md, C20). */
static void
remove_nested_blocks(Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++) {
		Task_region *k = &x->regions[i];
		k->blocks = k->task_blocks;
		if (!k->outer)
			continue;
		Task_region *outer = &x->regions[k->outer - 1];
		if (outer->blocks.word == outer->task_blocks.word) {
			outer->blocks = bits_new(x->arena, x->fn->cfg->nblocks);
			bits_copy(outer->blocks, outer->task_blocks);
		}
		bits_and_not(outer->blocks, k->path->blocks);
	}
}

/* Lists the remaining candidates, costliest first or in execution order. Returns their number. */
static uint32_t
remaining_candidates(const Region_selection *c, bool as_met, uint32_t *order)
{
	const uint32_t *place = c->x->fn->cfg->rpo_index;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (verdict_is_no(c->why[i]))
			continue;
		uint32_t at = n++, met = place[c->all[i].path->entry];
		for (; at && as_met && place[c->all[order[at - 1]].path->entry] > met; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return n;
}

/* Fills in the plan's regions and common code from the remaining candidates. */
static void
build_regions(Region_selection *c)
{
	Plan *x = c->x;
	uint32_t *order = arena_array(x->arena, c->n, sizeof *order);
	uint32_t n = remaining_candidates(c, true, order);
	Arena *tmp = arena_new();
	/* by block: 1 + the last candidate that contains it, which is the innermost one */
	uint32_t *inner = arena_alloc(tmp, x->fn->cfg->nblocks * sizeof *inner),
		 *around = arena_array(tmp, n + 1u, sizeof *around);
	Nesting t = { .first = arena_array(tmp, n + 1u, sizeof *t.first),
		.next = arena_array(tmp, n + 1u, sizeof *t.next) };

	/* The other blocks' entries are not read; clearing them would be quadratic in the sites. */
	for (uint32_t i = 0; i < n; i++) {
		const Region *path = c->all[order[i]].path;
		inner[path->entry] = 0;
		BITS_EACH(b, path->blocks)
			inner[b] = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const Region *path = c->all[order[i]].path;
		around[i] = inner[path->entry];
		BITS_EACH(b, path->blocks)
			inner[b] = i + 1;
	}
	for (uint32_t i = n; i-- > 0; t.first[around[i]] = i + 1)
		t.next[i + 1] = t.first[around[i]];
	x->nregions = 0;
	add_task_regions(c, order, &t, 0);
	arena_free(tmp);
	remove_nested_blocks(x);
	plan_common_code(x);
}

static bool
has_candidates(const Region_selection *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!verdict_is_no(c->why[i]))
			return true;
	return false;
}

/* Whether another region is nested in k's path. */
static bool
has_nested_region(const Plan *x, const Task_region *k)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].outer && k == &x->regions[x->regions[i].outer - 1])
			return true;
	return false;
}

/* Makes the region's task. If values that are live out of the path cannot be handled otherwise,
 * extends the task by the rest of the iteration up to the next possible join (tail_capture.c). */
static Verdict
make_task_or_capture(Plan *x, Task_region *k)
{
	Task_region fork = *k;
	Verdict v = task_make(x, k);

	if (!verdict_is_no(v) || v.kind != D_LIVE_OUT || k->outer || has_nested_region(x, k))
		return v;
	while (tail_extend(x, k))
		if (!verdict_is_no(tail_check_legal(x, k)) && !verdict_is_no(task_make(x, k)))
			return VERDICT_YES;
	*k = fork;
	return v;
}

/* Makes the tasks, nested regions first: a path without a task stays in the enclosing one. Several
 * regions may contain the same rest of the iteration, as each has its own copy. */
static void
make_tasks(Region_selection *c)
{
	Plan *x = c->x;

	for (uint32_t i = x->nregions; i-- > 0;) {
		uint32_t of = c->of[i];
		Task_region *k = &x->regions[i], *all = &c->all[of];
		c->why[of] = make_task_or_capture(x, k);
		all->task = k->task;
		all->task_blocks = k->task_blocks;
		all->tail_end = k->tail_end;
		all->dead = k->dead;
		all->scratch = k->scratch;
		if (verdict_is_no(c->why[of]))
			build_regions(c);
	}
}

/* ---- cases of a switch ----------------------------------------------------------------------- */

/* Returns the number of remaining, costlier candidates of the same switch as candidate i. */
static uint32_t
count_costlier_cases(const Region_selection *c, uint32_t i)
{
	const Region *of = region_switch_of_case(c->x->fn, c->all[i].path);
	uint32_t n = 0;

	for (uint32_t j = 0; j < i; j++)
		n += !verdict_is_no(c->why[j]) &&
			region_switch_of_case(c->x->fn, c->all[j].path) == of;
	return n;
}

/* Whether the case costs more than its vote and the push and pop of a task. */
static bool
case_is_worthwhile(const Task_region *k)
{
	/* issue slots of an instruction; instructions of the vote; instructions to move a value */
	enum { SLOTS = 2, ROUNDS = 28, VALUE = 4 };

	return k->path->cost > SLOTS * (ROUNDS + VALUE * (uint64_t)k->task.nslots);
}

/* Returns why a case is not collected, or yes. */
static Verdict
refuse_case(const Region_selection *c, uint32_t i, const Region *of)
{
	const Annot *a = &c->x->fn->m->markers[of->marker].annot;
	uint32_t most = a->number[CLAUSE_PATHS];

	if (annot_has(a, CLAUSE_PATHS) && most != ANNOT_AUTO)
		return c->all[i].path->cost && count_costlier_cases(c, i) < most ?
			VERDICT_YES :
			verdict(c->x->arena, D_COUNT, DIAG_NOWHERE,
				"it is not one of the %u costliest cases", most);
	return case_is_worthwhile(&c->all[i]) ?
		VERDICT_YES :
		verdict_note(verdict(c->x->arena, D_COUNT, DIAG_NOWHERE,
				     "collecting it costs more than running it"),
			c->x->arena, DIAG_NOWHERE,
			"'paths(N)' at the switch collects the N costliest cases anyway");
}

/* Drops cases of a switch beyond the N costliest, and inner loops that were not requested and
 * cost less than collecting them. Dropped cases do not cause a warning. */
static void
drop_unprofitable(Region_selection *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const Region *of = region_switch_of_case(c->x->fn, c->all[i].path);
		const Annot *a = &candidate_marker(c, i)->annot;
		if (verdict_is_no(c->why[i]))
			continue;
		if (of)
			c->why[i] = refuse_case(c, i, of);
		else if (c->all[i].by_iteration && a->kind == ANNOT_FOR_VAR &&
			!path_is_requested(c->x, a) && !case_is_worthwhile(&c->all[i]))
			c->why[i] =
				verdict_note(verdict(c->x->arena, D_LOOP, DIAG_NOWHERE,
						     "collecting an iteration costs more than running it"),
					c->x->arena, DIAG_NOWHERE,
					"to collect it anyway, write %s",
					describe_pragma(c->x, c->all[i].path, "stack"));
	}
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Drops the k-th candidate in the order for lack of shared memory. The first case of a switch
 * reports it for all of them. */
static void
refuse_for_memory(Region_selection *c, const Allocation_order *t, uint32_t k, uint32_t left)
{
	uint32_t i = t->order[k], more = 0;
	const Region *of = region_switch_of_case(c->x->fn, c->all[i].path);
	bool in_text = c->x->opt->no_costliest;

	for (uint32_t j = 0; j < k && of; j++)
		if (c->why[t->order[j]].kind == D_SHARED &&
			region_switch_of_case(c->x->fn, c->all[t->order[j]].path) == of) {
			c->why[i] = verdict(
				c->x->arena, D_COUNT, DIAG_NOWHERE, "no shared memory is left for it");
			return;
		}
	for (uint32_t j = k + 1; j < t->n && of; j++)
		more += region_switch_of_case(c->x->fn, c->all[t->order[j]].path) == of;
	Verdict v = verdict(c->x->arena, D_SHARED, DIAG_NOWHERE,
		"its tasks need %u bytes of shared memory a warp, and %s paths leave %u",
		frame_task_bytes(&c->all[i]), in_text ? "earlier" : "costlier", left);
	if (more)
		v = verdict_note(v, c->x->arena, DIAG_NOWHERE,
			"%s cases of the switch left unchanged for the same reason: %u",
			in_text ? "later" : "cheaper", more);
	c->why[i] = verdict_note(v, c->x->arena, DIAG_NOWHERE,
		"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
}

/* Drops the regions that do not fit into the buffer at the largest supported block size. */
static void
drop_for_memory(Region_selection *c, uint32_t free)
{
	Plan *x = c->x;
	uint32_t warps = frame_warps(x), bytes = 0;
	uint32_t *order = arena_array(x->arena, c->n, sizeof *order);
	Allocation_order t = { order, remaining_candidates(c, x->opt->no_costliest, order) };

	for (uint32_t k = 0; k < t.n; k++) {
		uint32_t more = frame_task_bytes(&c->all[t.order[k]]);
		if (k == 0 || (uint64_t)(bytes + more) * warps <= free)
			bytes += more;
		else
			refuse_for_memory(
				c, &t, k, free / warps > bytes ? free / warps - bytes : 0);
	}
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Reports why candidates were dropped, from number i on. */
static void
hint_dropped(const Region_selection *c, uint32_t i)
{
	for (; i < c->n; i++) {
		Verdict v = c->why[i];
		Buf text = { 0 };
		if (!verdict_is_no(v) || v.kind == D_COUNT)
			continue;
		buf_printf(
			&text, "%s left unchanged: %s", c->all[i].by_iteration ? "loop" : "path", v.text);
		v.text = arena_strndup(c->x->arena, text.at, text.n);
		v.at = v.at.file ? v.at : candidate_marker(c, i)->cuda;
		*vec_push(&c->x->hints) = v;
		buf_free(&text);
	}
}

/* No candidate is left: the loop is refused for the reason of the costliest one. */
static Verdict
refuse_all(const Region_selection *c)
{
	c->x->regions[0] = c->all[0];
	c->x->nregions = 1;
	hint_dropped(c, 1);
	if (c->why[0].kind == D_COUNT) /* the diagnostic is about the switch then */
		c->why[0].kind = D_PATH;
	return c->why[0];
}

/* The loop cannot be transformed, independently of the selected paths. */
static Verdict
refuse_loop(const Region_selection *c, Verdict v)
{
	if (c->n > 1)
		c->x->nregions = 0;
	return v;
}

static Verdict
check_common_code(Plan *x)
{
	Verdict v = common_code_check_legal(x);

	return verdict_is_no(v) ? v : plan_check_exit_in_time(x);
}

Verdict
plan_select_regions(Plan *x, uint32_t free)
{
	Region_selection c = collect_path_candidates(x);
	Verdict v;

	build_regions(&c);
	for (uint32_t i = 0; i < c.n; i++)
		if (!verdict_is_no(c.why[i]))
			c.why[i] = task_region_check_legal(x, &c.all[i]);
	if (!has_candidates(&c))
		return refuse_all(&c);
	build_regions(&c);
	if (verdict_is_no(v = check_common_code(x)))
		return refuse_loop(&c, v);
	make_tasks(&c);
	drop_unprofitable(&c);
	if (!has_candidates(&c))
		return refuse_all(&c);
	drop_for_memory(&c, free);
	build_regions(&c);
	/* the dropped paths are common code now, which may make it illegal */
	if (c.n > 1 && verdict_is_no(v = check_common_code(x)))
		return refuse_loop(&c, v);
	hint_dropped(&c, 0);
	plan_nested_expansions(x);
	return VERDICT_YES;
}
