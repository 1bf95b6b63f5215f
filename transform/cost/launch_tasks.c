/* SPDX-License-Identifier: MIT */
/* Loops over the tasks of a launch, and how many of them a lane gets. See launch_tasks.h. */
#include "transform/cost/launch_tasks.h"
#include "analysis/cost/static_cost.h"
#include "transform/cost/speedup.h"

bool
loop_is_over_tasks(const Plan *x)
{
	const Loop *l = &x->fn->loops->loops[x->site->loop];

	return l->depth == 1 && !l->trips;
}

/* Whether all lanes of an iteration compute the statement's value, as the next of a sum, or all
 * lanes before the loop. */
static bool
is_sum(const Plan *x, uint32_t stmt)
{
	const Stmt *s = fn_stmt(x->fn, stmt);
	uint32_t b = fn_block(x->fn, stmt);

	if (ptx_flags(x->fn->m, s) & (OPF_LOAD | OPF_ATOMIC))
		return ptx_space(x->fn->m, s) == SPACE_PARAM;
	if (!loop_contains(x->fn->loops, x->site->loop, b))
		return ptx_op(x->fn->m, s) != OP_CALL;
	if (s->guard || !fn_in_every_iteration(x->fn, x->site->loop, b))
		return false;
	switch (ptx_op(x->fn->m, s)) {
	case OP_ADD:
	case OP_SUB:
	case OP_MOV:
	case OP_CVT:
	case OP_SETP: return true;
	default: return false;
	}
}

static bool
is_sum_of_sums(const Plan *x, uint32_t stmt, Bits seen)
{
	if (bits_has(seen, fn_local_stmt(x->fn, stmt)))
		return true;
	bits_set(seen, fn_local_stmt(x->fn, stmt));
	FN_USES_OF_STMT(x->fn, stmt, u)
		FN_REACH(x->fn, u, d) {
			uint32_t from = fn_def(x->fn, d)->stmt;
			if (from && (!is_sum(x, from) || !is_sum_of_sums(x, from, seen)))
				return false;
		}
	return true;
}

bool
trips_are_even(const Plan *x)
{
	const Cfg *g = x->fn->cfg;
	const Loops *l = x->fn->loops;
	Bits seen = bits_new(x->scratch, x->fn->f->nstmt);

	BITS_EACH(b, l->loops[x->site->loop].blocks)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++)
			if (!loop_contains(l, x->site->loop, cfg_succ(g, b)[i]) &&
				(!cfg_terminator(g, b) ||
					!is_sum_of_sums(x, cfg_terminator(g, b), seen)))
				return false;
	return true;
}

double
iteration_groups(const Plan *x, const Execution_counts *f)
{
	const double DRIFT = 1.1; /* below it, some lanes merely lack a last iteration */

	if (!f->warp_entries || !f->iterations || !trips_are_even(x))
		return 1;
	double groups = (double)f->entries / (double)f->warp_entries *
		(double)f->warp_iterations / (double)f->iterations;
	return groups > DRIFT ? groups : 1;
}

Occupancy
launch_occupancy(const Module *m, const Pass_options *opt, uint32_t registers, uint32_t shared)
{
	Occupancy o = occupancy_of(m->target, registers, shared);

	if (opt->launch.sms)
		o.sms = opt->launch.sms;
	return o;
}

/* The multiprocessors for which the counted launches were made: those that the user gives, else
 * those that counted, else the target's. */
static double
launch_multiprocessors(const Plan *x, const Execution_counts *f)
{
	if (x->opt->launch.sms || !f->multiprocessors)
		return launch_occupancy(x->fn->m, x->opt, 0, 0).sms;
	return (double)f->multiprocessors;
}

/* One in 2^sampling blocks counted. */
static double
of_launch(uint64_t n, const Execution_counts *f)
{
	return (double)n * (double)(1u << f->sampling) / (double)f->launches;
}

double
launch_warps(const Plan *x, const Execution_counts *f)
{
	const uint64_t n = f->warp_entries ? f->warp_entries : f->warp_iterations;
	const double counted = of_launch(n, f), gpu = launch_multiprocessors(x, f),
		     warps = counted * COST_MULTIPROCESSORS / gpu;

	if (!f->multiprocessors && !x->opt->launch.sms)
		return counted;
	/* one that does not fill a small GPU may be a reduced run, and represents no other */
	const bool is_small = gpu < occupancy_of(x->fn->m->target, 0, 0).sms;
	return is_small && warps < COST_ROOM ? counted : warps;
}

static double
resident_threads(const Plan *x, const Execution_counts *f)
{
	return launch_multiprocessors(x, f) * launch_occupancy(x->fn->m, x->opt, 0, 0).warps * WARP;
}

double
task_loop_iterations(const Plan *x, const Execution_counts *f, bool *is_real)
{
	const double FEW_TASKS = 0.125, n = of_launch(f->iterations, f) / resident_threads(x, f);

	*is_real = n >= FEW_TASKS;
	return n > 1 ? n : 1;
}

double
task_loop_tasks(const Plan *x, const Execution_counts *f, double iterations)
{
	return iterations * resident_threads(x, f);
}

double
launch_scale(const Module *m, const Pass_options *opt, uint64_t multiprocessors)
{
	const double all = launch_occupancy(m, opt, 0, 0).sms, counted = (double)multiprocessors;

	return !opt->launch.sms && multiprocessors && counted < all ? all / counted : 1;
}

void
launch_put_scale(const Module *m, const Pass_options *opt, uint64_t multiprocessors, Buf *out)
{
	const double scale = launch_scale(m, opt, multiprocessors);

	if (scale > 1)
		buf_printf(out,
			"counted on %u multiprocessor%s: for launches %.3g times as large on the target",
			(unsigned)multiprocessors, multiprocessors == 1 ? "" : "s", scale);
}

/* Appends that the counted launches have too few tasks, if they have. */
static void
put_few_tasks(const Plan *x, const Execution_counts *f, bool done, Buf *out)
{
	const double n = of_launch(f->iterations, f), gpu = launch_multiprocessors(x, f),
		     least = task_loop_tasks(x, f, LARGE_LAUNCH);

	if (!done && x->selection.gain.needed_tasks > 0)
		buf_printf(out, ", %.0f tasks a launch: one of %.0f or more is expected to gain", n,
			x->selection.gain.needed_tasks);
	if (done && (x->policy == POLICY_STACK || x->policy == POLICY_QUEUE) && n < least)
		buf_printf(out,
			", %.0f tasks a launch: below about %.0f collecting in a task loop loses on %.0f multiprocessor%s, so what is expected is for larger launches",
			n, least, gpu, gpu == 1 ? "" : "s");
}

const char *
launch_note(const Plan *x, const Execution_counts *f, bool done, Arena *a)
{
	Buf b = { 0 };

	if (!f || !f->launches)
		return NULL;
	if (launch_scale(x->fn->m, x->opt, f->multiprocessors) > 1)
		buf_puts(&b, ", ");
	launch_put_scale(x->fn->m, x->opt, f->multiprocessors, &b);
	put_few_tasks(x, f, done, &b);
	const char *text = b.n ? arena_strndup(a, b.at, b.n) : NULL;
	buf_free(&b);
	return text;
}
