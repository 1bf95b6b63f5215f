/* SPDX-License-Identifier: MIT */
/* Reductions; see reduction.h.
 *
 * Associative and commutative updates: s = s + x, also with a product added to s, minimum, maximum
 * and the bit operations. Excluded are s = s * 3 + x, where s is a factor, and saturating sums. x
 * must not depend on s of the same loop, which a walk back from the other operands and the guard
 * checks. (Dependences through memory, and through branches that decide whether the statement runs,
 * are not followed.) */
#include "analysis/dataflow/slice.h"
#include "analysis/loops/reduction.h"
#include "base/vec.h"

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

/* ---- extreme values -------------------------------------------------------------------------- */

/* The search at one comparison, whose operands are a new value and the one so far. */
typedef struct {
	const Fn *fn;
	uint32_t loop;
	uint32_t from, old;
	Extreme found;
} Extreme_search;

static uint32_t
register_operand(const Fn *fn, uint32_t stmt, uint32_t k)
{
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *o = k < s->nopnd ? &fn->m->opnds[ptx_operand(fn->m, s, k)] : NULL;

	return o && o->kind == OPND_SYM && !o->sel && fn_is_reg(fn, o->sym) ? o->sym : 0;
}

static bool
stmt_selects(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(fn->m, s) : OP_UNKNOWN;

	return op == OP_SELP || op == OP_MOV || op == OP_MIN || op == OP_MAX;
}

/* Whether the loop moves the result of the statement to register `old`, through selects; the copies
 * of an unrolled loop have a register each. */
static bool
result_becomes(const Extreme_search *x, uint32_t stmt, uint32_t old)
{
	const Fn *fn = x->fn;
	Arena *tmp = arena_new();
	Bits seen = bits_new(tmp, fn->f->nstmt + 1);
	VEC(uint32_t) left = { 0 };
	bool found = false;

	*vec_push(&left) = stmt;
	while (left.n && !found) {
		uint32_t s = left.at[--left.n];
		found = register_operand(fn, s, 0) == old;
		FN_DEFS_OF_STMT(fn, s, d)
			FN_USES(fn, d, u) {
				uint32_t to = u ? fn_use(fn, u)->stmt : 0;
				if (!to || !stmt_selects(fn, to) ||
					bits_has(seen, fn_local_stmt(fn, to)) ||
					!loop_contains(fn->loops, x->loop, fn_block(fn, to)))
					continue;
				bits_set(seen, fn_local_stmt(fn, to));
				*vec_push(&left) = to;
			}
	}
	vec_free(&left);
	arena_free(tmp);
	return found;
}

/* Whether the statement's result is the new value or the old one. */
static bool
stmt_takes_value(const Extreme_search *x, uint32_t stmt)
{
	uint32_t a = register_operand(x->fn, stmt, 1), b = register_operand(x->fn, stmt, 2);

	return ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_MOV ?
		a == x->from :
		(a == x->from && b == x->old) || (a == x->old && b == x->from);
}

/* Adds a statement that the comparison decides on, or that compares by itself. */
static void
add_decided(Extreme_search *x, uint32_t stmt, bool decided)
{
	const Fn *fn = x->fn;
	uint32_t to = register_operand(fn, stmt, 0), header = fn->loops->loops[x->loop].header;
	bool selects = ptx_op(fn->m, fn_stmt(fn, stmt)) == OP_SELP, keeps = false;

	if (!to || fn_stmt(fn, stmt)->guard ||
		!loop_contains(fn->loops, x->loop, fn_block(fn, stmt)))
		return;
	if (stmt_selects(fn, stmt) && stmt_takes_value(x, stmt) &&
		result_becomes(x, stmt, x->old)) {
		x->found.value = to;
		return;
	}
	for (uint32_t k = 1; decided && selects && k <= 2; k++) {
		uint32_t old = register_operand(fn, stmt, k);
		keeps |= old && result_becomes(x, stmt, old);
	}
	if (keeps || (decided && !selects && bits_has(fn->live->in[header], fn_local(fn, to))))
		x->found.place = to;
}

/* Adds the statements of the arms of a branch. */
static void
add_arms(Extreme_search *x, uint32_t branch)
{
	const Fn *fn = x->fn;

	FN_SUCC(fn, fn_block(fn, branch), b)
		if (b && fn->cfg->blocks[b].npred == 1)
			FN_BLOCK_STMTS(fn, b, s)
				if (fn_stmt(fn, s)->kind == STMT_INSN)
					add_decided(x, s, true);
}

static Op
op_of_use(const Fn *fn, uint32_t use)
{
	uint32_t s = use ? fn_use(fn, use)->stmt : 0;

	return s ? ptx_op(fn->m, fn_stmt(fn, s)) : OP_UNKNOWN;
}

/* Finds what a comparison decides whose operand k may be the value so far. */
static Extreme
search_compare(const Fn *fn, uint32_t loop, uint32_t compare, uint32_t k)
{
	Extreme_search x = { .fn = fn,
		.loop = loop,
		.from = register_operand(fn, compare, 3 - k),
		.old = register_operand(fn, compare, k),
		.found.compare = compare };

	if (!x.from || !x.old)
		return x.found;
	FN_DEFS_OF_STMT(fn, compare, d)
		FN_USES(fn, d, u) {
			if (op_of_use(fn, u) == OP_BRA)
				add_arms(&x, fn_use(fn, u)->stmt);
			else if (op_of_use(fn, u) == OP_SELP)
				add_decided(&x, fn_use(fn, u)->stmt, true);
		}
	FN_USES_OF_STMT(fn, compare, v)
		FN_REACH(fn, v, d)
			FN_USES(fn, d, u)
				if (op_of_use(fn, u) == OP_MIN || op_of_use(fn, u) == OP_MAX)
					add_decided(&x, fn_use(fn, u)->stmt, false);
	return x.found;
}

static bool
stmt_compares_order(const Module *m, const Stmt *s)
{
	static const char *const orders[] = {
		"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "ltu", "leu", "gtu", "geu"
	};

	for (size_t i = 0; s->kind == STMT_INSN && ptx_op(m, s) == OP_SETP &&
		i < sizeof orders / sizeof *orders; i++)
		if (ptx_has(m, s, orders[i]))
			return true;
	return false;
}

Extreme
reduction_extreme(const Fn *fn, uint32_t loop, uint32_t sym)
{
	BITS_EACH(b, fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			bool compares = stmt_compares_order(fn->m, fn_stmt(fn, s));
			for (uint32_t k = 1; compares && k <= 2; k++) {
				Extreme e = search_compare(fn, loop, s, k);
				if (e.value && (sym ? e.value == sym || e.place == sym :
						      e.place != 0))
					return e;
			}
		}
	return (Extreme){ 0 };
}

const char *
reduction_advice(const Extreme *e)
{
	return e->place ?
		"it keeps the best value and its place: fold both into one 64-bit key, 'key = max(key, (uint64_t)value << 32 | ~index)', and take them apart after the loop (docs/annotations.md, Best values)" :
		"it keeps the best value: let 'max', 'min', 'fmaxf' or 'fminf' compute it";
}
