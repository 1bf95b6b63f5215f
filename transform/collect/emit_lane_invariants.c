/* SPDX-License-Identifier: MIT */
/* Emits the stores and loads of lane invariants. See emit.h and compress.c.
 *
 * A value that the loop does not change is the same in all tasks of a lane. The lane stores it
 * once, before the loop, in a row with one slot for each lane. The lane that executes a task
 * loads it by the owner's lane number, which is part of the task. The rows belong to the plan,
 * so that tasks of several paths share the row of a value. */
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"

/* Computes the addresses of a lane's slots, one for each width in use. */
static void
addresses(const Emit *e, const Slot *rows, uint32_t n, const char *lane)
{
	for (uint32_t size = 1; size <= 16; size *= 2)
		if (task_has_width(rows, n, size))
			tpl_line(e->t, "\tmad.lo.u32 %%~of%u, %s, %u, %%~base;", size, lane, size);
}

void
kept_mine(void *emit)
{
	const Emit *e = emit;

	tpl_line(e->t, "\tmov.u32 %%~n, %%laneid;");
	addresses(e, e->x->kept, e->x->nkept, "%~n");
}

void
kept_store(void *emit)
{
	Emit *e = emit;
	const Plan *x = e->x;

	for (uint32_t i = 0; i < x->nkept; i++) {
		const Slot *s = &x->kept[i];
		const char *value = copy_name(x->fn, s->sym, e->arena);
		if (s->size) {
			tpl_line(e->t, "\tst.shared.b%u [%%~of%u+%u], %s;", 8u * s->size, s->size,
				s->row, value);
			continue;
		}
		task_put_bit(e, s, value);
		if (task_ends_row(x->kept, x->nkept, i))
			tpl_line(e->t, "\tst.shared.b32 [%%~of4+%u], %%~bits;", s->row);
	}
}

void
kept_owners(void *emit)
{
	const Emit *e = emit;

	addresses(e, e->k->task.kept, e->k->task.nkept, "%^owner");
}

void
kept_load(void *emit)
{
	Emit *e = emit;
	const Task *t = &e->k->task;

	for (uint32_t i = 0; i < t->nkept; i++) {
		const Slot *s = &t->kept[i];
		const char *to = emit_own(e, e->k, s->sym, 0);
		if (s->size)
			tpl_line(e->t, "\tld.shared.b%u %s, [%%~of%u+%u];", 8u * s->size, to,
				s->size, s->row);
		else if (i == 0 || task_ends_row(t->kept, t->nkept, i - 1))
			tpl_line(e->t, "\tld.shared.b32 %%~bits, [%%~of4+%u];", s->row);
		if (!s->size)
			task_take_bit(e, s, "", to);
	}
}
