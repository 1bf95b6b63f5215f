/* SPDX-License-Identifier: MIT */
/* Emits the shared vote of several paths (shared_vote.c): where a pending task waits, and how it
 * is pushed. See emit.h and collect.tpl. */
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"

void
emit_group(Emit *e)
{
	uint32_t before = e->part;

	emit_take(e, 1);
	tpl_put(e->t, "group");
	emit_take(e, before);
}

static bool
same_slots(const Task *a, const Task *b, uint32_t apart)
{
	bool same = a->nslots == b->nslots;

	for (uint32_t i = 0; i < a->nslots && same; i++) {
		const Slot *s = &a->slots[i], *t = &b->slots[i];
		same = s->sym == t->sym && s->sel == t->sel && s->size == t->size &&
			s->bit == t->bit && t->row - s->row == apart;
	}
	return same;
}

uint32_t
group_alike(const Plan *x)
{
	const Task *first = &x->parts[0].task;
	uint32_t apart = first->nslots ? x->parts[1].task.slots[0].row - first->slots[0].row : 0;

	for (uint32_t i = 1; i < x->nparts && apart; i++)
		if (!same_slots(first, &x->parts[i].task, i * apart))
			return 0;
	return apart;
}

/* If all contexts have the same layout, a pending task waits in the first part's registers. */
void
group_take_own(void *user)
{
	Emit *e = user;
	uint32_t part = e->part;

	if (e->grouped && e->alike)
		emit_take(e, 1);
	task_take_own(e);
	emit_take(e, part);
}

/* Pushes each pending task to the rows of its path. */
void
group_push(void *user)
{
	Emit *e = user;
	uint32_t part = e->part;

	if (e->alike) {
		tpl_value(e->t, "alike", "%u", e->alike);
		tpl_value(e->t, "tasks", "%s", "%~tasks");
		tpl_put(e->t, "push_alike");
		tpl_value(e->t, "tasks", "%s", "%~base");
		return;
	}
	for (uint32_t k = 1; k <= e->x->nparts; k++) {
		emit_take(e, k);
		if (e->k->task.nslots)
			tpl_put(e->t, "push_one");
	}
	emit_take(e, part);
}
