/* SPDX-License-Identifier: MIT */
/* Loops over the tasks of a launch, and how many of them a lane gets. */
#include "analysis/cost/occupancy.h"
#include "analysis/region/execution_counts.h"
#include "transform/cost/cost.h"
#include "transform/plan/plan.h"

bool
loop_is_over_tasks(const Plan *x)
{
	const Loop *l = &x->fn->loops->loops[x->site->loop];

	return l->depth == 1 && !l->trips;
}

double
task_loop_iterations(const Plan *x, const Execution_counts *f, bool *is_real)
{
	const double FEW_TASKS = 0.125;
	const Launch_options *launch = &x->opt->launch;
	Occupancy o = occupancy_of(x->fn->m->target, 0, 0);
	double threads = (double)(launch->sms ? launch->sms : o.sms) * o.warps * WARP,
	       n = (double)f->iterations / (double)f->launches / threads;

	*is_real = n >= FEW_TASKS;
	return n > 1 ? n : 1;
}
