/* SPDX-License-Identifier: MIT */
/* The largest block that a plan of `auto` serves. Larger blocks run the original loop.
 *
 * Shared memory is reserved for the largest possible block. If neither the PTX nor the user gives
 * its size, that is 1024 threads, which may be more than the launches use: then paths are dropped
 * for lack of memory, or the plan is refused because it reduces occupancy. A profile may know the
 * largest launched block. Otherwise plan_driver.c tries smaller sizes for loops that have no plan
 * for such a reason, or one without shared memory. */
#include "transform/cost/profile_lookup.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/plan.h"

/* In threads: the smallest size that is chosen; and if a larger one was refused because of the
 * kernel's registers, which would often be in the way of 256 threads, the usual size. */
enum { LEAST_BLOCK = 128, USUAL_BLOCK = 256 };

bool
plan_lacks_memory(const Plan *x)
{
	bool any = x->verdict.kind == D_SHARED;

	for (uint32_t i = 0; i < x->hints.n; i++)
		any |= x->hints.at[i].kind == D_SHARED;
	return any;
}

/* Whether a size may be chosen: neither the PTX, a clause nor an option gives the largest block. */
static bool
block_size_is_open(const Plan *x)
{
	const Func *f = x->fn->f;
	Plan y = *x;

	if (f->maxntid[0] || f->reqntid[0] || x->opt->launch.threads)
		return false;
	y.hints = (Verdicts){ 0 };
	plan_read_clauses(&y);
	vec_free(&y.hints);
	return !y.clauses.max_threads;
}

/* Whether the size was not refused because the kernel needs too many registers with it. */
static bool
block_size_is_allowed(const Plan *x, uint32_t n)
{
	uint32_t bound = x->opt->funcs.block_bound ? x->opt->funcs.block_bound[x->fn->func] : 0;

	return !bound || (n < bound && n >= USUAL_BLOCK);
}

/* Returns the threads of the largest block in the profile; 0: unknown. */
static uint64_t
largest_profiled_block(const Plan *x)
{
	const Region *at = profile_point_of_site(x->site);
	const Execution_counts *f = pass_frequency(x->opt, x->fn, at);

	return f ? f->largest_block : 0;
}

uint32_t
plan_profiled_block_size(const Plan *x)
{
	uint64_t launched = largest_profiled_block(x);
	uint32_t n = LEAST_BLOCK;

	while (n < launched && n < MAX_BLOCK)
		n *= 2;
	return launched && block_size_is_allowed(x, n) && block_size_is_open(x) ? n : 0;
}

uint32_t
plan_smaller_block_size(const Plan *x, const Shared_budget *budget, uint32_t n)
{
	if (!x->selection.short_of_memory || x->selection.profile_choice || budget->dynamic ||
		largest_profiled_block(x) || !block_size_is_open(x))
		return 0;
	do
		n /= 2;
	while (n >= LEAST_BLOCK && !block_size_is_allowed(x, n));
	return n >= LEAST_BLOCK ? n : 0;
}
