/* SPDX-License-Identifier: MIT */
/* Reductions; see reduction.h.
 *
 * s = s + x, and likewise the product that is added to s, minimum, maximum and the bit operations:
 * associative and commutative. Not s = s * 3 + x, where s is a factor; not a sum that saturates. x
 * must not come from an s of the same loop: back from the other operands and the guard, along the
 * definitions that reach them. (What comes by memory, or decides whether the statement is run at
 * all, is not followed.)
 */
#include "analysis/loops/reduction.h"
#include "analysis/dataflow/slice.h"

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

typedef struct { uint32_t stmt, sym, loop; } Fold;

/* Follows what the statement adds, not the old value; no: that comes from the register in the same
 * loop. */
static Slice_step
independent(void *user, const Slice_edge *e)
{
	const Fold *f = user;
	const Def *d = fn_def(e->fn, e->def);
	const Use *u = fn_use(e->fn, e->use);

	if (!d->stmt || (u->stmt == f->stmt && u->sym == f->sym))
		return SLICE_HAVE;
	if (d->sym == f->sym && loop_contains(e->fn->loops, f->loop, fn_block(e->fn, d->stmt)))
		return SLICE_NO;
	return SLICE_TAKE;
}

bool
reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	Fold f = { stmt, sym, fn->loops->loop_of[fn_block(fn, stmt)] };
	Stmts from = { 0 };

	if (!f.loop || !folds(fn, stmt, sym))
		return false;
	bool is = slice_back(fn, stmt, independent, &f, &from);
	vec_free(&from);
	return is;
}
