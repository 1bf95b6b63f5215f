/* SPDX-License-Identifier: MIT */
/* Reductions; see reduction.h.
 *
 * Associative and commutative updates: s = s + x, also with a product added to s, minimum, maximum
 * and the bit operations. Excluded are s = s * 3 + x, where s is a factor, and saturating sums. x
 * must not depend on s of the same loop, which a walk back from the other operands and the guard
 * checks. (Dependences through memory, and through branches that decide whether the statement runs,
 * are not followed.) */
#include "analysis/loops/reduction.h"
#include "analysis/dataflow/slice.h"

/* Returns the operand position that the old value of the register must have; 0: any source;
 * UINT32_MAX: not such an operation. */
static uint32_t
old_value_operand(const Module *m, const Stmt *s)
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

/* Whether the register is the operand in that position, unmodified, and read nowhere else in the
 * statement. */
static bool
stmt_folds_register(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t at = old_value_operand(m, s), n = 0;

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

typedef struct { uint32_t stmt, sym, loop; } Fold_candidate;

/* Follows what the statement adds, but not the old value. Rejects a value that depends on the
 * register in the same loop. */
static Slice_step
edge_is_independent(void *user, const Slice_edge *e)
{
	const Fold_candidate *f = user;
	const Def *d = fn_def(e->fn, e->def);
	const Use *u = fn_use(e->fn, e->use);

	if (!d->stmt || (u->stmt == f->stmt && u->sym == f->sym))
		return SLICE_HAVE;
	if (d->sym == f->sym && loop_contains(e->fn->loops, f->loop, fn_block(e->fn, d->stmt)))
		return SLICE_NO;
	return SLICE_ACCEPT;
}

bool
reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	Fold_candidate f = { stmt, sym, fn->loops->loop_of[fn_block(fn, stmt)] };
	Stmts from = { 0 };

	if (!f.loop || !stmt_folds_register(fn, stmt, sym))
		return false;
	bool is = slice_back(fn, stmt, edge_is_independent, &f, &from);
	vec_free(&from);
	return is;
}
