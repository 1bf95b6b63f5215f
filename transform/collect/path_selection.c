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
#include "transform/task/task.h"

/* remaining candidates, in the order in which they get shared memory */
typedef struct { uint32_t *order, n; } Turns;

/* ---- remaining candidates, in the order of their votes --------------------------------------- */

/* Adds the parts whose innermost enclosing candidate is `outer` (0: none), each followed by the
 * parts nested in it. */
static void
add_parts(Choice *c, const uint32_t *order, const uint32_t *around, uint32_t n, uint32_t outer)
{
	Plan *x = c->x;
	uint32_t number = x->nparts;

	for (uint32_t i = 0; i < n; i++) {
		if (around[i] != outer)
			continue;
		c->of[x->nparts] = order[i];
		x->parts[x->nparts] = c->all[order[i]];
		x->parts[x->nparts++].outer = number;
		add_parts(c, order, around, n, i + 1);
	}
}

/* Cuts nested parts out of the enclosing paths (docs/proofs/collect.md, C20). */
static void
cut_out(Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++) {
		Part *k = &x->parts[i];
		k->blocks = k->span;
		if (!k->outer)
			continue;
		Part *outer = &x->parts[k->outer - 1];
		if (outer->blocks.word == outer->span.word) {
			outer->blocks = bits_new(x->arena, x->fn->cfg->nblocks);
			bits_copy(outer->blocks, outer->span);
		}
		bits_and_not(outer->blocks, k->path->blocks);
	}
}

/* Lists the remaining candidates, costliest first or in execution order. Returns their number. */
static uint32_t
those_left(const Choice *c, bool as_met, uint32_t *order)
{
	const uint32_t *place = c->x->fn->cfg->rpo_index;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (verdict_no(c->why[i]))
			continue;
		uint32_t at = n++, met = place[c->all[i].path->entry];
		for (; at && as_met && place[c->all[order[at - 1]].path->entry] > met; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return n;
}

/* Fills in the plan's parts and common code from the remaining candidates. */
static void
keep(Choice *c)
{
	Plan *x = c->x;
	uint32_t *order = arena_array(x->arena, c->n, sizeof *order);
	uint32_t *around = arena_array(x->arena, c->n, sizeof *around);
	uint32_t n = those_left(c, true, order);

	for (uint32_t i = 0; i < n; i++)
		/* the last one that contains it is the innermost */
		for (uint32_t j = 0; j < i; j++)
			if (bits_has(c->all[order[j]].path->blocks, c->all[order[i]].path->entry))
				around[i] = j + 1;
	x->nparts = 0;
	add_parts(c, order, around, n, 0);
	cut_out(x);
	plan_own(x);
}

static bool
any_left(const Choice *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!verdict_no(c->why[i]))
			return true;
	return false;
}

/* Whether another part is nested in k's path. */
static bool
has_parts(const Plan *x, const Part *k)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].outer && k == &x->parts[x->parts[i].outer - 1])
			return true;
	return false;
}

/* Makes the part's task. If values that are live out of the path cannot be handled otherwise,
 * extends the task by the rest of the iteration up to the next possible join (tail_capture.c). */
static Verdict
task_or_jump(Plan *x, Part *k)
{
	Part fork = *k;
	Verdict v = task_make(x, k);

	if (!verdict_no(v) || v.kind != D_LIVE_OUT || k->outer || has_parts(x, k))
		return v;
	while (jump_widen(x, k))
		if (!verdict_no(jump_legal(x, k)) && !verdict_no(task_make(x, k)))
			return VERDICT_YES;
	*k = fork;
	return v;
}

/* Makes the tasks, nested parts first: a path without a task stays in the enclosing one. Several
 * parts may contain the same rest of the iteration, as each has its own copy. */
static void
make_tasks(Choice *c)
{
	Plan *x = c->x;

	for (uint32_t i = x->nparts; i-- > 0;) {
		uint32_t of = c->of[i];
		Part *k = &x->parts[i], *all = &c->all[of];
		c->why[of] = task_or_jump(x, k);
		all->task = k->task;
		all->span = k->span;
		all->join = k->join;
		all->idle = k->idle;
		all->scratch = k->scratch;
		if (verdict_no(c->why[of]))
			keep(c);
	}
}

/* ---- cases of a switch ----------------------------------------------------------------------- */

/* Returns the number of remaining, costlier candidates of the same switch as candidate i. */
static uint32_t
costlier_cases(const Choice *c, uint32_t i)
{
	const Region *of = region_switch(c->x->fn, c->all[i].path);
	uint32_t n = 0;

	for (uint32_t j = 0; j < i; j++)
		n += !verdict_no(c->why[j]) && region_switch(c->x->fn, c->all[j].path) == of;
	return n;
}

/* Whether the case costs more than its vote and the push and pop of a task. */
static bool
worth_a_vote(const Part *k)
{
	/* issue slots of an instruction; instructions of the vote; instructions to move a value */
	enum { SLOTS = 2, ROUNDS = 28, VALUE = 4 };

	return k->path->cost > SLOTS * (ROUNDS + VALUE * (uint64_t)k->task.nslots);
}

/* Returns why a case is not collected, or yes. */
static Verdict
case_left_out(const Choice *c, uint32_t i, const Region *of)
{
	const Annot *a = &c->x->fn->m->markers[of->marker].annot;
	uint32_t most = a->number[CLAUSE_PATHS];

	if (annot_has(a, CLAUSE_PATHS) && most != ANNOT_AUTO)
		return c->all[i].path->cost && costlier_cases(c, i) < most ?
			VERDICT_YES :
			verdict(c->x->arena, D_COUNT, DIAG_NOWHERE,
				"it is not one of the %u costliest cases", most);
	return worth_a_vote(&c->all[i]) ?
		VERDICT_YES :
		verdict_note(verdict(c->x->arena, D_COUNT, DIAG_NOWHERE,
				     "collecting it costs more than running it"),
			c->x->arena, DIAG_NOWHERE,
			"'paths(N)' at the switch collects the N costliest cases anyway");
}

/* Drops cases of a switch beyond the N costliest, and inner loops that were not requested and
 * cost less than collecting them. Dropped cases do not cause a warning. */
static void
choose_few(Choice *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const Region *of = region_switch(c->x->fn, c->all[i].path);
		const Annot *a = &marker_of(c, i)->annot;
		if (verdict_no(c->why[i]))
			continue;
		if (of)
			c->why[i] = case_left_out(c, i, of);
		else if (c->all[i].steps && a->kind == ANNOT_FOR_VAR &&
			!path_is_requested(c->x, a) && !worth_a_vote(&c->all[i]))
			c->why[i] =
				verdict_note(verdict(c->x->arena, D_LOOP, DIAG_NOWHERE,
						     "collecting an iteration costs more than running it"),
					c->x->arena, DIAG_NOWHERE,
					"'policy(stack)' collects it anyway");
	}
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Drops the k-th candidate in the order for lack of shared memory. The first case of a switch
 * reports it for all of them. */
static void
without_room(Choice *c, const Turns *t, uint32_t k, uint32_t left)
{
	uint32_t i = t->order[k], more = 0;
	const Region *of = region_switch(c->x->fn, c->all[i].path);
	bool in_text = c->x->opt->no_costliest;

	for (uint32_t j = 0; j < k && of; j++)
		if (c->why[t->order[j]].kind == D_SHARED &&
			region_switch(c->x->fn, c->all[t->order[j]].path) == of) {
			c->why[i] = verdict(
				c->x->arena, D_COUNT, DIAG_NOWHERE, "no shared memory is left for it");
			return;
		}
	for (uint32_t j = k + 1; j < t->n && of; j++)
		more += region_switch(c->x->fn, c->all[t->order[j]].path) == of;
	Verdict v = verdict(c->x->arena, D_SHARED, DIAG_NOWHERE,
		"its tasks need %u bytes of shared memory a warp, and %s paths leave %u",
		frame_bytes(&c->all[i]), in_text ? "earlier" : "costlier", left);
	if (more)
		v = verdict_note(v, c->x->arena, DIAG_NOWHERE,
			"%s cases of the switch left unchanged for the same reason: %u",
			in_text ? "later" : "cheaper", more);
	c->why[i] = verdict_note(v, c->x->arena, DIAG_NOWHERE,
		"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
}

/* Drops the parts that do not fit into the buffer at the largest supported block size. */
static void
fit(Choice *c, uint32_t free)
{
	Plan *x = c->x;
	uint32_t warps = frame_warps(x), bytes = 0;
	uint32_t *order = arena_array(x->arena, c->n, sizeof *order);
	Turns t = { order, those_left(c, x->opt->no_costliest, order) };

	for (uint32_t k = 0; k < t.n; k++) {
		uint32_t more = frame_bytes(&c->all[t.order[k]]);
		if (k == 0 || (uint64_t)(bytes + more) * warps <= free)
			bytes += more;
		else
			without_room(c, &t, k, free / warps > bytes ? free / warps - bytes : 0);
	}
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Reports why candidates were dropped, from number i on. */
static void
tell(const Choice *c, uint32_t i)
{
	for (; i < c->n; i++) {
		Verdict v = c->why[i];
		Buf text = { 0 };
		if (!verdict_no(v) || v.kind == D_COUNT)
			continue;
		buf_printf(
			&text, "%s left unchanged: %s", c->all[i].steps ? "loop" : "path", v.text);
		v.text = arena_strndup(c->x->arena, text.at, text.n);
		v.at = v.at.file ? v.at : marker_of(c, i)->cuda;
		*vec_push(&c->x->hints) = v;
		buf_free(&text);
	}
}

/* No candidate is left: the loop is refused for the reason of the costliest one. */
static Verdict
none_left(const Choice *c)
{
	c->x->parts[0] = c->all[0];
	c->x->nparts = 1;
	tell(c, 1);
	if (c->why[0].kind == D_COUNT) /* the diagnostic is about the switch then */
		c->why[0].kind = D_PATH;
	return c->why[0];
}

/* The loop cannot be transformed, independently of the selected paths. */
static Verdict
refused(const Choice *c, Verdict v)
{
	if (c->n > 1)
		c->x->nparts = 0;
	return v;
}

static Verdict
own_part(Plan *x)
{
	Verdict v = own_legal(x);

	return verdict_no(v) ? v : plan_ends(x);
}

Verdict
plan_parts(Plan *x, uint32_t free)
{
	Choice c = path_candidates(x);
	Verdict v;

	keep(&c);
	for (uint32_t i = 0; i < c.n; i++)
		if (!verdict_no(c.why[i]))
			c.why[i] = part_legal(x, &c.all[i]);
	if (!any_left(&c))
		return none_left(&c);
	keep(&c);
	if (verdict_no(v = own_part(x)))
		return refused(&c, v);
	make_tasks(&c);
	choose_few(&c);
	if (!any_left(&c))
		return none_left(&c);
	fit(&c, free);
	keep(&c);
	/* the dropped paths are common code now, which may make it illegal */
	if (c.n > 1 && verdict_no(v = own_part(x)))
		return refused(&c, v);
	tell(&c, 0);
	plan_rows_in_paths(x);
	return VERDICT_YES;
}
