/* SPDX-License-Identifier: MIT */
/* Loads from constant memory by lanes that execute different iterations. The constant cache
 * serves one address at a time, so a load whose address may differ between lanes uses a generic
 * address instead. */
#include <string.h>
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

/* Returns the address register of a load from constant memory in the loop, if the loop changes
 * it and it is not known to be uniform; 0 otherwise. */
static uint32_t
divergent_constant_address(const Plan *x, uint32_t stmt)
{
	const Fn *fn = x->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, s, 1)];

	if (ptx_op(fn->m, s) != OP_LD || !ptx_has(fn->m, s, "const") || o->kind != OPND_ADDR)
		return 0;
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	if (o->kind != OPND_SYM || o->sel || !fn_is_reg(fn, o->sym) ||
		ptx_type_size((Type)fn->m->syms[o->sym].type) != 8)
		return 0;
	uint32_t u = defuse_find_use(fn, stmt, o->sym);
	if (bits_has(fn->uniform->use, u))
		return 0;
	FN_REACH(fn, u, d) {
		uint32_t def = fn_def(fn, d)->stmt;
		if (def && loop_contains(fn->loops, x->site->loop, fn_block(fn, def)))
			return o->sym;
	}
	return 0;
}

bool
emit_constant_load(void *user, uint32_t stmt)
{
	const Emit *e = user;
	const Stmt *s = fn_stmt(e->x->fn, stmt);
	uint32_t sym = divergent_constant_address(e->x, stmt);
	const char *text = e->m->src->text, *space = strstr(text + s->head, ".const");
	const Opnd *o = &e->m->opnds[ptx_operand(e->m, s, 1)];

	if (!sym || !loop_contains(e->x->fn->loops, e->x->site->loop, fn_block(e->x->fn, stmt)))
		return false;
	while (o->kind != OPND_SYM)
		o++;
	copy_new_line(e->t);
	tpl_line(e->t, "\tcvta.const.u64 %%^far, %s;", copy_name(e->x->fn, sym, e->arena));
	buf_putc(&e->t->out, '\t');
	buf_add(&e->t->out, text + s->at.pos, (size_t)(space - text) - s->at.pos);
	space += strlen(".const");
	buf_add(&e->t->out, space, o->at.pos - (size_t)(space - text));
	tpl_text(e->t, "%%^far");
	uint32_t end = o->at.pos + (uint32_t)strspn(text + o->at.pos, "%$_") ;
	while (strchr("+] \t", text[end]) == NULL)
		end++;
	buf_add(&e->t->out, text + end, s->at.end - end);
	return true;
}
