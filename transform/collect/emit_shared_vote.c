/* SPDX-License-Identifier: MIT */
/* Emits the shared vote of several paths (shared_vote.c): where a pending task waits, and how it
 * is pushed. See emit.h and collect.tpl. */
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"

void
emit_shared_vote(Emit *e)
{
	uint32_t before = e->here.region_number;

	emit_select_region(e, 1);
	tpl_write_section(e->t, "group");
	emit_select_region(e, before);
}

static bool
tasks_have_same_slots(const Task *a, const Task *b, uint32_t apart)
{
	bool same = a->nslots == b->nslots;

	for (uint32_t i = 0; i < a->nslots && same; i++) {
		const Context_slot *s = &a->slots[i], *t = &b->slots[i];
		same = s->sym == t->sym && s->sel == t->sel && s->size == t->size &&
			s->bit == t->bit && t->row - s->row == apart;
	}
	return same;
}

uint32_t
shared_vote_row_distance(const Plan *x)
{
	const Task *first = &x->regions[0].task;
	uint32_t apart = first->nslots ? x->regions[1].task.slots[0].row - first->slots[0].row : 0;

	for (uint32_t i = 1; i < x->nregions && apart; i++)
		if (!tasks_have_same_slots(first, &x->regions[i].task, i * apart))
			return 0;
	return apart;
}

/* If all contexts have the same layout, a pending task waits in the first region's registers. */
void
shared_vote_load_own(void *user)
{
	Emit *e = user;
	uint32_t number = e->here.region_number;

	if (e->here.shares_vote && e->row_distance)
		emit_select_region(e, 1);
	task_load_own(e);
	emit_select_region(e, number);
}

/* Pushes each pending task to the rows of its path. */
void
shared_vote_push(void *user)
{
	Emit *e = user;
	uint32_t number = e->here.region_number;

	if (e->row_distance) {
		tpl_value(e->t, "alike", "%u", e->row_distance);
		tpl_value(e->t, "tasks", "%s", "%~tasks");
		tpl_write_section(e->t, "push_alike");
		tpl_value(e->t, "tasks", "%s", "%~base");
		return;
	}
	for (uint32_t k = 1; k <= e->x->nregions; k++) {
		emit_select_region(e, k);
		if (e->here.region->task.nslots)
			tpl_write_section(e->t, "push_one");
	}
	emit_select_region(e, number);
}
