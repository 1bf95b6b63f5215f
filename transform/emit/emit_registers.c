/* SPDX-License-Identifier: MIT */
/* Declares the registers of a transformed loop. */
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

static void
declare_special_registers(Emit *e, const Task_region *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].sym && e->m->syms[k->task.slots[i].sym].kind == SYM_SPECIAL)
			tpl_line(e->t, "\t.reg .b32 %s;",
				emit_region_register(
					e, k, k->task.slots[i].sym, k->task.slots[i].sel));
}

void
emit_declare_register(Emit *e, uint32_t sym, const char *name)
{
	const Sym *y = &e->m->syms[sym];
	const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";

	tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, ptx_type_name((Type)y->type), name);
}

/* Declares the accumulators of warpwide reductions. */
static void
declare_warpwide_reductions(Emit *e)
{
	for (uint32_t k = 0; k < e->x->nregions; k++)
		reduction_declare_registers(e, &e->x->regions[k]);
}

void
emit_registers(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	declare_warpwide_reductions(e);
	for (uint32_t k = 0; k < x->nregions + x->nexpansions; k++)
		declare_special_registers(e, &x->regions[k]);
	Bits named = bits_new(e->arena, x->fn->f->nsym);
	bits_or(named, x->tasks.recomputed_syms);
	for (uint32_t k = 0; k < x->nregions + x->nexpansions; k++)
		bits_or(named, x->regions[k].task.renamed);
	BITS_EACH(i, named) {
		uint32_t sym = fn_sym(x->fn, i);
		for (uint32_t k = 0; k < x->nregions + x->nexpansions; k++)
			if (bits_has(x->regions[k].task.renamed, i))
				emit_declare_register(
					e, sym, emit_region_register(e, &x->regions[k], sym, 0));
		if (bits_has(x->tasks.recomputed_syms, i))
			emit_declare_register(e, sym, emit_recomputed_register(e, sym));
	}
}
