/* SPDX-License-Identifier: MIT */
/* The data of a task: context, recomputed values, owner slice, reductions (docs/design.md 5.3). */
#ifndef TRANSFORM_PLAN_TASK_TYPES_H
#define TRANSFORM_PLAN_TASK_TYPES_H

#include "base/annot.h"
#include "base/bits.h"
#include "parser/ptx.h"

/* How a helper gets the value of a register that the path names. */
typedef enum {
	IN_NOT,             /* not live into the path */
	/* uniform and computed before the annotated loop: every lane has it under its own name */
	IN_COMMON,
	/* uniform but computed by some lanes only: recomputed by all of M at the entry */
	IN_AGAIN,
	IN_SAVED,           /* saved with the task */
	/* recomputed from saved values by the lane that runs the task (compress.c) */
	IN_COMPUTED,
	/* lane invariant: its owner stores it once, and helpers load it by the owner's lane
	 * number */
	IN_KEPT,
	/* the path only folds into it: its owner's slot is updated (Reduction) */
	IN_SLOT
} In_how;

/* A live-in register of the path. */
typedef struct {
	uint32_t sym;
	In_how how;
	const char *why;    /* reason for `how`, for dumps */
} In;

/* One saved value: a register, or a component of a special register. */
typedef struct {
	uint32_t sym;       /* 0: the owner's lane */
	uint8_t sel;        /* component of a special register, 'x' ...; 0 */
	/* bytes of a slot in its row; 0: a predicate, which is bit `bit` of a row of packed
	 * predicates */
	uint8_t size;
	uint8_t bit;
	uint32_t row;       /* byte offset of its row from the warp's part of the buffer */
} Slot;

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
	In *in; uint32_t nin; /* by increasing symbol */
	/* registers that are renamed in the path: its context and its definitions */
	Bits own;
	Slot *slots; uint32_t nslots;
	/* lane invariants: rows with a slot for each lane, not for each task (Plan.kept) */
	Slot *kept; uint32_t nkept;
	/* statements that recompute values from the context, in execution order */
	uint32_t *computed; uint32_t ncomputed;
	/* bytes of registers, and number of predicates, to save if nothing were recomputed */
	uint32_t uncompressed, uncompressed_preds;
	uint32_t npreds;    /* number of packed predicates */
	/* owner slice: statements of the path that the owner runs too, in order */
	uint32_t *slice; uint32_t nslice;
	Reduction *sums; uint32_t nsums;
} Task;

/* Whether a run of the path updates slots of its owner. */
static inline bool
task_folds(const Task *t)
{
	for (uint32_t i = 0; i < t->nsums; i++)
		if (!t->sums[i].warpwide)
			return true;
	return false;
}

/* Whether a task contains the number of its owner. */
static inline bool
task_has_owner(const Task *t)
{
	return t->nkept || task_folds(t);
}

/* Returns how a helper gets the register's value. */
static inline In_how
task_how(const Task *t, uint32_t sym)
{
	uint32_t least = 0, end = t->nin;

	while (least < end) {
		uint32_t mid = (least + end) / 2;
		if (t->in[mid].sym < sym)
			least = mid + 1;
		else
			end = mid;
	}
	return least < t->nin && t->in[least].sym == sym ? t->in[least].how : IN_NOT;
}

#endif
