/* CCC: a task's context between registers and the buffer. See task.h. */
#include "transform/task.h"

void
task_addresses(Emit *e)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 16 };
	for (uint32_t k = 0; k < sizeof sizes; k++) {
		bool used = sizes[k] == 4 && e->c->npreds;
		for (uint32_t i = 0; i < e->c->nslots; i++)
			used |= e->c->slots[i].size == sizes[k];
		if (used)
			put(e, "\tmad.lo.u32 \t%%^at%u, %%^slot, %u, %%^base;\n", sizes[k], sizes[k]);
	}
}

void
task_load(Emit *e, const char *guard, int shift)
{
	const Ccc *c = e->c;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		int at = (int)s->row + shift * (s->size ? s->size : 4);
		if (s->size)
			put(e, "\t%sld.shared.b%u \t%s, [%%^at%u+%d];\n", guard, 8u * s->size, copy_own(e, s->sym, s->sel), s->size, at);
		else if (s->bit == 0)
			put(e, "\t%sld.shared.b32 \t%%^bits, [%%^at4+%d];\n", guard, at);
		if (!s->size)
			put(e, "\tand.b32 \t%%^n, %%^bits, %u;\n"
				"\t%ssetp.ne.u32 \t%s, %%^n, 0;\n",
				UINT32_C(1) << s->bit, guard, copy_own(e, s->sym, 0));
	}
}

/* A special register, or a component of one, into the path's register for it. */
static void
read_special(Emit *e, const Ccc_slot *s)
{
	put(e, "\tmov.u32 \t%s, %s", copy_own(e, s->sym, s->sel), copy_name(e, s->sym));
	if (s->sel)
		put(e, ".%c", s->sel);
	put(e, ";\n");
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
task_store(Emit *e)
{
	const Ccc *c = e->c;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		const char *value = owner_value(e, s);
		if (s->size) {
			put(e, "\t@%%^want st.shared.b%u \t[%%^at%u+%u], %s;\n", 8u * s->size, s->size, s->row, value);
			continue;
		}
		put(e, "\tselp.b32 \t%%^%s, %u, 0, %s;\n", s->bit ? "idle" : "bits", UINT32_C(1) << s->bit, value);
		if (s->bit)
			put(e, "\tor.b32 \t%%^bits, %%^bits, %%^idle;\n");
		if (last_in_row(c, i))
			put(e, "\t@%%^want st.shared.b32 \t[%%^at4+%u], %%^bits;\n", s->row);
	}
}

/* A move between registers of sym's type. */
static void
move(Emit *e, uint32_t sym, const char *to, const char *what)
{
	uint32_t size = ptx_type_size((Type)e->m->syms[sym].type);
	if (e->m->syms[sym].type == TYPE_PRED)
		put(e, "\tmov.pred \t%s, %s;\n", to, what);
	else if (size == 1)
		put(e, "\tcvt.u8.u8 \t%s, %s;\n", to, what);
	else
		put(e, "\tmov.b%u \t%s, %s;\n", 8 * size, to, what);
}

void
task_take_own(Emit *e)
{
	const Ccc *c = e->c;
	for (uint32_t i = 0; i < c->nslots; i++) {
		const Ccc_slot *s = &c->slots[i];
		if (e->m->syms[s->sym].kind == SYM_SPECIAL)
			read_special(e, s);
		else
			move(e, s->sym, copy_own(e, s->sym, 0), copy_name(e, s->sym));
	}
}
