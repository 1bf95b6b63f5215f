/* SPDX-License-Identifier: MIT */
/* See task_cost.h. */
#include "transform/cost/task_cost.h"

static double
task_words(const Task *t)
{
	double n = 0;

	for (uint32_t i = 0; i < t->nslots; i++)
		n += t->slots[i].size ? (t->slots[i].size + 3) / 4 : 1.0 / 32;
	return n;
}

/* Slots of an atomic operation in shared memory with its address computation; of one that is a
 * compare-and-swap loop. Zero if the helper keeps what it folds. */
enum { FOLD = 6, FOLD_DOUBLE = 20 };

static double
task_fold_slots(const Task *t)
{
	double n = 0;

	for (uint32_t i = 0; i < t->nreductions; i++)
		if (!t->reductions[i].warpwide)
			n += t->reductions[i].type == TYPE_F64 ? FOLD_DOUBLE : FOLD;
	return n;
}

/* Slots of combining the lanes' partial results of expanded rows, in each window and after each
 * long row: finding the lanes of each row; for each reduction, at five distances a shuffle of each
 * word, a test and the operation; and the owner's shuffles and operation (rows.tpl). */
static double
row_fold_slots(const Task *t)
{
	enum { FIND = 9, DISTANCES = 5, WORD = 4 };
	double n = t->nreductions ? FIND : 0;

	for (uint32_t i = 0; i < t->nreductions; i++) {
		double shuffles = ptx_type_size(t->reductions[i].type) > WORD ? 2 : 1;
		n += DISTANCES * (shuffles + 2) + shuffles + 1;
	}
	return n;
}

void
set_task_costs(const Task_region *k, Cost_region *c)
{
	c->words = task_words(&k->task);
	c->packs = k->lane_loop && k->lane_loop->packs;
	c->most_uneven = k->lane_loop ? k->lane_loop->most_uneven / 16.0 : 0;
	c->task_extra = k->task.nderived + k->task.ninvariants + k->task.nslice +
		(k->lane_loop ? row_fold_slots(&k->task) : task_fold_slots(&k->task));
}
