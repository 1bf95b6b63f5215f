/* SPDX-License-Identifier: MIT */
/* Finds operations whose NaN results have bits that depend on the surrounding code.
 *
 * ptxas computes neg.f32 and abs.f32 without .ftz, and a multiplication by -1, with an addition,
 * which makes every NaN the canonical one, 0x7fffffff; or, where a selp.f32, a slct.f32 or a
 * predicated statement reads or is the operation, as a modifier of a selection, which keeps the NaN
 * and changes its sign (two negations cancel). f64, f16, .ftz, and moves of type .b32 always take a
 * separate operation. A NaN's sign is seen by everything, perhaps through moves and selections,
 * except f32 arithmetic and comparisons, conversions to integers, min and max.
 * docs/proofs/contraction.md says what follows for copies. */
#include "analysis/contraction/internal.h"

enum { ONE = 0x3f800000 };

static Op
op_of(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN ? ptx_op(fn->m, s) : OP_UNKNOWN;
}

static bool
is_plain_f32(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return ptx_insn_type(fn->m, s) == TYPE_F32 && !ptx_has(fn->m, s, "ftz");
}

/* Whether the statement multiplies by a literal 1, which ptxas removes, or by -1, which ptxas turns
 * into a negation. */
static bool
multiplies_by_one(const Fn *fn, uint32_t stmt, bool negative)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint64_t bits;
	bool real;

	if (op_of(fn, stmt) != OP_MUL || !is_plain_f32(fn, stmt))
		return false;
	PTX_OPNDS(fn->m, s, k, o) {
		const Opnd *x = &fn->m->opnds[o];
		if (k && ptx_imm(fn->m, x, &bits, &real) && real &&
			ptx_imm_sized(fn->m, x, 4, &bits) &&
			bits == (negative ? ONE | UINT32_C(1) << 31 : ONE))
			return true;
	}
	return false;
}

static bool
changes_sign(const Fn *fn, uint32_t stmt)
{
	Op op = op_of(fn, stmt);

	return ((op == OP_NEG || op == OP_ABS) && is_plain_f32(fn, stmt)) ||
		multiplies_by_one(fn, stmt, true);
}

/* Whether the result has the bits of an operand, possibly with another sign. */
static bool
passes_on(const Fn *fn, uint32_t stmt)
{
	Op op = op_of(fn, stmt);

	return op == OP_MOV || op == OP_SELP || op == OP_SLCT || changes_sign(fn, stmt) ||
		multiplies_by_one(fn, stmt, false);
}

/* Whether it is an f32 operation whose NaN results are always canonical. */
static bool
is_arithmetic(const Fn *fn, uint32_t stmt)
{
	if (passes_on(fn, stmt) || ptx_insn_type(fn->m, fn_stmt(fn, stmt)) != TYPE_F32)
		return false;
	switch (op_of(fn, stmt)) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_FMA:
	case OP_MAD:
	case OP_DIV:
	case OP_RCP:
	case OP_SQRT:
	case OP_RSQRT:
	case OP_SIN:
	case OP_COS:
	case OP_LG2:
	case OP_EX2:
	case OP_TANH: return true;
	case OP_MIN:
	case OP_MAX: return !ptx_has(fn->m, fn_stmt(fn, stmt), "xorsign");
	default: return false;
	}
}

/* Whether the statement reads f32 values, and its result does not depend on the sign of a NaN. */
static bool
ignores_sign(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = op_of(fn, stmt);

	if (op == OP_CVT) /* to an integer */
		return !contraction_is_float(fn->m, s) &&
			ptx_has_any(fn->m, s,
				(const char *const[]){ "rni", "rzi", "rmi", "rpi", NULL });
	return is_arithmetic(fn, stmt) ||
		(op == OP_SETP && ptx_insn_type(fn->m, s) == TYPE_F32);
}

static bool
never_gives_nan(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return op_of(fn, stmt) == OP_CVT && ptx_insn_type(fn->m, s) == TYPE_F32 &&
		ptx_has_any(fn->m, s,
			(const char *const[]){ "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64",
				NULL });
}

/* Whether ptxas turns the operation into an operand modifier of the statement. */
static bool
takes_modifier(const Fn *fn, uint32_t stmt)
{
	Op op = op_of(fn, stmt);

	return ptx_insn_type(fn->m, fn_stmt(fn, stmt)) == TYPE_F32 &&
		(op == OP_SELP || op == OP_SLCT || fn_stmt(fn, stmt)->guard);
}

/* Whether all NaNs that the statement reads are canonical. The canonical NaN is positive. */
static bool
reads_canonical(Contraction_finder *w, uint32_t stmt, bool selected)
{
	const Fn *fn = w->fn;

	selected = selected || takes_modifier(fn, stmt);
	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (bits_has(w->seen, d))
				continue;
			bits_set(w->seen, d);
			if (!s || ++w->followed > MOST_FOLLOWED)
				return false;
			if (is_arithmetic(fn, s) || never_gives_nan(fn, s) ||
				op_of(fn, s) == OP_SETP)
				continue;
			if (!passes_on(fn, s) || (selected && changes_sign(fn, s)) ||
				!reads_canonical(w, s, selected))
				return false;
		}
	return true;
}

static bool
is_canonical(Contraction_finder *w, uint32_t stmt)
{
	w->followed = 0;
	bits_clear(w->seen);
	return reads_canonical(w, stmt, false);
}

/* Adds the statements that read the bits of the definition, directly or through copies. `merges`:
 * ptxas may still make the operation a modifier. Reader.only: all copies of the reader compute it
 * in the same way. */
static void
add_observers(Contraction_finder *w, uint32_t d, uint32_t sign, bool merges, Readers *to)
{
	const Fn *fn = w->fn;
	bool direct = fn_def(fn, d)->stmt == sign;

	bits_set(w->seen, d);
	FN_USES(fn, d, u) {
		uint32_t s = fn_use(fn, u)->stmt;
		bool merged = merges &&
			(takes_modifier(fn, s) || (changes_sign(fn, s) && !w->canonical)),
		     near = direct && fn_use(fn, u)->ndef == 1 && sign < s &&
			fn_block(fn, s) == fn_block(fn, sign);
		if (ignores_sign(fn, s))
			continue;
		if (!passes_on(fn, s) || (merged && !near) || ++w->followed > MOST_FOLLOWED) {
			*vec_push(to) = (Reader){ .stmt = s, .only = !passes_on(fn, s),
				.direct = direct };
			continue;
		}
		FN_DEFS_OF_STMT(fn, s, e)
			if (!bits_has(w->seen, e))
				add_observers(w, e, sign, merges && !merged, to);
	}
}

bool
contraction_has_signs(const Fn *fn)
{
	FN_STMTS(fn, s)
		if (changes_sign(fn, s))
			return true;
	return false;
}

void
contraction_find_signs(Contraction_finder *w)
{
	const Fn *fn = w->fn;
	Readers all = { 0 };

	w->npaths = 0;
	FN_STMTS(fn, s) {
		if (!fn_block(fn, s) || !changes_sign(fn, s))
			continue;
		w->canonical = is_canonical(w, s);
		if (w->canonical && op_of(fn, s) == OP_ABS)
			continue;
		all.n = 0;
		w->followed = 0;
		bits_clear(w->seen);
		FN_DEFS_OF_STMT(fn, s, d)
			add_observers(w, d, s, true, &all);
		if (all.n)
			bits_set(w->c->signs, fn_local_stmt(fn, s));
		for (uint32_t i = 0; i < all.n; i++)
			if (!all.at[i].only || fn_stmt(fn, s)->guard)
				contraction_note_unknown(w, s, all.at[i].stmt);
	}
	vec_free(&all);
}
