/* SPDX-License-Identifier: MIT */
/* Warns where iterations that are annotated as independent may depend on each other through
 * memory: a path stores to an array, and the loop loads from it at an address that may be that of
 * another iteration's store. alias_warnings.c covers the order within an iteration.
 *
 * Only plain accesses to one known array are compared; pointers in different kernel parameters are
 * assumed not to alias. analysis/memory/iteration_dependence.c decides. Stores of a value that
 * every iteration stores, such as a mark or the level of a search, are not reported. */
#include "analysis/memory/iteration_dependence.h"
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

enum { MOST_PAIRS = 20000 };

/* A load, and its address once it has been needed. */
typedef struct { Access access; Iteration_access iteration; bool known; } Checked_load;
typedef struct {
	Plan *plan;
	Forms forms;
	VEC(Checked_load) loads;
	uint32_t left;          /* remaining pairs to compare */
} Promise_check;

/* Whether the access is a plain load or store of one known array. */
static bool
is_checked(const Plan *x, const Access *a)
{
	static const char *const shared[] = {
		"volatile", "relaxed", "acquire", "release", "mmio", NULL };
	const Module *m = x->fn->m;
	const Stmt *s = fn_stmt(x->fn, a->stmt);
	Op op = ptx_op(m, s);

	return (op == OP_LD || op == OP_ST) && !a->fence && a->base.n == 1 &&
		!object_malloc_call(a->base.of[0]) && !ptx_has_any(m, s, shared) &&
		a->base.space != SPACE_LOCAL && a->base.space != SPACE_PARAM;
}

static const char *
dependence_text(Iteration_dependence d)
{
	switch (d) {
	case DEPENDENCE_DISTANCE:
		return "the path writes an array element that another iteration reads";
	case DEPENDENCE_EVERY:
		return "the path writes memory that every iteration reads at the same address";
	default:
		return "the path writes an array that is read in the loop, and two iterations may load the same index";
	}
}

static void
warn_promise(Plan *x, const Task_region *k, Iteration_dependence d, uint32_t store, uint32_t load)
{
	Verdict v = verdict(x->arena, D_PROMISE, fn_stmt(x->fn, store)->at.pos, "%s",
		dependence_text(d));

	v = verdict_note(v, x->arena, fn_stmt(x->fn, load)->at.pos, "read here");
	v = verdict_note(v, x->arena, DIAG_NOWHERE,
		"'for' promises that iterations may run in any order and at the same time; "
		"if no iteration reads what another one writes, say 'independent'");
	v.at = task_region_marker(x, k)->cuda;
	*vec_push(&x->hints) = v;
}

static const Iteration_access *
load_access(Promise_check *c, Checked_load *load)
{
	if (!load->known)
		load->iteration = iteration_access(
			&c->forms, c->plan->site->loop, load->access.stmt);
	load->known = true;
	return &load->iteration;
}

/* Warns of the first load that may read what the store of another iteration writes. */
static bool
check_store(Promise_check *c, const Task_region *k, const Access *st)
{
	uint32_t loop = c->plan->site->loop;
	Iteration_access store = iteration_access(&c->forms, loop, st->stmt);
	Iteration_dependence d = DEPENDENCE_NONE;

	for (uint32_t i = 0; i < c->loads.n && c->left && d == DEPENDENCE_NONE; i++) {
		Checked_load *load = &c->loads.at[i];
		if (!objects_may_alias(&st->base, &load->access.base))
			continue;
		c->left--;
		d = iteration_dependence(&c->forms, loop, &store, load_access(c, load));
		if (d != DEPENDENCE_NONE)
			warn_promise(c->plan, k, d, st->stmt, load->access.stmt);
	}
	return d != DEPENDENCE_NONE;
}

static void
check_region(Promise_check *c, const Task_region *k)
{
	const Plan *x = c->plan;
	Accesses all = { 0 };
	bool found = false;

	BITS_EACH(b, k->task_blocks)
		accesses_collect(x, b, &all);
	for (uint32_t i = 0; i < all.n && !found; i++)
		found = all.at[i].writes && is_checked(x, &all.at[i]) &&
			!iteration_stores_constant(
				x->fn, x->site->loop, all.at[i].stmt, c->forms.arena) &&
			check_store(c, k, &all.at[i]);
	vec_free(&all);
}

static bool
region_has_hazard(const Plan *x, const Task_region *k)
{
	const Cuda_pos *at = &task_region_marker(x, k)->cuda;

	for (uint32_t i = 0; i < x->hints.n; i++)
		if (x->hints.at[i].kind == D_HAZARD && x->hints.at[i].at.file == at->file &&
			x->hints.at[i].at.line == at->line)
			return true;
	return false;
}

void
plan_warn_promise(Plan *x)
{
	Promise_check c = { .plan = x, .left = MOST_PAIRS };
	Accesses all = { 0 };

	if (plan_marker(x)->annot.kind == ANNOT_GRID)
		return; /* its iterations are threads, which have no order */
	Arena *a = arena_new();
	forms_init(&c.forms, x->fn, a);
	BITS_EACH(b, x->site->blocks)
		accesses_collect(x, b, &all);
	for (uint32_t i = 0; i < all.n; i++)
		if (all.at[i].reads && is_checked(x, &all.at[i]))
			*vec_push(&c.loads) = (Checked_load){ .access = all.at[i] };
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].independent && !region_has_hazard(x, &x->regions[i]))
			check_region(&c, &x->regions[i]);
	vec_free(&all);
	vec_free(&c.loads);
	forms_release(&c.forms);
	arena_free(a);
}
