/* SPDX-License-Identifier: MIT */
/* Loops over the tasks of a launch, and how many of them a lane gets. See launch_tasks.h. */
#include "transform/cost/launch_tasks.h"

bool
loop_is_over_tasks(const Plan *x)
{
	const Loop *l = &x->fn->loops->loops[x->site->loop];

	return l->depth == 1 && !l->trips;
}

Occupancy
launch_occupancy(const Module *m, const Pass_options *opt, uint32_t registers, uint32_t shared)
{
	Occupancy o = occupancy_of(m->target, registers, shared);

	if (opt->launch.sms)
		o.sms = opt->launch.sms;
	return o;
}

double
task_loop_iterations(const Plan *x, const Execution_counts *f, bool *is_real)
{
	const double FEW_TASKS = 0.125;
	const Occupancy o = launch_occupancy(x->fn->m, x->opt, 0, 0);
	double threads = (double)o.sms * o.warps * WARP,
	       n = (double)f->iterations / (double)f->launches / threads;

	*is_real = n >= FEW_TASKS;
	return n > 1 ? n : 1;
}
