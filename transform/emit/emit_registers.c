/* SPDX-License-Identifier: MIT */
/* Declares the registers of a transformed loop. */
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

static void
special_registers(Emit *e, const Part *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].sym && e->m->syms[k->task.slots[i].sym].kind == SYM_SPECIAL)
			tpl_line(e->t, "\t.reg .b32 %s;",
				emit_own(e, k, k->task.slots[i].sym, k->task.slots[i].sel));
}

void
emit_declare(Emit *e, uint32_t sym, const char *name)
{
	const Sym *y = &e->m->syms[sym];
	const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";

	tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, ptx_type_name((Type)y->type), name);
}

/* Declares the accumulators of warpwide reductions. */
static void
kept_registers(Emit *e)
{
	for (uint32_t k = 0; k < e->x->nparts; k++)
		update_registers(e, &e->x->parts[k]);
}

void
emit_registers(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	kept_registers(e);
	for (uint32_t k = 0; k < x->nparts + x->nrows; k++)
		special_registers(e, &x->parts[k]);
	Bits named = bits_new(e->arena, x->fn->f->nsym);
	bits_or(named, x->again_syms);
	for (uint32_t k = 0; k < x->nparts + x->nrows; k++)
		bits_or(named, x->parts[k].task.own);
	BITS_EACH(i, named) {
		uint32_t sym = fn_sym(x->fn, i);
		for (uint32_t k = 0; k < x->nparts + x->nrows; k++)
			if (bits_has(x->parts[k].task.own, i))
				emit_declare(e, sym, emit_own(e, &x->parts[k], sym, 0));
		if (bits_has(x->again_syms, i))
			emit_declare(e, sym, emit_again(e, sym));
	}
}
