/* The arrays that accesses go to. See base.h.
 *
 * From the register in the brackets back along the definitions that reach it, as far as a pointer is moved or added to: the
 * factors of a product, say, are no pointers. What ends such a way is a parameter of a kernel, a variable's address, an
 * index, or a pointer that could be any: one that was loaded, exchanged, or came from a call or a
 * caller.
 */
#include "analysis/base.h"
#include "analysis/defuse.h"
#include "base/vec.h"

enum { MOST_STEPS = 2000 };

typedef struct {
	const Fn *fn;
	Base *base;
	Bits seen;              /* definitions */
	VEC(uint32_t) todo;     /* likewise */
	bool any;
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
		t->any = true;
	else
		b->of[b->n++] = of;
}

/* On from an operand of a statement to the definitions of its register. */
static void
back(Trace *t, uint32_t stmt, uint32_t opnd)
{
	const Module *m = t->fn->m;
	const Opnd *o = &m->opnds[opnd];
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	t->any |= o->kind == OPND_VEC; /* put together from parts */
	if (o->kind != OPND_SYM)
		return;
	if (m->syms[o->sym].kind == SYM_VAR)
		add(t, o->sym, 0);
	if (!ptx_is_reg(m, o->sym))
		return;
	const Use *u = defuse_use(t->fn->cfg, t->fn->defuse, stmt, o->sym);
	t->any |= !u; /* a register of the module */
	for (uint32_t i = 0; u && i < u->ndef; i++) {
		uint32_t d = t->fn->defuse->reach[u->def + i];
		bool entry = !t->fn->defuse->defs[d].stmt;
		t->any |= entry && m->syms[o->sym].kind == SYM_PARAM;
		if (entry || bits_has(t->seen, d))
			continue;
		bits_set(t->seen, d);
		*vec_push(&t->todo) = d;
	}
}

/* A value from memory: a kernel's parameter; else an index, or if it is wide enough a pointer. */
static void
loaded(Trace *t, const Stmt *s)
{
	const Module *m = t->fn->m;
	const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
	int64_t offset = 0;
	if (ptx_space(m, s) == SPACE_PARAM && t->fn->f->entry && from->kind == OPND_ADDR && from->tree > 1 &&
		from[1].kind == OPND_SYM && m->syms[from[1].sym].kind == SYM_PARAM && ptx_offset(m, from, &offset))
		add(t, from[1].sym, offset);
	else
		t->any |= ptx_type_size(ptx_insn_type(m, s)) * 8 >= m->address_size;
}

/* On from a definition to the operands by which a pointer may have come. */
static void
definition(Trace *t, uint32_t stmt)
{
	const Stmt *s = fn_stmt(t->fn, stmt);
	uint32_t first = 1;
	switch (ptx_op(t->fn->m, s)) {
	case OP_LD: loaded(t, s); return;
	case OP_ATOM: case OP_CALL: t->any = true; return;
	case OP_MAD: first = 3; break;
	case OP_MOV: case OP_CVTA: case OP_ADD: case OP_SUB: case OP_SELP: case OP_MIN: case OP_MAX: case OP_AND: case OP_OR: break;
	default: return;
	}
	for (uint32_t k = first; k < s->nopnd; k++)
		back(t, stmt, ptx_operand(t->fn->m, s, k));
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
	for (uint32_t steps = 0; t.todo.n && !t.any; t.any |= ++steps == MOST_STEPS)
		definition(&t, fn->defuse->defs[*vec_pop(&t.todo)].stmt);
	if (t.any)
		base.n = 0;
	vec_free(&t.todo);
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
