/* SPDX-License-Identifier: MIT */
/* Atomic operations that ptxas combines over the active lanes of a warp. */
#include "analysis/cost/static_cost.h"

/* Whether ptxas lets one lane do the atomic operation of all active lanes: it is on a 32-bit integer
 * at an address that is known to be the same in all lanes. */
static bool
atomic_is_combined(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Type type = ptx_insn_type(m, s);
	bool adds = ptx_has(m, s, "add");

	if ((type != TYPE_U32 && type != TYPE_S32 && type != TYPE_B32) ||
		!(adds || ptx_has_any(m, s, (const char *const[]){ "min", "max", "and", "or", "xor",
					  NULL })) ||
		(!adds && fn_is_read(fn, stmt)))
		return false;
	FN_READS(fn, stmt, r)
		if (fn_is_reg(fn, r->sym) && ptx_type_size((Type)m->syms[r->sym].type) == 8 &&
			bits_has(fn->uniform->use, defuse_find_use(fn, stmt, r->sym)))
			return false;
	return true;
}

bool
cost_atomics_combined(const Fn *fn, Bits blocks)
{
	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_ATOMIC &&
				ptx_space(fn->m, fn_stmt(fn, s)) != SPACE_SHARED &&
				!atomic_is_combined(fn, s))
				return false;
	return true;
}
