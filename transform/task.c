/* CCC: a task's context between registers and the buffer. See task.h. */
#include "transform/task.h"

void
task_addresses(Tpl *t, void *emit)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 16 };
	const Ccc *c = ((Emit *)emit)->c;

	for (uint32_t k = 0; k < sizeof sizes; k++) {
		bool used = sizes[k] == 4 && c->npreds;
		for (uint32_t i = 0; i < c->nslots; i++)
			used |= c->slots[i].size == sizes[k];
		if (used)
			tpl_line(t, "\tmad.lo.u32 %%^at%u, %%^slot, %u, %%^base;", sizes[k], sizes[k]);
	}
}

/* ---- from the buffer ------------------------------------------------------------------------------------------------------- */

/* Loads slot %^slot + shift, on lanes where the guard ("", or "@%^mine " and the like) holds. */
static void
load(Emit *e, const char *guard, int shift)
{
	const Ccc *c = e->c;

	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		const char *to = copy_own(e, s->sym, s->sel);
		int at = (int)s->row + shift * (s->size ? s->size : 4);
		if (s->size)
			tpl_line(e->t, "\t%sld.shared.b%u %s, [%%^at%u+%d];", guard, 8u * s->size, to, s->size, at);
		else if (s->bit == 0)
			tpl_line(e->t, "\t%sld.shared.b32 %%^bits, [%%^at4+%d];", guard, at);
		if (s->size)
			continue;
		tpl_line(e->t, "\tand.b32 %%^n, %%^bits, %u;", UINT32_C(1) << s->bit);
		tpl_line(e->t, "\t%ssetp.ne.u32 %s, %%^n, 0;", guard, to);
	}
}

void
task_pop(Tpl *t, void *emit)
{
	(void)t;
	load(emit, "@!%^want ", -1);
}

void
task_pop_left(Tpl *t, void *emit)
{
	(void)t;
	load(emit, "", 0);
}

/* ---- to the buffer --------------------------------------------------------------------------------------------------------- */

/* A special register, or a component of one, into the path's register for it. */
static void
read_special(Emit *e, const Ccc_slot *s)
{
	const char *to = copy_own(e, s->sym, s->sel), *name = copy_name(e, s->sym);

	if (s->sel)
		tpl_line(e->t, "\tmov.u32 %s, %s.%c;", to, name, s->sel);
	else
		tpl_line(e->t, "\tmov.u32 %s, %s;", to, name);
}

/* The owner's value of a context slot as an operand: in step it is still in the owner's register. */
static const char *
owner_value(Emit *e, const Ccc_slot *s)
{
	if (!e->c->in_step)
		return copy_own(e, s->sym, s->sel);
	if (e->m->syms[s->sym].kind != SYM_SPECIAL)
		return copy_name(e, s->sym);
	read_special(e, s);
	return copy_own(e, s->sym, s->sel);
}

static bool
last_in_row(const Ccc *c, uint32_t i)
{
	return i + 1 == c->nslots || c->slots[i + 1].size || c->slots[i + 1].row != c->slots[i].row;
}

void
task_push(Tpl *t, void *emit)
{
	Emit *e = emit;
	const Ccc *c = e->c;

	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		const char *value = owner_value(e, s);
		if (s->size) {
			tpl_line(t, "\t@%%^want st.shared.b%u [%%^at%u+%u], %s;", 8u * s->size, s->size, s->row, value);
			continue;
		}
		tpl_line(t, "\tselp.b32 %%^%s, %u, 0, %s;", s->bit ? "idle" : "bits", UINT32_C(1) << s->bit, value);
		if (s->bit)
			tpl_line(t, "\tor.b32 %%^bits, %%^bits, %%^idle;");
		if (last_in_row(c, i))
			tpl_line(t, "\t@%%^want st.shared.b32 [%%^at4+%u], %%^bits;", s->row);
	}
}

/* A move between registers of sym's type. */
static void
move(Emit *e, uint32_t sym, const char *to, const char *what)
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
task_take_own(Tpl *t, void *emit)
{
	Emit *e = emit;
	const Ccc *c = e->c;

	(void)t;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (e->m->syms[s->sym].kind == SYM_SPECIAL)
			read_special(e, s);
		else
			move(e, s->sym, copy_own(e, s->sym, 0), copy_name(e, s->sym));
	}
}
