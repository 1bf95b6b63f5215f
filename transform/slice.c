/* SPDX-License-Identifier: MIT */
/* What slices are made of. See slice.h. */
#include "transform/slice.h"

void
slice_reads(const Fn *fn, uint32_t stmt, Slice_reads *to)
{
	*to = (Slice_reads){ .fn = fn, .ok = true };
	FN_READS(fn, stmt, r) {
		if (fn_sreg_has(fn, r->sym, SREGF_TIME))
			to->ok = false;
		if (!fn_is_reg(fn, r->sym))
			continue;
		if (to->n == sizeof to->regs / sizeof *to->regs)
			to->ok = false;
		else
			to->regs[to->n++] = r->sym;
	}
}

bool
slice_has(const Slice *s, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->list[i] == stmt)
			return true;
	return false;
}

bool
slice_declared_inside(const Plan *x, uint32_t sym)
{
	uint32_t s = x->fn->m->syms[sym].decl;
	return ptx_has_stmt(x->fn->f, s) &&
		bits_has(x->site->r.blocks, cfg_block_of(x->fn->cfg, s));
}

bool
slice_pure(const Plan *x, const Def *def)
{
	const Stmt *st = fn_stmt(x->fn, def->stmt);
	uint32_t flags = ptx_flags(x->fn->m, st);
	return st->kind == STMT_INSN && !st->guard && flags & OPF_PURE &&
		!(flags & (OPF_VARIES | OPF_CARRY)) && !slice_declared_inside(x, def->sym);
}
