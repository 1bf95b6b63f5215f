/* SPDX-License-Identifier: MIT */
/* Moves a task's context between registers and the buffer. See emit.h. */
#include "transform/emit/emit.h"

bool
task_has_width(const Context_slot *slots, uint32_t n, uint32_t size)
{
	for (uint32_t i = 0; i < n; i++)
		if ((slots[i].size ? slots[i].size : 4) == size)
			return true;
	return false;
}

void
task_addresses(void *emit)
{
	const Emit *e = emit;

	for (uint32_t size = 1; size <= 16; size *= 2)
		if (task_has_width(e->here.region->task.slots, e->here.region->task.nslots, size))
			tpl_line(e->t, "\tmad.lo.u32 %%~at%u, %%~slot, %u, <tasks>;", size, size);
}

/* Returns the task's register for a context value. */
static const char *
task_register(Emit *e, const Context_slot *s)
{
	return s->sym ? emit_region_register(e, e->here.region, s->sym, s->sel) : "%^owner";
}

/* Whether the value is a special register or the lane number instead of a register. */
static bool
is_special(const Emit *e, const Context_slot *s)
{
	return !s->sym || e->m->syms[s->sym].kind == SYM_SPECIAL;
}

/* ---- buffer to registers --------------------------------------------------------------------- */

void
task_unpack_predicate(const Emit *e, const Context_slot *s, const char *guard, const char *to)
{
	tpl_line(e->t, "\tand.b32 %%~n, %%~bits, %u;", UINT32_C(1) << s->bit);
	tpl_line(e->t, "\t%ssetp.ne.u32 %s, %%~n, 0;", guard, to);
}

/* Loads slot %~slot + shift. `guard` is "" or a predicate prefix such as "@%~mine ". */
static void
emit_slot_loads(Emit *e, const char *guard, int shift)
{
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Context_slot *s = &task->slots[i];
		const char *to = task_register(e, s);
		int at = (int)s->row + shift * (s->size ? s->size : 4);
		if (s->size)
			tpl_line(e->t, "\t%sld.shared.b%u %s, [%%~at%u+%d];", guard, 8u * s->size,
				to, s->size, at);
		else if (s->bit == 0)
			tpl_line(e->t, "\t%sld.shared.b32 %%~bits, [%%~at4+%d];", guard, at);
		if (!s->size)
			task_unpack_predicate(e, s, guard, to);
	}
}

void
task_pop(void *emit)
{
	emit_slot_loads(emit, "@!%^want ", -1);
}

void
task_pop_selected(void *emit)
{
	emit_slot_loads(emit, "@%~mine ", 0);
}

void
task_pop_remaining(void *emit)
{
	emit_slot_loads(emit, "", 0);
}

/* ---- registers to buffer --------------------------------------------------------------------- */

void
task_read_special(Emit *e, const Context_slot *s)
{
	const char *to = task_register(e, s);

	if (!s->sym)
		tpl_line(e->t, "\tmov.u32 %s, %%laneid;", to);
	else if (s->sel && !e->here.region->outer)
		tpl_line(e->t, "\tmov.u32 %s, %s.%c;", to, emit_owner_register(e, s->sym, s->sel), s->sel);
	else
		tpl_line(e->t, "\tmov.u32 %s, %s;", to, emit_owner_register(e, s->sym, s->sel));
}

/* Returns the owner's value of a context slot as an operand. If the owner votes with it, the
 * value is still in the owner's register. */
static const char *
owner_value(Emit *e, const Context_slot *s)
{
	if (emit_task_waits_in_registers(e))
		return task_register(e, s);
	if (!is_special(e, s))
		return e->here.batch ? emit_waiting_register(e, e->here.region, s->sym) :
				  emit_owner_register(e, s->sym, 0);
	task_read_special(e, s);
	return task_register(e, s);
}

void
task_pack_predicate(const Emit *e, const Context_slot *s, const char *value)
{
	tpl_line(e->t, "\tselp.b32 %%~%s, %u, 0, %s;", s->bit ? "idle" : "bits",
		UINT32_C(1) << s->bit, value);
	if (s->bit)
		tpl_line(e->t, "\tor.b32 %%~bits, %%~bits, %%~idle;");
}

bool
task_predicate_ends_row(const Context_slot *slots, uint32_t n, uint32_t i)
{
	return i + 1 == n || slots[i + 1].size || slots[i + 1].row != slots[i].row;
}

void
task_push(void *emit)
{
	Emit *e = emit;
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Context_slot *s = &task->slots[i];
		const char *value = owner_value(e, s);
		if (s->size) {
			tpl_line(e->t, "\t@<want> st.shared.b%u [%%~at%u+%u], %s;", 8u * s->size,
				s->size, s->row, value);
			continue;
		}
		task_pack_predicate(e, s, value);
		if (task_predicate_ends_row(task->slots, task->nslots, i))
			tpl_line(e->t, "\t@<want> st.shared.b32 [%%~at4+%u], %%~bits;", s->row);
	}
}

void
task_move(Emit *e, uint32_t sym, const char *to, const char *what)
{
	uint32_t size = ptx_type_size((Type)e->m->syms[sym].type);

	if (e->m->syms[sym].type == TYPE_PRED)
		tpl_line(e->t, "\tmov.pred %s, %s;", to, what);
	else if (size == 1)
		tpl_line(e->t, "\tcvt.u8.u8 %s, %s;", to, what);
	else
		tpl_line(e->t, "\tmov.b%u %s, %s;", 8 * size, to, what);
}

void
task_load_own(void *emit)
{
	Emit *e = emit;
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Context_slot *s = &task->slots[i];
		if (is_special(e, s))
			task_read_special(e, s);
		else
			task_move(e, s->sym, emit_region_register(e, e->here.region, s->sym, 0),
				emit_owner_register(e, s->sym, 0));
	}
}

void
task_save_own_in_batch(void *emit)
{
	Emit *e = emit;
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nslots; i++)
		if (!is_special(e, &task->slots[i]))
			task_move(e, task->slots[i].sym,
				emit_waiting_register(e, e->here.region, task->slots[i].sym),
				emit_owner_register(e, task->slots[i].sym, 0));
}

bool
emit_task_waits_in_registers(const Emit *e)
{
	return !e->here.lockstep || e->here.region->outer;
}
