/* The arrays that accesses go to. See base.h.
 *
 * From the register in the brackets back along the definitions that reach it, as far as a pointer is moved or added to: the factors of a
 * product, say, are no pointers. What ends such a way is a parameter of a kernel, a variable's address, or something else: a pointer
 * that was loaded, a call's result, a function's parameter. If there is a parameter or variable, what else was added is taken
 * for an index.
 */
#include "analysis/base.h"
#include "analysis/defuse.h"

typedef struct {
	const Fn *fn;
	Base *base;
	Bits seen;              /* definitions */
	bool full;
} Trace;

static void
add(Trace *t, uint32_t sym, int64_t offset)
{
	uint64_t of = (uint64_t)sym << 32 | (uint32_t)offset;
	Base *b = t->base;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->of[i] == of)
			return;
	if (b->n == BASE_MOST)
		t->full = true;
	else
		b->of[b->n++] = of;
}

static void back(Trace *t, uint32_t stmt, uint32_t opnd);

/* On from a definition: to the operands through which a pointer may have come. */
static void
definition(Trace *t, uint32_t stmt)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	uint32_t first = 1;
	int64_t offset = 0;
	switch (ptx_op(m, s)) {
	case OP_LD: {
		const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
		if (ptx_space(m, s) == SPACE_PARAM && t->fn->f->entry && from->kind == OPND_ADDR && from->tree > 1 &&
			from[1].kind == OPND_SYM && m->syms[from[1].sym].kind == SYM_PARAM && ptx_offset(m, from, &offset))
			add(t, from[1].sym, offset);
		return;
	}
	case OP_MAD: first = 3; break;
	case OP_MOV: case OP_CVTA: case OP_ADD: case OP_SUB: case OP_SELP: case OP_MIN: case OP_MAX: break;
	default: return;
	}
	for (uint32_t k = first; k < s->nopnd; k++)
		back(t, stmt, ptx_operand(m, s, k));
}

static void
back(Trace *t, uint32_t stmt, uint32_t opnd)
{
	const Module *m = t->fn->m;
	const Opnd *o = &m->opnds[opnd];
	while (o->kind == OPND_ADDR || o->kind == OPND_SUM) {
		if (o->tree < 2)
			return;
		o++;
	}
	if (o->kind != OPND_SYM)
		return;
	if (m->syms[o->sym].kind == SYM_VAR)
		add(t, o->sym, 0);
	const Use *u = m->syms[o->sym].kind == SYM_REG ? defuse_use(t->fn->cfg, t->fn->defuse, stmt, o->sym) : NULL;
	for (uint32_t i = 0; u && i < u->ndef; i++) {
		uint32_t d = t->fn->defuse->reach[u->def + i];
		if (!t->fn->defuse->defs[d].stmt || bits_has(t->seen, d))
			continue;
		bits_set(t->seen, d);
		definition(t, t->fn->defuse->defs[d].stmt);
	}
}

Base
base_of(const Fn *fn, uint32_t stmt, Arena *a)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Arena_mark mark = arena_mark(a);
	Base base = { .space = ptx_space(m, s) };
	Trace t = { .fn = fn, .base = &base, .seen = bits_new(a, fn->defuse->ndefs) };
	for (uint32_t k = 0; k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR)
			back(&t, stmt, ptx_operand(m, s, k));
	if (t.full)
		base.n = 0;
	arena_release(a, mark);
	return base;
}

bool
base_meets(const Base *a, const Base *b)
{
	if (a->space != b->space && a->space != SPACE_GENERIC && b->space != SPACE_GENERIC)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (a->of[i] == b->of[k])
				return true;
	return !a->n || !b->n;
}
