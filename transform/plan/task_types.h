/* SPDX-License-Identifier: MIT */
/* The data of a task: context, recomputed values, owner slice, reductions (docs/design.md 5.3). */
#ifndef TRANSFORM_PLAN_TASK_TYPES_H
#define TRANSFORM_PLAN_TASK_TYPES_H

#include "base/annot.h"
#include "base/bits.h"
#include "parser/ptx.h"

/* How a helper gets the value of a register that the path names. */
typedef enum {
	INPUT_ABSENT,       /* not live into the path */
	/* uniform and computed before the annotated loop: every lane has it under its own name */
	INPUT_UNIFORM,
	/* uniform but computed by some lanes only: recomputed by all of M at the entry */
	INPUT_RECOMPUTED,
	INPUT_SAVED,        /* saved with the task */
	/* recomputed from saved values by the lane that runs the task (compress.c) */
	INPUT_DERIVED,
	/* lane invariant: its owner stores it once, and helpers load it by the owner's lane
	 * number */
	INPUT_INVARIANT,
	/* the path only folds into it: its owner's slot is updated (Reduction) */
	INPUT_REDUCED
} Input_kind;

/* A live-in register of the path. */
typedef struct {
	uint32_t sym;
	Input_kind kind;
	const char *why;    /* reason for `how`, for dumps */
} Task_input;

/* One saved value: a register, or a component of a special register. */
typedef struct {
	uint32_t sym;       /* 0: the owner's lane */
	uint8_t sel;        /* component of a special register, 'x' ...; 0 */
	/* bytes of a slot in its row; 0: a predicate, which is bit `bit` of a row of packed
	 * predicates */
	uint8_t size;
	uint8_t bit;
	uint32_t row;       /* byte offset of its row from the warp's part of the buffer */
} Context_slot;

/* A reduction, for which each lane has a slot of shared memory (reduction.h). */
typedef struct {
	Annot_operator op;
	Type type;          /* type of the memory operation */
	bool ftz;
	uint32_t in, out;   /* the registers that hold it before and after the path */
	Bits web;           /* all registers that hold it in the loop, by local symbol */
	/* partial results stay in a register of the lane that runs the path; else they go to the
	 * owner's slot */
	bool warpwide;
	uint32_t row;       /* byte offset of the slots from the warp's part of the buffer */
} Reduction;

/* What a lane needs to run the path for another lane, and which live-outs the owner computes
 * itself. */
typedef struct {
	Task_input *inputs; uint32_t ninputs; /* by increasing symbol */
	/* registers that are renamed in the path: its context and its definitions */
	Bits renamed;
	Context_slot *slots; uint32_t nslots;
	/* lane invariants: rows with a slot for each lane, not for each task
	 * (Task_set.invariants) */
	Context_slot *invariants; uint32_t ninvariants;
	/* statements that recompute values from the context, in execution order */
	uint32_t *derived; uint32_t nderived;
	/* bytes of registers, and number of predicates, to save if nothing were recomputed */
	uint32_t uncompressed, uncompressed_preds;
	uint32_t npreds;    /* number of packed predicates */
	/* owner slice: statements of the path that the owner runs too, in order */
	uint32_t *slice; uint32_t nslice;
	Reduction *reductions; uint32_t nreductions;
} Task;

/* Whether a run of the path updates slots of its owner. */
static inline bool
task_folds_into_owner(const Task *t)
{
	for (uint32_t i = 0; i < t->nreductions; i++)
		if (!t->reductions[i].warpwide)
			return true;
	return false;
}

/* Whether a task contains the number of its owner. */
static inline bool
task_names_owner(const Task *t)
{
	return t->ninvariants || task_folds_into_owner(t);
}

/* Returns how a helper gets the register's value. */
static inline Input_kind
task_input_kind(const Task *t, uint32_t sym)
{
	uint32_t least = 0, end = t->ninputs;

	while (least < end) {
		uint32_t mid = (least + end) / 2;
		if (t->inputs[mid].sym < sym)
			least = mid + 1;
		else
			end = mid;
	}
	return least < t->ninputs && t->inputs[least].sym == sym ? t->inputs[least].kind :
								   INPUT_ABSENT;
}

#endif
