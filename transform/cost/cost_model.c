/* SPDX-License-Identifier: MIT */
/* Demand of the original loop, and the total for any policy. See cost_model.h; docs/choosing.md has
 * the rules, docs/measurements/cost-model.md what the constants were calibrated on.
 *
 * A loop is evaluated three times by the same rules: for issue slots; for uncoalesced accesses of
 * lanes, which the memory system serves one by one; and for dependent loads, whose latency the warp
 * is exposed to. A policy's overhead is instructions, except for repeated reads. Its gain may be in
 * any of the three: paths run by full warps need fewer slots, and the loads of batched iterations
 * overlap; but the number of accesses stays the same. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* Slots of an uncoalesced access of a lane. */
static const double LANE = 1.3;
/* In units of LANE, additional demand of an access: with an address read from memory; or, if
 * counted, of an L1 miss; of an atomic (done in L2); of an atomic whose result is used. Demand of a
 * coalesced access of a warp. */
static const double INDEXED = 1, MISSED = 4.4, UPDATE = 7.5, EXCHANGE = 16, BESIDE = 8;
/* Constant memory word at a register address, for all lanes of a warp. */
static const double CONSTANT = 4;
/* Rows of neighbouring lanes are adjacent: rows shorter than this are partially coalesced. */
static const double ROW = 8;
/* Slots of a coalesced access of a warp in addition to its issue slot. */
static const double COALESCED = 3;

double
model_power(double x, uint32_t n)
{
	double y = 1;

	for (; n; n >>= 1, x *= x)
		if (n & 1)
			y *= x;
	return y;
}

/* ---- the original loop ----------------------------------------------------------------------- */

/* Additional demand of a lane's accesses compared with nearby uncoalesced ones. */
static double
scattered_penalty(const Run_cost *w)
{
	return INDEXED * w->indexed + MISSED * w->missed + UPDATE * w->updates +
		EXCHANGE * w->exchanges;
}

/* Dependent loads in a path's loops, by a profile. They are more in proportion to the slots: by
 * `extra` more than the mean lane's. Its other loads often hit what the iteration has read. */
static double
path_loads(const Cost_query *c, const Run_cost *w, double extra)
{
	return c->measured && w->issue > 0 ? w->loop_loads * (1 + extra / w->issue) : 0;
}

double
model_run(const Cost_query *c, const Cost_region *k, double lanes)
{
	const Run_cost *w = &k->work;

	switch (c->resource) {
	case RESOURCE_ISSUE: return w->issue + model_extra_slots(k, lanes);
	case RESOURCE_MEMORY:
		return lanes * (w->memory + scattered_penalty(w)) + CONSTANT * w->constants;
	default:
		return k->inner ? w->dependent_loads :
				  path_loads(c, w, model_extra_slots(k, lanes));
	}
}

/* All lanes, with coalesced accesses except those at addresses read from memory. */
double
model_adjacent_lanes(const Cost_query *c, const Run_cost *w)
{
	switch (c->resource) {
	case RESOURCE_ISSUE: return w->issue + w->memory * COALESCED;
	case RESOURCE_MEMORY:
		return BESIDE * (w->memory - w->pointer_loads) + CONSTANT * w->constants +
			WARP_LANES * (w->pointer_loads + scattered_penalty(w));
	default: return w->dependent_loads;
	}
}

double
common_code_slots(const Cost_site *s)
{
	return s->common.issue + s->common.memory * COALESCED;
}

/* The latency of common code counts only if a profile has counted the lanes: the benefit of
 * overlapping iterations was calibrated on loops whose path few lanes take. */
double
model_common_code(const Cost_query *c)
{
	if (c->resource == RESOURCE_LATENCY && !c->measured)
		return 0;
	return model_adjacent_lanes(c, &c->site->common);
}

/* In fewer lanes, loops of the common code have a shorter longest lane. */
static Cost_query
run_by_fewer_lanes(const Cost_query *c, Cost_site *s, double lanes)
{
	const double all = expected_maximum_above(lanes_of_iteration(c->site)),
		     part = all > 0 ? expected_maximum_above(lanes) / all : 1;
	const Run_cost *one = &c->site->of_lane;
	Cost_query fewer = *c;

	*s = *c->site;
	s->common.issue = one->issue + (s->common.issue - one->issue) * part;
	s->common.memory = one->memory + (s->common.memory - one->memory) * part;
	s->common.dependent_loads = one->dependent_loads +
		(s->common.dependent_loads - one->dependent_loads) * part;
	fewer.site = s;
	return fewer;
}

/* The lanes' accesses are as many, but those of fewer lanes are coalesced worse. */
double
model_common_code_runs(const Cost_query *c, double runs)
{
	const Run_cost *w = &c->site->common;
	double beside = runs * BESIDE < WARP_LANES ? runs * BESIDE : WARP_LANES;
	Cost_site site;

	if (c->resource != RESOURCE_MEMORY && runs > 1) {
		double lanes = lanes_of_iteration(c->site) / runs;
		Cost_query fewer = run_by_fewer_lanes(c, &site, max_double(lanes, 1));
		return runs * model_common_code(&fewer);
	}
	if (c->resource != RESOURCE_MEMORY)
		return runs * model_common_code(c);
	return model_common_code(c) + (beside - BESIDE) * (w->memory - w->pointer_loads) +
		(runs - 1) * CONSTANT * w->constants;
}

/* One of n consecutive runs, whose independent loads overlap. */
double
model_overlapped_run(const Cost_query *c, const Run_cost *w, double one, double n)
{
	return c->resource == RESOURCE_LATENCY && one > 0 ? max_double(one / n, w->chained) : one;
}

double
model_region_without_inner(const Cost_query *c, uint32_t i)
{
	const Cost_region *k = &c->site->regions[i];
	const Execution_share *h = &c->shares[i];

	if (!k->inner)
		return h->warps * (c->resource == RESOURCE_ISSUE ? k->work.issue + k->divergence :
			c->resource == RESOURCE_LATENCY ? path_loads(c, &k->work, k->divergence) :
							  model_run(c, k, lanes_together(h)));
	const double apart = 1 + h->apart, lanes = lanes_together(h) / h->spread / apart;
	double once = model_iteration(c, k, lanes_together(h), lanes);
	if (c->resource == RESOURCE_MEMORY && h->trips < ROW)
		once -= (1 - h->trips / ROW) * lanes * (k->work.memory - k->work.pointer_loads);
	return apart * longest_trip_count(h) *
		model_overlapped_run(c, &k->work, once, COST_UNROLLED);
}

/* Demand of the exits' code in an iteration. In the original loop the lanes that leave in one
 * iteration execute it, under a policy all lanes of a warp that take the exit (gathered). */
static double
exit_code_run(const Cost_query *c, bool gathered)
{
	const Cost_region *k = &c->site->exit;
	double lanes = WARP_LANES * c->exit.lanes, warps = c->exit.warps;

	if (gathered && c->iterations > 0) {
		double once = 1 / c->iterations, any = lanes < once ? lanes : once;
		warps = any < warps ? any : warps;
	}
	return warps > 0 ? warps * model_run(c, k, lanes / warps) : 0;
}

double
slowest_of_warp(double groups)
{
	double of_group = expected_maximum_above(WARP_LANES / groups);

	return of_group > 0 ? expected_maximum_above(WARP_LANES) / of_group : groups;
}

/* Each group runs the common code; all of them request what one warp would. */
static double
original_common_code(const Cost_query *c)
{
	const Cost_site *s = c->site;
	double once = model_common_code(c);

	if (s->groups <= 1 || c->resource == RESOURCE_MEMORY)
		return once;
	if (c->resource == RESOURCE_ISSUE) /* the slowest of a group */
		once -= (s->common.issue - s->of_lane.issue) * (1 - 1 / slowest_of_warp(s->groups));
	return s->groups * once;
}

static double
original_slots(const Cost_query *c)
{
	double sum = original_common_code(c) + exit_code_run(c, false);

	for (uint32_t i = 0; i < c->site->nregions; i++)
		sum += model_region_without_inner(c, i);
	return sum;
}

static uint32_t
outermost_region(const Cost_site *s, uint32_t i)
{
	while (s->regions[i].outer)
		i = s->regions[i].outer - 1;
	return i;
}

static bool
region_is_within(const Cost_site *s, uint32_t k, uint32_t i)
{
	while (k != i && s->regions[k].outer)
		k = s->regions[k].outer - 1;
	return k == i;
}

/* Whether the region is in a path that the policy transforms. */
static bool
is_in_policy_region(const Cost_site *s, uint32_t k)
{
	for (uint32_t i = 0; i < s->nregions; i++)
		if (s->regions[i].in_policy && !s->regions[i].inner && region_is_within(s, k, i))
			return true;
	return false;
}

double
model_region_unchanged(const Cost_query *c, uint32_t i)
{
	double sum = 0;

	for (uint32_t k = 0; k < c->site->nregions; k++)
		sum += region_is_within(c->site, k, i) ? model_region_without_inner(c, k) : 0;
	return sum;
}

/* Demand of the regions that the policy leaves unchanged and in place, and of the exits' code. */
static double
other_regions(const Cost_query *c)
{
	double sum = exit_code_run(c, true);

	for (uint32_t i = 0; i < c->site->nregions; i++)
		sum += c->site->regions[i].in_policy || is_in_policy_region(c->site, i) ?
			0 :
			model_region_without_inner(c, i);
	return sum;
}

/* ---- a run of a path, with nested regions ---------------------------------------------------- */

/* Standard deviation of an inner loop's trip count, relative to the mean, derived from the slowest
 * of the lanes that run together (expected_maximum_above). For a single lane it is unknown, and
 * trip counts are assumed to be exponentially distributed. */
static double
trip_count_deviation(const Cost_query *c, uint32_t i)
{
	double most = expected_maximum_above(lanes_together(&c->shares[i]));

	if (c->site->regions[i].trips > 0)
		return 0;
	return c->measured && most >= 0.5 ? (c->shares[i].spread - 1) / most : 1;
}

static double nested_regions_run(const Cost_query *c, uint32_t i, double lanes);

/* Demand of a nested region in a run by `lanes` unrelated lanes. The compiler does not unroll an
 * annotated inner loop, so its iterations do not overlap. */
static double
nested_region_run(const Cost_query *c, uint32_t i, double lanes)
{
	const Cost_region *k = &c->site->regions[i];
	double spread = 1 + trip_count_deviation(c, i) * expected_maximum_above(lanes);

	if (!k->inner)
		return model_run(c, k, lanes) + nested_regions_run(c, i, lanes);
	return c->shares[i].trips * spread *
		(model_iteration(c, k, lanes, lanes / spread) +
			nested_regions_run(c, i, lanes / spread));
}

/* Demand of the nested regions that the policy leaves unchanged, in a run by `lanes` unrelated
 * lanes. */
static double
nested_regions_run(const Cost_query *c, uint32_t i, double lanes)
{
	const Cost_site *s = c->site;
	double sum = 0,
	       visits = c->shares[i].lanes * (s->regions[i].inner ? c->shares[i].trips : 1);

	for (uint32_t k = 0; k < s->nregions; k++) {
		if (s->regions[k].outer != i + 1 || s->regions[k].in_policy ||
			c->shares[k].lanes <= 0)
			continue;
		double fraction = c->shares[k].lanes < visits ? c->shares[k].lanes / visits : 1;
		double any = 1 - model_power(1 - fraction, (uint32_t)(lanes + 0.5));
		sum += any > 0 ? any * nested_region_run(c, k, lanes * fraction / any) : 0;
	}
	return sum;
}

double
model_region_run(const Cost_query *c, uint32_t i, double lanes)
{
	const Cost_region *k = &c->site->regions[i];

	return model_run(c, k, lanes) + (k->inner ? 0 : nested_regions_run(c, i, lanes));
}

/* ---- total ----------------------------------------------------------------------------------- */

/* Waiting before an inner loop's iterations for most lanes is about as good as flattening the loop.
 * 0: there are several wait points. */
static double
waiting_slots(const Cost_query *c, uint32_t n)
{
	EACH_POLICY_REGION(c, i)
		return other_regions(c) +
			(c->site->regions[i].inner ? model_flattened(c, 1) :
						     model_waiting(c, i, n));
	return 0;
}

/* Demand of the loop for one resource under a policy; 0: unknown. */
static double
policy_slots(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	switch (policy) {
	case POLICY_AUTO: return original_slots(c);
	case POLICY_STACK:
	case POLICY_QUEUE: return other_regions(c) + model_collected(c, policy, n ? n : 1);
	case POLICY_AHEAD: return other_regions(c) + model_lookahead(c, n ? n : WARP_LANES);
	case POLICY_EXPAND:
		return other_regions(c) + (n ? model_expand_declined(c) : model_expanded(c));
	case POLICY_FLATTEN: return other_regions(c) + model_flattened(c, n ? n : 1);
	case POLICY_CONVERGE:
		return c->exit.warps <= 0 && c->site->nregions ? 0 : other_regions(c) +
				model_common_code(c) + issue_slots(c, RECONVERGENCE_SLOTS);
	case POLICY_WAIT: return waiting_slots(c, n ? n : WARP_LANES / 2);
	default: return 0;
	}
}

/* A launch ends when its last warp does, so latency is evaluated for that one: in a loop over all
 * tasks, a path that any one warp rarely takes is still taken once by some warp. Not for a single
 * iteration, since blocks may run one after the other. */
static Cost_query
last_warp_slots(const Cost_query *c)
{
	Cost_query last = *c;

	for (uint32_t i = 0; c->site->over_tasks && c->iterations > 1 && i < c->site->nregions;
		i++) {
		double visits = c->shares[outermost_region(c->site, i)].warps * c->iterations;
		double any = visits * COST_ROOM < 1 ? visits * COST_ROOM : 1;
		if (visits <= 0 || visits >= any)
			continue;
		last.shares[i].lanes *= any / visits;
		last.shares[i].warps *= any / visits;
	}
	return last;
}

/* Converts to issue slots. */
static double
resource_slots(Resource w)
{
	return w == RESOURCE_ISSUE ? 1 : w == RESOURCE_MEMORY ? LANE : LOAD_LATENCY_SLOTS;
}

/* Additional demand of dependent loads in inner loops if a launch has fewer warps than the GPU
 * holds, so that each is exposed to more of the latency. Not of common code: the latency of paths
 * is not counted, so common code would dilute their gain. A launch with less than one warp for each
 * scheduler is assumed to be a reduced run. */
static double
exposed_latency(const Cost_query *c, double loads)
{
	double warps = c->site->launch.warps, inner = loads - model_common_code(c);

	if (warps < COST_SCHEDULERS || warps >= COST_ROOM || inner <= 0)
		return 0;
	return inner * (COST_ROOM / warps - 1);
}

/* Slots of a task loop in an iteration: those of grid.tpl, whose head has five divisions. */
static double
task_loop_slots(const Cost_query *c)
{
	const double HEAD = 120, LATCH = 15, n = c->iterations > 0 ? c->iterations : LARGE_LAUNCH;

	return c->site->launch.in_task_loop ? HEAD / n + LATCH : 0;
}

/* The lanes of a warp meet in each iteration. */
static Cost_query
without_groups(const Cost_query *c)
{
	Cost_query met = *c;

	for (uint32_t i = 0; c->site->groups > 1 && i < c->site->nregions; i++) {
		Execution_share *h = &met.shares[i];
		h->warps = h->warps < 1 ? h->warps : 1;
		h->spread = 1 + (h->spread - 1) * slowest_of_warp(c->site->groups);
	}
	return met;
}

static Policy_time
policy_time(const Cost_query *all, Annot_policy policy, uint32_t n)
{
	const Cost_query met = without_groups(all), *c = policy == POLICY_AUTO ? all : &met;
	static const Time_bound term[NRESOURCES] = { BOUND_NONE, BOUND_ACCESSES, BOUND_LATENCY };
	Policy_time t = { 0 };
	double sum = 0;

	for (Resource w = RESOURCE_ISSUE; w < NRESOURCES; w++) {
		Cost_query of = w == RESOURCE_LATENCY ? last_warp_slots(c) : *c;
		of.resource = w;
		double demand = policy_slots(&of, policy, n);
		demand += w == RESOURCE_LATENCY ? exposed_latency(&of, demand) : 0;
		demand += policy == POLICY_AUTO ? 0 : issue_slots(&of, task_loop_slots(&of));
		t.term[term[w]] = model_power(resource_slots(w) * demand, 2);
		sum += t.term[term[w]];
	}
	if (sum <= 0) /* unknown policy */
		return (Policy_time){ 0 };
	t.term[BOUND_ATOMICS] = model_power(model_same_line(c, policy, n), 2);
	sum += t.term[BOUND_ATOMICS];
	const double lane = model_power(model_critical_lane(c, policy, n), 2);
	t.term[BOUND_NONE] += lane;
	t.shared = newton_sqrt(sum);
	t.traffic = model_memory_traffic(c, policy);
	t.all = max_double(newton_sqrt(sum + lane), t.traffic);
	return t;
}

Policy_time
model_original(const Cost_query *c)
{
	return policy_time(c, POLICY_AUTO, 0);
}

/* expand with the test at run time, by a profile. */
static Policy_time
expand_tested(const Cost_query *c)
{
	const Policy_time laid = policy_time(c, POLICY_EXPAND, 0);
	Cost_query kept = *c;
	double share = 0;

	EACH_POLICY_REGION(c, i) {
		double excess;
		share = max_double(
			share, model_share_spread(&c->site->regions[i], &c->shares[i], &excess));
		kept.shares[i].spread = 1 + max_double(excess, 0);
	}
	if (share >= 1)
		return laid;
	const Policy_time here = policy_time(&kept, POLICY_EXPAND, 1);
	return (Policy_time){ .all = share * laid.all + (1 - share) * here.all,
		.shared = share * laid.shared + (1 - share) * here.shared };
}

/* Without a profile, that test is assumed to select the better way. */
Policy_time
model_policy(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	if (policy == POLICY_AUTO)
		return (Policy_time){ 0 };
	if (policy != POLICY_EXPAND || !n)
		return policy_time(c, policy, n);
	if (c->measured)
		return expand_tested(c);
	Policy_time laid = policy_time(c, policy, 0), here = policy_time(c, policy, n);
	return here.all < laid.all ? here : laid;
}
