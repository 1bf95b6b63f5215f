/* Reductions; see reduction.h.
 *
 * s = s + x, and likewise the product that is added to s, minimum, maximum and the bit operations:
 * associative and commutative. Not s = s * 3 + x, where s is a factor; not a sum that saturates. x
 * must not come from an s of the same loop: back from the other operands and the guard, along the
 * definitions that reach them. (What comes by memory, or decides whether the statement is run at
 * all, is not followed.)
 */
#include "analysis/reduction.h"
#include "base/vec.h"

typedef struct {
	const Fn *fn;
	uint32_t sym, loop;
	Bits seen;              /* definitions */
	VEC(uint32_t) todo;     /* likewise */
	bool found;             /* one of the register itself, in the loop */
} Back;

/* The operand that the old value of the register must be; 0: any one of the sources, UINT32_MAX:
 * no such operation. */
static uint32_t
place(const Module *m, const Stmt *s)
{
	static const char *const other[] = { "sat", "satfinite", "relu", "abs", "xorsign" };

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (ptx_has(m, s, other[i]))
			return UINT32_MAX;
	switch (ptx_op(m, s)) {
	case OP_ADD: case OP_MIN: case OP_MAX: case OP_AND: case OP_OR: case OP_XOR: return 0;
	case OP_MAD: case OP_FMA: return 3;
	default: return UINT32_MAX;
	}
}

/* Is the register an operand in that place, as it is, and read nowhere else in the statement? */
static bool
folds(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t at = place(m, s), n = 0;

	FN_READS(fn, stmt, r)
		n += r->sym == sym;
	if (at == UINT32_MAX || n != 1)
		return false;
	for (uint32_t k = 1; k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		if (o->kind == OPND_SYM && o->sym == sym && !o->sel)
			return at == 0 || at == k;
	}
	return false;
}

/* Adds the definitions that reach what a statement reads, but the register `without`. */
static void
back(Back *b, uint32_t stmt, uint32_t without)
{
	FN_USES_OF_STMT(b->fn, stmt, u)
		FN_REACH(b->fn, u, d) {
			uint32_t at = fn_def(b->fn, d)->stmt;
			if (!at || fn_use(b->fn, u)->sym == without || bits_has(b->seen, d))
				continue;
			bits_set(b->seen, d);
			*vec_push(&b->todo) = d;
			b->found |= fn_def(b->fn, d)->sym == b->sym &&
				loop_contains(b->fn->loops, b->loop, fn_block(b->fn, at));
		}
}

bool
reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	Back b = { .fn = fn, .sym = sym, .loop = fn->loops->loop_of[cfg_block_of(fn->cfg, stmt)] };

	if (!b.loop || !folds(fn, stmt, sym))
		return false;
	Arena_mark mark = arena_mark(fn->arena);
	b.seen = bits_new(fn->arena, fn->defuse->ndefs);
	back(&b, stmt, sym);
	while (b.todo.n && !b.found)
		back(&b, fn->defuse->defs[*vec_pop(&b.todo)].stmt, 0);
	vec_free(&b.todo);
	arena_release(fn->arena, mark);
	return !b.found;
}
