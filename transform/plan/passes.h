/* SPDX-License-Identifier: MIT */
/* What a pass is: it plans, and writes its plan. passes.def lists them. */
#ifndef TRANSFORM_PLAN_PASSES_H
#define TRANSFORM_PLAN_PASSES_H

#include "analysis/effects.h"
#include "transform/plan/plan.h"

/* What a function may take. */
typedef struct {
	uint32_t shared;        /* bytes of static shared memory a block */
	bool dynamic;           /* launches may take more of it, it is not known how much */
} Room;

/* Decides about the plan's loop: fills its parts and what belongs to them. No: why it cannot;
 * nothing else is to be kept. */
typedef Verdict Pass_plan(Plan *x, const Room *room);
/* Queues the edits that put what was planned into the text. */
typedef void Pass_write(const Plan *x, const Buffer *b, Edits *e);

typedef enum { NEEDS_NOTHING, NEEDS_TASKS, NEEDS_ROWS } Promise;
typedef struct {
	const char *name, *help;
	uint32_t policies;      /* bit p: it does policy p */
	Promise needs;          /* more than those in front of it (passes.def) */
	Pass_plan *plan;
	Pass_write *write;
} Pass;

#define PASS(name, policies, needs, help) \
	Pass_plan name##_plan; \
	Pass_write name##_write;
#include "transform/plan/passes.def"
#undef PASS

/* Where do lanes of a bound plan wait, and by which rule do they go on? Fills bound's stops and
 * places. (wait_points.c) */
Verdict plan_places(Plan *x);
/* Does a pass carry out the policy? Others are for branches that are remapped (pass.c). */
bool pass_does(Annot_policy policy);
/* The pass that carries it out. */
const Pass *pass_of(Annot_policy policy);
/* What a plan says in the report, whether or not it stands, of how it was chosen
 * (report_plan.c). */
void report_choice(Report_site *r, const Plan *x, Arena *a);
/* What a plan that stands says in the report; shared: bytes of the function's buffer
 * (report_plan.c). */
void report_plan(Report_site *r, const Plan *x, uint32_t shared, Arena *a);
/* What an exchange of work says in it, but for its place (report_plan.c). */
Report_remap report_remap(const Plan *x, Arena *a);
/* The plan as text, or as a Graphviz graph; pass: whose it is, NULL: it does not stand
 * (dump_plan.c). */
void plan_dump(const Plan *x, const char *pass, bool dot, Buf *out);
/* Queues the edit that makes .maxnreg of a kernel no more than n. */
void maxnreg_hold(const Module *m, uint32_t func, uint32_t n, Edits *e);
/* Holds the kernels that can come to run a transformed loop to as many registers as the options say
 * (maxnreg.c). */
void maxnreg_put(const Module *m, const Pass_options *opt, const Report *r, const Effects *effects,
	Edits *e, Arena *a);

#endif
