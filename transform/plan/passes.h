/* SPDX-License-Identifier: MIT */
/* What a pass is: it plans, and writes its plan. passes.def lists them. */
#ifndef TRANSFORM_PLAN_PASSES_H
#define TRANSFORM_PLAN_PASSES_H

#include "analysis/interproc/effects.h"
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

/* The plan as text, or as a Graphviz graph; pass: whose it is, NULL: it does not stand
 * (dump_plan.c). */
void plan_dump(const Plan *x, const char *pass, bool dot, Buf *out);

/* Whether a pass carries out the policy. The others are for branches that are remapped. */
static inline bool
pass_does(Annot_policy policy)
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
