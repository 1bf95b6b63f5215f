/* SPDX-License-Identifier: MIT */
/* The interface of a pass: one function plans, another writes the plan. passes.def lists the
 * passes. */
#ifndef TRANSFORM_PLAN_PASSES_H
#define TRANSFORM_PLAN_PASSES_H

#include "analysis/interproc/effects.h"
#include "transform/plan/plan.h"

/* Resources available to a function. */
typedef struct {
	uint32_t shared;        /* static shared memory of a block, in bytes */
	/* launches may use an unknown amount of dynamic shared memory in addition */
	bool dynamic;
	Buffer taken;           /* the buffer that the function's accepted plans need */
} Shared_budget;

/* Plans the loop: fills in the task regions and what depends on them. If the verdict is no, only
 * its reason is kept. */
typedef Verdict Pass_plan(Plan *x, const Shared_budget *budget);
/* Queues the edits that write the plan. */
typedef void Pass_write(const Plan *x, const Buffer *b, Edits *e);

typedef enum { NEEDS_NOTHING, NEEDS_TASKS, NEEDS_ROWS } Promise;
typedef struct {
	const char *name, *help;
	uint32_t policies;      /* bit p: implements policy p */
	Promise needs;          /* promises beyond those of the passes before it (passes.def) */
	Pass_plan *plan;
	Pass_write *write;
} Pass;

#define PASS(name, policies, needs, help) \
	Pass_plan name##_plan; \
	Pass_write name##_write;
#include "transform/plan/passes.def"
#undef PASS

/* Prints the plan as text, or as a Graphviz graph. pass: its name, or NULL if the plan was refused
 * (dump_plan.c). */
void plan_dump(const Plan *x, const char *pass, bool dot, Buf *out);

/* Whether a pass implements the policy. All others apply to remapped branches. */
static inline bool
pass_supports_policy(Annot_policy policy)
{
#define DOES(policy) (1u << POLICY_##policy)
#define PASS(name, policies, needs, help) | (policies)
	const uint32_t done = DOES(AUTO)
#include "transform/plan/passes.def"
		;
#undef PASS
#undef DOES
	return done >> policy & 1;
}

#endif
