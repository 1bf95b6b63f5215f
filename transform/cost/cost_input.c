/* SPDX-License-Identifier: MIT */
/* Builds the input of the cost model (speedup.h) from a site. Its regions are all annotated paths
 * and inner loops of the site, whichever of them a plan transforms, so all plans of a site are
 * compared with the same original loop. */
#include "transform/cost/cost.h"
#include "transform/cost/counted_blocks.h"
#include "transform/cost/exit_cost.h"
#include "transform/cost/launch_tasks.h"
#include "transform/cost/profile_lookup.h"
#include "transform/cost/speedup.h"
#include "transform/cost/task_cost.h"
#include "transform/plan/plan.h"

/* Returns the block by which an iteration reaches the region. For an inner loop it is the block
 * before which its marker is, since the loop may have no iterations. */
static uint32_t
arrival_block(const Fn *fn, const Region *r)
{
	return fn_block(fn, fn->m->markers[r->marker].stmt);
}

static Bits
region_blocks(const Plan *x, const Region *r)
{
	return r->kind == REGION_INNER_LOOP && r->loop ? x->fn->loops->loops[r->loop].blocks :
						     r->blocks;
}

static uint32_t
region_entry(const Plan *x, const Region *r)
{
	return r->kind == REGION_INNER_LOOP && r->loop ? x->fn->loops->loops[r->loop].header :
							 r->entry;
}

/* ---- task regions of the plan ---------------------------------------------------------------- */

static const Task_region *
task_region_of(const Plan *x, const Region *r)
{
	for (uint32_t i = 0; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].path->marker == r->marker)
			return &x->regions[i];
	return NULL;
}

/* ---- execution counts ------------------------------------------------------------------------ */

/* All shares are of iterations that the lanes of a warp would run together; in the original loop,
 * several groups may run the region in one. */
static Execution_share
share_from_counts(const Execution_counts *f, double groups)
{
	double all = f->warp_iterations ? (double)f->warp_iterations / groups : 1,
	       n = f->lanes ? (double)f->lanes : 1;
	Execution_share h = { .lanes = (double)f->lanes / all / WARP,
		.warps = (double)f->warps / all };

	if (f->whole_trips) /* of the same executions */
		h.whole = (double)f->whole_longest * (double)(f->trips ? f->trips : f->lanes) /
			(double)f->whole_trips / all;
	h.trips = (double)f->trips / n;
	h.spread = f->trips && f->warps ?
		(double)f->longest / (double)f->warps / h.trips : 1;
	h.apart = f->longest ? (double)f->apart / (double)f->longest : 0;
	return h;
}

static void
set_measured_share(const Plan *x, const Region *r, Cost_region *c)
{
	const Execution_counts *f = pass_frequency(x->opt, x->fn, r);

	c->measured = f != NULL;
	if (f)
		c->share = share_from_counts(f, iteration_groups(x, f));
	if (f && f->launches)
		c->last = (double)f->launch_maxima / (double)f->launches;
}

/* ---- the site ------------------------------------------------------------------------------- */

struct Site_model {
	const Plan *x;
	const Region **of;      /* by index into `regions` */
	Cost_region *regions; uint32_t n;
	Run_cost common;
	Cost_region exit;
	Lanes_in_loop lanes;
	Run_cost of_lane;
	double filled, loaded, iterations, same_line, groups;
	double trips;           /* assumed iterations of loops that are not counted */
	bool combined;
	Launch_size launch;
};

/* Sets what the counts of a profile point in the loop say about the loop itself. */
static void
set_loop_counts(Site_model *e, const Execution_counts *f)
{
	if (!f)
		return;
	e->groups = iteration_groups(e->x, f);
	if (f->warp_entries) /* the loop may be reached without an iteration */
		e->iterations = (double)f->warp_iterations / (double)f->warp_entries / e->groups;
	if (f->warp_entries && e->iterations < 1)
		e->iterations = 1;
	if (f->warp_entries && f->warp_iterations)
		e->lanes = (Lanes_in_loop){
			.entered = (double)f->entries / (double)f->warp_entries / WARP,
			.mean = (double)f->iterations / (double)f->warp_iterations / WARP
		};
	if (f->launches)
		e->launch.warps = launch_warps(e->x, f);
	if (f->launches && plan_marker(e->x)->annot.kind == ANNOT_GRID) {
		e->iterations = task_loop_iterations(e->x, f, &e->launch.is_counted);
		e->launch.warps /= e->iterations; /* those that share the original's tasks */
		e->launch.needed_tasks = task_loop_tasks(e->x, f, LARGE_LAUNCH);
	}
}

/* Adds a region, unless it is in the code of an exit. */
static void
add_region(Site_model *e, const Region *r)
{
	uint32_t by = arrival_block(e->x->fn, r), size = UINT32_MAX;
	Cost_region *k = &e->regions[e->n];

	if (!loop_contains(e->x->fn->loops, e->x->site->loop, by))
		return;
	*k = (Cost_region){ .inner = r->kind == REGION_INNER_LOOP,
		.always = fn_in_every_iteration(e->x->fn, e->x->site->loop, by) };
	for (uint32_t i = 0; i < e->n; i++) /* find the smallest enclosing path */
		if (!e->regions[i].inner && bits_has(e->of[i]->blocks, by) && e->of[i] != r &&
			bits_count(e->of[i]->blocks) < size) {
			k->outer = i + 1;
			size = bits_count(e->of[i]->blocks);
		}
	set_loop_counts(e, pass_frequency(e->x->opt, e->x->fn, r));
	k->trips = k->inner && r->loop ? e->x->fn->loops->loops[r->loop].trips : 0;
	set_measured_share(e->x, r, k);
	e->of[e->n++] = r;
}

/* Returns the atomic operations of a warp's iteration that go to one line, if the region has no
 * others. */
static double
same_line_atomics(const Plan *x, const Region *r)
{
	const Execution_counts *f = pass_frequency(x->opt, x->fn, r);
	const Atomic_counts *a = f ? &f->atomics : NULL;

	if (!a || !a->runs || !a->compared || !f->warp_iterations)
		return 0;
	return (double)a->same / (double)a->compared * (double)a->done / (double)a->runs *
		region_visits(r, f, false) / (double)f->warp_iterations * iteration_groups(x, f);
}

/* Whether the loop contains another one: then the loads of its iterations do not overlap. */
static bool
loop_has_loops(const Fn *fn, uint32_t loop)
{
	for (uint32_t l = 1; l < fn->loops->nloops; l++)
		if (l != loop && loop_contains(fn->loops, loop, fn->loops->loops[l].header))
			return true;
	return false;
}

/* Computes the effort of a run by one lane, and the additional effort of lanes that run it
 * together. */
static void
region_work(const Site_model *e, const Region *r, Bits blocks, Cost_region *k)
{
	const Plan *x = e->x;
	uint32_t entry = region_entry(x, r);
	const Counted_region c = counted_region(x, r, e->trips);
	double slots[MOST + 1];

	k->work = effort_of_blocks(x, &c, blocks, entry, MEAN);
	if (k->inner && r->loop && loop_has_loops(x->fn, r->loop))
		k->work.chained = k->work.dependent_loads;
	k->longest = k->work;
	k->stored_bytes = run_cost_stored_bytes(x->fn, blocks);
	k->same_line = same_line_atomics(x, r);
	k->combined = cost_atomics_combined(x->fn, blocks);
	/* then it is unknown how long a run is, and a guess would be taken for a count */
	k->measured &= !c.differs;
	if (!c.n)
		return;
	if (k->inner) {
		set_counted_arms(x, &c, blocks, entry, k);
		return;
	}
	for (Run_statistic i = RUNS_TOGETHER; i <= MOST; i++)
		slots[i] = slots_of_blocks(x, &c, blocks, entry, i) - k->work.issue;
	k->divergence = slots[RUNS_TOGETHER] > 0 ? slots[RUNS_TOGETHER] : 0;
	k->uneven = slots[DEVIATING];
	k->most = slots[MOST];
	if (!c.f->launches)
		return;
	k->longest = effort_of_blocks(x, &c, blocks, entry, LAST);
	k->last = 1;
}

/* Computes the effort of each region without its nested regions, and of the rest of an
 * iteration. */
static void
set_all_work(Site_model *e)
{
	const Plan *x = e->x;
	Bits rest = bits_new(x->scratch, x->fn->cfg->nblocks);
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);

	bits_copy(own, x->fn->loops->loops[x->site->loop].blocks);
	for (uint32_t i = 0; i < e->n; i++) {
		bits_copy(rest, region_blocks(x, e->of[i]));
		for (uint32_t k = 0; k < e->n; k++)
			if (e->regions[k].outer == i + 1)
				bits_and_not(rest, region_blocks(x, e->of[k]));
		region_work(e, e->of[i], rest, &e->regions[i]);
		bits_and_not(own, region_blocks(x, e->of[i]));
	}
	const Counted_region c = counted_region(x, x->site, e->trips);
	e->common = effort_of_blocks(x, &c, own, plan_header(x), RUNS_TOGETHER);
	e->of_lane = effort_of_blocks(x, &c, own, plan_header(x), MEAN);
	if (e->groups > 1) /* the slowest of a whole warp */
		e->common.issue = e->of_lane.issue +
			(e->common.issue - e->of_lane.issue) * slowest_of_warp(e->groups);
	e->filled = run_cost_stored_bytes(x->fn, own);
	e->loaded = run_cost_loaded_bytes(x->fn, own);
	e->same_line = same_line_atomics(x, x->site);
	e->combined = cost_atomics_combined(x->fn, own);
}

/* Sets the code of the loop's exits, with the counts of any of its regions; without regions, with
 * those of the loop itself. */
static void
set_exit_code(Site_model *e)
{
	const Execution_counts *f = NULL;

	for (uint32_t i = 0; i < e->n && !(f && f->exits); i++)
		f = pass_frequency(e->x->opt, e->x->fn, e->of[i]);
	if (!e->n)
		f = pass_frequency(e->x->opt, e->x->fn, e->x->site);
	e->exit = exit_code_region(e->x, f);
}

static const Site_model *
site_model_assuming(const Plan *x, double trips)
{
	uint32_t all = x->site->npaths + x->site->ninner_loops;
	Site_model *e = arena_zalloc(x->scratch, sizeof *e);

	if (!x->site->loop || all > COST_REGIONS)
		return NULL;
	e->x = x;
	e->trips = trips;
	e->launch.in_task_loop = plan_marker(x)->annot.kind == ANNOT_GRID;
	e->of = arena_array(x->scratch, all + 1, sizeof *e->of);
	e->regions = arena_array(x->scratch, all + 1, sizeof *e->regions);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		add_region(e, x->site->paths[i]);
	for (uint32_t i = 0; i < x->site->ninner_loops; i++)
		add_region(e, x->site->inner_loops[i]);
	if (!e->n)
		set_loop_counts(e, pass_frequency(x->opt, x->fn, x->site));
	set_all_work(e);
	set_exit_code(e);
	return e;
}

const Site_model *
site_model_new(const Plan *x)
{
	return site_model_assuming(x, COST_LOOP_WEIGHT);
}

bool
site_model_has_exit_code(const Site_model *e)
{
	return e && (e->exit.share.warps > 0 || (!e->n && e->exit.work.issue > 0));
}

/* ---- a plan of the site --------------------------------------------------------------------- */

/* Whether the plan transforms a region: it is a task region of the plan, or the only place where
 * lanes wait or meet. */
static bool
plan_uses_region(const Plan *x, const Region *r)
{
	const Loop *loops = x->fn->loops->loops;
	const Wait_plan *w = x->wait;

	if (w && w->region)
		return r == w->region && (w->rule == RULE_NONE || w->rule == RULE_N);
	if (x->nregions + x->nexpansions)
		return task_region_of(x, r) != NULL;
	return r->kind == REGION_INNER_LOOP && w && loops[r->loop].header == w->meeting;
}

/* Fills in which regions the policy transforms, and the content of their tasks. */
static void
apply_policy(const Site_model *e, const Plan *x, Cost_region *regions)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const Task_region *k = task_region_of(x, e->of[i]);
		regions[i] = e->regions[i];
		regions[i].in_policy = plan_uses_region(x, e->of[i]);
		regions[i].nested = k && k >= x->regions + x->nregions;
		if (k) {
			set_task_costs(k, &regions[i]);
			regions[i].stored_bytes = run_cost_stored_bytes(x->fn, k->task_blocks);
			regions[i].has_tail = k->tail_end;
		}
		regions[i].asked_first = k && !regions[i].nested && plan_tests_vote_first(x, k);
	}
}

/* Mean saving of a look-ahead iteration. The last iterations of the loop may be no complete
 * group. */
static double
spared_slots(const Site_model *e, const Plan *x)
{
	const Lookahead_plan *a = x->lookahead;
	double all = a->trip_count ? a->trip_count : e->iterations, g = a->group_size;
	double whole = all > 0 && g > 0 ? g * (double)(uint32_t)(all / g) / all : 1;

	return whole * lookahead_spared_insns(x);
}

static bool plan_draws(const Plan *x) { return x->wait && x->wait->pool; }

/* Returns the site under the plan; fills `regions`. */
static Cost_site
planned_site(const Site_model *e, const Plan *x, Cost_region *regions)
{
	const Lookahead_plan *a = x->lookahead;

	apply_policy(e, x, regions);
	return (Cost_site){ .common = e->common,
		.exit = e->exit,
		.stored_bytes = e->filled,
		.loaded_bytes = e->loaded,
		.regions = regions,
		.nregions = e->n,
		.iterations = e->iterations, .lanes = e->lanes,
		.groups = e->groups, .of_lane = e->of_lane,
		.launch = loop_is_over_tasks(x) ? e->launch : (Launch_size){ 0 },
		.same_line = e->same_line, .combined = e->combined,
		.bandwidth = profile_memory_bandwidth(x->opt),
		.over_tasks = loop_is_over_tasks(x),
		.lockstep = plan_is_lockstep(x),
		.draws = plan_draws(x),
		.shares_vote = plan_shares_vote(x),
		.branch_free = a && a->group_size > 0,
		.saved_slots = a ? spared_slots(e, x) : 0,
		.path_alone = a && a->path_alone,
		.meets_before_run = a && a->meets_before_run,
		.has_fallback = x->fallback.enabled,
		.fallback_requested = x->fallback.requested };
}

Speedup
site_model_speedup(const Site_model *e, const Plan *x, Annot_policy policy, uint32_t n)
{
	Cost_region regions[COST_REGIONS];

	if (!e)
		return (Speedup){ 0 };
	const Cost_site s = planned_site(e, x, regions);
	Speedup g = speedup_of(&s, policy, lookahead_batch_size(x, n));
	/* without counted trip counts, what drawing gains is unknown */
	return plan_draws(x) && !g.measured ? (Speedup){ 0 } : g;
}

Region_cost
model_region_cost(const Plan *x, const Task_region *k)
{
	Cost_region c = { 0 };

	set_task_costs(k, &c);
	return (Region_cost){ .path = run_cost_of_blocks(x->fn,
				      k->tail_end ? k->task_blocks : k->blocks, k->path->entry)
					      .issue,
		.task = task_overhead(k->policy, &c),
		.round = vote_overhead(k->policy, plan_batch_size(x), plan_is_lockstep(x)) };
}

Lookahead_cost
model_lookahead_cost(const Plan *x)
{
	const Site_model *e = site_model_new(x);
	const Lookahead_plan *a = x->lookahead;
	Cost_site s = { .branch_free = a->group_size > 0, .path_alone = a->path_alone,
		.meets_before_run = a->meets_before_run };
	Lookahead_cost l = { 0 };

	if (!e)
		return l;
	s.common = e->common;
	l.lookahead = lookahead_overhead(&s);
	l.selected = selected_overhead(&s);
	for (uint32_t i = 0; i < x->nregions; i++)
		l.path += run_cost_of_blocks(x->fn, x->regions[i].path->blocks,
			x->regions[i].path->entry).issue / x->nregions;
	return l;
}

static uint32_t
policy_parameter(const Plan *x)
{
	uint32_t batch = plan_batch_size(x);

	return batch > 1 ? batch : x->wait ? x->wait->n : x->request.n;
}

Speedup
plan_expected_speedup(const Plan *x)
{
	return site_model_speedup(site_model_new(x), x, x->policy, policy_parameter(x));
}

static bool
plan_gains_if_trips(const Plan *x, double trips)
{
	const Speedup g = site_model_speedup(
		site_model_assuming(x, trips), x, x->policy, policy_parameter(x));

	return speedup_ratio(&g) >= 1;
}

/* Returns the iterations of inner loops from which the plan gains; 0: it does not depend on them,
 * up to those that are assumed. */
static double
plan_least_trips(const Plan *x)
{
	double loses = 1, gains = COST_LOOP_WEIGHT;

	if (plan_gains_if_trips(x, loses) || !plan_gains_if_trips(x, gains))
		return 0;
	while (gains - loses > 0.5) {
		double trips = (gains + loses) / 2;
		if (plan_gains_if_trips(x, trips))
			gains = trips;
		else
			loses = trips;
	}
	return gains;
}

const char *
plan_open_question(const Plan *x)
{
	const Site_model *e = site_model_new(x);
	Cost_region regions[COST_REGIONS];

	if (!e || plan_draws(x) || x->selection.gain.measured)
		return NULL;
	Cost_site s = planned_site(e, x, regions);
	s.lanes.may_leave = !trips_are_even(x);
	return speedup_open_question(
		&s, x->policy, lookahead_batch_size(x, policy_parameter(x)), plan_least_trips(x),
		x->arena);
}
