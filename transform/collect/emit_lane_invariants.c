/* SPDX-License-Identifier: MIT */
/* Emits the stores and loads of lane invariants. See emit.h and compress.c.
 *
 * A value that the loop does not change is the same in all tasks of a lane. The lane stores it
 * once, before the loop, in a row with one slot for each lane. The lane that executes a task
 * loads it by the owner's lane number, which is part of the task. The rows belong to the plan,
 * so that tasks of several paths share the row of a value. */
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"

/* Computes the addresses of a lane's slots, one for each width in use. */
static void
emit_slot_addresses(const Emit *e, const Context_slot *rows, uint32_t n, const char *lane)
{
	for (uint32_t size = 1; size <= 16; size *= 2)
		if (task_has_width(rows, n, size))
			tpl_line(e->t, "\tmad.lo.u32 %%~of%u, %s, %u, %%~base;", size, lane, size);
}

void
lane_invariants_own_address(void *emit)
{
	const Emit *e = emit;

	tpl_line(e->t, "\tmov.u32 %%~n, %%laneid;");
	emit_slot_addresses(e, e->x->tasks.invariants, e->x->tasks.ninvariants, "%~n");
}

void
lane_invariants_store(void *emit)
{
	Emit *e = emit;
	const Plan *x = e->x;

	for (uint32_t i = 0; i < x->tasks.ninvariants; i++) {
		const Context_slot *s = &x->tasks.invariants[i];
		const char *value = copy_name(x->fn, s->sym, e->arena);
		if (s->size) {
			tpl_line(e->t, "\tst.shared.b%u [%%~of%u+%u], %s;", 8u * s->size, s->size,
				s->row, value);
			continue;
		}
		task_pack_predicate(e, s, value);
		if (task_predicate_ends_row(x->tasks.invariants, x->tasks.ninvariants, i))
			tpl_line(e->t, "\tst.shared.b32 [%%~of4+%u], %%~bits;", s->row);
	}
}

void
lane_invariants_owner_address(void *emit)
{
	const Emit *e = emit;

	emit_slot_addresses(e, e->here.region->task.invariants, e->here.region->task.ninvariants, "%^owner");
}

void
lane_invariants_load(void *emit)
{
	Emit *e = emit;
	const Task *t = &e->here.region->task;

	for (uint32_t i = 0; i < t->ninvariants; i++) {
		const Context_slot *s = &t->invariants[i];
		const char *to = emit_region_register(e, e->here.region, s->sym, 0);
		if (s->size)
			tpl_line(e->t, "\tld.shared.b%u %s, [%%~of%u+%u];", 8u * s->size, to,
				s->size, s->row);
		else if (i == 0 || task_predicate_ends_row(t->invariants, t->ninvariants, i - 1))
			tpl_line(e->t, "\tld.shared.b32 %%~bits, [%%~of4+%u];", s->row);
		if (!s->size)
			task_unpack_predicate(e, s, "", to);
	}
}
