/* SPDX-License-Identifier: MIT */
/* Selects the paths of a loop to collect and the order of their votes.
 *
 * Every annotated path is a candidate. A path that cannot be collected stays in the code around it,
 * and the report says why. Paths nested in a candidate are cut out of it (CCC 3.4); their votes
 * follow its vote. Shared memory goes to the costliest paths first (CCC 4.3), as long as the block
 * sizes that launches may use still fit: one more path is not worth blocks that run the original.
 *
 * The cases of a `switch` are paths that nobody selected one by one: paths(N) keeps the N
 * costliest, paths(auto) drops those that cost less than a vote.
 */
#include <stdlib.h>
#include "transform/collect/collect.h"
#include "transform/expand/expand.h"
#include "transform/task/shared_layout.h"
#include "transform/legality/legality.h"
#include "transform/task/task.h"

/* The policies: tasks that may wait. Each has a section in collect.tpl. */
static const uint32_t slots[POLICY_COUNT] = {
	[POLICY_STACK] = WARP,          /* all but one lane of M may have left one */
	/* one less than M, and one of each lane; of several own parts a round: batch.c */
	[POLICY_QUEUE] = 2 * WARP,
};

/* The candidates, costliest first, and why not; of[i]: which one the plan's part i is. */
typedef struct { Plan *x; Part *all; Verdict *why; uint32_t n, *of; } Choice;
typedef struct { uint32_t *order, n; } Turns; /* those left, as they have shared memory */

static const Marker *
marker_of(const Choice *c, uint32_t i)
{
	return part_marker(c->x, &c->all[i]);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* What the path's clause says, or else the loop's; 0: all lanes. */
static uint32_t
threshold(const Plan *x, const Annot *path)
{
	const Annot *loop = &plan_marker(x)->annot,
		    *a = annot_has(path, CLAUSE_THRESHOLD) ? path : loop;
	uint32_t n = annot_has(a, CLAUSE_THRESHOLD) ? a->number[CLAUSE_THRESHOLD] : WARP;

	return n < WARP ? n : 0;
}

static Verdict
candidate(const Plan *x, Part *k, const Region *path)
{
	const Marker *m = &x->fn->m->markers[path->marker];
	uint32_t pos = fn_stmt(x->fn, m->stmt)->at.pos;

	*k = (Part){ .path = path,
		.blocks = path->blocks,
		.span = path->blocks,
		.policy = slots[x->otherwise] ? x->otherwise : POLICY_STACK,
		.turns = x->otherwise_n };
	if (plan_asked(&m->annot) != POLICY_AUTO) {
		k->policy = plan_asked(&m->annot);
		k->turns = m->annot.number[CLAUSE_POLICY];
	}
	k->turns = k->policy == POLICY_QUEUE && k->turns ? k->turns : 1;
	k->threshold = threshold(x, &m->annot);
	k->independent = x->independent || annot_has(&m->annot, CLAUSE_INDEPENDENT);
	k->slots = slots[k->policy];
	if (!loop_contains(x->fn->loops, x->site->loop, path->entry))
		return verdict(x->arena, D_PATH, pos,
			"the compiler split the annotated loop into several, and this path is not in the costliest one");
	if (region_empty(x->fn, path) && !region_switch(x->fn, path))
		return verdict(x->arena, D_PATH, pos, "the compiler removed it");
	if (!k->slots)
		return verdict(x->arena, D_POLICY, pos,
			"policy '%s' cannot be combined with '%s', which the loop's costliest path has",
			annot_policies[k->policy].name, annot_policies[x->policy].name);
	return VERDICT_YES;
}

static bool
subset(Bits inner, Bits outer)
{
	BITS_EACH(b, inner)
		if (!bits_has(outer, b))
			return false;
	return true;
}

static bool
meet(Bits a, Bits b)
{
	for (uint32_t i = 0; i < a.nwords; i++)
		if (a.word[i] & b.word[i])
			return true;
	return false;
}

/* Have two paths blocks in common, though neither stands in the other? The compiler may have merged
 * code of both. */
static bool
entangled(const Region *a, const Region *b)
{
	if (a->entry == b->entry)
		return true;
	if (bits_has(a->blocks, b->entry))
		return !subset(b->blocks, a->blocks);
	if (bits_has(b->blocks, a->entry))
		return !subset(a->blocks, b->blocks);
	return meet(a->blocks, b->blocks);
}

static void
check_entangled(Choice *c, uint32_t i)
{
	for (uint32_t j = 0; j < i && !verdict_no(c->why[i]); j++)
		if (!verdict_no(c->why[j]) && entangled(c->all[j].path, c->all[i].path))
			c->why[i] = verdict(c->x->arena, D_CONTROL,
				fn_stmt(c->x->fn, marker_of(c, i)->stmt)->at.pos,
				"it shares code with the path of line %u",
				marker_of(c, j)->cuda.line);
}

/* Is the inner loop collected iteration by iteration? `while` asks for it; of others it is what is
 * left, if nothing else is annotated. */
static bool
by_steps(const Plan *x, const Region *rounds)
{
	return rounds->in_order ||
		(x->fn->m->markers[rounds->marker].annot.kind == ANNOT_FOR_VAR && !x->site->npaths);
}

bool
plan_collectable(const Plan *x)
{
	bool any = x->site->npaths > 0;

	for (uint32_t i = 0; i < x->site->nrounds; i++)
		any |= by_steps(x, x->site->rounds[i]);
	return any;
}

/* Has somebody asked for the policy by which it is collected? */
static bool
is_asked_for(const Plan *x, const Annot *a)
{
	return plan_asked(a) != POLICY_AUTO || plan_asked(&plan_marker(x)->annot) != POLICY_AUTO ||
		x->opt->policy != POLICY_AUTO;
}

static Choice
candidates(Plan *x)
{
	Choice c = { .x = x, .n = x->site->npaths };

	for (uint32_t i = 0; i < x->site->nrounds; i++)
		c.n += by_steps(x, x->site->rounds[i]);
	c.all = arena_array(x->arena, c.n, sizeof *c.all);
	c.why = arena_array(x->arena, c.n, sizeof *c.why);
	c.of = arena_array(x->arena, c.n, sizeof *c.of);
	x->parts = arena_array(x->arena, c.n + x->site->nrounds, sizeof *x->parts);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		c.why[i] = candidate(x, &c.all[i], x->site->paths[i]);
	for (uint32_t i = 0, n = x->site->npaths; i < x->site->nrounds; i++)
		if (by_steps(x, x->site->rounds[i])) {
			c.why[n] = candidate(
				x, &c.all[n], plan_rounds_whole(x, x->site->rounds[i]));
			/* lanes without a task would have to come back to the vote, too */
			c.all[n].threshold = 0;
			c.all[n++].steps = true;
		}
	for (uint32_t i = 0; i < c.n; i++)
		check_entangled(&c, i);
	return c;
}

/* ---- those that are left, in the order of their votes ---------------------------------------- */

/* Adds the parts whose innermost one around them is `outer` (0: none), each with those inside it
 * behind it. */
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

/* Cuts the parts out of the paths around them. */
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

/* The candidates that are left, costliest first or as lanes come to them. Returns how many. */
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

/* Makes the plan's parts and its own part of the candidates that are left. */
static void
keep(Choice *c)
{
	Plan *x = c->x;
	uint32_t *order = arena_array(x->arena, c->n, sizeof *order);
	uint32_t *around = arena_array(x->arena, c->n, sizeof *around);
	uint32_t n = those_left(c, true, order);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++) /* the last one that holds it is the innermost */
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

/* Does another part stand in its path? */
static bool
has_parts(const Plan *x, const Part *k)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (x->parts[i].outer && k == &x->parts[x->parts[i].outer - 1])
			return true;
	return false;
}

/* What flows out of the path decides how its owner goes on: behind it, or where something behind it
 * in the iteration ends. */
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

/* Makes the tasks, inner parts first: if one has none, its path stays in the one around it. Several
 * paths may run the same rest of the iteration: each part has a copy of it. */
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

/* ---- cases ----------------------------------------------------------------------------------- */

/* Candidates before the i-th, costlier ones, that are left of the same switch. */
static uint32_t
costlier_cases(const Choice *c, uint32_t i)
{
	const Region *of = region_switch(c->x->fn, c->all[i].path);
	uint32_t n = 0;

	for (uint32_t j = 0; j < i; j++)
		n += !verdict_no(c->why[j]) && region_switch(c->x->fn, c->all[j].path) == of;
	return n;
}

/* Does the case cost more than its vote, and the push and the pop of a task? */
static bool
worth_a_vote(const Part *k)
{
	/* issue slots of an instruction; instructions of the vote and of a value's way */
	enum { SLOTS = 2, ROUNDS = 28, VALUE = 4 };

	return k->path->cost > SLOTS * (ROUNDS + VALUE * (uint64_t)k->task.nslots);
}

/* Why a case is not collected. */
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

/* Leaves out what nobody has asked for by name, if it costs less than to collect it, and cases
 * beyond the N costliest; of cases that is no warning. */
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
		else if (c->all[i].steps && a->kind == ANNOT_FOR_VAR && !is_asked_for(c->x, a) &&
			!worth_a_vote(&c->all[i]))
			c->why[i] =
				verdict_note(verdict(c->x->arena, D_LOOP, DIAG_NOWHERE,
						     "collecting an iteration costs more than running it"),
					c->x->arena, DIAG_NOWHERE,
					"'policy(stack)' collects it anyway");
	}
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* The k-th in the order has no room. Of the cases of one switch the first one says so for all. */
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

/* Leaves out the parts that the buffer has no room for in blocks of any size. */
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

/* ---- the whole ------------------------------------------------------------------------------- */

/* Tells why candidates are left out, from the i-th on. */
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

/* No candidate is left: the costliest one's reason is the loop's. */
static Verdict
none_left(const Choice *c)
{
	c->x->parts[0] = c->all[0];
	c->x->nparts = 1;
	tell(c, 1);
	if (c->why[0].kind == D_COUNT) /* it is said of the switch, then */
		c->why[0].kind = D_PATH;
	return c->why[0];
}

/* The loop cannot be transformed, whichever paths are collected. */
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
	Choice c = candidates(x);
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
	/* what was left out may be more than the own part may have */
	if (c.n > 1 && verdict_no(v = own_part(x)))
		return refused(&c, v);
	tell(&c, 0);
	plan_rows_in_paths(x);
	return VERDICT_YES;
}
