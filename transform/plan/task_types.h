/* SPDX-License-Identifier: MIT */
/* What a task is made of (docs/design.md 5.3). */
#ifndef TRANSFORM_PLAN_TASK_TYPES_H
#define TRANSFORM_PLAN_TASK_TYPES_H

#include "base/annot.h"
#include "base/bits.h"
#include "parser/ptx.h"

/* How a register that is named in the path comes to a helper. */
typedef enum {
	IN_NOT,             /* it is not live into the path */
	/* uniform, computed before the annotated loop: every lane has it, under its own name */
	IN_COMMON,
	/* uniform, computed by some lanes only: computed again for all of M at the entry */
	IN_AGAIN,
	IN_SAVED,           /* it is saved with the task */
	IN_COMPUTED,        /* whoever runs the task computes it from what is saved (compress.c) */
	/* it does not change while the loop runs: its owner keeps it where whoever runs a task of
	 * that lane reads it, by the lane's number */
	IN_KEPT,
	IN_SLOT             /* the path only folds into it: into its owner's slot (Reduction) */
} In_how;

/* A register that comes into the path. */
typedef struct {
	uint32_t sym;
	In_how how;
	const char *why;    /* for those who ask what a task is made of */
} In;

/* One saved value: a register, or one component of a special register. */
typedef struct {
	uint32_t sym;       /* 0: the owner's lane */
	uint8_t sel;        /* component of a special register, 'x' ...; 0 */
	/* bytes of a slot in its row; 0: a predicate, bit `bit` of the row of packed predicates */
	uint8_t size;
	uint8_t bit;
	uint32_t row;       /* offset of its row from the warp's part of the buffer, in bytes */
} Slot;

/* A variable that the path only folds values into, for which each lane has a slot of shared memory
 * (reduction.h). */
typedef struct {
	Annot_operator op;
	Type type;          /* of the operation in memory */
	bool ftz;
	uint32_t in, out;   /* the registers that hold it in front of the path and behind it */
	Bits web;           /* all that hold it in the loop, by local symbol */
	/* whoever runs the path keeps what it folds, in a register; else its owner gets it, by a
	 * slot */
	bool warpwide;
	uint32_t row;       /* offset of the slots from the warp's part of the buffer, in bytes */
} Reduction;

/* What a lane needs to run a path in another's stead, and what the owner computes for itself of
 * what flows out. */
typedef struct {
	In *in; uint32_t nin; /* in the order of the symbols */
	/* registers that are renamed in the path: its context and what it defines */
	Bits own;
	Slot *slots; uint32_t nslots;
	/* what the owner keeps: rows with a slot for each lane, not for each task (Plan.kept) */
	Slot *kept; uint32_t nkept;
	/* statements that compute the rest from that, in the order in which they run */
	uint32_t *computed; uint32_t ncomputed;
	/* bytes of registers, and predicates, that there would be to save without them */
	uint32_t uncompressed, uncompressed_preds;
	uint32_t npreds;    /* packed predicates */
	/* statements of the path that the owner runs for itself, in order */
	uint32_t *slice; uint32_t nslice;
	Reduction *sums; uint32_t nsums;
} Task;

/* Does a run of the path fold anything into its owner's slots? */
static inline bool
task_folds(const Task *t)
{
	for (uint32_t i = 0; i < t->nsums; i++)
		if (!t->sums[i].warpwide)
			return true;
	return false;
}

/* Does it name its owner? */
static inline bool
task_has_owner(const Task *t)
{
	return t->nkept || task_folds(t);
}

/* How does the register come into the path? */
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
